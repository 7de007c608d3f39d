#include "format/base/mem.h"
#include "format/base/varint.h"
#include "format/decode.h"
#include "format/encode.h"
#include "format/planes.h"
#include "tests/support/failalloc.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

/* One column, encoded and laid out as a packed body has it. */
struct fixture {
	struct tf_encoder enc;
	struct tf_column column;
	struct tf_entry entry;
	struct tf_body body;
	struct tf_scratch mem;
	struct tf_plan plan;
	struct tf_values out;
	uint32_t rows;
};

static void encode_column(struct tf_encoder *e, const struct tf_column *c,
			  const struct tf_builder_column *b, uint32_t rows)
{
	const struct tf_table t = { .name = "t", .columns = c, .n_columns = 1 };
	const struct tf_builder from = {
		.table = &t,
		.columns = (struct tf_builder_column *)b,
		.rows = rows,
		.time_column = -1,
	};

	tf_encoder_begin(e, &from);
	tf_encode(e, 0);
}

static void encode(struct fixture *f, enum tf_type type, enum tf_role role,
		   const uint64_t *v, uint32_t rows)
{
	struct tf_builder_column b = { .v = (uint64_t *)v };

	memset(f, 0, sizeof(*f));
	tf_encoder_init(&f->enc, NULL);
	f->column = (struct tf_column){ .name = "c", .type = type,
					.role = role, .unit = "" };
	f->rows = rows;
	encode_column(&f->enc, &f->column, &b, rows);
	assert_false(tf_encoder_failed(&f->enc));
}

static void encode_list(struct fixture *f, enum tf_type type,
			enum tf_role role, const uint64_t *lengths,
			uint32_t rows, const uint64_t *items, size_t n)
{
	struct tf_builder_column b = { .v = (uint64_t *)lengths,
				       .items = (uint64_t *)items,
				       .n_items = n };

	memset(f, 0, sizeof(*f));
	tf_encoder_init(&f->enc, NULL);
	f->column = (struct tf_column){ .name = "c", .type = type, .list = true,
					.role = role, .unit = "" };
	f->rows = rows;
	encode_column(&f->enc, &f->column, &b, rows);
	assert_false(tf_encoder_failed(&f->enc));
}

static void lay_out(struct fixture *f)
{
	uint64_t at = 0;

	f->entry = (struct tf_entry){ .n_streams = (unsigned)f->enc.n };
	for (size_t i = 0; i < f->enc.n; i++) {
		uint32_t n = (uint32_t)f->enc.lengths[i];

		f->entry.streams[i] = (struct tf_stored){ .raw = n,
							  .stored = n,
							  .at = at };
		at += n;
	}
	f->entry.tail = span_of(f->enc.tails.p, f->enc.tails.n);
	f->body = (struct tf_body){ .packed = true, .unpacked = true };
	f->body.plain = f->enc.raw;
}

static int decode(struct fixture *f, struct err *err)
{
	struct tf_job j;
	int rc;

	lay_out(f);
	rc = tf_plan_take(&f->plan, &f->column, f->rows, &f->entry, err);
	if (rc || !f->plan.known)
		return rc;
	rc = tf_scratch_reset(&f->mem, f->plan.size, err);
	assert_int_equal(rc, 0);
	j = (struct tf_job){ .entry = &f->entry, .body = &f->body,
			     .mem = &f->mem, .err = err };
	rc = tf_plan_run(&f->plan, &j, &f->out);
	if (rc == 0)
		assert_true(f->mem.used <= f->plan.size);
	return rc;
}

static void fini(struct fixture *f)
{
	tf_encoder_fini(&f->enc);
	tf_scratch_fini(&f->mem);
}

static void tail_is(const struct fixture *f, const char *bytes, size_t n)
{
	assert_int_equal(f->enc.tails.n, n);
	assert_memory_equal(f->enc.tails.p, bytes, n);
}

static void raw_is(const struct fixture *f, const char *bytes, size_t n)
{
	assert_int_equal(f->enc.raw.n, n);
	assert_memory_equal(f->enc.raw.p, bytes, n);
}

static void gives_back(struct fixture *f, const uint64_t *v)
{
	struct err err = { 0 };

	if (decode(f, &err))
		fail_msg("%s", err.text);
	assert_true(f->out.present);
	assert_memory_equal(f->out.v, v, f->rows * sizeof(*v));
}

static void numbers_are_split_into_planes(void **state)
{
	static const uint64_t v[] = { 1, 0x203, 0xff00 };
	struct fixture f;

	(void)state;
	encode(&f, TF_U64, TF_ROLE_VALUE, v, 3);
	/* statistics 1, min 1, max 0xff00 = 80 fe 03; PLANES, 2 */
	tail_is(&f, "\x01\x01\x80\xfe\x03\x00\x02", 7);
	raw_is(&f, "\x01\x03\x00\x00\x02\xff", 6);
	assert_int_equal(f.enc.n, 2);
	gives_back(&f, v);
	fini(&f);
}

static void signed_numbers_are_zigzag(void **state)
{
	static const uint64_t v[] = { (uint64_t)-3, 2, (uint64_t)-1 };
	struct fixture f;

	(void)state;
	encode(&f, TF_I64, TF_ROLE_VALUE, v, 3);
	/* min -3 = zz 5, max 2 = zz 4 */
	tail_is(&f, "\x01\x05\x04\x00\x01", 5);
	raw_is(&f, "\x05\x04\x01", 3);
	gives_back(&f, v);
	fini(&f);
}

static void a_constant_has_no_streams(void **state)
{
	static const uint64_t v[] = { 300, 300, 300 };
	static const uint64_t i[] = { (uint64_t)-3, (uint64_t)-3 };
	static const uint64_t d[] = { 0x3ff8000000000000, 0x3ff8000000000000 };
	struct fixture f;

	(void)state;
	encode(&f, TF_U64, TF_ROLE_TIME, v, 3);
	tail_is(&f, "\x00\x01\xac\x02", 4);
	assert_int_equal(f.enc.n, 0);
	gives_back(&f, v);
	fini(&f);
	encode(&f, TF_I64, TF_ROLE_ID, i, 2);
	tail_is(&f, "\x00\x01\x05", 3);
	gives_back(&f, i);
	fini(&f);
	encode(&f, TF_F64, TF_ROLE_VALUE, d, 2); /* 1.5 */
	tail_is(&f, "\x00\x01\0\0\0\0\0\0\xf8\x3f", 10);
	gives_back(&f, d);
	fini(&f);
}

static void times_are_differences_from_the_row_before(void **state)
{
	static const uint64_t v[] = { 1000, 1010, 1005 };
	struct fixture f;

	(void)state;
	encode(&f, TF_U64, TF_ROLE_TIME, v, 3);
	/* min 1000 = e8 07, max 1010 = f2 07; DELTA, base 1000, 1 plane */
	tail_is(&f, "\x01\xe8\x07\xf2\x07\x03\xe8\x07\x01", 9);
	raw_is(&f, "\x00\x14\x09", 3);
	gives_back(&f, v);
	fini(&f);
}

static void ids_are_places_in_a_sorted_dictionary(void **state)
{
	static const uint64_t v[] = { 40, 10, 40, 30, 40, 40, 10, 10 };
	struct fixture f;

	(void)state;
	encode(&f, TF_U64, TF_ROLE_ID, v, 8);
	/* min 10, max 40; DICT, 1 plane, 3 values */
	tail_is(&f, "\x01\x0a\x28\x05\x01\x03", 6);
	raw_is(&f, "\x0a\x14\x0a\x02\x00\x02\x01\x02\x02\x00\x00", 11);
	gives_back(&f, v);
	fini(&f);
}

static void many_distinct_ids_are_planes(void **state)
{
	static const uint64_t v[] = { 40, 10, 40, 30 };
	struct fixture f;

	(void)state;
	encode(&f, TF_REF, TF_ROLE_ID, v, 4);
	tail_is(&f, "\x01\x0a\x28\x00\x01", 5);
	raw_is(&f, "\x28\x0a\x28\x1e", 4);
	gives_back(&f, v);
	fini(&f);
}

/* n values, that many of them distinct, of three bytes each. */
static bool have_a_dictionary(uint32_t n, uint32_t distinct)
{
	static uint64_t v[4096];
	struct fixture f;
	bool is;

	for (uint32_t i = 0; i < n; i++)
		v[i] = 1000000 + i % distinct;
	encode(&f, TF_REF, TF_ROLE_ID, v, n);
	/* Behind the flags of the statistics and two varints of three bytes. */
	is = f.enc.tails.p[7] == TF_ENC_DICT;
	gives_back(&f, v);
	fini(&f);
	return is;
}

static void of_many_ids_most_may_be_distinct(void **state)
{
	(void)state;
	assert_true(have_a_dictionary(1022, 511));
	assert_false(have_a_dictionary(1022, 512));
	assert_true(have_a_dictionary(1024, 896));
	assert_false(have_a_dictionary(1024, 897));
	assert_true(have_a_dictionary(4096, 3584));
	assert_false(have_a_dictionary(4096, 3585));
}

static void floats_and_booleans_have_fixed_planes(void **state)
{
	static const uint64_t d[] = { 0, 0x8000000000000000 }; /* 0.0, -0.0 */
	static const uint64_t b[] = { 0, 1, 0 };
	static const uint64_t truths[] = { 0, 256, 0 };
	struct fixture f;

	(void)state;
	encode(&f, TF_F64, TF_ROLE_VALUE, d, 2);
	tail_is(&f, "\x00\x00\x08", 3);
	raw_is(&f, "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x80", 16);
	gives_back(&f, d);
	fini(&f);
	encode(&f, TF_BOOL, TF_ROLE_VALUE, b, 3);
	tail_is(&f, "\x00\x00\x01", 3);
	raw_is(&f, "\0\1\0", 3);
	gives_back(&f, b);
	fini(&f);
	/* Anything but 0 is true. */
	encode(&f, TF_BOOL, TF_ROLE_VALUE, truths, 3);
	raw_is(&f, "\0\1\0", 3);
	gives_back(&f, b);
	fini(&f);
}

static void bytes_are_lengths_and_one_stream(void **state)
{
	uint64_t lengths[] = { 2, 0, 1 };
	struct tf_builder_column b = { .v = lengths };
	struct err err = { 0 };
	struct fixture f = { .rows = 3 };

	(void)state;
	tf_encoder_init(&f.enc, NULL);
	f.column = (struct tf_column){ .name = "c", .type = TF_BYTES };
	buf_put(&b.bytes, "abc", 3);
	encode_column(&f.enc, &f.column, &b, 3);
	tail_is(&f, "\x00\x08\x00\x01", 4);
	raw_is(&f, "\x02\x00\x01" "abc", 6);
	assert_int_equal(decode(&f, &err), 0);
	assert_null(f.out.v);
	assert_int_equal(f.out.offsets[0], 0);
	assert_int_equal(f.out.offsets[1], 2);
	assert_int_equal(f.out.offsets[2], 2);
	assert_int_equal(f.out.offsets[3], 3);
	assert_memory_equal(f.out.bytes, "abc", 3);
	buf_fini(&b.bytes);
	fini(&f);
}

static void lists_are_lengths_and_encoded_items(void **state)
{
	static const uint64_t lengths[] = { 2, 0, 1 };
	static const uint64_t items[] = { 7, 500, 7 };
	struct err err = { 0 };
	struct fixture f;

	(void)state;
	encode_list(&f, TF_U64, TF_ROLE_VALUE, lengths, 3, items, 3);
	/* LIST; PLANES 1; 3 items; PLANES 2 */
	tail_is(&f, "\x00\x09\x00\x01\x03\x00\x02", 7);
	raw_is(&f, "\x02\x00\x01" "\x07\xf4\x07" "\x00\x01\x00", 9);
	assert_int_equal(decode(&f, &err), 0);
	assert_int_equal(f.out.offsets[1], 2);
	assert_int_equal(f.out.offsets[3], 3);
	assert_memory_equal(f.out.items, items, sizeof(items));
	fini(&f);
}

static void lists_without_items_have_no_streams(void **state)
{
	static const uint64_t lengths[] = { 0, 0 };
	struct err err = { 0 };
	struct fixture f;

	(void)state;
	encode_list(&f, TF_I64, TF_ROLE_ID, lengths, 2, NULL, 0);
	/* LIST; CONST 0; 0 items; PLANES 0 */
	tail_is(&f, "\x00\x09\x01\x00\x00\x00\x00", 7);
	assert_int_equal(f.enc.n, 0);
	assert_int_equal(decode(&f, &err), 0);
	assert_int_equal(f.out.offsets[2], 0);
	fini(&f);
	encode_list(&f, TF_F64, TF_ROLE_VALUE, lengths, 2, NULL, 0);
	assert_int_equal(f.enc.n, 0);
	assert_int_equal(decode(&f, &err), 0);
	fini(&f);
}

/* A generator that is known by heart: xorshift64. */
static uint64_t next(uint64_t *s)
{
	*s ^= *s << 13;
	*s ^= *s >> 7;
	*s ^= *s << 17;
	return *s;
}

static void every_type_and_role_gives_back_what_it_got(void **state)
{
	static const enum tf_type types[] = { TF_U64, TF_I64, TF_F64, TF_REF };
	static uint64_t v[3000];
	uint64_t s = 88172645463325252u;

	(void)state;
	for (unsigned bits = 1; bits <= 64; bits += 3)
		for (size_t k = 0; k < ARRAY_LEN(types) * 4; k++) {
			uint32_t n = (uint32_t)(next(&s) % ARRAY_LEN(v)) + 1;
			struct fixture f;

			for (uint32_t i = 0; i < n; i++)
				v[i] = next(&s) >> (64 - bits);
			encode(&f, types[k / 4], (enum tf_role)(k % 4), v, n);
			gives_back(&f, v);
			fini(&f);
		}
}

static void dictionaries_of_each_width_give_back_their_rows(void **state)
{
	static const uint32_t distinct[] = { 2, 256, 257, 1000, 60000 };
	static uint64_t v[130000];

	(void)state;
	for (size_t k = 0; k < ARRAY_LEN(distinct); k++) {
		struct fixture f;

		for (uint32_t i = 0; i < ARRAY_LEN(v); i++)
			v[i] = (uint64_t)(i * 7919u % distinct[k]) *
			       0x123456789abcu;
		encode(&f, TF_U64, TF_ROLE_ID, v, ARRAY_LEN(v));
		assert_int_equal(f.enc.n, distinct[k] > 256 ? 3 : 2);
		gives_back(&f, v);
		fini(&f);
	}
}

/* Decoding what was built by hand. */
static int decode_raw(struct fixture *f, const char *tail, size_t n_tail,
		      const char *raw, const size_t *lengths, size_t n,
		      struct err *err)
{
	size_t sum = 0;
	int rc;

	tf_encoder_init(&f->enc, NULL);
	buf_put(&f->enc.tails, tail, n_tail);
	for (size_t i = 0; i < n; i++) {
		assert_true(mem_grow(&f->enc.lengths, &f->enc.cap, i + 1,
				     sizeof(size_t)));
		f->enc.lengths[f->enc.n++] = lengths[i];
		sum += lengths[i];
	}
	buf_put(&f->enc.raw, raw, sum);
	rc = decode(f, err);
	fini(f);
	return rc;
}

static void refused(enum tf_type type, bool list, uint32_t rows,
		    const char *tail, size_t n_tail, const char *raw,
		    const size_t *lengths, size_t n, const char *why)
{
	struct fixture f = { .rows = rows };
	struct err err = { 0 };

	f.column = (struct tf_column){ .name = "c", .type = type,
				       .list = list };
	assert_int_equal(decode_raw(&f, tail, n_tail, raw, lengths, n, &err),
			 ERR_FORMAT);
	assert_string_equal(err.text, why);
}

#define SIZES(...) ((const size_t[]){ __VA_ARGS__ })

static void parameters_that_break_the_rules_are_refused(void **state)
{
	(void)state;
	refused(TF_U64, false, 2, "", 0, "", NULL, 0, "statistics cut short");
	refused(TF_U64, false, 2, "\x02", 1, "", NULL, 0,
		"unknown statistics");
	refused(TF_F64, false, 2, "\x01\x01\x01\x00\x00", 5, "", NULL, 0,
		"unknown statistics");
	refused(TF_U64, false, 2, "\x01\x01", 2, "", NULL, 0,
		"bad statistics");
	refused(TF_U64, false, 2, "\x00", 1, "", NULL, 0,
		"encoding cut short");
	refused(TF_U64, false, 2, "\x00\x00", 2, "", NULL, 0,
		"parameters cut short");
	refused(TF_U64, false, 2, "\x00\x00\x09", 3, "", NULL, 0,
		"9 planes, limit 8");
	refused(TF_U64, false, 2, "\x00\x05\x04\x01", 4, "", NULL, 0,
		"4 planes, limit 3");
	refused(TF_U64, false, 2, "\x00\x05\x01\x03", 4, "", NULL, 0,
		"bad count of distinct values");
	refused(TF_U64, false, 2, "\x00\x01\x80\x00", 4, "", NULL, 0,
		"bad constant");
	refused(TF_U64, false, 2, "\x00\x01\x05\x05", 4, "", NULL, 0,
		"1 bytes too many");
	refused(TF_U64, false, 2, "\x00\x08\x01\x00", 4, "", NULL, 0,
		"encoding 8 does not fit the type");
	refused(TF_BYTES, false, 2, "\x00\x01\x00", 3, "", NULL, 0,
		"encoding 1 does not fit the type");
	refused(TF_U64, true, 2, "\x00\x00\x00", 3, "", NULL, 0,
		"encoding 0 does not fit the type");
}

static void streams_that_do_not_fit_are_refused(void **state)
{
	(void)state;
	refused(TF_U64, false, 2, "\x00\x00\x01", 3, "", NULL, 0,
		"too few streams");
	refused(TF_U64, false, 2, "\x00\x00\x01", 3, "abc", SIZES(3), 1,
		"stream 0: 3 bytes for 2 values");
	refused(TF_U64, false, 2, "\x00\x00\x01", 3, "abcd", SIZES(2, 2), 2,
		"too many streams");
	refused(TF_U64, false, 2, "\x00\x01\x05", 3, "ab", SIZES(2), 1,
		"too many streams");
	refused(TF_U64, false, 2, "\x00\x05\x01\x02", 4, "abc", SIZES(1, 2), 2,
		"stream 0: 1 bytes for 2 distinct values");
	refused(TF_BYTES, false, 2, "\x00\x08\x01\x01", 4, "abcd",
		SIZES(2, 2), 2, "too many streams");
}

static void content_that_breaks_the_rules_is_refused(void **state)
{
	(void)state;
	refused(TF_U64, false, 2, "\x00\x05\x01\x02", 4, "\x01\x01\x00\x02",
		SIZES(2, 2), 2, "index 2 of 2 distinct values");
	refused(TF_U64, false, 2, "\x00\x05\x01\x02", 4, "\x01\x00\x00\x01",
		SIZES(2, 2), 2, "stream 0: distinct values do not rise");
	refused(TF_U64, false, 2, "\x00\x05\x01\x02", 4,
		"\x01\x01\x01\x00\x01", SIZES(3, 2), 2,
		"stream 0: bytes too many");
	refused(TF_BOOL, false, 2, "\x00\x00\x01", 3, "\x00\x02", SIZES(2), 1,
		"a boolean that is neither 0 nor 1");
	refused(TF_BYTES, false, 2, "\x00\x08\x01\x02", 4, "abc", SIZES(3), 1,
		"lengths sum to more than there is");
	refused(TF_BYTES, false, 2, "\x00\x08\x01\x01", 4, "abc", SIZES(3), 1,
		"lengths sum to less than there is");
	refused(TF_U64, true, 2, "\x00\x09\x01\x01\x03\x01\x05", 7, "", NULL,
		0, "lengths sum to less than there is");
}

static void more_items_than_the_limit_are_refused(void **state)
{
	struct fixture f = { .rows = 1 };
	struct err err = { 0 };

	(void)state;
	f.column = (struct tf_column){ .type = TF_U64, .list = true };
	/* 2^24 + 1 items of a constant: no bytes, 128 MiB of memory */
	assert_int_equal(decode_raw(&f, "\x00\x09\x01\x01\x81\x80\x80\x08"
					"\x01\x05", 10, "", NULL, 0, &err),
			 ERR_LIMIT);
}

static void what_is_not_known_is_absent(void **state)
{
	static const char *const tails[] = { "\x00\x0b\x01", "\x00\x02",
					     "\x00\xff" };
	struct err err = { 0 };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(tails); i++) {
		struct fixture f = { .rows = 2 };

		f.column = (struct tf_column){ .type = TF_U64 };
		assert_int_equal(decode_raw(&f, tails[i], strlen(tails[i] + 1) +
					    1, "ab", SIZES(2), 1, &err), 0);
		assert_false(f.plan.known);
		assert_int_equal(f.plan.size, 0);
	}
}

static void a_nested_encoding_may_be_unknown(void **state)
{
	struct fixture f = { .rows = 2 };
	struct err err = { 0 };

	(void)state;
	f.column = (struct tf_column){ .type = TF_U64, .list = true };
	assert_int_equal(decode_raw(&f, "\x00\x09\x01\x00\x00\x2a", 6, "",
				    NULL, 0, &err), 0);
	assert_false(f.plan.known);
	f = (struct fixture){ .rows = 2 };
	f.column = (struct tf_column){ .type = (enum tf_type)9 };
	assert_int_equal(decode_raw(&f, "\x00\x01\x05", 3, "", NULL, 0, &err),
			 0);
	assert_false(f.plan.known);
}

static void every_failing_allocation_is_noticed(void **state)
{
	static uint64_t v[4000];
	struct tf_column c = { .type = TF_U64, .role = TF_ROLE_ID };
	struct tf_builder_column b = { .v = v };

	(void)state;
	for (uint32_t i = 0; i < ARRAY_LEN(v); i++)
		v[i] = i % 1900;
	for (long n = 1;; n++) {
		struct tf_encoder e;
		bool failed;

		tf_encoder_init(&e, NULL);
		failalloc_at(n);
		encode_column(&e, &c, &b, ARRAY_LEN(v));
		failalloc_off();
		failed = tf_encoder_failed(&e);
		assert_int_equal(failed, failalloc_hit());
		tf_encoder_fini(&e);
		if (!failed)
			break;
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_are_split_into_planes),
		cmocka_unit_test(signed_numbers_are_zigzag),
		cmocka_unit_test(a_constant_has_no_streams),
		cmocka_unit_test(times_are_differences_from_the_row_before),
		cmocka_unit_test(ids_are_places_in_a_sorted_dictionary),
		cmocka_unit_test(many_distinct_ids_are_planes),
		cmocka_unit_test(of_many_ids_most_may_be_distinct),
		cmocka_unit_test(floats_and_booleans_have_fixed_planes),
		cmocka_unit_test(bytes_are_lengths_and_one_stream),
		cmocka_unit_test(lists_are_lengths_and_encoded_items),
		cmocka_unit_test(lists_without_items_have_no_streams),
		cmocka_unit_test(every_type_and_role_gives_back_what_it_got),
		cmocka_unit_test(dictionaries_of_each_width_give_back_their_rows),
		cmocka_unit_test(parameters_that_break_the_rules_are_refused),
		cmocka_unit_test(streams_that_do_not_fit_are_refused),
		cmocka_unit_test(content_that_breaks_the_rules_is_refused),
		cmocka_unit_test(more_items_than_the_limit_are_refused),
		cmocka_unit_test(what_is_not_known_is_absent),
		cmocka_unit_test(a_nested_encoding_may_be_unknown),
		cmocka_unit_test(every_failing_allocation_is_noticed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
