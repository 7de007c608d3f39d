#include "record/import/tracedat/file.h"

#include "tests/support/failalloc.h"
#include "tests/support/tracedat_intake.h"
#include "tests/support/tracedatbuild.h"

#include <setjmp.h>
#include <stddef.h>

#include <cmocka.h>

#define N_ROWS 12u
#define MAGIC_SIZE 10u

static void put_print(struct tdb *t, unsigned cpu, uint32_t delta)
{
	tdb_begin(t, TDB_PRINT, 10);
	tdb_long(t, 0x1234);
	tdb_bytes(t, "a line", 7);
	tdb_commit(t, 0, cpu, delta);
}

/* Three pages a CPU with two rows each, and a bit of everything. */
static void build(struct buf *out, int version, const char *codec)
{
	static const char uname[] = "Linux box 6.1 x86_64";
	static const struct tdb_option options[] = {
		{ 5, uname, sizeof(uname) }, { 77, "?", 1 },
		{ 8, "\2\0\0\0", 4 }, /* CPUs */
	};
	struct tdb t;

	tdb_init(&t, version, false, 8);
	t.codec = codec;
	t.options = options;
	t.n_options = 3;
	t.kallsyms = "ffffffff81000000 T _text\n";
	t.printk = "0x10 : \"text\"\n";
	for (unsigned cpu = 0; cpu < TDB_CPUS; cpu++)
		for (unsigned p = 0; p < 3; p++) {
			tdb_page(&t, 0, cpu, 1000 + 100 * p + cpu, 0);
			put_print(&t, cpu, 1);
			put_print(&t, cpu, 1);
		}
	buf_init(out, 0);
	tdb_file(&t, out);
	tdb_fini(&t);
}

static const struct {
	int version;
	const char *codec;
} kinds[] = { { 6, "none" }, { 7, "none" }, { 7, "zstd" }, { 7, "zlib" } };

#define N_KINDS (sizeof(kinds) / sizeof(kinds[0]))

static int import(struct span bytes, size_t *rows, struct err *err)
{
	struct rec_intake in = { 0 };
	int rc = tracedat_intake_run(&in, bytes, err);

	*rows = in.n_samples;
	tracedat_intake_fini(&in);
	return rc;
}

/* "... offset 123 ..." and something else. */
static void tells_where(int version, size_t n, const struct err *err)
{
	const char *at = strstr(err->text, "offset ");

	if (!at || at[7] < '0' || at[7] > '9' || strlen(err->text) < 20)
		fail_msg("version %d, %zu bytes: '%s'", version, n, err->text);
}

static void each_prefix_gives_what_is_sound_and_says_what_is_not(void **state)
{
	struct buf file;
	size_t rows;

	(void)state;
	for (size_t k = 0; k < N_KINDS; k++) {
		size_t most = 0;

		build(&file, kinds[k].version, kinds[k].codec);
		for (size_t n = 0; n < file.n; n++) {
			struct err err = { 0 };
			int rc = import(span_of(file.p, n), &rows, &err);

			/* Only what fills the last page up may be missing. */
			if (rc == 0)
				assert_int_equal(rows, N_ROWS);
			else
				assert_true(rc == 1 || rc == ERR_FORMAT);
			/* Shorter ones are not known to be of that kind. */
			if (rc != 0 && n >= MAGIC_SIZE)
				tells_where(kinds[k].version, n, &err);
			if (rc >= 0)
				assert_true(rows >= most);
			most = rc >= 0 ? rows : most;
		}
		assert_int_equal(import(span_of(file.p, file.n), &rows, NULL),
				 0);
		assert_int_equal(rows, N_ROWS);
		buf_fini(&file);
	}
}

/* The list of buffers comes last in the file, and in it the second CPU, which is
 * found without it where chunks tell how long they are. */
static void a_list_of_buffers_that_is_cut_costs_what_it_lacks(void **state)
{
	(void)state;
	for (size_t k = 0; k < N_KINDS; k++) {
		bool packed = strcmp(kinds[k].codec, "none") != 0;
		struct err err = { 0 };
		struct buf file;
		size_t rows;

		if (kinds[k].version < 7)
			continue;
		build(&file, 7, kinds[k].codec);
		/* What ends the list, and a byte of the last CPU. */
		assert_int_equal(import(span_of(file.p, file.n - 14 - 1),
					&rows, &err), 1);
		assert_int_equal(rows, packed ? N_ROWS : N_ROWS / TDB_CPUS);
		assert_non_null(strstr(err.text, ", in its options, bytes "));
		assert_int_equal(import(span_of(file.p, file.n - 14), &rows,
					&err), 1);
		assert_int_equal(rows, N_ROWS);
		assert_non_null(strstr(err.text, ", in its options, bytes "));
		buf_fini(&file);
	}
}

/* Names of functions are lost with it, but no row. */
static void a_damaged_part_does_not_cost_the_rows(void **state)
{
	struct err err = { 0 };
	struct buf file;
	uint8_t *at;
	size_t rows;

	(void)state;
	build(&file, 7, "none");
	at = memmem(file.p, file.n, "ffffffff81000000", 16);
	assert_non_null(at);
	at[-4 - 8] = 0xff; /* the size of its section */
	at[-4 - 8 + 5] = 0xff;
	assert_int_equal(import(span_of(file.p, file.n), &rows, &err), 1);
	assert_int_equal(rows, N_ROWS);
	assert_non_null(strstr(err.text, "section 19 at offset "));
	buf_fini(&file);
}

static void a_file_that_ends_in_its_pages_tells_where(void **state)
{
	struct err err = { 0 };
	struct buf file;
	size_t rows;

	(void)state;
	build(&file, 6, "none");
	/* In the second of three pages of the second CPU. */
	assert_int_equal(import(span_of(file.p, file.n - 2 * TDB_PAGE + 46),
				&rows, &err), 1);
	assert_int_equal(rows, 6 + 3);
	assert_non_null(strstr(err.text, "CPU 1, page at offset "));
	buf_fini(&file);
}

static void a_damaged_page_does_not_cost_the_others(void **state)
{
	static const uint8_t text[] = "a line";
	struct err err = { 0 };
	struct buf file;
	uint8_t *at;
	size_t rows;

	(void)state;
	build(&file, 6, "none");
	at = memmem(file.p, file.n, text, sizeof(text));
	assert_non_null(at);
	/* The second record of the first page: a length without end. */
	at[8] = 0xfc;
	at[12] = 0xff;
	at[13] = 0xff;
	assert_int_equal(import(span_of(file.p, file.n), &rows, &err), 1);
	assert_true(rows == N_ROWS - 1);
	assert_non_null(strstr(err.text, "CPU 0, page at offset "));
	buf_fini(&file);
}

static void changed_bytes_do_no_harm(void **state)
{
	uint32_t seed = 12345;
	struct buf file;
	size_t rows;

	(void)state;
	for (size_t k = 0; k < N_KINDS; k++) {
		build(&file, kinds[k].version, kinds[k].codec);
		for (size_t i = 0; i < 3000; i++) {
			uint8_t *p;
			uint8_t was;

			seed = seed * 1664525 + 1013904223;
			p = &file.p[(seed >> 8) % file.n];
			was = *p;
			*p = (uint8_t)(seed ^ seed >> 24);
			(void)import(span_of(file.p, file.n), &rows, NULL);
			*p = was;
		}
		buf_fini(&file);
	}
}

static void the_nth_allocation_that_fails_is_reported(void **state)
{
	struct buf file;
	size_t rows;

	(void)state;
	for (size_t k = 0; k < N_KINDS; k++) {
		bool hit = true;

		build(&file, kinds[k].version, kinds[k].codec);
		for (long n = 1; hit; n++) {
			struct err err = { 0 };
			int rc;

			failalloc_at(n);
			rc = import(span_of(file.p, file.n), &rows, &err);
			hit = failalloc_hit();
			failalloc_off();
			if (rc != (hit ? ERR_NOMEM : 0))
				fail_msg("%s %ld: rc %d, %s", kinds[k].codec, n,
					 rc, err.text);
		}
		buf_fini(&file);
	}
}

static void check_refused(struct buf *b, int code, const char *why)
{
	struct err err = { 0 };
	size_t rows;

	assert_int_equal(import(span_of(b->p, b->n), &rows, &err), code);
	if (!strstr(err.text, why))
		fail_msg("no '%s' in '%s'", why, err.text);
	buf_fini(b);
}

static void unknown_versions_and_compressions_are_named(void **state)
{
	struct buf file;

	(void)state;
	build(&file, 6, "none");
	file.p[10] = '9';
	check_refused(&file, ERR_UNSUPPORTED,
		      "version '9' is not known (known: 6, 7)");
	build(&file, 7, "zstd");
	file.p[18] = 'Z';
	check_refused(&file, ERR_UNSUPPORTED, "compression 'Zstd' is not "
					      "known");
}

static void a_loop_of_options_ends(void **state)
{
	struct buf file, head;

	(void)state;
	build(&file, 7, "none");
	/* A list at the end that leads to itself. */
	buf_init(&head, 0);
	buf_put(&head, file.p, file.n);
	buf_u16(&head, 0);
	buf_u16(&head, 0);
	buf_u32(&head, 0);
	buf_u64(&head, 14);
	buf_u16(&head, 0);
	buf_u32(&head, 8);
	buf_u64(&head, file.n);
	for (unsigned i = 0; i < 8; i++)
		head.p[25 + i] = (uint8_t)(file.n >> 8 * i);
	buf_fini(&file);
	check_refused(&head, ERR_FORMAT, "lists of options");
}

/* "\x17\x08\x44tracing7\0" … "zstd\0" "1\0" and a section of 20 bytes that
 * would be 4 GB. */
static void what_asks_for_all_memory_is_refused(void **state)
{
	struct buf b;
	size_t at;

	(void)state;
	buf_init(&b, 0);
	buf_put(&b, "\x17\x08\x44tracing7\0\0\x8", 14);
	buf_u32(&b, 4096);
	buf_put(&b, "zstd\0" "1", 7);
	at = b.n + 8;
	buf_u64(&b, at);
	buf_u16(&b, 0); /* options, compressed */
	buf_u16(&b, 1);
	buf_u32(&b, 0);
	buf_u64(&b, 12);
	buf_u32(&b, 4);
	buf_u32(&b, UINT32_MAX);
	buf_u32(&b, 0);
	check_refused(&b, ERR_LIMIT, "needs 4294967295 bytes of memory");
}

/* In version 6 the places of the pages stand before the list of clocks. */
static void pages_that_all_cpus_share_are_refused(void **state)
{
	static const char clock[] = "local global [mono] boot";
	struct buf file;
	uint8_t *at;

	(void)state;
	build(&file, 6, "none");
	at = memmem(file.p, file.n, clock, sizeof(clock) - 1);
	assert_non_null(at);
	/* Both CPUs from offset 0 to the end. */
	at -= 8 + 2 * 16;
	for (unsigned cpu = 0; cpu < 2; cpu++)
		for (unsigned i = 0; i < 8; i++) {
			at[16 * cpu + i] = 0;
			at[16 * cpu + 8 + i] = (uint8_t)(file.n >> 8 * i);
		}
	check_refused(&file, ERR_FORMAT, "CPU 1 lie in those of others");
}

static void more_cpus_than_there_are_is_refused(void **state)
{
	static const uint8_t many[] = { 0, 0, 1, 0 }; /* 65536 */
	static const struct tdb_option options[] = { { 8, many, 4 } };
	static uint8_t room[65536 * 16];
	struct buf file;
	struct tdb t;

	(void)state;
	tdb_init(&t, 6, false, 8);
	t.options = options;
	t.n_options = 1;
	buf_init(&file, 0);
	tdb_file(&t, &file);
	tdb_fini(&t);
	buf_put(&file, room, sizeof(room));
	check_refused(&file, ERR_LIMIT, "65536 CPUs");
}

static void text_of_a_latency_tracer_is_said_to_be_that(void **state)
{
	struct buf file;
	uint8_t *at;

	(void)state;
	build(&file, 6, "none");
	at = memmem(file.p, file.n, "flyrecord", 10);
	assert_non_null(at);
	memcpy(at, "latency  ", 10);
	check_refused(&file, ERR_UNSUPPORTED, "text of a latency tracer");
}

static void only_its_magic_makes_a_file_one(void **state)
{
	static const char magic[] = "\x17\x08\x44tracing6";

	(void)state;
	assert_true(rec_import_trace_dat.is(span_of(magic, 11)));
	assert_false(rec_import_trace_dat.is(span_of(magic, 9)));
	assert_false(rec_import_trace_dat.is(span_of("PERFILE2....", 12)));
	assert_false(rec_import_trace_dat.is(span_of("", 0)));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			each_prefix_gives_what_is_sound_and_says_what_is_not),
		cmocka_unit_test(
			a_list_of_buffers_that_is_cut_costs_what_it_lacks),
		cmocka_unit_test(a_damaged_part_does_not_cost_the_rows),
		cmocka_unit_test(a_file_that_ends_in_its_pages_tells_where),
		cmocka_unit_test(a_damaged_page_does_not_cost_the_others),
		cmocka_unit_test(changed_bytes_do_no_harm),
		cmocka_unit_test(the_nth_allocation_that_fails_is_reported),
		cmocka_unit_test(unknown_versions_and_compressions_are_named),
		cmocka_unit_test(a_loop_of_options_ends),
		cmocka_unit_test(what_asks_for_all_memory_is_refused),
		cmocka_unit_test(pages_that_all_cpus_share_are_refused),
		cmocka_unit_test(more_cpus_than_there_are_is_refused),
		cmocka_unit_test(text_of_a_latency_tracer_is_said_to_be_that),
		cmocka_unit_test(only_its_magic_makes_a_file_one),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
