/* Times in which events may be missing, and what is not sure in them. CPU 0 has a
 * row at each 10 ms (a vblank, 30 us behind it), CPU 1 has two. */
#include "tests/unit/test_gpu_client.h"

#define AT(ms) (START + (ms) * MS)

struct given {
	const char *loss;    /* "loss" and its words, or a fact */
	uint64_t from, to;   /* in ms behind START; UINT64_MAX: nothing */
};

static void lines_with(struct fixture *f, const char *loss)
{
	begin(f);
	vblanks(f, 40);
	gb_say(&f->lines, "%llu 1 30 sched:sched_switch prev_pid=30 "
	       "prev_state=1 next_pid=0", (unsigned long long)AT(5));
	gb_say(&f->lines, "%llu 1 0 sched:sched_switch prev_pid=0 "
	       "prev_state=0 next_pid=30", (unsigned long long)AT(300));
	gb_say(&f->lines, "%s", loss);
	open_it(f, AN_CLIENT_IDLE_NS);
}

static void check_span(const struct given *g)
{
	struct fixture f;
	const struct an_lossy *l = &f.gpu.lossy;

	lines_with(&f, g->loss);
	assert_false(l->all);
	if (g->from == UINT64_MAX) {
		assert_int_equal(l->n, 0);
		assert_false(an_lossy_in(l, 0, UINT64_MAX));
	} else {
		assert_int_equal(l->n, 1);
		assert_int_equal(l->v[0].from, g->from ? AT(g->from) : 0);
		assert_int_equal(l->v[0].to, AT(g->to));
	}
	end(&f);
}

/* It is noticed at 1200 ms, which is 200 behind the start, or at 300: behind the
 * row before it on its CPU, and in the 50 ms in which a recorder looks. */
static void a_loss_was_between_the_row_before_and_when_it_was_noticed(void **state)
{
	static const struct given cases[] = {
		{ "loss 1200000000 0 3", 150, 200 },
		{ "loss 1200000000 0 1 8", 150, 200 },
		{ "loss 1200000000 0 1 4", 150, 200 },
		{ "loss 1200000000 1 1 8", 5, 200 },
		{ "loss 1300000000 1 1 8", 5, 300 }, /* by that row */
		{ "loss 1005000000 1 1 8", 0, 5 },   /* and none before it */
		/* A text's lines are those of all CPUs. */
		{ "loss 1200000000 -1 1 8", 150, 200 },
		/* Any ring may have had no row for long. */
		{ "loss 1200000000 -1 1 1", 0, 200 },
		/* A CPU without rows. */
		{ "loss 1200000000 7 1 8", 150, 200 },
		/* No events of it are missing. */
		{ "loss 1200000000 0 1 2", UINT64_MAX, 0 },
		{ "loss 1200000000 0 1 3", UINT64_MAX, 0 },
		{ "loss 1200000000 0 1 9", UINT64_MAX, 0 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		check_span(&cases[i]);
}

static void those_that_touch_are_one_and_others_are_apart(void **state)
{
	struct fixture f;
	const struct an_lossy *l = &f.gpu.lossy;

	(void)state;
	lines_with(&f, "loss 1350000000 0 1 8\nloss 1120000000 0 2\n"
		       "loss 1100000000 0 2");
	assert_int_equal(l->n, 2);
	assert_int_equal(l->v[0].from, AT(50));
	assert_int_equal(l->v[0].to, AT(120));
	assert_false(an_lossy_in(l, 0, AT(50) - 1));
	assert_true(an_lossy_in(l, 0, AT(50)));
	assert_true(an_lossy_in(l, AT(119), AT(200)));
	assert_false(an_lossy_in(l, AT(120), AT(300) - 1));
	assert_true(an_lossy_in(l, AT(120), AT(300)));
	assert_false(an_lossy_in(l, AT(350), UINT64_MAX));
	end(&f);
}

static void a_loss_of_unknown_time_may_be_anywhere(void **state)
{
	struct fixture f;

	(void)state;
	lines_with(&f, "fact import.undated_losses 1");
	assert_true(f.gpu.lossy.all);
	assert_true(an_lossy_in(&f.gpu.lossy, AT(1), AT(2)));
	end(&f);
	/* Of one of several traces that were merged. */
	lines_with(&f, "fact source.1.import.undated_losses 1");
	assert_true(f.gpu.lossy.all);
	end(&f);
}

/* As in test_gpu_causes.c: the frame of 50 ms, and the one before at 10 ms. */
static enum an_confidence of_a_frame_with(const char *loss)
{
	enum an_confidence c;
	struct fixture f;
	struct an_stall s;
	char text[512];

	begin(&f);
	vblanks(&f, 40);
	one_in_time(&f, 0);
	wake_up(&f, 1);
	flip(&f, START + 42 * MS);
	wake_up(&f, 5);
	SWITCH(&f, START + 60 * MS, 10, 1, 0);
	gb_say(&f.lines, "%s", loss);
	open_it(&f, AN_CLIENT_IDLE_NS);
	explain(&f, &s, text, sizeof(text));
	c = s.why.confidence;
	if (c == AN_HIGH)
		assert_int_equal(s.why.cause, AN_CAUSE_CPU);
	for (size_t i = 0; i < s.parts.n; i++)
		assert_true(s.parts.v[i].confidence <= c);
	an_stall_fini(&s);
	end(&f);
	return c;
}

static void a_frame_is_not_sure_in_which_something_was_lost(void **state)
{
	(void)state;
	assert_int_equal(of_a_frame_with("#"), AN_HIGH);
	/* A record that made no sense, before it, in it, noticed behind it. */
	assert_int_equal(of_a_frame_with("loss 1008000000 0 1 8"), AN_HIGH);
	assert_int_equal(of_a_frame_with("loss 1030000000 0 1 8"), AN_LOW);
	assert_int_equal(of_a_frame_with("loss 1095000000 0 1 8"), AN_LOW);
	assert_int_equal(of_a_frame_with("loss 1200000000 0 1 8"), AN_HIGH);
	assert_int_equal(of_a_frame_with("loss 1200000000 0 1"), AN_HIGH);
	assert_int_equal(of_a_frame_with("loss 1030000000 0 1"), AN_LOW);
	assert_int_equal(of_a_frame_with("fact import.undated_losses 1"),
			 AN_LOW);
}

static void nor_is_one_of_which_only_a_part_was_recorded(void **state)
{
	(void)state;
	assert_int_equal(of_a_frame_with("fact filter.sched:sched_switch "
					 "prev_prio"), AN_LOW);
	assert_int_equal(of_a_frame_with("fact source.0.filter.drm:* x"),
			 AN_LOW);
	assert_int_equal(of_a_frame_with("fact note.thinned x"), AN_LOW);
	assert_int_equal(of_a_frame_with("fact filter.sched:sched_waking "
					 "x"), AN_HIGH);
	assert_int_equal(of_a_frame_with("fact note.files x"), AN_HIGH);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			a_loss_was_between_the_row_before_and_when_it_was_noticed),
		cmocka_unit_test(
			those_that_touch_are_one_and_others_are_apart),
		cmocka_unit_test(a_loss_of_unknown_time_may_be_anywhere),
		cmocka_unit_test(
			a_frame_is_not_sure_in_which_something_was_lost),
		cmocka_unit_test(
			nor_is_one_of_which_only_a_part_was_recorded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
