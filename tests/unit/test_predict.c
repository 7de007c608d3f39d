#include "format/base/mem.h"
#include "format/key.h"
#include "format/planes.h"
#include "format/predict.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#define ROWS 8
#define MANY 1003

struct fixture {
	struct tf_last state[16];
	uint64_t v[ROWS];
	uint8_t guesses[ROWS];
	struct buf side;
};

static void side_is(const struct fixture *f, const char *bytes, size_t n)
{
	assert_false(buf_failed(&f->side));
	assert_int_equal(f->side.n, n);
	assert_memory_equal(f->side.p, bytes, n);
}

static void differences_are_to_the_row_before_of_the_same_key(void **state)
{
	static const uint64_t v[] = { 100, 200, 110, 190 };
	static const uint32_t of[] = { 0, 1, 0, 1 };
	static const uint64_t steps[] = { 0, 0, 20, 19 };
	const struct tf_key key = { of, 2 };
	struct fixture f = { .v = { 0 } };

	(void)state;
	assert_int_equal(tf_predict_delta(f.v, v, 4, &key, f.state, &f.side),
			 20 | 19);
	assert_memory_equal(f.v, steps, sizeof(steps));
	/* the first values against the first of all: 0, zz(100) = 200 */
	side_is(&f, "\x00\xc8\x01", 3);
	assert_int_equal(tf_predict_sum(f.v, 4, 100, &key, f.state,
					span_of(f.side.p, f.side.n), NULL), 0);
	assert_memory_equal(f.v, v, sizeof(v));
	buf_fini(&f.side);
}

static void guess(struct fixture *f, const uint64_t *v, size_t n,
		  const struct tf_key *key, const uint64_t *initial,
		  uint32_t n_initial)
{
	struct err err = { 0 };

	tf_predict_begin(f->state, key->n, initial, n_initial);
	tf_predict_guess(f->guesses, v, n, key, f->state, &f->side);
	tf_predict_begin(f->state, key->n, initial, n_initial);
	assert_int_equal(tf_predict_take(f->v, f->guesses, n, key, f->state,
					 span_of(f->side.p, f->side.n), &err),
			 0);
	assert_memory_equal(f->v, v, n * sizeof(*v));
}

static void the_last_values_of_a_key_need_no_bytes_again(void **state)
{
	static const uint64_t v[] = { 5, 5, 9, 5 };
	static const uint32_t of[] = { 0, 0, 0, 0 };
	const struct tf_key key = { of, 1 };
	struct fixture f = { .v = { 0 } };

	(void)state;
	guess(&f, v, 4, &key, NULL, 0);
	assert_memory_equal(f.guesses, "\x02\x00\x02\x01", 4);
	side_is(&f, "\x0a\x08", 2);
	buf_fini(&f.side);
}

static void ids_in_order_take_a_byte_of_each_new_key(void **state)
{
	static const uint64_t v[] = { 1000, 1001, 1000, 1002, 1003 };
	static const uint32_t of[] = { 0, 1, 0, 2, 1 };
	const struct tf_key key = { of, 3 };
	struct fixture f = { .v = { 0 } };

	(void)state;
	guess(&f, v, 5, &key, NULL, 0);
	assert_memory_equal(f.guesses, "\x02\x02\x00\x02\x02", 5);
	/* zz(1000) = d0 0f, zz(1), zz(1); of a key that has a value against
	 * that: zz(1003 - 1001) */
	side_is(&f, "\xd0\x0f\x02\x02\x04", 5);
	buf_fini(&f.side);
}

static void a_link_is_guessed_to_be_what_the_other_column_was(void **state)
{
	/* Who leaves is who came before: 5, then 9. */
	static const uint32_t source_of[] = { 0, 2, 1 };
	static const uint32_t by_of[] = { 0, 0, 0 };
	static const uint64_t distinct[] = { 5, 7, 9 };
	static const uint64_t v[] = { 3, 5, 9 };
	const struct tf_key source = { source_of, 3 }, by = { by_of, 1 };
	uint32_t to[3], last[1];
	struct tf_key key = tf_key_lag(to, last, &source, &by, 3);
	struct fixture f = { .v = { 0 } };

	(void)state;
	assert_int_equal(key.n, 4);
	assert_int_equal(to[0], 3);
	assert_int_equal(to[1], 0);
	assert_int_equal(to[2], 2);
	guess(&f, v, 3, &key, distinct, 3);
	assert_memory_equal(f.guesses, "\x02\x00\x00", 3);
	side_is(&f, "\x06", 1);
	buf_fini(&f.side);
}

/* It is the first guess 2 of key 5, which a value of the source is not. */
static void the_first_new_value_of_a_link_starts_from_the_new_one_before(
	void **state)
{
	static const uint32_t source_of[] = { 0, 0, 1 };
	static const uint32_t by_of[] = { 0, 0, 0 };
	static const uint64_t distinct[] = { 5, 9 };
	static const uint64_t v[] = { 3, 6, 7 };
	const struct tf_key source = { source_of, 2 }, by = { by_of, 1 };
	uint32_t to[3], last[1];
	struct tf_key key = tf_key_lag(to, last, &source, &by, 3);
	struct fixture f = { .v = { 0 } };

	(void)state;
	guess(&f, v, 3, &key, distinct, 2);
	assert_memory_equal(f.guesses, "\x02\x02\x02", 3);
	side_is(&f, "\x06\x06\x02", 3);
	buf_fini(&f.side);
}

static void pairs_of_keys_are_numbered_as_they_come(void **state)
{
	static const uint32_t a_of[] = { 1, 0, 1, 1 };
	static const uint32_t b_of[] = { 2, 0, 2, 1 };
	static const uint32_t want[] = { 0, 1, 0, 2 };
	const struct tf_key a = { a_of, 2 }, b = { b_of, 3 };
	uint32_t to[4], place[6] = { 0 };
	struct tf_key key = tf_key_pair(to, place, &a, &b, 4);

	(void)state;
	assert_int_equal(key.n, 3);
	assert_memory_equal(to, want, sizeof(want));
}

static void numbers_below_their_row_are_small(void **state)
{
	/* stacks: two on the root, one on each of the others */
	static const uint64_t v[] = { 0, 0, 1, 1, 3 };
	static const uint64_t below[] = { 0, 1, 1, 2, 1 };
	uint64_t to[5], base = 77;

	(void)state;
	assert_int_equal(tf_planes_below(to, v, 5, &base), 3);
	assert_int_equal(base, 0);
	assert_memory_equal(to, below, sizeof(below));
	tf_planes_rise(to, 5, base);
	assert_memory_equal(to, v, sizeof(v));
}

static int take(const char *guesses, size_t n, struct span side,
		struct err *err)
{
	static const uint32_t of[4];
	const struct tf_key key = { of, 1 };
	struct tf_last last[1];
	uint64_t v[4];

	tf_predict_begin(last, 1, NULL, 0);
	return tf_predict_take(v, (const uint8_t *)guesses, n, &key, last, side,
			       err);
}

static void a_side_that_does_not_fit_is_refused(void **state)
{
	static const uint32_t of[2];
	const struct tf_key key = { of, 1 };
	struct tf_last last[1];
	uint64_t v[2] = { 0 };
	struct err err = { 0 };

	(void)state;
	assert_int_equal(take("\x03", 1, span_of("", 0), &err), ERR_FORMAT);
	assert_string_equal(err.text, "unknown guess 3");
	assert_int_equal(take("\x02", 1, span_of("", 0), &err), ERR_FORMAT);
	assert_string_equal(err.text, "fewer values than keys need");
	assert_int_equal(take("\x02\x00", 2, span_of("\x02\x02", 2), &err),
			 ERR_FORMAT);
	assert_string_equal(err.text, "1 bytes too many");
	assert_int_equal(tf_predict_sum(v, 2, 0, &key, last, span_of("", 0),
					&err), ERR_FORMAT);
	assert_string_equal(err.text, "fewer values than keys need");
	assert_int_equal(tf_predict_sum(v, 2, 0, &key, last,
					span_of("\x00\x00", 2), &err),
			 ERR_FORMAT);
	assert_string_equal(err.text, "1 bytes too many");
}

/* Values that stay, alternate, and are new, over more rows than are looked at
 * together, and not a multiple of them. */
static void many_rows_come_back(void **state)
{
	static uint64_t v[MANY], steps[MANY], got[MANY];
	static uint8_t guesses[MANY];
	static uint32_t of[MANY];
	const struct tf_key key = { of, 5 };
	struct tf_last last[5];
	struct buf side = { 0 };
	struct err err = { 0 };

	(void)state;
	for (size_t i = 0; i < MANY; i++) {
		of[i] = (uint32_t)(i / 64 % 3 ? i / 7 % 5 : 2);
		v[i] = i % 97 < 40 ? 7 : i % 97 < 60 ? i % 2 * 1000 :
						     i * i << (i % 40);
	}
	tf_predict_begin(last, key.n, NULL, 0);
	tf_predict_guess(guesses, v, MANY, &key, last, &side);
	tf_predict_begin(last, key.n, NULL, 0);
	assert_int_equal(tf_predict_take(got, guesses, MANY, &key, last,
					 span_of(side.p, side.n), &err), 0);
	assert_memory_equal(got, v, sizeof(v));
	guesses[MANY - 1] = 3;
	tf_predict_begin(last, key.n, NULL, 0);
	assert_int_equal(tf_predict_take(got, guesses, MANY, &key, last,
					 span_of(side.p, side.n), &err),
			 ERR_FORMAT);
	assert_string_equal(err.text, "unknown guess 3");

	buf_clear(&side);
	tf_predict_delta(steps, v, MANY, &key, last, &side);
	assert_int_equal(tf_predict_sum(steps, MANY, v[0], &key, last,
					span_of(side.p, side.n), &err), 0);
	assert_memory_equal(steps, v, sizeof(v));
	buf_fini(&side);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			differences_are_to_the_row_before_of_the_same_key),
		cmocka_unit_test(the_last_values_of_a_key_need_no_bytes_again),
		cmocka_unit_test(ids_in_order_take_a_byte_of_each_new_key),
		cmocka_unit_test(
			a_link_is_guessed_to_be_what_the_other_column_was),
		cmocka_unit_test(
			the_first_new_value_of_a_link_starts_from_the_new_one_before),
		cmocka_unit_test(pairs_of_keys_are_numbered_as_they_come),
		cmocka_unit_test(numbers_below_their_row_are_small),
		cmocka_unit_test(many_rows_come_back),
		cmocka_unit_test(a_side_that_does_not_fit_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
