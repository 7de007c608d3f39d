/* Definitions and facts through libcoltrace's public header. */
#include "format/base/mem.h"
#include "tests/support/libopen.h"
#include "tests/support/points.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>

static void strings_are_found_by_epoch_and_id(void **state)
{
	static const char *const want[2][3] = { { "", "a", "b" },
						{ "", "c", "d" } };
	struct ct_trace *t = lib_open_stored(LIB_EPOCHS);
	struct ct_lookup *l = NULL;
	const char *text = "untouched";
	size_t size = 77;

	(void)state;
	assert_int_equal(ct_lookup_new(&l, t, NULL), 0);
	for (uint32_t k = 0; k < 6; k++) {
		uint32_t e = k / 2 % 2 * 5;

		for (uint64_t id = 0; id < 3; id++) {
			assert_int_equal(ct_lookup_string(l, e, id, &text,
							  &size, NULL), 0);
			assert_string_equal(text, want[e / 5][id]);
			assert_int_equal(size, id ? 1 : 0);
		}
	}
	text = "untouched";
	assert_int_equal(ct_lookup_string(l, 0, 3, &text, &size, NULL), 1);
	assert_int_equal(ct_lookup_string(l, 1, 1, &text, &size, NULL), 1);
	assert_string_equal(text, "untouched");
	/* row 0 is the empty string, in an epoch without strings, too */
	assert_int_equal(ct_lookup_string(l, 1, 0, &text, &size, NULL), 0);
	assert_string_equal(text, "");
	ct_lookup_free(l);
	ct_close(t);
}

static void names_of_one_epoch_live_beside_each_other(void **state)
{
	struct ct_trace *t = lib_open_stored(LIB_EPOCHS);
	struct ct_error error = { .code = 7 };
	struct ct_lookup *l = NULL;
	char text[20];

	(void)state;
	assert_int_equal(ct_lookup_new(&l, t, NULL), 0);
	snprintf(text, sizeof(text), "%s%s%s", ct_lookup_name(l, 5, 2),
		 ct_lookup_name(l, 5, 1), ct_lookup_name(l, 5, 99));
	assert_string_equal(text, "dc?");
	assert_int_equal(ct_lookup_failure(l, &error), 0);
	assert_int_equal(error.code, 7);
	ct_lookup_free(l);
	ct_close(t);
}

static void more_epochs_than_are_kept_are_still_right(void **state)
{
	struct ct_trace *t = lib_open_stored(LIB_EPOCHS);
	struct ct_lookup *l = NULL;

	(void)state;
	assert_int_equal(ct_lookup_new(&l, t, NULL), 0);
	for (uint32_t e = 0; e < 40; e++) {
		assert_string_equal(ct_lookup_name(l, e, 1), e == 0 ? "a" :
				    e == 5 ? "c" : "?");
		assert_string_equal(ct_lookup_name(l, 0, 2), "b");
	}
	assert_string_equal(ct_lookup_name(l, 5, 2), "d");
	ct_lookup_free(l);
	ct_close(t);
}

static void numbers_and_texts_of_definitions_are_found(void **state)
{
	struct ct_trace *t = lib_open_stored(LIB_EPOCHS);
	const struct ct_table *stack = ct_table_by_name(t, "stack");
	const struct ct_table *string = ct_table_by_name(t, "string");
	struct ct_lookup *l = NULL;
	struct ct_error error;
	const char *text;
	uint64_t v = 0;
	size_t n;

	(void)state;
	assert_int_equal(ct_lookup_new(&l, t, NULL), 0);
	assert_int_equal(ct_lookup_u64(l, stack, 0, 3, 0, &v, NULL), 0);
	assert_int_equal(v, 2);
	assert_int_equal(ct_lookup_u64(l, stack, 5, 5, 0, &v, NULL), 0);
	assert_int_equal(v, 4);
	assert_int_equal(ct_lookup_u64(l, stack, 5, 6, 0, &v, NULL), 1);
	assert_int_equal(ct_lookup_u64(l, stack, 5, UINT64_MAX, 0, &v, NULL),
			 1);
	assert_int_equal(v, 4);
	assert_int_equal(ct_lookup_text(l, string, 5, 2, 0, &text, &n, NULL),
			 0);
	assert_string_equal(text, "d");
	assert_int_equal(ct_lookup_u64(l, string, 5, 2, 0, &v, &error),
			 CT_ERR_USAGE);
	assert_string_equal(error.text,
			    "table 'string': column 'bytes' is no number");
	assert_int_equal(ct_lookup_text(l, stack, 5, 2, 0, &text, &n, &error),
			 CT_ERR_USAGE);
	assert_int_equal(ct_lookup_u64(l, stack, 5, 2, 2, &v, &error),
			 CT_ERR_USAGE);
	assert_int_equal(ct_lookup_u64(l, ct_table_by_name(t, "sample"), 5, 2,
				       0, &v, &error), CT_ERR_USAGE);
	assert_string_equal(error.text, "table 'sample' is no definition");
	assert_int_equal(ct_lookup_u64(l, NULL, 5, 2, 0, &v, &error),
			 CT_ERR_USAGE);
	ct_lookup_free(l);
	ct_close(t);
}

static void a_reference_to_a_string_is_followed(void **state)
{
	struct ct_lookup *l = NULL;
	struct ct_trace *t;
	const struct ct_table *thread;
	const char *text;
	struct buf b;
	size_t n;

	(void)state;
	buf_init(&b, 0);
	assert_int_equal(tp_build(&points_trace, &b, NULL), 0);
	t = lib_open_buf(&b);
	thread = ct_table_by_name(t, "thread");
	assert_int_equal(ct_lookup_new(&l, t, NULL), 0);
	assert_int_equal(ct_lookup_text(l, thread, 0, 1, (size_t)
					ct_table_find(thread, "comm"), &text,
					&n, NULL), 0);
	assert_string_equal(text, "dog");
	assert_int_equal(n, 3);
	ct_lookup_free(l);
	ct_close(t);
	buf_fini(&b);
}

/* Of those that limit what is there each stays, once. */
static void of_some_facts_each_value_is_there(void **state)
{
	static const struct tp_fact facts[] = {
		{ "recovered", "1" }, { "note.cut", "a" }, { "recovered", "2" },
		{ "source.1.note.cut", "b" }, { "recovered", "1" },
	};
	static const char *const want[][2] = {
		{ "recovered", "1" }, { "note.cut", "a" }, { "recovered", "2" },
		{ "source.1.note.cut", "b" },
	};
	struct tp_trace trace = points_trace;
	struct ct_lookup *l = NULL;
	const char *key, *value;
	struct ct_trace *t;
	struct buf b;

	(void)state;
	trace.facts = facts;
	trace.n_facts = ARRAY_LEN(facts);
	buf_init(&b, 0);
	assert_int_equal(tp_build(&trace, &b, NULL), 0);
	t = lib_open_buf(&b);
	assert_int_equal(ct_lookup_new(&l, t, NULL), 0);
	for (size_t i = 0; i < ARRAY_LEN(want); i++) {
		assert_int_equal(ct_fact_at(l, i, &key, &value, NULL), 0);
		assert_string_equal(key, want[i][0]);
		assert_string_equal(value, want[i][1]);
	}
	assert_int_equal(ct_fact_at(l, 4, &key, &value, NULL), 1);
	assert_int_equal(ct_fact(l, "recovered", &value, NULL), 0);
	assert_string_equal(value, "2");
	ct_lookup_free(l);
	ct_close(t);
	buf_fini(&b);
}

static void of_facts_the_later_one_wins(void **state)
{
	static const struct tp_fact facts[] = {
		{ "k", "1" }, { "other", "" }, { "k", "2" },
	};
	struct tp_trace trace = points_trace;
	struct ct_lookup *l = NULL;
	const char *key, *value = "untouched";
	struct ct_trace *t;
	struct buf b;

	(void)state;
	trace.facts = facts;
	trace.n_facts = ARRAY_LEN(facts);
	buf_init(&b, 0);
	assert_int_equal(tp_build(&trace, &b, NULL), 0);
	t = lib_open_buf(&b);
	assert_int_equal(ct_lookup_new(&l, t, NULL), 0);
	assert_int_equal(ct_fact(l, "nothing", &value, NULL), 1);
	assert_string_equal(value, "untouched");
	assert_int_equal(ct_fact(l, "k", &value, NULL), 0);
	assert_string_equal(value, "2");
	assert_int_equal(ct_fact_at(l, 0, &key, &value, NULL), 0);
	assert_string_equal(key, "k");
	assert_string_equal(value, "2");
	assert_int_equal(ct_fact_at(l, 1, &key, &value, NULL), 0);
	assert_string_equal(key, "other");
	assert_string_equal(value, "");
	assert_int_equal(ct_fact_at(l, 2, &key, &value, NULL), 1);
	ct_lookup_free(l);
	ct_close(t);
	buf_fini(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(strings_are_found_by_epoch_and_id),
		cmocka_unit_test(names_of_one_epoch_live_beside_each_other),
		cmocka_unit_test(more_epochs_than_are_kept_are_still_right),
		cmocka_unit_test(numbers_and_texts_of_definitions_are_found),
		cmocka_unit_test(a_reference_to_a_string_is_followed),
		cmocka_unit_test(of_facts_the_later_one_wins),
		cmocka_unit_test(of_some_facts_each_value_is_there),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
