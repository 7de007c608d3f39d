#include "format/base/mem.h"
#include "format/base/varint.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

/* From the definition of LEB128: seven bits a byte, lowest first. */
static const struct vector {
	uint64_t v;
	size_t n;
	uint8_t bytes[VARINT_MAX];
} vectors[] = {
	{ 0, 1, { 0 } },
	{ 127, 1, { 0x7f } },
	{ 128, 2, { 0x80, 1 } },
	{ 300, 2, { 0xac, 2 } },
	{ 624485, 3, { 0xe5, 0x8e, 0x26 } },
	{ UINT64_MAX, 10, { 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
			    0xff, 1 } },
	{ 1ull << 63, 10, { 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80,
			    0x80, 1 } },
};

static void known_values_have_their_known_bytes(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(vectors); i++) {
		const struct vector *x = &vectors[i];
		uint8_t to[VARINT_MAX];

		assert_int_equal(varint_put(to, x->v), x->n);
		assert_memory_equal(to, x->bytes, x->n);
	}
}

static void known_bytes_give_back_their_value(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(vectors); i++) {
		const struct vector *x = &vectors[i];
		struct span s = span_of(x->bytes, x->n);
		uint64_t v;

		assert_true(span_varint(&s, &v));
		assert_true(v == x->v);
		assert_int_equal(s.n, 0);
	}
}

/* Where more bytes follow, eight are looked at together. */
static void what_follows_a_value_is_left(void **state)
{
	uint8_t with[VARINT_MAX + 8];

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(vectors); i++) {
		const struct vector *x = &vectors[i];
		struct span s = span_of(with, x->n + 8);
		uint64_t v;

		memset(with, 0xff, sizeof(with));
		memcpy(with, x->bytes, x->n);
		assert_true(span_varint(&s, &v));
		assert_true(v == x->v);
		assert_int_equal(s.n, 8);
	}
}

/* A one at each end of each length. */
static void each_length_comes_back(void **state)
{
	(void)state;
	for (unsigned bit = 0; bit < 64; bit++) {
		uint64_t v = (uint64_t)1 << bit | 1, got;
		uint8_t with[VARINT_MAX + 8] = { 0 };
		size_t n = varint_put(with, v);
		struct span s = span_of(with, n + 8);

		assert_int_equal(n, bit / 7 + 1);
		assert_true(span_varint(&s, &got));
		assert_true(got == v);
		assert_int_equal(s.n, 8);
	}
}

static void every_prefix_is_refused_and_takes_nothing(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(vectors); i++)
		for (size_t n = 0; n < vectors[i].n; n++) {
			struct span s = span_of(vectors[i].bytes, n);
			uint64_t v = 77;

			assert_false(span_varint(&s, &v));
			assert_int_equal(s.n, n);
			assert_int_equal(v, 77);
		}
}

static void refused(const char *bytes, size_t n)
{
	struct span s = span_of(bytes, n);
	uint64_t v;

	assert_false(span_varint(&s, &v));
}

static void a_form_that_is_not_the_shortest_is_refused(void **state)
{
	(void)state;
	refused("\x80\x00", 2);
	refused("\xff\x80\x00", 3);
	refused("\x81\x80\x80\x00", 4);
}

static void more_than_64_bits_are_refused(void **state)
{
	(void)state;
	refused("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02", 10);
	refused("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x81\x00", 11);
	refused("\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01", 11);
}

static void zigzag_takes_turns_between_the_signs(void **state)
{
	static const int64_t in[] = { 0, -1, 1, -2, 2, -3, INT64_MAX,
				      INT64_MIN };
	static const uint64_t out[] = { 0, 1, 2, 3, 4, 5, UINT64_MAX - 1,
					UINT64_MAX };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(in); i++) {
		assert_true(zz_from(in[i]) == out[i]);
		assert_true(zz_to(out[i]) == in[i]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(known_values_have_their_known_bytes),
		cmocka_unit_test(known_bytes_give_back_their_value),
		cmocka_unit_test(what_follows_a_value_is_left),
		cmocka_unit_test(each_length_comes_back),
		cmocka_unit_test(every_prefix_is_refused_and_takes_nothing),
		cmocka_unit_test(a_form_that_is_not_the_shortest_is_refused),
		cmocka_unit_test(more_than_64_bits_are_refused),
		cmocka_unit_test(zigzag_takes_turns_between_the_signs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
