#include "record/import/input.h"

#include "format/base/mem.h"
#include "tests/support/failalloc.h"

#include <fcntl.h>
#include <lzma.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include <cmocka.h>

/* More than one block of every layer, and not a multiple of any. */
#define PLAIN_SIZE ((size_t)200003)
#define PACKED_SIZE ((size_t)400000)

struct fixture {
	uint8_t plain[PLAIN_SIZE];
	uint8_t packed[PACKED_SIZE];
	size_t n_packed;
	char path[64];
};

/* Half noise, half repetition: neither too short nor incompressible. */
static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));
	uint32_t x = 1;

	assert_non_null(f);
	for (size_t i = 0; i < PLAIN_SIZE; i++) {
		x = x * 1664525u + 1013904223u;
		f->plain[i] = i & 512 ? (uint8_t)(x >> 24) : (uint8_t)i;
	}
	snprintf(f->path, sizeof(f->path), "/tmp/test_input.XXXXXX");
	close(mkstemp(f->path));
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	unlink(f->path);
	free(f);
	return 0;
}

static void write_file(const char *path, const void *p, size_t n)
{
	int fd = open(path, O_WRONLY | O_TRUNC);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, p, n), (ssize_t)n);
	close(fd);
}

/* -- Compressors ------------------------------------------------------------*/

static size_t pack_gzip(const uint8_t *p, size_t n, uint8_t *to, size_t room)
{
	z_stream z = { 0 };

	assert_int_equal(deflateInit2(&z, 6, Z_DEFLATED, 15 + 16, 8,
				      Z_DEFAULT_STRATEGY), Z_OK);
	z.next_in = (Bytef *)(uintptr_t)p;
	z.avail_in = (uInt)n;
	z.next_out = to;
	z.avail_out = (uInt)room;
	assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
	deflateEnd(&z);
	return room - z.avail_out;
}

static size_t pack_xz(const uint8_t *p, size_t n, uint8_t *to, size_t room)
{
	size_t at = 0;

	assert_int_equal(lzma_easy_buffer_encode(6, LZMA_CHECK_CRC64, NULL, p,
						 n, to, &at, room), LZMA_OK);
	return at;
}

static size_t pack_zstd(const uint8_t *p, size_t n, uint8_t *to, size_t room)
{
	size_t at = ZSTD_compress(to, room, p, n, 3);

	assert_false(ZSTD_isError(at));
	return at;
}

static size_t pack_plain(const uint8_t *p, size_t n, uint8_t *to, size_t room)
{
	assert_true(n <= room);
	memcpy(to, p, n);
	return n;
}

static const struct packer {
	const char *name;
	size_t (*pack)(const uint8_t *p, size_t n, uint8_t *to, size_t room);
} packers[] = {
	{ "plain", pack_plain },
	{ "gzip", pack_gzip },
	{ "xz", pack_xz },
	{ "zstd", pack_zstd },
};

#define FIRST_SIZE 70001

/* The plain bytes as two streams, one behind the other. */
static void pack(struct fixture *f, const struct packer *p)
{
	f->n_packed = p->pack(f->plain, FIRST_SIZE, f->packed, PACKED_SIZE);
	f->n_packed += p->pack(f->plain + FIRST_SIZE, PLAIN_SIZE - FIRST_SIZE,
			       f->packed + f->n_packed,
			       PACKED_SIZE - f->n_packed);
}

/* -- Reading ----------------------------------------------------------------*/

/* All of it, in steps; a failure is returned. */
static ssize_t read_all(struct rec_input *in, uint8_t *to, size_t step,
			struct err *err)
{
	size_t n = 0;
	ssize_t got;

	while ((got = rec_input_read(in, to + n, step, err)) > 0) {
		n += (size_t)got;
		assert_true(n <= PLAIN_SIZE);
		if (n + step > PLAIN_SIZE)
			step = PLAIN_SIZE - n ? PLAIN_SIZE - n : 1;
	}
	return got < 0 ? got : (ssize_t)n;
}

static void streams_of_every_kind_come_out_as_they_went_in(void **state)
{
	static uint8_t back[PLAIN_SIZE + 1];
	struct fixture *f = *state;

	for (size_t i = 0; i < ARRAY_LEN(packers); i++) {
		struct rec_input *in = NULL;
		struct err err = { 0 };

		pack(f, &packers[i]);
		write_file(f->path, f->packed, f->n_packed);
		assert_int_equal(rec_input_open(&in, f->path, &err), 0);
		memset(back, 0, sizeof(back));
		assert_int_equal(read_all(in, back, 4099, &err), PLAIN_SIZE);
		assert_memory_equal(back, f->plain, PLAIN_SIZE);
		assert_int_equal(rec_input_read(in, back, 1, &err), 0);
		rec_input_close(in);
	}
}

static void looking_ahead_takes_nothing(void **state)
{
	static uint8_t back[PLAIN_SIZE + 1];
	struct fixture *f = *state;

	for (size_t i = 0; i < ARRAY_LEN(packers); i++) {
		struct rec_input *in = NULL;
		struct span head;

		pack(f, &packers[i]);
		write_file(f->path, f->packed, f->n_packed);
		assert_int_equal(rec_input_open(&in, f->path, NULL), 0);
		assert_int_equal(rec_input_peek(in, 10, &head, NULL), 0);
		assert_int_equal(head.n, 10);
		assert_int_equal(rec_input_peek(in, 65536, &head, NULL), 0);
		assert_int_equal(head.n, 65536);
		assert_memory_equal(head.p, f->plain, head.n);
		assert_int_equal(rec_input_read(in, back, 60000, NULL), 60000);
		assert_int_equal(rec_input_peek(in, 1 << 20, &head, NULL), 0);
		assert_int_equal(head.n, 65536);
		assert_memory_equal(head.p, f->plain + 60000, head.n);
		assert_int_equal(read_all(in, back, 1000, NULL),
				 PLAIN_SIZE - 60000);
		assert_memory_equal(back, f->plain + 60000,
				    PLAIN_SIZE - 60000);
		assert_int_equal(rec_input_peek(in, 4, &head, NULL), 0);
		assert_int_equal(head.n, 0);
		rec_input_close(in);
	}
}

static void any_place_of_it_can_be_read_as_a_file(void **state)
{
	static uint8_t back[PLAIN_SIZE];
	struct fixture *f = *state;

	for (size_t i = 0; i < ARRAY_LEN(packers); i++) {
		struct rec_input *in = NULL;
		struct span head;
		uint64_t size;
		int fd;

		pack(f, &packers[i]);
		write_file(f->path, f->packed, f->n_packed);
		assert_int_equal(rec_input_open(&in, f->path, NULL), 0);
		assert_int_equal(rec_input_peek(in, 100, &head, NULL), 0);
		assert_int_equal(rec_input_file(in, &fd, &size, NULL), 0);
		assert_int_equal(size, PLAIN_SIZE);
		assert_int_equal(pread(fd, back, 5, PLAIN_SIZE - 5), 5);
		assert_memory_equal(back, f->plain + PLAIN_SIZE - 5, 5);
		assert_int_equal(pread(fd, back, PLAIN_SIZE, 0), PLAIN_SIZE);
		assert_memory_equal(back, f->plain, PLAIN_SIZE);
		rec_input_close(in);
	}
}

static void standard_input_may_stand_in_the_middle_of_a_file(void **state)
{
	struct fixture *f = *state;
	struct rec_input *in = NULL;
	int before = dup(STDIN_FILENO), fd, file;
	uint64_t size;
	uint8_t byte;

	write_file(f->path, f->plain, PLAIN_SIZE);
	fd = open(f->path, O_RDONLY);
	assert_int_equal(lseek(fd, 1000, SEEK_SET), 1000);
	dup2(fd, STDIN_FILENO);
	assert_int_equal(rec_input_open(&in, "-", NULL), 0);
	assert_int_equal(rec_input_file(in, &file, &size, NULL), 0);
	assert_int_equal(size, PLAIN_SIZE - 1000);
	assert_int_equal(pread(file, &byte, 1, 7), 1);
	assert_int_equal(byte, f->plain[1007]);
	rec_input_close(in);
	dup2(before, STDIN_FILENO);
	close(before);
	close(fd);
}

static void a_stream_that_is_cut_says_where(void **state)
{
	static uint8_t back[PLAIN_SIZE];
	struct fixture *f = *state;

	for (size_t i = 1; i < ARRAY_LEN(packers); i++) {
		pack(f, &packers[i]);
		for (size_t n = f->n_packed - 1; n > 10; n -= n / 3 + 1) {
			struct rec_input *in = NULL;
			struct err err = { 0 };
			char where[40];

			/* Between the two streams nothing is missing. */
			write_file(f->path, f->packed, n);
			assert_int_equal(rec_input_open(&in, f->path, &err),
					 0);
			assert_true(read_all(in, back, 4096, &err) < 0);
			snprintf(where, sizeof(where), "at offset %zu", n);
			assert_non_null(strstr(err.text, where));
			assert_non_null(strstr(err.text, packers[i].name));
			rec_input_close(in);
		}
	}
}

static void what_came_before_a_cut_can_be_had(void **state)
{
	static uint8_t back[PLAIN_SIZE];
	struct fixture *f = *state;

	for (size_t i = 1; i < ARRAY_LEN(packers); i++) {
		struct rec_input *in = NULL;
		struct err err = { 0 };
		uint64_t size = 0;
		ssize_t got;
		int fd;

		pack(f, &packers[i]);
		write_file(f->path, f->packed, f->n_packed - 9);
		assert_int_equal(rec_input_open(&in, f->path, NULL), 0);
		got = rec_input_read(in, back, PLAIN_SIZE, NULL);
		assert_true(got >= FIRST_SIZE); /* as is all of one stream */
		assert_memory_equal(back, f->plain, (size_t)got);
		assert_int_equal(rec_input_read(in, back, 1, &err), ERR_FORMAT);
		rec_input_close(in);

		assert_int_equal(rec_input_open(&in, f->path, NULL), 0);
		assert_int_equal(rec_input_failed(in, NULL), 0);
		assert_int_equal(rec_input_file(in, &fd, &size, NULL), 0);
		assert_int_equal(size, got);
		assert_int_equal(pread(fd, back, size, 0), size);
		assert_memory_equal(back, f->plain, size);
		assert_int_equal(rec_input_failed(in, &err), ERR_FORMAT);
		assert_non_null(strstr(err.text, "it is cut short"));
		rec_input_close(in);
	}
}

static void damage_is_found_and_what_follows_a_stream_is_refused(void **state)
{
	static uint8_t back[PLAIN_SIZE];
	struct fixture *f = *state;

	for (size_t i = 1; i < ARRAY_LEN(packers); i++) {
		struct rec_input *in = NULL;
		struct err err = { 0 };

		pack(f, &packers[i]);
		memcpy(f->packed + f->n_packed, "rubbish", 7);
		write_file(f->path, f->packed, f->n_packed + 7);
		assert_int_equal(rec_input_open(&in, f->path, NULL), 0);
		assert_int_equal(read_all(in, back, 4096, &err), ERR_FORMAT);
		assert_non_null(strstr(err.text, "something else follows"));
		rec_input_close(in);

		/* zstd has no checksum unless it is asked for one. */
		if (packers[i].pack == pack_zstd)
			continue;
		f->packed[f->n_packed / 2] ^= 0x10;
		write_file(f->path, f->packed, f->n_packed);
		assert_int_equal(rec_input_open(&in, f->path, NULL), 0);
		assert_int_equal(read_all(in, back, 4096, &err), ERR_FORMAT);
		rec_input_close(in);
	}
}

static void zeros_behind_a_stream_are_padding(void **state)
{
	static uint8_t back[PLAIN_SIZE];
	struct fixture *f = *state;

	for (size_t i = 1; i < ARRAY_LEN(packers); i++) {
		struct rec_input *in = NULL;

		pack(f, &packers[i]);
		memset(f->packed + f->n_packed, 0, 1024);
		write_file(f->path, f->packed, f->n_packed + 1024);
		assert_int_equal(rec_input_open(&in, f->path, NULL), 0);
		assert_int_equal(read_all(in, back, 4096, NULL), PLAIN_SIZE);
		rec_input_close(in);
	}
}

/* The size of the dictionary stands behind the filter's number and the size of
 * its properties, in the head of the first block, which a CRC ends (The .xz File
 * Format, 3.1 and 5.3.1). */
static void ask_for_much(uint8_t *xz)
{
	uint8_t *block = xz + 12;
	size_t n = (block[0] + 1u) * 4 - 4;
	uint8_t *filter = memmem(block, n, "\x21\x01", 2);
	uint32_t crc;

	assert_non_null(filter);
	filter[2] = 38; /* 2 GiB */
	crc = lzma_crc32(block, n, 0);
	memcpy(block + n, &crc, 4);
}

static void a_stream_that_asks_for_much_memory_is_refused(void **state)
{
	static uint8_t back[PLAIN_SIZE];
	struct fixture *f = *state;
	struct rec_input *in = NULL;
	struct err err = { 0 };
	lzma_options_lzma big;
	lzma_filter filters[] = { { LZMA_FILTER_LZMA2, &big },
				  { LZMA_VLI_UNKNOWN, NULL } };
	size_t n = 0;
	ZSTD_CCtx *c = ZSTD_createCCtx();
	ZSTD_inBuffer from = { f->plain, PLAIN_SIZE, 0 };
	ZSTD_outBuffer to = { f->packed, PACKED_SIZE, 0 };

	ZSTD_CCtx_setParameter(c, ZSTD_c_windowLog, 28);
	ZSTD_CCtx_setParameter(c, ZSTD_c_enableLongDistanceMatching, 1);
	while (ZSTD_compressStream2(c, &to, &from, ZSTD_e_flush) > 0)
		;
	assert_int_equal(ZSTD_compressStream2(c, &to, &from, ZSTD_e_end), 0);
	ZSTD_freeCCtx(c);
	write_file(f->path, f->packed, to.pos);
	assert_int_equal(rec_input_open(&in, f->path, NULL), 0);
	assert_true(read_all(in, back, 4096, &err) < 0);
	assert_non_null(strstr(err.text, "memory"));
	rec_input_close(in);

	assert_false(lzma_lzma_preset(&big, 1));
	assert_int_equal(lzma_stream_buffer_encode(
		filters, LZMA_CHECK_NONE, NULL, f->plain, 1000, f->packed, &n,
		PACKED_SIZE), LZMA_OK);
	ask_for_much(f->packed);
	write_file(f->path, f->packed, n);
	assert_int_equal(rec_input_open(&in, f->path, NULL), 0);
	assert_int_equal(read_all(in, back, 4096, &err), ERR_LIMIT);
	rec_input_close(in);
}

static void what_cannot_be_opened_is_named(void **state)
{
	struct rec_input *in = NULL;
	struct err err = { 0 };

	(void)state;
	assert_int_equal(rec_input_open(&in, "/nonexistent/x", &err), ERR_IO);
	assert_non_null(strstr(err.text, "'/nonexistent/x'"));
	assert_true(rec_input_open(&in, "/tmp", &err) < 0);
	assert_non_null(strstr(err.text, "directory"));
	assert_null(in);
	rec_input_close(NULL);
}

static void an_empty_file_is_at_its_end(void **state)
{
	struct fixture *f = *state;
	struct rec_input *in = NULL;
	struct span head;
	uint64_t size;
	int fd;

	write_file(f->path, "", 0);
	assert_int_equal(rec_input_open(&in, f->path, NULL), 0);
	assert_int_equal(rec_input_peek(in, 100, &head, NULL), 0);
	assert_int_equal(head.n, 0);
	assert_int_equal(rec_input_file(in, &fd, &size, NULL), 0);
	assert_int_equal(size, 0);
	rec_input_close(in);
}

static void every_failed_allocation_is_reported(void **state)
{
	static uint8_t back[PLAIN_SIZE];
	struct fixture *f = *state;

	for (size_t i = 0; i < ARRAY_LEN(packers); i++) {
		bool hit = true;

		pack(f, &packers[i]);
		write_file(f->path, f->packed, f->n_packed);
		for (long k = 1; hit; k++) {
			struct rec_input *in = NULL;
			ssize_t rc;

			failalloc_at(k);
			rc = rec_input_open(&in, f->path, NULL);
			if (rc == 0)
				rc = read_all(in, back, 65536, NULL);
			hit = failalloc_hit();
			failalloc_off();
			assert_true(hit ? rc < 0 : rc == PLAIN_SIZE);
			rec_input_close(in);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(streams_of_every_kind_come_out_as_they_went_in),
		cmocka_unit_test(looking_ahead_takes_nothing),
		cmocka_unit_test(any_place_of_it_can_be_read_as_a_file),
		cmocka_unit_test(
			standard_input_may_stand_in_the_middle_of_a_file),
		cmocka_unit_test(a_stream_that_is_cut_says_where),
		cmocka_unit_test(what_came_before_a_cut_can_be_had),
		cmocka_unit_test(
			damage_is_found_and_what_follows_a_stream_is_refused),
		cmocka_unit_test(zeros_behind_a_stream_are_padding),
		cmocka_unit_test(a_stream_that_asks_for_much_memory_is_refused),
		cmocka_unit_test(what_cannot_be_opened_is_named),
		cmocka_unit_test(an_empty_file_is_at_its_end),
		cmocka_unit_test(every_failed_allocation_is_reported),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
