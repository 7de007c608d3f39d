#include "record/perf/group.h"

#include "format/base/mem.h"
#include "record/perf/perf_state.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* Bits of linux/perf_event.h: time enabled 1, running 2, id 4, group 8, lost
 * 16. */
static const uint64_t plain[] = { 2, 100, 7, 250, 8 };
static const uint64_t full[] = { 2, 5000, 4000, 100, 7, 1, 250, 8, 3 };

static struct span of(const uint64_t *words, size_t n)
{
	return span_of((const uint8_t *)words, n * sizeof(*words));
}

static void a_reading_gives_each_member_in_turn(void **state)
{
	struct rec_group_reading g;
	struct rec_group_value v;

	(void)state;
	assert_true(rec_group_begin(&g, 4 | 8, of(plain, ARRAY_LEN(plain))));
	assert_true(rec_group_next(&g, &v));
	assert_int_equal(v.value, 100);
	assert_int_equal(v.id, 7);
	assert_true(rec_group_next(&g, &v));
	assert_int_equal(v.value, 250);
	assert_int_equal(v.id, 8);
	assert_int_equal(v.lost, 0);
	assert_false(rec_group_next(&g, &v));
}

static void times_stand_before_and_losses_behind(void **state)
{
	struct rec_group_reading g;
	struct rec_group_value v;

	(void)state;
	assert_true(rec_group_begin(&g, 31, of(full, ARRAY_LEN(full))));
	assert_true(rec_group_next(&g, &v));
	assert_int_equal(v.value, 100);
	assert_int_equal(v.lost, 1);
	assert_true(rec_group_next(&g, &v));
	assert_int_equal(v.id, 8);
	assert_int_equal(v.lost, 3);
	assert_false(rec_group_next(&g, &v));
}

static void every_prefix_is_refused(void **state)
{
	struct rec_group_reading g;

	(void)state;
	for (size_t n = 0; n < sizeof(full); n++)
		assert_false(rec_group_begin(
			&g, 31, span_of((const uint8_t *)full, n)));
}

static void a_number_of_members_is_believed_as_far_as_bytes_go(void **state)
{
	static const uint64_t many[] = { UINT64_MAX, 1, 2, 3, 4 };
	struct rec_group_reading g;

	(void)state;
	assert_false(rec_group_begin(&g, 4 | 8, of(many, ARRAY_LEN(many))));
}

struct told {
	size_t event[4];
	uint64_t delta[4];
	size_t n;
};

static void tell(void *ctx, size_t event, uint64_t delta)
{
	struct told *t = ctx;

	assert_true(t->n < ARRAY_LEN(t->event));
	t->event[t->n] = event;
	t->delta[t->n++] = delta;
}

static int read_again(struct rec_perf *p, struct told *t, uint64_t a,
		      uint64_t b)
{
	const uint64_t words[] = { 3, 1000, 70, a, 71, b, 72 };
	struct rec_sample s = { .read = of(words, ARRAY_LEN(words)) };

	t->n = 0;
	return rec_perf_group_each(p, &s, 4 | 8, tell, t);
}

static void members_become_rows_of_what_they_counted_since(void **state)
{
	struct rec_perf_fd fds[] = { { .event = 5 }, { .event = 6 },
				     { .event = 7 } };
	struct rec_perf p = { .fds = fds, .n_fds = 3 };
	struct told t;
	bool is_new;

	(void)state;
	for (uint32_t i = 0; i < 3; i++)
		assert_non_null(map64_put(&p.ids, 70 + i, i, &is_new));
	/* Not the leader, which is the first. */
	assert_int_equal(read_again(&p, &t, 10, 200), 0);
	assert_int_equal(t.n, 2);
	assert_int_equal(t.event[0], 6);
	assert_int_equal(t.delta[0], 10);
	assert_int_equal(t.event[1], 7);
	assert_int_equal(t.delta[1], 200);
	/* Nor one that did not move. */
	assert_int_equal(read_again(&p, &t, 10, 260), 0);
	assert_int_equal(t.n, 1);
	assert_int_equal(t.event[0], 7);
	assert_int_equal(t.delta[0], 60);
	map64_fini(&p.ids);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_reading_gives_each_member_in_turn),
		cmocka_unit_test(times_stand_before_and_losses_behind),
		cmocka_unit_test(every_prefix_is_refused),
		cmocka_unit_test(
			a_number_of_members_is_believed_as_far_as_bytes_go),
		cmocka_unit_test(
			members_become_rows_of_what_they_counted_since),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
