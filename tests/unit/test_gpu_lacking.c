/* What is not in a trace: fields that a damaged format no longer names, kinds of
 * events for some time, and what rows contradict each other in. */
#include "analyze/gpu/lack.h"
#include "analyze/sched/unread.h"
#include "tests/unit/test_gpu_client.h"

/* A frame that is late by what its client computed; `more` are further rows. */
static void late_frame(struct fixture *f, const char *more)
{
	begin(f);
	vblanks(f, 40);
	one_in_time(f, 0);
	wake_up(f, 1);
	flip(f, START + 42 * MS);
	wake_up(f, 5);
	SWITCH(f, START + 60 * MS, 10, 1, 0);
	gb_say(&f->lines, "%s", more);
	open_it(f, AN_CLIENT_IDLE_NS);
}

static enum an_confidence confidence_with(const char *more)
{
	enum an_confidence c;
	struct fixture f;
	struct an_stall s;
	char text[512];

	late_frame(&f, more);
	explain(&f, &s, text, sizeof(text));
	c = s.why.confidence;
	for (size_t i = 0; i < s.parts.n; i++)
		assert_true(s.parts.v[i].confidence <= c);
	an_stall_fini(&s);
	end(&f);
	return c;
}

static void unread_is(const struct fixture *f, const char *want)
{
	char text[AN_UNREAD_TEXT] = "";

	for (size_t i = 0; i < an_n_unread(f->trace.trace); i++)
		if (an_unread_of(f->trace.trace, i)->rows)
			an_unread_text(f->trace.trace,
				       an_unread_of(f->trace.trace, i), text);
	assert_string_equal(text, want);
}

struct renamed { const char *row, *said; };

/* A bit of a name is enough. */
static const struct renamed renamed[] = {
	{ "1020000000 0 0 drm:drm_vblank_event_queued file=7 crtc=0 seQ=5",
	  "1 row of drm:drm_vblank_event_queued has no field 'seq'" },
	{ "1020000000 0 0 drm:drm_vblank_event_queued File=7 crtc=0 seq=5",
	  "1 row of drm:drm_vblank_event_queued has no field 'file'" },
	{ "1020000000 0 0 dma_fence:dma_fence_signaled driver=a timeline=b "
	  "context=1 3eqno=2",
	  "1 row of dma_fence:dma_fence_signaled has no field 'seqno'" },
	{ "1020000000 0 0 dma_fence:dma_fence_init dRiver=a timeline=b "
	  "context=1 seqno=2",
	  "1 row of dma_fence:dma_fence_init has no field 'driver'" },
	{ "1020000000 0 0 dma_fence:dma_fence_wait_end driver=a timeline=b "
	  "Context=1 seqno=2",
	  "1 row of dma_fence:dma_fence_wait_end has no field 'context'" },
	/* Of two generations that which is nearer. */
	{ "1020000000 0 0 gpu_scheduler:drm_run_job entity=1 Fence=2 "
	  "name=gfx id=7",
	  "1 row of gpu_scheduler:drm_run_job has no field 'fence'" },
	{ "1020000000 0 0 gpu_scheduler:drm_sched_job_done fence_context=2 "
	  "fence_sEqno=1", "1 row of gpu_scheduler:drm_sched_job_done has no "
	  "field 'fence_seqno'" },
	{ "1020000000 0 0 sched:sched_wakeup comm=game Pid=10",
	  "1 row of sched:sched_wakeup has no field 'pid'" },
};

static void rows_without_a_field_are_not_read_and_nothing_is_sure(void **state)
{
	struct fixture f;

	(void)state;
	assert_int_equal(confidence_with("#"), AN_HIGH);
	for (size_t i = 0; i < ARRAY_LEN(renamed); i++) {
		late_frame(&f, renamed[i].row);
		unread_is(&f, renamed[i].said);
		assert_true(f.gpu.lossy.all);
		end(&f);
		assert_int_equal(confidence_with(renamed[i].row), AN_LOW);
	}
}

static void an_event_whose_rows_are_not_read_is_not_there(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f);
	gb_say(&f.lines, "100 0 0 drm:drm_vblank_event crtc=0 sEq=1 time=90\n"
	       "200 0 10 sched:sched_switch prev_pid=10 prev_stAte=1 "
	       "next_pid=0\n"
	       "300 0 0 dma_fence:dma_fence_signaled driver=a timeline=b "
	       "context=1 sEqno=2");
	open_it(&f, AN_CLIENT_IDLE_NS);
	assert_int_equal(an_n_unread(f.trace.trace), 3);
	assert_null(f.gpu.sched);
	assert_int_equal(f.gpu.heads.n, 0);
	assert_int_equal(f.gpu.fences.n, 0);
	assert_true(an_gpu_lacks(&f.gpu, AN_LACKS_VBLANKS));
	assert_true(an_gpu_lacks(&f.gpu, AN_LACKS_SWITCHES));
	assert_true(an_gpu_lacks(&f.gpu, AN_LACKS_SIGNALS));
	end(&f);
}

/* A client that is told by its pid, as kernels once did. */
static void a_field_of_another_generation_is_no_lack(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f);
	vblanks(&f, 3);
	gb_say(&f.lines, "1010020000 0 0 drm:drm_vblank_event_delivered "
	       "pid=10 crtc=0 seq=1");
	open_it(&f, AN_CLIENT_IDLE_NS);
	assert_int_equal(an_n_unread(f.trace.trace), 0);
	assert_int_equal(f.gpu.clients.n_clients, 1);
	end(&f);
}

/* -- Kinds that are missing for some time -----------------------------------*/

/* Rows of a step, each 10 ms: @ is the time, % the step. What comes with rows of
 * the kind, and would not come without them. */
struct kind { enum an_lack what; const char *own, *sign; };

#define JOB(event) "@ 0 10 gpu_scheduler:drm_" event                           \
	" entity=1 fence=% name=gfx id=%\n"
#define DONE "@ 0 0 gpu_scheduler:drm_sched_process_job fence=%\n"
#define FENCE(event)                                                           \
	"@ 0 10 dma_fence:dma_fence_" event                                    \
	" driver=a timeline=b context=7 seqno=%\n"
#define WAKE(event) "@ 0 0 sched:sched_" event " pid=10\n"
#define SLEEPS "@ 0 10 sched:sched_switch prev_pid=10 prev_state=1 next_pid=0\n"
#define RUNS "@ 0 0 sched:sched_switch prev_pid=0 prev_state=0 next_pid=10\n"

static const struct kind kinds[] = {
	{ AN_LACKS_SWITCHES, SLEEPS RUNS, WAKE("waking") },
	{ AN_LACKS_WAKEUPS, WAKE("waking"), SLEEPS RUNS },
	{ AN_LACKS_WAKINGS, WAKE("waking"), WAKE("wakeup") },
	{ AN_LACKS_VBLANKS, "@ 0 0 drm:drm_vblank_event crtc=0 seq=% time=@\n",
	  "@ 0 0 drm:drm_vblank_event_delivered file=7 crtc=0 seq=%\n" },
	{ AN_LACKS_WAIT_BEGINS, FENCE("wait_start"), FENCE("wait_end") },
	{ AN_LACKS_WAIT_ENDS, FENCE("wait_end"), FENCE("wait_start") },
	{ AN_LACKS_INITS, FENCE("init"), FENCE("signaled") },
	{ AN_LACKS_SIGNALS, FENCE("signaled"), DONE },
	{ AN_LACKS_SUBMITS, JOB("sched_job"), JOB("run_job") },
	{ AN_LACKS_RUNS, JOB("run_job"), JOB("sched_job") DONE },
};

static void rows(struct fixture *f, const char *text, unsigned step)
{
	char to[1024];
	size_t n = 0;

	for (; *text; text++)
		if (*text == '@')
			n += (size_t)snprintf(to + n, sizeof(to) - n, "%llu",
					      START + step * 10 * MS);
		else if (*text == '%')
			n += (size_t)snprintf(to + n, sizeof(to) - n, "%u",
					      step);
		else
			to[n++] = *text;
	to[n] = 0;
	gb_say(&f->lines, "%s", to);
}

/* A bit for each step that has rows, of the kind and of what comes with it. Jobs
 * are submitted before they run, so that what is first is told first. */
static void steps(struct fixture *f, const struct kind *k, uint64_t own,
		  uint64_t sign)
{
	bool after = k->what == AN_LACKS_WAIT_ENDS || k->what == AN_LACKS_RUNS;

	begin(f);
	for (unsigned i = 1; i < 64; i++) {
		if (after && sign >> i & 1)
			rows(f, k->sign, i);
		if (own >> i & 1)
			rows(f, k->own, i);
		if (!after && sign >> i & 1)
			rows(f, k->sign, i);
	}
	open_it(f, AN_CLIENT_IDLE_NS);
}

static void hole_is(const struct fixture *f, const struct kind *k, unsigned from,
		    unsigned to)
{
	char text[AN_LACK_TEXT];

	assert_int_equal(f->gpu.holes.n, 1);
	assert_int_equal(f->gpu.holes.v[0].what, k->what);
	assert_int_equal(f->gpu.holes.v[0].from, START + from * 10 * MS);
	assert_int_equal(f->gpu.holes.v[0].ns, (to - from) * 10 * MS);
	assert_true(an_lossy_in(&f->gpu.lossy, START + (from + 1) * 10 * MS,
				START + (from + 2) * 10 * MS));
	an_lack_hole_text(&f->gpu.holes.v[0], text);
	assert_non_null(strstr(text, " for "));
}

#define ALL UINT64_MAX
#define FIRST_HALF (UINT64_MAX >> 32)
#define LAST_HALF (UINT64_MAX << 32)

static void what_is_missing_for_some_time_is_told_by_what_comes_with_it(void **state)
{
	struct fixture f;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(kinds); i++) {
		steps(&f, &kinds[i], FIRST_HALF, ALL);
		hole_is(&f, &kinds[i], 31, 63);
		end(&f);
		steps(&f, &kinds[i], LAST_HALF, ALL);
		hole_is(&f, &kinds[i], 1, 32);
		end(&f);
		steps(&f, &kinds[i], 0xffff | 0xffffull << 48, ALL);
		hole_is(&f, &kinds[i], 15, 48);
		end(&f);
	}
}

/* Nothing happened, or not enough to tell. */
static void what_did_not_happen_is_not_missing(void **state)
{
	static const struct { uint64_t own, sign; } cases[] = {
		{ ALL, ALL },
		{ FIRST_HALF, FIRST_HALF },
		{ LAST_HALF, LAST_HALF },
		{ FIRST_HALF, FIRST_HALF | 0x7fffull << 40 },
		{ FIRST_HALF | 1ull << 60, FIRST_HALF | 0xffffull << 34 },
	};
	struct fixture f;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(kinds); i++)
		for (size_t k = 0; k < ARRAY_LEN(cases); k++) {
			steps(&f, &kinds[i], cases[k].own, cases[k].sign);
			assert_int_equal(f.gpu.holes.n, 0);
			end(&f);
		}
}

static void a_client_that_flips_unseen_is_told(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f);
	vblanks(&f, 60);
	for (unsigned i = 1; i < 60; i++) {
		if (i < 25)
			wake_up(&f, i);
		flip(&f, START + i * 10 * MS + 2 * MS);
	}
	open_it(&f, AN_CLIENT_IDLE_NS);
	assert_int_equal(f.gpu.holes.n, 1);
	assert_int_equal(f.gpu.holes.v[0].what, AN_LACKS_DELIVERIES);
	end(&f);
}

/* A thread that was woken before there were switches is not waiting since. */
static void what_a_thread_did_before_there_were_switches_is_not_known(void **state)
{
	struct an_state_walk w;
	struct an_stretch i;
	struct fixture f;
	uint32_t task;

	(void)state;
	begin(&f);
	rows(&f, WAKE("waking"), 1);
	rows(&f, RUNS, 20);
	rows(&f, SLEEPS, 21);
	rows(&f, WAKE("waking"), 30);
	open_it(&f, AN_CLIENT_IDLE_NS);
	task = an_tasks_find(&f.gpu.tasks, 0, 10);
	an_state_walk(&w, f.gpu.sched, task, START, START + 400 * MS);
	assert_true(an_state_next(&w, &i));
	assert_int_equal(i.state, AN_STATE_UNKNOWN);
	assert_int_equal(i.to, START + 200 * MS);
	assert_true(an_state_next(&w, &i));
	assert_int_equal(i.state, AN_STATE_RUNNING);
	an_state_walk(&w, f.gpu.sched, task, START + 205 * MS,
		      START + 400 * MS);
	assert_true(an_state_next(&w, &i));
	assert_int_equal(i.state, AN_STATE_RUNNING);
	assert_true(an_state_next(&w, &i));
	assert_int_equal(i.state, AN_STATE_UNKNOWN);
	assert_int_equal(i.to, START + 400 * MS);
	end(&f);
}

/* -- What rows contradict each other in -------------------------------------*/

static void frames_whose_vblank_is_not_theirs_are_not_sure(void **state)
{
	static const char *const more[] = {
		/* Of a vblank that another crtc has, or far from it. */
		"1050020000 0 0 drm:drm_vblank_event_delivered file=0xc0 "
		"crtc=4 seq=5",
		"1250020000 0 0 drm:drm_vblank_event_delivered file=0xc0 "
		"crtc=0 seq=5",
		/* Of none that there is. */
		"1045020000 0 0 drm:drm_vblank_event_delivered file=0xc0 "
		"crtc=0 seq=1000",
	};
	static const uint64_t times[] = { 1050020000, 1250020000, 1045020000 };
	struct fixture f;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(more); i++) {
		char text[AN_CONTRARY_TEXT];

		late_frame(&f, more[i]);
		assert_int_equal(f.gpu.contraries.deliveries, 1);
		assert_true(an_contrary_text(&f.gpu.contraries, 0, text));
		assert_false(an_contrary_text(&f.gpu.contraries, 1, text));
		assert_true(an_lossy_in(&f.gpu.lossy, times[i] - 1, times[i]));
		end(&f);
	}
	assert_int_equal(confidence_with(more[0]), AN_LOW);
	late_frame(&f, "#");
	assert_int_equal(f.gpu.contraries.deliveries, 0);
	end(&f);
	/* Of a count that the trace does not have at all. */
	late_frame(&f, "9050020000 0 0 drm:drm_vblank_event_delivered "
		   "file=0xc0 crtc=0 seq=1000");
	assert_int_equal(f.gpu.contraries.deliveries, 0);
	end(&f);
}

static void a_vblank_far_from_its_row_is_not_sure(void **state)
{
	struct fixture f;

	(void)state;
	/* The clock of the rows is another one than that of vblanks. */
	begin(&f);
	for (unsigned i = 0; i < 10; i++)
		gb_say(&f.lines, "%llu 0 0 drm:drm_vblank_event crtc=0 seq=%u "
		       "time=%llu", START + i * 10 * MS, i,
		       START + 5000 * MS + i * 10 * MS);
	open_it(&f, AN_CLIENT_IDLE_NS);
	assert_int_equal(f.gpu.contraries.vblanks, 0);
	end(&f);
	begin(&f);
	for (unsigned i = 0; i < 10; i++)
		gb_say(&f.lines, "%llu 0 0 drm:drm_vblank_event crtc=0 seq=%u "
		       "time=%llu", START + i * 10 * MS, i,
		       START + i * 10 * MS + (i == 5 ? 134 * MS : 0));
	open_it(&f, AN_CLIENT_IDLE_NS);
	assert_int_equal(f.gpu.contraries.vblanks, 1);
	assert_true(an_lossy_in(&f.gpu.lossy, START + 49 * MS, START + 50 * MS));
	assert_false(an_lossy_in(&f.gpu.lossy, START + 70 * MS,
				 START + 80 * MS));
	end(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			what_is_missing_for_some_time_is_told_by_what_comes_with_it),
		cmocka_unit_test(what_did_not_happen_is_not_missing),
		cmocka_unit_test(a_client_that_flips_unseen_is_told),
		cmocka_unit_test(
			what_a_thread_did_before_there_were_switches_is_not_known),
		cmocka_unit_test(
			frames_whose_vblank_is_not_theirs_are_not_sure),
		cmocka_unit_test(a_vblank_far_from_its_row_is_not_sure),
		cmocka_unit_test(
			rows_without_a_field_are_not_read_and_nothing_is_sure),
		cmocka_unit_test(an_event_whose_rows_are_not_read_is_not_there),
		cmocka_unit_test(a_field_of_another_generation_is_no_lack),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
