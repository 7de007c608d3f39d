/* --around: a late display frame as a range of time. Vblanks are 10 ms apart. */
#include "analyze/samples.h"
#include "analyze/selection.h"
#include "tests/support/failalloc.h"
#include "tests/unit/test_gpu_build.h"

#include <inttypes.h>
#include <setjmp.h>

#include <cmocka.h>

#define MS 1000000ull
#define START (1000 * MS)
/* Deliveries come 20 us behind the time of their vblank. */
#define SHOWN(seq) (START + (seq) * 10 * MS + 20000)

/* Of one client; those of 14, 38 and 40 are late. */
static const uint32_t frames[] = { 10, 11, 14, 15, 16, 38, 40, 41 };

static void open_it(struct gb_trace *t)
{
	struct buf lines;
	size_t next = 0;

	buf_init(&lines, 0);
	gb_say(&lines, "thread 10 10 game");
	for (unsigned i = 0; i < 50; i++) {
		if (next < ARRAY_LEN(frames) && frames[next] == i) {
			gb_say(&lines, "%llu 0 0 drm:drm_vblank_event_delivered"
			       " file=0xc0 crtc=0 seq=%u",
			       (unsigned long long)SHOWN(i), i);
			next++;
		}
		gb_say(&lines, "%llu 0 0 drm:drm_vblank_event crtc=0 seq=%u "
		       "time=%llu high_prec=1",
		       (unsigned long long)SHOWN(i) + 10000, i,
		       (unsigned long long)(START + i * 10 * MS));
	}
	gb_open(t, (const char *)lines.p);
	buf_fini(&lines);
}

static void range_is(const struct an_selection_args *args, uint64_t from,
		     uint64_t to)
{
	struct an_selection sel;
	struct err err = { 0 };
	struct gb_trace t;

	open_it(&t);
	assert_int_equal(an_selection_make(&sel, args, t.trace, &err), 0);
	assert_true(sel.any);
	assert_int_equal(sel.t_min, from);
	assert_int_equal(sel.t_max, to);
	an_selection_fini(&sel);
	gb_close(&t);
}

static void it_lasts_from_the_frame_before_to_when_it_was_shown(void **state)
{
	(void)state;
	range_is(&(struct an_selection_args){ .around = "late:1,0" },
		 SHOWN(11), SHOWN(14));
}

static void a_margin_lies_on_both_sides(void **state)
{
	(void)state;
	range_is(&(struct an_selection_args){ .around = "late:3" },
		 SHOWN(38) - 50 * MS, SHOWN(40) + 50 * MS);
	range_is(&(struct an_selection_args){ .around = "late:3,1.5ms" },
		 SHOWN(38) - 1500000, SHOWN(40) + 1500000);
	range_is(&(struct an_selection_args){ .around = "late:2,100000h" }, 0,
		 SHOWN(38) + 360000000000 * MS);
}

/* The frames are counted in the whole trace. */
static void a_time_narrows_it(void **state)
{
	(void)state;
	range_is(&(struct an_selection_args){ .around = "late:1",
					      .time = "@1.12,@1.135" },
		 START + 120 * MS, START + 135 * MS);
}

static void refused(const struct an_selection_args *args, const char *why)
{
	struct an_selection sel;
	struct err err = { 0 };
	struct gb_trace t;

	open_it(&t);
	assert_int_equal(an_selection_make(&sel, args, t.trace, &err),
			 ERR_USAGE);
	assert_string_equal(err.text, why);
	gb_close(&t);
}

static void what_is_no_late_frame_is_refused(void **state)
{
	static const char *const wrong[] = {
		"", "late", "late:", "late:0", "late:x", "late:1,", "late:1,x",
		"late:1,-2ms", "late:99999999999", "mark:1", "1",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(wrong); i++) {
		char why[256];

		snprintf(why, sizeof(why), "option '--around': '%s' is not "
			 "late:N or late:N,TIME (such as late:3 or "
			 "late:3,20ms)", wrong[i]);
		refused(&(struct an_selection_args){ .around = wrong[i] }, why);
	}
	refused(&(struct an_selection_args){ .around = "late:4" },
		"no late display frame 4 in this trace (there are 3)");
	refused(&(struct an_selection_args){ .around = "late:1",
					     .time = "@1.3," },
		"option '--around': 'late:1' lies outside of '--time'");
}

static void each_allocation_may_fail(void **state)
{
	const struct an_selection_args args = { .around = "late:2" };
	struct gb_trace t;
	bool failed = true;

	(void)state;
	open_it(&t);
	for (long n = 1; failed; n++) {
		struct an_selection sel = { 0 };
		struct err err = { 0 };
		int rc;

		failalloc_at(n);
		rc = an_selection_make(&sel, &args, t.trace, &err);
		failed = failalloc_hit();
		failalloc_off();
		assert_int_equal(rc, failed ? ERR_NOMEM : 0);
		an_selection_fini(&sel);
	}
	gb_close(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			it_lasts_from_the_frame_before_to_when_it_was_shown),
		cmocka_unit_test(a_margin_lies_on_both_sides),
		cmocka_unit_test(a_time_narrows_it),
		cmocka_unit_test(what_is_no_late_frame_is_refused),
		cmocka_unit_test(each_allocation_may_fail),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
