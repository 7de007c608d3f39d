/* Times that nobody recorded, as a fact tells them. */
#include "analyze/breaks.h"
#include "analyze/trace_data.h"

#include "format/base/mem.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

static size_t parsed(struct an_trace *t, const char *text)
{
	struct err err;

	assert_int_equal(an_breaks_parse(t, text, &err), 0);
	return an_n_breaks(t);
}

static void each_is_taken_once(void **state)
{
	struct an_trace t = { 0 };

	(void)state;
	assert_int_equal(parsed(&t, "10-20 30-45"), 2);
	assert_int_equal(an_break_of(&t, 1)->from, 30);
	assert_int_equal(an_break_of(&t, 1)->to, 45);
	assert_true(an_trace_breaks_in(&t, 15, 16));
	assert_true(an_trace_breaks_in(&t, 0, 11));
	assert_false(an_trace_breaks_in(&t, 20, 30));
	assert_int_equal(parsed(&t, "10-20"), 2); /* is there */
	free(t.breaks.v);
}

static void what_is_no_list_is_passed_over(void **state)
{
	static const char *const bad[] = {
		"", " ", "-", "1", "1-", "x-2", "1-2x", "20-10", "7-7",
		"99999999999999999999-99999999999999999999",
	};
	struct an_trace t = { 0 };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(bad); i++)
		assert_int_equal(parsed(&t, bad[i]), 0);
	assert_int_equal(parsed(&t, "1-2 x"), 1); /* what came before it */
	free(t.breaks.v);
}

static void they_move_with_the_clock(void **state)
{
	struct an_trace t = { 0 };
	struct buf text;

	(void)state;
	buf_init(&text, 0);
	parsed(&t, "10-20 30-45");
	an_breaks_put(&t, 5, &text);
	an_breaks_put(&t, (uint64_t)-10, &text); /* a clock that is ahead */
	buf_u8(&text, 0);
	assert_string_equal((const char *)text.p, "15-25 35-50 0-10 20-35");
	buf_fini(&text);
	free(t.breaks.v);
}

static void what_covers_nothing_is_passed_over(void **state)
{
	static const char *const bad[] = { "", "-", "1-", "x-2", "1-2x",
					   "20-10", "0-0", "1-2 3-4" };
	struct an_break b = { 5, 6 };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(bad); i++)
		assert_false(an_covers_parse(&b, bad[i]));
	assert_int_equal(b.from, 5);
	assert_int_equal(b.to, 6);
	assert_true(an_covers_parse(&b, "7-7"));
	assert_int_equal(b.from, 7);
}

static void a_hull_goes_over_what_is_between(void **state)
{
	const struct an_break none = { 0, 0 };
	struct an_break b = an_break_hull((struct an_break){ 5, 6 }, none);

	(void)state;
	b = an_break_hull(none, b);
	assert_int_equal(b.from, 5);
	b = an_break_hull(b, (struct an_break){ 9, 12 });
	assert_int_equal(b.from, 5);
	assert_int_equal(b.to, 12);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_is_taken_once),
		cmocka_unit_test(what_is_no_list_is_passed_over),
		cmocka_unit_test(they_move_with_the_clock),
		cmocka_unit_test(what_covers_nothing_is_passed_over),
		cmocka_unit_test(a_hull_goes_over_what_is_between),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
