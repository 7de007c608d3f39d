/* Heads told apart, and their periods. Expected numbers are the ones that the
 * vblanks were made with. */
#include "analyze/gpu/model.h"
#include "tests/unit/test_gpu_build.h"

#include <setjmp.h>

#include <cmocka.h>

#define START 1000000000u

struct fixture {
	struct buf lines;
	struct gb_trace trace;
	struct an_gpu gpu;
};

static void begin(struct fixture *f)
{
	memset(f, 0, sizeof(*f));
	buf_init(&f->lines, 0);
	gb_say(&f->lines, "thread 0 0 swapper");
}

/* The row is told a little later than the vblank was. */
static void vblank(struct fixture *f, uint64_t time, unsigned crtc,
		   uint32_t seq)
{
	gb_say(&f->lines, "%llu 0 0 drm:drm_vblank_event crtc=%u seq=%u "
	       "time=%llu high_prec=1", (unsigned long long)time + 40000, crtc,
	       seq, (unsigned long long)time);
}

static void open_it(struct fixture *f)
{
	struct err err = { 0 };

	gb_open(&f->trace, (const char *)f->lines.p);
	assert_int_equal(an_gpu_make(&f->gpu, f->trace.trace,
				     AN_CLIENT_IDLE_NS, &err), 0);
}

static void end(struct fixture *f)
{
	an_gpu_fini(&f->gpu);
	gb_close(&f->trace);
	buf_fini(&f->lines);
}

static const struct an_head *only(struct fixture *f)
{
	assert_int_equal(f->gpu.heads.n_heads, 1);
	return &f->gpu.heads.heads[0];
}

static void run_at(struct fixture *f, double hz, uint32_t first, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		vblank(f, START + (uint64_t)(i * (1e9 / hz) + 0.5), 0,
		       first + i);
}

static void rates_are_inferred(void **state)
{
	static const double rates[] = { 59.94, 60, 75, 90, 144, 240, 24 };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rates); i++) {
		struct fixture f;
		const struct an_head *h;

		begin(&f);
		run_at(&f, rates[i], 1000, 300);
		open_it(&f);
		h = only(&f);
		/* 59.94 and 60 Hz are 0.1 % apart. */
		assert_true(1e9 / h->period_ns > rates[i] * 0.9999 &&
			    1e9 / h->period_ns < rates[i] * 1.0001);
		assert_false(h->vrr);
		assert_int_equal(h->end - h->first, 300);
		assert_int_equal(h->not_seen, 0);
		end(&f);
	}
}

/* Between 48 and 144 Hz, as a game pleases. */
static void a_variable_rate_is_told_from_a_fixed_one(void **state)
{
	struct fixture f;
	uint64_t time = START;
	const struct an_head *h;

	(void)state;
	begin(&f);
	for (unsigned i = 0; i < 400; i++) {
		vblank(&f, time, 0, i + 1);
		time += 6944444 + (i * i * 7919 % 13888888);
	}
	open_it(&f);
	h = only(&f);
	assert_true(h->vrr);
	assert_int_equal(h->end - h->first, 400);
	assert_true(h->shortest_ns >= 6944444);
	assert_true(h->longest_ns <= 20833332);
	end(&f);
}

/* Late timers move single vblanks, not the ones behind them. */
static void jitter_makes_no_variable_rate(void **state)
{
	struct fixture f;
	const struct an_head *h;

	(void)state;
	begin(&f);
	for (unsigned i = 0; i < 300; i++)
		vblank(&f, START + i * 16666667ull + i * i * 7919 % 5000000, 0,
		       i);
	open_it(&f);
	h = only(&f);
	assert_false(h->vrr);
	assert_true(h->period_ns > 16.6e6 && h->period_ns < 16.75e6);
	assert_true(h->jitter_ns > 1000000 && h->jitter_ns < 5000000);
	end(&f);
}

/* As the timer of a virtual display does on a loaded machine: nothing for nine
 * periods, then all of them within microseconds. */
static void a_timer_that_catches_up_is_one_head(void **state)
{
	struct fixture f;
	const struct an_head *h;

	(void)state;
	begin(&f);
	for (unsigned i = 0; i < 300; i++) {
		unsigned late = i % 40 < 9 && i > 40 ? 9 - i % 40 : 0;

		vblank(&f, START + (i + late) * 16666667ull +
			   (late ? (9 - late) * 5000 : 500000), 0, i);
	}
	open_it(&f);
	h = only(&f);
	assert_int_equal(h->end - h->first, 300);
	assert_false(h->vrr);
	assert_true(h->period_ns > 16.6e6 && h->period_ns < 16.75e6);
	end(&f);
}

/* Interrupts are off while nobody waits; the count goes on by the clock. */
static void a_hole_is_no_missed_vblank(void **state)
{
	struct fixture f;
	const struct an_head *h;

	(void)state;
	begin(&f);
	for (unsigned i = 0; i < 200; i++)
		if (i < 50 || i >= 110)
			vblank(&f, START + i * 16666667ull, 0, i);
	open_it(&f);
	h = only(&f);
	assert_int_equal(h->not_seen, 60);
	assert_int_equal(h->restarts, 0);
	assert_true(h->period_ns > 16666660 && h->period_ns < 16666674);
	end(&f);
}

static void a_count_that_wraps_goes_on(void **state)
{
	struct fixture f;
	const struct an_head *h;

	(void)state;
	begin(&f);
	run_at(&f, 60, UINT32_MAX - 20, 60);
	open_it(&f);
	h = only(&f);
	assert_int_equal(h->end - h->first, 60);
	assert_int_equal(h->restarts, 0);
	assert_int_equal(h->not_seen, 0);
	end(&f);
}

static void a_count_that_begins_anew_is_the_same_head(void **state)
{
	struct fixture f;
	const struct an_head *h;

	(void)state;
	begin(&f);
	for (unsigned i = 0; i < 60; i++)
		vblank(&f, START + i * 16666667ull, 0, 5000 + i);
	for (unsigned i = 0; i < 60; i++)
		vblank(&f, START + 2000000000 + i * 16666667ull, 0, 1 + i);
	for (unsigned i = 0; i < 60; i++)
		vblank(&f, START + 5000000000 + i * 16666667ull, 0, 90000 + i);
	open_it(&f);
	h = only(&f);
	assert_int_equal(h->restarts, 2);
	assert_int_equal(h->end - h->first, 180);
	assert_true(h->period_ns > 16666660 && h->period_ns < 16666674);
	end(&f);
}

static void rows_that_come_twice_count_once(void **state)
{
	struct fixture f;
	const struct an_head *h;

	(void)state;
	begin(&f);
	for (unsigned i = 0; i < 60; i++) {
		vblank(&f, START + i * 16666667ull, 0, i);
		if (i % 20 == 7)
			vblank(&f, START + i * 16666667ull, 0, i);
	}
	open_it(&f);
	h = only(&f);
	assert_int_equal(h->duplicates, 3);
	assert_int_equal(h->end - h->first, 60);
	end(&f);
}

static void a_stray_row_is_no_head(void **state)
{
	struct fixture f;
	const struct an_head *h;

	(void)state;
	begin(&f);
	for (unsigned i = 0; i < 60; i++) {
		vblank(&f, START + i * 16666667ull, 0, 100 + i);
		if (i == 30)
			vblank(&f, START + i * 16666667ull + 5000000, 0, 7);
	}
	open_it(&f);
	h = only(&f);
	assert_int_equal(h->strays, 1);
	assert_int_equal(h->end - h->first, 60);
	end(&f);
}

/* Each row says crtc 0, and the counts differ by one: only their phase parts
 * them. */
static void two_cards_are_two_heads(void **state)
{
	static const struct { double other; uint32_t seq; } cases[] = {
		{ 60, 9000 }, { 60, 101 }, { 75, 3 }, { 144, 102 },
	};

	(void)state;
	for (size_t c = 0; c < ARRAY_LEN(cases); c++) {
		struct fixture f;

		begin(&f);
		for (unsigned i = 0; i < 200; i++) {
			vblank(&f, START + i * 16666667ull, 0, 100 + i);
			vblank(&f, START + 6100000 +
				   (uint64_t)(i * (1e9 / cases[c].other)),
			       0, cases[c].seq + i);
		}
		open_it(&f);
		assert_int_equal(f.gpu.heads.n_heads, 2);
		for (unsigned i = 0; i < 2; i++) {
			const struct an_head *h = &f.gpu.heads.heads[i];
			double hz = 1e9 / h->period_ns;

			assert_true(h->end - h->first >= 198);
			assert_true((hz > 59.9 && hz < 60.1) ||
				    (hz > cases[c].other * 0.999 &&
				     hz < cases[c].other * 1.001));
			assert_false(h->alone);
		}
		end(&f);
	}
}

static void pipes_of_one_card_are_heads_of_their_own(void **state)
{
	struct fixture f;
	char name[AN_HEAD_NAME];

	(void)state;
	begin(&f);
	for (unsigned i = 0; i < 60; i++) {
		vblank(&f, START + i * 16666667ull, 0, 100 + i);
		vblank(&f, START + i * 16666667ull, 1, 100 + i);
	}
	open_it(&f);
	assert_int_equal(f.gpu.heads.n_heads, 2);
	an_head_name(&f.gpu.heads, 1, name);
	assert_string_equal(name, "crtc1");
	end(&f);
}

/* The row is as late as an interrupt handler: the vblank was before. */
static void the_time_of_a_vblank_is_its_field_not_its_row(void **state)
{
	struct fixture f;
	const struct an_head *h;

	(void)state;
	begin(&f);
	for (unsigned i = 0; i < 60; i++)
		gb_say(&f.lines, "%llu 0 0 drm:drm_vblank_event crtc=0 seq=%u "
		       "time=%llu", (unsigned long long)START +
		       i * 16666667ull + i * 7919 % 9000000, i,
		       (unsigned long long)START + i * 16666667ull);
	open_it(&f);
	h = only(&f);
	assert_int_equal(h->jitter_ns, 0);
	end(&f);
}

/* Before 4.14 the row has no such field. */
static void without_a_time_the_row_is_it(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f);
	for (unsigned i = 0; i < 60; i++)
		gb_say(&f.lines, "%llu 0 0 drm:drm_vblank_event crtc=0 seq=%u",
		       (unsigned long long)START + i * 16666667ull, i);
	open_it(&f);
	assert_true(only(&f)->period_ns > 16666660);
	end(&f);
}

/* A program may ask for a million pipes: none is DRM's. */
static void made_up_pipes_are_bounded(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f);
	for (unsigned i = 0; i < 3000; i++)
		vblank(&f, START + i * 1000ull, i % 70, i * 2654435761u);
	open_it(&f);
	assert_true(f.gpu.heads.n_heads <= 64 * 32);
	end(&f);
}

/* A virtual display on a busy machine: one vblank in six is punctual, the others
 * are up to 14 ms late. */
static void late_vblanks_do_not_change_the_period(void **state)
{
	static const unsigned late_ms[] = { 3, 14, 7, 9, 11 };
	struct fixture f;

	(void)state;
	begin(&f);
	for (unsigned i = 0; i < 120; i++)
		vblank(&f, START + (uint64_t)(i * (1e9 / 59.94) + 0.5) +
		       (i % 6 ? late_ms[i * 7 % 5] * 1000000u : 0), 0, i);
	open_it(&f);
	assert_false(only(&f)->vrr);
	assert_true(1e9 / only(&f)->period_ns > 59.9399 &&
		    1e9 / only(&f)->period_ns < 59.9401);
	end(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(late_vblanks_do_not_change_the_period),
		cmocka_unit_test(rates_are_inferred),
		cmocka_unit_test(a_variable_rate_is_told_from_a_fixed_one),
		cmocka_unit_test(jitter_makes_no_variable_rate),
		cmocka_unit_test(a_timer_that_catches_up_is_one_head),
		cmocka_unit_test(a_hole_is_no_missed_vblank),
		cmocka_unit_test(a_count_that_wraps_goes_on),
		cmocka_unit_test(a_count_that_begins_anew_is_the_same_head),
		cmocka_unit_test(rows_that_come_twice_count_once),
		cmocka_unit_test(a_stray_row_is_no_head),
		cmocka_unit_test(two_cards_are_two_heads),
		cmocka_unit_test(pipes_of_one_card_are_heads_of_their_own),
		cmocka_unit_test(the_time_of_a_vblank_is_its_field_not_its_row),
		cmocka_unit_test(without_a_time_the_row_is_it),
		cmocka_unit_test(made_up_pipes_are_bounded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
