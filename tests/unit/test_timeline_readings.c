#include "analyze/timeline/readings.h"

#include "analyze/selection.h"
#include "tests/support/countertrace.h"
#include "tests/support/failalloc.h"
#include "tests/support/traceopen.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define MS COUNTER_MS

struct drawn {
	struct trace_in_memory m;
	struct an_selection sel;
	struct an_timeline tl;
};

static int draw(struct drawn *d, const struct tb_trace *t)
{
	static const struct an_selection_args all;
	struct an_trace *trace;
	int rc;

	*d = (struct drawn){ .tl = { .n = 0 } };
	trace = trace_must(&d->m, t);
	assert_int_equal(an_selection_make(&d->sel, &all, trace, &d->m.err), 0);
	assert_int_equal(an_timeline_init(&d->tl, &d->m.err), 0);
	d->tl.t_max = UINT64_MAX;
	rc = an_readings_lanes(&d->tl, trace, &d->sel, &d->m.err);
	an_timeline_arrange(&d->tl);
	return rc;
}

static void end(struct drawn *d)
{
	an_timeline_fini(&d->tl);
	an_selection_fini(&d->sel);
	trace_fini(&d->m);
}

static const struct an_lane *lane_of(const struct drawn *d, const char *begin)
{
	size_t size = strlen(begin);

	for (size_t i = 0; i < d->tl.n; i++) {
		struct span name = intern_get(&d->tl.texts, d->tl.lanes[i].name);

		if (name.n >= size && memcmp(name.p, begin, size) == 0)
			return &d->tl.lanes[i];
	}
	fail_msg("no lane '%s'", begin);
	return NULL;
}

static void check(const struct drawn *d, const char *name, size_t n,
		  const struct an_step *want)
{
	const struct an_lane *l = lane_of(d, name);

	assert_int_equal(l->kind, AN_LANE_COUNTER);
	assert_int_equal(l->n_steps, n);
	for (size_t i = 0; i < n; i++) {
		double more = l->steps[i].value - want[i].value;

		assert_int_equal(l->steps[i].time,
				 COUNTER_START + want[i].time * MS);
		assert_true((more > -1e-6 && more < 1e-6) ||
			    (isnan(l->steps[i].value) && isnan(want[i].value)));
	}
}

/* By the comment of countertrace_clients. */
static void engines_are_drawn_by_how_busy_they_were(void **state)
{
	static const struct an_step render[] = { { 0, 40 }, { 1000, 10 },
						 { 2000, NAN } };
	static const struct an_step video[] = { { 0, 50 }, { 1000, 0 },
						{ 2000, NAN } };
	static const struct an_step game[] = { { 0, 25 }, { 1000, NAN } };
	static const struct an_step phone[] = { { 0, 50 }, { 1000, 50 },
						{ 2000, NAN } };
	struct drawn d;

	(void)state;
	assert_int_equal(draw(&d, &countertrace_clients), 0);
	assert_int_equal(d.tl.n, 6);
	check(&d, "drm-engine render", 3, render);
	check(&d, "drm-engine video", 3, video);
	check(&d, "drm-cycles rcs", 2, game);
	check(&d, "drm-cycles gpu", 3, phone);
	end(&d);
}

static void levels_stand_until_the_next_reading(void **state)
{
	static const struct an_step memory[] = {
		{ 0, 64 << 20 }, { 1000, 96 << 20 }, { 2000, 64 << 20 },
	};
	struct drawn d;

	(void)state;
	assert_int_equal(draw(&d, &countertrace_clients), 0);
	check(&d, "drm-memory-resident", 3, memory);
	end(&d);
}

/* 532 in 1 s, 1107 in 1.107 s: 1000 a second. */
static void counts_are_drawn_by_the_second(void **state)
{
	static const struct an_step interrupts[] = { { 0, 532 },
						     { 1000, 1000 },
						     { 2107, NAN } };
	struct drawn d;

	(void)state;
	assert_int_equal(draw(&d, &countertrace_i915), 0);
	check(&d, "i915/interrupts/", 3, interrupts);
	end(&d);
}

static void running_out_of_memory_is_reported(void **state)
{
	static const struct an_selection_args all;

	(void)state;
	for (long n = 1; n < 100000; n++) {
		struct trace_in_memory m;
		struct an_trace *t = trace_must(&m, &countertrace_clients);
		struct an_selection sel;
		struct an_timeline tl;
		bool hit;
		int rc;

		assert_int_equal(an_selection_make(&sel, &all, t, &m.err), 0);
		assert_int_equal(an_timeline_init(&tl, &m.err), 0);
		failalloc_at(n);
		rc = an_readings_lanes(&tl, t, &sel, &m.err);
		hit = failalloc_hit();
		failalloc_off();
		an_timeline_fini(&tl);
		an_selection_fini(&sel);
		trace_fini(&m);
		assert_true(rc == 0 || rc == ERR_NOMEM);
		if (!hit)
			return;
	}
	fail();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(engines_are_drawn_by_how_busy_they_were),
		cmocka_unit_test(levels_stand_until_the_next_reading),
		cmocka_unit_test(counts_are_drawn_by_the_second),
		cmocka_unit_test(running_out_of_memory_is_reported),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
