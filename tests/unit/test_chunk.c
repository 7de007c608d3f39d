#include "format/base/crc32c.h"
#include "format/base/mem.h"
#include "format/chunk.h"
#include "format/index.h"
#include "tests/support/mutate.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

static const uint8_t file_id[TF_FILE_ID_SIZE] = { 0xa0, 0xa1, 0xa2, 0xa3 };

/* By hand: a chunk header for offset 64 of the file above. */
static const uint8_t head_bytes[76] = {
	'C', 'H', 'N', 'K', 2, 0, 2, 0,     /* DATA, packed */
	64, 0, 0, 0, 0, 0, 0, 0,            /* offset */
	7, 0, 0, 0, 0, 0, 0, 0,             /* sequence number */
	0xa0, 0xa1, 0xa2, 0xa3, 3, 0, 0, 0, /* file id, epoch */
	0xe8, 3, 0, 0, 0, 0, 0, 0,          /* times 1000 .. 2000 */
	0xd0, 7, 0, 0, 0, 0, 0, 0,
	1, 0, 0, 0, 9, 0, 0, 0,             /* parts, directory */
	5, 0, 0, 0, 0xef, 0xbe, 0xad, 0xde, /* body, crc of the directory */
	0, 0, 0, 0, 0, 0, 0, 0,             /* aux */
	0, 0, 0, 0,
};

static void seal(uint8_t to[TF_CHUNK_HEADER_SIZE])
{
	uint32_t crc = crc32c(0, to, 76);

	for (int i = 0; i < 4; i++)
		to[76 + i] = (uint8_t)(crc >> (8 * i));
}

static void good_head(uint8_t to[TF_CHUNK_HEADER_SIZE])
{
	memcpy(to, head_bytes, sizeof(head_bytes));
	seal(to);
}

static void fields_of_a_header_are_where_the_spec_says(void **state)
{
	uint8_t bytes[TF_CHUNK_HEADER_SIZE], again[TF_CHUNK_HEADER_SIZE];
	struct tf_head h;

	(void)state;
	good_head(bytes);
	assert_null(tf_head_take(&h, span_of(bytes, sizeof(bytes)), 64,
				 file_id));
	assert_int_equal(h.type, TF_CHUNK_DATA);
	assert_int_equal(h.flags, TF_CHUNK_PACKED);
	assert_int_equal(h.offset, 64);
	assert_int_equal(h.seq, 7);
	assert_int_equal(h.epoch, 3);
	assert_int_equal(h.t_min, 1000);
	assert_int_equal(h.t_max, 2000);
	assert_int_equal(h.parts, 1);
	assert_int_equal(h.dir_size, 9);
	assert_int_equal(h.body_size, 5);
	assert_int_equal(h.dir_crc, 0xdeadbeef);
	assert_int_equal(tf_head_size(&h), 80 + 16);
	tf_head_put(again, &h, file_id);
	assert_memory_equal(again, bytes, sizeof(bytes));
}

static void see_head_prefix(void *ctx, struct span in)
{
	struct tf_head h = { .type = 77 };
	bool whole = in.n == TF_CHUNK_HEADER_SIZE;

	(void)ctx;
	assert_int_equal(tf_head_take(&h, in, 64, file_id) == NULL, whole);
	assert_int_equal(h.type, whole ? TF_CHUNK_DATA : 77);
	assert_true(tf_head_begins(in, 64, file_id));
}

static void every_prefix_of_a_header_is_refused_and_changes_nothing(void **state)
{
	uint8_t bytes[TF_CHUNK_HEADER_SIZE];

	(void)state;
	good_head(bytes);
	mutate_prefixes(span_of(bytes, sizeof(bytes)), see_head_prefix, NULL);
}

static void see_head_flip(void *ctx, struct span in, size_t bit)
{
	struct tf_head h;

	(void)ctx;
	(void)bit;
	assert_non_null(tf_head_take(&h, in, 64, file_id));
}

static void every_flipped_bit_of_a_header_is_noticed(void **state)
{
	uint8_t bytes[TF_CHUNK_HEADER_SIZE];

	(void)state;
	good_head(bytes);
	mutate_bits(bytes, sizeof(bytes), see_head_flip, NULL);
}

static void refused(size_t at, uint8_t value, const char *why)
{
	uint8_t bytes[TF_CHUNK_HEADER_SIZE];
	struct tf_head h;
	const char *got;

	good_head(bytes);
	bytes[at] = value;
	seal(bytes);
	got = tf_head_take(&h, span_of(bytes, sizeof(bytes)), 64, file_id);
	assert_non_null(got);
	assert_string_equal(got, why);
}

static void headers_that_break_a_rule_are_refused(void **state)
{
	(void)state;
	refused(0, 'X', "no chunk header here");
	refused(6, 4, "chunk header has unknown flags");
	refused(8, 72, "chunk header of another offset");
	refused(24, 0, "chunk header of another file");
	refused(39, 1, "chunk header has its times in the wrong order");
	refused(50, 1, "chunk header is over a limit"); /* 65,537 parts */
	refused(54, 0x11, "chunk header is over a limit"); /* > 1 MiB */
	refused(59, 0x11, "chunk header is over a limit"); /* > 256 MiB */
	refused(64, 1, "chunk header has reserved bytes that are not zero");
	refused(72, 1, "chunk header has reserved bytes that are not zero");
}

static void bytes_that_contradict_a_header_do_not_begin_one(void **state)
{
	uint8_t bytes[TF_CHUNK_HEADER_SIZE];

	(void)state;
	good_head(bytes);
	assert_true(tf_head_begins(span_of(bytes, 30), 64, file_id));
	assert_false(tf_head_begins(span_of(bytes, 30), 72, file_id));
	bytes[2] = 'x';
	assert_true(tf_head_begins(span_of(bytes, 2), 64, file_id));
	assert_false(tf_head_begins(span_of(bytes, 3), 64, file_id));
}

/* By hand: a directory of one part of table 300 with two columns. */
static const uint8_t dir_bytes[] = {
	21,
	0xac, 2, 3, 10, 3,     /* table, rows, base row, flags */
	0xe8, 7, 5, 0xe9, 7,   /* times 1000 .. 1005, watermark 1001 */
	2,                     /* columns */
	5, 1, 0, 0, 1, 9,      /* id 1, no streams, CONST 9 */
	6 - 3, 4, 0, 0,        /* id 4, no streams, no encoding */
};

static struct tf_directory begin(const uint8_t *bytes, size_t n,
				 uint32_t parts, uint32_t body)
{
	struct tf_head h = { .parts = parts, .body_size = body };
	struct tf_directory d;
	struct err err;

	assert_int_equal(tf_directory_begin(&d, &h, span_of(bytes, n), &err),
			 0);
	return d;
}

static void a_directory_names_its_parts_and_columns(void **state)
{
	struct tf_directory d = begin(dir_bytes, sizeof(dir_bytes), 1, 0);
	struct tf_entry e;
	struct tf_part p;
	struct err err;

	(void)state;
	assert_int_equal(tf_directory_next(&d, &p, &err), 0);
	assert_int_equal(p.table, 300);
	assert_int_equal(p.rows, 3);
	assert_int_equal(p.base_row, 10);
	assert_int_equal(p.t_min, 1000);
	assert_int_equal(p.t_max, 1005);
	assert_int_equal(p.watermark, 1001);
	assert_int_equal(p.n_columns, 2);
	assert_int_equal(tf_part_next(&p, &e, &err), 0);
	assert_int_equal(e.column, 1);
	assert_int_equal(e.n_streams, 0);
	assert_int_equal(e.tail.n, 3);
	assert_int_equal(tf_part_next(&p, &e, &err), 0);
	assert_int_equal(e.column, 4);
	assert_int_equal(tf_part_next(&p, &e, &err), 1);
	assert_int_equal(tf_directory_next(&d, &p, &err), 1);
}

static int walk(struct tf_directory d, struct err *err)
{
	struct tf_part p;
	int rc;

	while ((rc = tf_directory_next(&d, &p, err)) == 0)
		;
	return rc;
}

static void see_dir_prefix(void *ctx, struct span in)
{
	struct err err;
	int want = in.n == sizeof(dir_bytes) ? 1 : ERR_FORMAT;

	(void)ctx;
	assert_int_equal(walk(begin(in.p, in.n, 1, 0), &err), want);
}

static void every_prefix_of_a_directory_is_refused(void **state)
{
	(void)state;
	mutate_prefixes(span_of(dir_bytes, sizeof(dir_bytes)), see_dir_prefix,
			NULL);
}

static void see_dir_flip(void *ctx, struct span in, size_t bit)
{
	(void)ctx;
	(void)bit;
	(void)walk(begin(in.p, in.n, 1, 0), NULL);
}

static void no_flipped_bit_of_a_directory_does_harm(void **state)
{
	uint8_t bytes[sizeof(dir_bytes)];

	(void)state;
	memcpy(bytes, dir_bytes, sizeof(bytes));
	mutate_bits(bytes, sizeof(bytes), see_dir_flip, NULL);
}

static void bad_directory(const char *bytes, size_t n, uint32_t body,
			  const char *why)
{
	struct err err = { 0 };

	assert_true(walk(begin((const uint8_t *)bytes, n, 1, body), &err) < 0);
	assert_string_equal(err.text, why);
}

static void directories_that_break_a_rule_are_refused(void **state)
{
	(void)state;
	bad_directory("", 0, 0, "directory cut short");
	bad_directory("\x05\x01\x01\x00\x00\x00z", 7, 0,
		      "directory: 1 bytes too many");
	bad_directory("\x05\x01\x01\x00\x00\x00", 6, 4,
		      "body of 4 bytes, used 0");
	bad_directory("\x06\x01\x01\x00\x00\x00z", 7, 0,
		      "directory: table 1: 1 bytes too many");
	bad_directory("\x05\x01\x00\x00\x00\x00", 6, 0,
		      "directory: table 1: 0 rows, limit 1048576");
	bad_directory("\x05\x01\x01\x00\x04\x00", 6, 0,
		      "directory: table 1: unknown part flags 0x4");
	bad_directory("\x07\x01\x81\x80\x40\x00\x00\x00", 8, 0,
		      "directory: table 1: 1048577 rows, limit "
		      "1048576");
	bad_directory("\x06\x01\x01\x00\x00\x81\x08", 7, 0,
		      "directory: table 1: 1025 columns, limit 1024");
	bad_directory("\x0b\x01\x01\x00\x00\x02\x02\x03\x00\x02\x03\x00", 12, 0,
		      "directory: table 1: column 3 out of order");
	bad_directory("\x08\x01\x01\x00\x00\x01\x02\x03\x15", 9, 0,
		      "directory: table 1: column 3: 21 streams, limit 20");
	bad_directory("\x0f\x01\x01\x00\x00\x01\x09\x03\x01\x00\x02\x01\0\0\0\0",
		      16, 9, "directory: table 1: column 3: stream 0: 2 raw "
		      "bytes stored in 1");
	bad_directory("\x0f\x01\x01\x00\x00\x01\x09\x03\x01\x00\x02\x02\0\0\0\0",
		      16, 1, "directory: table 1: column 3 goes past the body");
}

static void a_stream_may_not_be_announced_too_long(void **state)
{
	/* 64 MiB and a byte, zstd */
	static const char bytes[] = "\x12\x01\x01\x00\x00\x01\x0c\x03\x01\x01"
				    "\x81\x80\x80\x20\x02\0\0\0\0";
	struct err err = { 0 };

	(void)state;
	assert_int_equal(walk(begin((const uint8_t *)bytes, sizeof(bytes) - 1,
				    1, 2), &err), ERR_LIMIT);
}

static void a_packed_body_may_not_be_announced_too_long(void **state)
{
	/* zstd, 16 MiB and a byte */
	static const uint8_t bytes[] = { 1, 0x81, 0x80, 0x80, 8, 0, 0, 0, 0 };
	struct tf_head h = { .flags = TF_CHUNK_PACKED, .body_size = 100 };
	struct tf_directory d;
	struct err err = { 0 };

	(void)state;
	assert_int_equal(tf_directory_begin(&d, &h,
					    span_of(bytes, sizeof(bytes)),
					    &err), ERR_LIMIT);
	assert_string_equal(err.text,
			    "directory: body: 16777217 bytes, limit 16777216");
}

static void a_block_decodes_to_exactly_its_size(void **state)
{
	static const uint8_t text[] = "the same the same the same the same";
	struct tf_zpack *z = tf_zpack_new();
	struct tf_zunpack *u = tf_zunpack_new();
	uint8_t to[sizeof(text) + 1], codec;
	struct buf b;

	(void)state;
	buf_init(&b, 0);
	tf_zpack_put(z, &b, text, sizeof(text), &codec);
	assert_int_equal(codec, TF_CODEC_ZSTD);
	assert_true(b.n < sizeof(text));
	assert_int_equal(tf_zunpack_take(u, to, sizeof(text),
					 span_of(b.p, b.n), codec, NULL), 0);
	assert_memory_equal(to, text, sizeof(text));
	assert_int_equal(tf_zunpack_take(u, to, sizeof(text) - 1,
					 span_of(b.p, b.n), codec, NULL),
			 ERR_FORMAT);
	assert_int_equal(tf_zunpack_take(u, to, sizeof(text) + 1,
					 span_of(b.p, b.n), codec, NULL),
			 ERR_FORMAT);
	/* Two frames are not one. */
	tf_zpack_put(z, &b, text, sizeof(text), &codec);
	assert_int_equal(tf_zunpack_take(u, to, sizeof(text),
					 span_of(b.p, b.n), codec, NULL),
			 ERR_FORMAT);
	assert_int_equal(tf_zunpack_take(u, to, 2, span_of("ab", 2), 7, NULL),
			 ERR_UNSUPPORTED);
	buf_fini(&b);
	tf_zpack_free(z);
	tf_zunpack_free(u);
}

static void a_block_that_does_not_gain_stays_raw(void **state)
{
	struct tf_zpack *z = tf_zpack_new();
	uint8_t codec;
	struct buf b;

	(void)state;
	buf_init(&b, 0);
	tf_zpack_put(z, &b, "abcdefgh", 8, &codec);
	assert_int_equal(codec, TF_CODEC_RAW);
	assert_int_equal(b.n, 8);
	assert_memory_equal(b.p, "abcdefgh", 8);
	tf_zpack_put(z, &b, "", 0, &codec);
	assert_int_equal(codec, TF_CODEC_RAW);
	assert_int_equal(b.n, 8);
	buf_fini(&b);
	tf_zpack_free(z);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fields_of_a_header_are_where_the_spec_says),
		cmocka_unit_test(
			every_prefix_of_a_header_is_refused_and_changes_nothing),
		cmocka_unit_test(every_flipped_bit_of_a_header_is_noticed),
		cmocka_unit_test(headers_that_break_a_rule_are_refused),
		cmocka_unit_test(bytes_that_contradict_a_header_do_not_begin_one),
		cmocka_unit_test(a_directory_names_its_parts_and_columns),
		cmocka_unit_test(every_prefix_of_a_directory_is_refused),
		cmocka_unit_test(no_flipped_bit_of_a_directory_does_harm),
		cmocka_unit_test(directories_that_break_a_rule_are_refused),
		cmocka_unit_test(a_stream_may_not_be_announced_too_long),
		cmocka_unit_test(a_packed_body_may_not_be_announced_too_long),
		cmocka_unit_test(a_block_decodes_to_exactly_its_size),
		cmocka_unit_test(a_block_that_does_not_gain_stays_raw),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
