/* Files of perf that are cut, changed, or read without memory. */
#include "format/base/mem.h"
#include "tests/support/failalloc.h"
#include "tests/support/perfdatabuild.h"
#include "tests/support/perfdataimport.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <zstd.h>

#include <cmocka.h>

enum { COMM = 3, SAMPLE = 9, MMAP2 = 10, ROUND = 68, FEATURE = 80,
       COMPRESSED };
enum { HOSTNAME = 3, CMDLINE = 11, EVENT_DESC = 12 };
enum { IP = 1, TID = 2, TIME = 4, READ = 16, CHAIN = 32, ID = 64,
       PERIOD = 256, RAW = 1024 };

static const uint64_t first_ids[] = { 11 }, second_ids[] = { 21 };
static const struct pdb_attr events[] = {
	{ .type = 1, .size = 120, .period = 7,
	  .sample_type = IP | TID | TIME | READ | ID | CHAIN | PERIOD | RAW,
	  .read_format = 4 | 8, .flags = PDB_SAMPLE_ID_ALL, .ids = first_ids,
	  .n_ids = 1 },
	{ .type = 1, .size = 120, .config = 2, .period = 7,
	  .sample_type = IP | TID | TIME | READ | ID | CHAIN | PERIOD | RAW,
	  .read_format = 4 | 8, .flags = PDB_SAMPLE_ID_ALL, .ids = second_ids,
	  .n_ids = 1 },
};

#define N_SAMPLES 8u

static void trailer(struct pdb *p, uint64_t time)
{
	pdb_pair(p, 1, 1);
	pdb_u64(p, time);
	pdb_u64(p, 11);
}

static void sample(struct pdb *p, uint64_t time)
{
	size_t at = pdb_begin(p, SAMPLE, 2);

	pdb_u64(p, 0x1000);
	pdb_pair(p, 1, 1);
	pdb_u64(p, time);
	pdb_u64(p, 11);
	pdb_u64(p, 7);
	pdb_u64(p, 2);
	pdb_u64(p, time), pdb_u64(p, 11);
	pdb_u64(p, time / 2), pdb_u64(p, 21);
	pdb_u64(p, 2), pdb_u64(p, (uint64_t)-512), pdb_u64(p, 0x1000);
	pdb_u32(p, 4);
	pdb_bytes(p, "data", 4);
	pdb_end(p, at);
}

static void records(struct pdb *p)
{
	size_t at = pdb_begin(p, COMM, 0);

	pdb_pair(p, 1, 1);
	pdb_room(p, "name", 8);
	trailer(p, 10);
	pdb_end(p, at);
	at = pdb_begin(p, MMAP2, 2);
	pdb_pair(p, 1, 1);
	pdb_u64(p, 0x1000), pdb_u64(p, 0x1000), pdb_u64(p, 0);
	pdb_pair(p, 0, 0), pdb_u64(p, 0), pdb_u64(p, 0), pdb_pair(p, 5, 2);
	pdb_room(p, "/a", 8);
	trailer(p, 20);
	pdb_end(p, at);
	for (uint64_t i = 0; i < N_SAMPLES / 2; i++)
		sample(p, 1000 + i * 10);
	pdb_end(p, pdb_begin(p, ROUND, 0));
}

static void event_descriptions(struct pdb *p)
{
	pdb_u32(p, 2);
	pdb_u32(p, events[0].size);
	for (size_t i = 0; i < 2; i++) {
		pdb_attr(p, &events[i]);
		pdb_u32(p, 1);
		pdb_string(p, i ? "second" : "first");
		pdb_u64(p, events[i].ids[0]);
	}
}

static void with_features(struct pdb *out, const struct pdb *data)
{
	struct pdb host = { .big = out->big }, names = { .big = out->big };

	pdb_string(&host, "somewhere");
	event_descriptions(&names);
	pdb_file(out, &(struct pdb_file){
			      .attrs = events, .n_attrs = 2,
			      .data = { data->b.p, data->b.n },
			      .features = (struct pdb_feature[]){
				      { HOSTNAME, { host.b.p, host.b.n } },
				      { EVENT_DESC, { names.b.p, names.b.n } } },
			      .n_features = 2 });
	buf_fini(&host.b);
	buf_fini(&names.b);
}

static void plain_file(struct pdb *out)
{
	struct pdb data = { .big = out->big };

	records(&data);
	with_features(out, &data);
	buf_fini(&data.b);
}

static void big_endian_file(struct pdb *out)
{
	out->big = true;
	plain_file(out);
}

static void compressed_file(struct pdb *out)
{
	struct pdb plain = { 0 }, data = { 0 };
	size_t room, n, begin;

	records(&plain);
	room = ZSTD_compressBound(plain.b.n);
	begin = pdb_begin(&data, COMPRESSED, 0);
	assert_non_null(buf_room(&data.b, room));
	n = ZSTD_compress(data.b.p + data.b.n, room, plain.b.p, plain.b.n, 1);
	assert_false(ZSTD_isError(n));
	data.b.n += n;
	data.b.p[begin + 6] = (uint8_t)(data.b.n - begin);
	data.b.p[begin + 7] = (uint8_t)((data.b.n - begin) >> 8);
	with_features(out, &data);
	buf_fini(&plain.b);
	buf_fini(&data.b);
}

static void pipe_file(struct pdb *out)
{
	struct pdb names = { 0 };
	size_t at;

	pdb_pipe(out);
	pdb_pipe_attr(out, &events[0]);
	pdb_pipe_attr(out, &events[1]);
	event_descriptions(&names);
	at = pdb_begin(out, FEATURE, 0);
	pdb_u64(out, EVENT_DESC);
	pdb_bytes(out, names.b.p, names.b.n);
	pdb_end(out, at);
	records(out);
	buf_fini(&names.b);
}

static const struct file {
	void (*build)(struct pdb *out);
	bool pipe;
} files[] = {
	{ plain_file, false },
	{ big_endian_file, false },
	{ compressed_file, false },
	{ pipe_file, true },
};

static void the_whole_files_are_sound(void **state)
{
	(void)state;
	for (size_t k = 0; k < ARRAY_LEN(files); k++) {
		struct pdb p = { 0 };
		struct imported i;

		files[k].build(&p);
		i = import_bytes(span_of(p.b.p, p.b.n), false);
		assert_int_equal(i.rc, 0);
		assert_int_equal(i.samples, N_SAMPLES);
		buf_fini(&p.b);
	}
}

/* What a pipe held may end behind any record. */
static void every_prefix_gives_its_sound_part_and_says_so(void **state)
{
	(void)state;
	for (size_t k = 0; k < ARRAY_LEN(files); k++) {
		struct pdb p = { 0 };
		uint64_t most = 0;

		files[k].build(&p);
		for (size_t n = 0; n < p.b.n; n++) {
			struct imported i =
				import_bytes(span_of(p.b.p, n), false);

			assert_in_range(i.samples, most, N_SAMPLES);
			most = i.samples;
			if (!files[k].pipe)
				assert_int_not_equal(i.rc, 0);
			if (i.rc)
				assert_true(i.err.text[0]);
			if (i.samples)
				assert_true(i.rc >= 0);
		}
		buf_fini(&p.b);
	}
}

/* Of a file that was closed, so that nothing is cut off. Its header has where the
 * records are at 40, and how many bytes at 48. */
static void a_record_of_a_broken_size_ends_what_is_read_and_is_told(void **state)
{
	static const uint8_t sizes[][2] = { { 0, 0 }, { 7, 0 }, { 0xf8, 0xff } };

	(void)state;
	for (size_t k = 0; k < ARRAY_LEN(sizes); k++) {
		struct pdb p = { 0 };
		struct imported i;
		uint64_t from, size, at;
		char want[200];

		plain_file(&p);
		memcpy(&from, p.b.p + 40, 8);
		memcpy(&size, p.b.p + 48, 8);
		at = from;
		for (int n = 0; n < 4; n++)
			at += p.b.p[at + 6] | (unsigned)p.b.p[at + 7] << 8;
		memcpy(p.b.p + at + 6, sizes[k], 2);
		snprintf(want, sizeof(want), "broken record at offset %llu, "
			 "with a size of %u bytes: the %llu bytes from it on "
			 "were not read", (unsigned long long)at,
			 sizes[k][0] | (unsigned)sizes[k][1] << 8,
			 (unsigned long long)(from + size - at));
		i = import_bytes(span_of(p.b.p, p.b.n), false);
		assert_int_equal(i.rc, 1);
		assert_string_equal(i.err.text, want);
		assert_in_range(i.samples, 1, N_SAMPLES - 1);
		buf_fini(&p.b);
	}
}

static void every_changed_byte_is_survived(void **state)
{
	static const uint8_t masks[] = { 0x01, 0x80, 0xff };
	const char *sanitizers = getenv("SAN");
	/* Under those it takes ten times as long: each byte in one way. */
	bool one = sanitizers && *sanitizers;

	(void)state;
	for (size_t k = 0; k < ARRAY_LEN(files) * ARRAY_LEN(masks); k++) {
		uint8_t mask = masks[k % ARRAY_LEN(masks)];
		struct pdb p = { 0 };

		files[k / ARRAY_LEN(masks)].build(&p);
		for (size_t n = 0; n < p.b.n; n++) {
			struct imported i;

			if (one && n % ARRAY_LEN(masks) != k % ARRAY_LEN(masks))
				continue;
			p.b.p[n] ^= mask;
			i = import_bytes(span_of(p.b.p, p.b.n), true);
			free(i.text);
			p.b.p[n] ^= mask;
			assert_true(i.rc == 0 || i.err.text[0]);
		}
		buf_fini(&p.b);
	}
}

static void each_allocation_may_fail(void **state)
{
	(void)state;
	for (size_t k = 0; k < ARRAY_LEN(files); k++) {
		struct pdb p = { 0 };
		bool hit = true;

		files[k].build(&p);
		for (long n = 1; hit; n++) {
			struct imported i;

			failalloc_at(n);
			i = import_bytes(span_of(p.b.p, p.b.n), false);
			hit = failalloc_hit();
			failalloc_off();
			assert_int_equal(i.rc, hit ? ERR_NOMEM : 0);
		}
		buf_fini(&p.b);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_whole_files_are_sound),
		cmocka_unit_test(every_prefix_gives_its_sound_part_and_says_so),
		cmocka_unit_test(
			a_record_of_a_broken_size_ends_what_is_read_and_is_told),
		cmocka_unit_test(every_changed_byte_is_survived),
		cmocka_unit_test(each_allocation_may_fail),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
