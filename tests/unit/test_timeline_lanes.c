/* Lanes of threads and CPUs. What is on them is worked out by hand from when
 * threads are switched.
 *
 *	test_timeline_lanes FOLDER
 *
 * writes the traces for tests/browser/test_timeline.sh instead. */
#include "analyze/breaks.h"
#include "analyze/timeline/provider.h"
#include "analyze/trace.h"
#include "format/base/mem.h"
#include "tests/support/failalloc.h"
#include "tests/support/points.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define MS 1000000u
#define SLEEPS 1u /* TASK_INTERRUPTIBLE */
#define N(number) { .v = (uint64_t)(number) }
#define SWITCH(prev, prev_tid, state, next, next_tid)                          \
	{ { .text = prev }, N(prev_tid), N(120), N(state), { .text = next },   \
	  N(next_tid), N(120) }

/* "cat" from 1 to 3 ms, then "dog" to 6 ms, then nobody. */
static const struct tp_thread few_threads[] = {
	{ 10, 10, "cat" }, { 11, 11, "dog" }, { 0, 0, "swapper/0" },
};
static const struct tp_value to_cat[] = SWITCH("swapper/0", 0, 0, "cat", 10);
static const struct tp_value to_dog[] = SWITCH("cat", 10, 0, "dog", 11);
static const struct tp_value to_idle[] = SWITCH("dog", 11, SLEEPS, "swapper/0",
						0);
static const struct tp_row few_rows[] = {
	{ 1 * MS, 0, 2, E_SWITCH, to_cat, 0 },
	{ 3 * MS, 0, 0, E_SWITCH, to_dog, 0 },
	{ 6 * MS, 0, 1, E_SWITCH, to_idle, 0 },
};

/* One span, on a CPU: 2 ms of a thread. */
static const struct tp_value from_cat[] = SWITCH("cat", 10, SLEEPS,
						 "swapper/0", 0);
static const struct tp_row one_rows[] = {
	{ 1 * MS, 0, 2, E_SWITCH, to_cat, 0 },
	{ 3 * MS, 0, 0, E_SWITCH, from_cat, 0 },
};

/* Names as nobody should give them: 1 ms each. */
#define MARKUP "</script><b>&amp;\"'<!--]]>"
#define BIDI "evil\xe2\x80\xaegnp.exe"
#define BROKEN "half\xc3|\x1b[31m\ttab"
#define WIDE "\xe6\xbc\xa2\xe5\xad\x97 \xf0\x9f\x9a\x80"
static const struct tp_thread odd_threads[] = {
	{ 20, 20, MARKUP }, { 21, 21, BIDI }, { 22, 22, BROKEN },
	{ 23, 23, WIDE }, { 24, 24, "__proto__" },
};
static const struct tp_value odd_values[][7] = {
	SWITCH(MARKUP, 20, 0, BIDI, 21), SWITCH(BIDI, 21, 0, BROKEN, 22),
	SWITCH(BROKEN, 22, 0, WIDE, 23), SWITCH(WIDE, 23, 0, "__proto__", 24),
	SWITCH("__proto__", 24, 0, MARKUP, 20),
};
static const struct tp_row odd_rows[] = {
	{ 1 * MS, 0, 0, E_SWITCH, odd_values[0], 0 },
	{ 2 * MS, 0, 1, E_SWITCH, odd_values[1], 0 },
	{ 3 * MS, 0, 2, E_SWITCH, odd_values[2], 0 },
	{ 4 * MS, 0, 3, E_SWITCH, odd_values[3], 0 },
	{ 5 * MS, 0, 4, E_SWITCH, odd_values[4], 0 },
};

/* MANY_CPUS CPUs, each with five threads of its own that take turns. */
#define MANY_CPUS 8u
#define MANY_TURNS 8600u /* a CPU */
#define TURN_NS 100000u

struct many {
	struct tp_thread threads[MANY_CPUS * 5];
	char names[MANY_CPUS * 5][16];
	struct tp_value (*values)[7];
	struct tp_row *rows;
};

static void make_turn(struct many *m, size_t at, uint32_t cpu, uint32_t turn)
{
	uint32_t from = cpu * 5 + turn % 5, to = cpu * 5 + (turn + 1) % 5;
	const struct tp_value v[7] = SWITCH(m->names[from], 100 + from,
					    turn % 3 ? 0 : SLEEPS,
					    m->names[to], 100 + to);

	memcpy(m->values[at], v, sizeof(v));
	m->rows[at] = (struct tp_row){
		1000 * MS + cpu * 7000 + (uint64_t)turn * TURN_NS, cpu, from,
		E_SWITCH, m->values[at], 0,
	};
}

static bool make_many(struct many *m)
{
	size_t n = 0;

	m->values = calloc(MANY_CPUS * MANY_TURNS, sizeof(*m->values));
	m->rows = calloc(MANY_CPUS * MANY_TURNS, sizeof(*m->rows));
	if (!m->values || !m->rows)
		return false;
	for (uint32_t i = 0; i < MANY_CPUS * 5; i++) {
		snprintf(m->names[i], sizeof(m->names[i]), "worker%u", i);
		m->threads[i] = (struct tp_thread){ 100 + (int)i, 100,
						    m->names[i] };
	}
	for (uint32_t turn = 0; turn < MANY_TURNS; turn++)
		for (uint32_t cpu = 0; cpu < MANY_CPUS; cpu++)
			make_turn(m, n++, cpu, turn);
	return true;
}

#define TRACE(t, r)                                                            \
	{ .threads = t, .n_threads = ARRAY_LEN(t), .rows = r,                  \
	  .n_rows = ARRAY_LEN(r) }
static const struct tp_trace few = TRACE(few_threads, few_rows);
static const struct tp_trace one = TRACE(few_threads, one_rows);
static const struct tp_trace odd = TRACE(odd_threads, odd_rows);
static const struct tp_trace empty = { .threads = few_threads,
				       .n_threads = ARRAY_LEN(few_threads) };

/* All have the tracepoints of points.c. */
static struct tp_trace whole(const struct tp_trace *part)
{
	struct tp_trace t = *part;

	t.tracepoints = points_trace.tracepoints;
	t.n_tracepoints = points_trace.n_tracepoints;
	t.events = points_trace.events;
	t.n_events = points_trace.n_events;
	t.start_unix_ns = points_trace.start_unix_ns;
	return t;
}

static int write_to(const char *folder, const char *name,
		    const struct tp_trace *part)
{
	struct tp_trace t = whole(part);
	struct err err = { 0 };
	char path[4096];

	snprintf(path, sizeof(path), "%s/%s.ctr", folder, name);
	if (!tp_write(&t, path, &err))
		return 0;
	fprintf(stderr, "%s\n", err.text);
	return 1;
}

static int write_all(const char *folder)
{
	struct many m = { 0 };
	struct tp_trace many = { .threads = m.threads,
				 .n_threads = ARRAY_LEN(m.threads),
				 .n_rows = MANY_CPUS * MANY_TURNS,
				 .chunk_rows = 256 };
	int rc = !make_many(&m);

	many.rows = m.rows;
	rc = rc || write_to(folder, "many", &many) ||
	     write_to(folder, "one", &one) || write_to(folder, "odd", &odd) ||
	     write_to(folder, "few", &few) ||
	     write_to(folder, "empty", &empty);
	free(m.values);
	free(m.rows);
	return rc;
}

struct fixture {
	struct buf bytes;
	struct an_trace *trace;
	struct an_selection sel;
	struct an_timeline tl;
	struct an_timeline_input in;
	struct err err;
};

static int fill(struct fixture *f, const char *words)
{
	int rc = an_timeline_init(&f->tl, &f->err);

	f->in.t = f->trace;
	f->in.sel = &f->sel;
	if (!rc)
		rc = an_providers_fill(&f->tl, &f->in, words, &f->err);
	if (!rc)
		an_timeline_arrange(&f->tl);
	return rc;
}

static void open_trace(struct fixture *f, const struct tp_trace *part)
{
	struct tp_trace t = whole(part);
	struct tf_source *source;

	*f = (struct fixture){ .sel = { .t_max = UINT64_MAX } };
	buf_init(&f->bytes, 0);
	assert_int_equal(tp_build(&t, &f->bytes, &f->err), 0);
	assert_int_equal(tf_source_memory(&source, span_of(f->bytes.p,
							   f->bytes.n),
					  &f->err), 0);
	assert_int_equal(an_trace_from(&f->trace, source, NULL, &f->err), 0);
	f->in.t_min = part->n_rows ? part->rows[0].time : 0;
	f->in.t_max = part->n_rows ? part->rows[part->n_rows - 1].time : 0;
}

static void close_trace(struct fixture *f)
{
	an_timeline_fini(&f->tl);
	an_input_fini(&f->in);
	an_trace_close(f->trace);
	buf_fini(&f->bytes);
}

static const struct an_lane *lane(const struct fixture *f, const char *group,
				  const char *name)
{
	for (size_t i = 0; i < f->tl.n; i++) {
		const struct an_lane *l = &f->tl.lanes[i];
		struct span g = intern_get(&f->tl.texts, l->group);
		struct span n = intern_get(&f->tl.texts, l->name);

		if (strcmp((const char *)g.p, group) == 0 &&
		    strcmp((const char *)n.p, name) == 0)
			return l;
	}
	fail_msg("no lane '%s' in group '%s'", name, group);
	return NULL;
}

static void is_span(const struct fixture *f, const struct an_lane *l, size_t i,
		    uint64_t from, uint64_t to, const char *name)
{
	assert_in_range(i + 1, 1, l->n_spans);
	assert_int_equal(l->spans[i].from, from);
	assert_int_equal(l->spans[i].to, to);
	assert_int_equal(l->spans[i].count, 1);
	assert_string_equal(intern_get(&f->tl.texts, l->spans[i].name).p,
			    name);
}

static void a_cpu_shows_who_ran_and_nothing_while_idle(void **state)
{
	const struct an_lane *l;
	struct fixture f;

	(void)state;
	open_trace(&f, &few);
	assert_int_equal(fill(&f, NULL), 0);
	l = lane(&f, "CPUs", "CPU 0");
	assert_int_equal(l->n_spans, 2);
	is_span(&f, l, 0, 1 * MS, 3 * MS, "cat");
	is_span(&f, l, 1, 3 * MS, 6 * MS, "dog");
	assert_int_equal(f.tl.t_min, 1 * MS);
	assert_int_equal(f.tl.t_max, 6 * MS);
	close_trace(&f);
}

static void a_thread_runs_waits_and_sleeps(void **state)
{
	const struct an_lane *l;
	struct fixture f;

	(void)state;
	open_trace(&f, &few);
	assert_int_equal(fill(&f, NULL), 0);
	l = lane(&f, "Threads", "cat (10)");
	assert_int_equal(l->n_spans, 2);
	is_span(&f, l, 0, 1 * MS, 3 * MS, "on CPU 0");
	/* It was taken off its CPU and never got one again. */
	is_span(&f, l, 1, 3 * MS, 6 * MS, "waits for a CPU");
	assert_int_equal(l->spans[1].class, AN_CLASS_RUNNABLE);
	l = lane(&f, "Threads", "dog (11)");
	is_span(&f, l, 0, 3 * MS, 6 * MS, "on CPU 0");
	close_trace(&f);
}

/* That cat left the CPU before 4 ms, and that dog got it, is not in the trace:
 * neither is known to have run then. */
static void a_thread_runs_only_while_its_cpu_says_so(void **state)
{
	static const struct tp_row rows[] = {
		{ 1 * MS, 0, 2, E_SWITCH, to_cat, 0 },
		{ 4 * MS, 0, 1, E_SWITCH, to_idle, 0 },
		{ 5 * MS, 0, 2, E_SWITCH, to_cat, 0 },
		{ 6 * MS, 0, 0, E_SWITCH, from_cat, 0 },
	};
	struct tp_trace t = few;
	const struct an_lane *l;
	struct fixture f;

	(void)state;
	t.rows = rows;
	t.n_rows = ARRAY_LEN(rows);
	open_trace(&f, &t);
	assert_int_equal(fill(&f, "threads"), 0);
	l = lane(&f, "Threads", "cat (10)");
	assert_int_equal(l->n_spans, 1);
	is_span(&f, l, 0, 5 * MS, 6 * MS, "on CPU 0");
	for (size_t i = 0; i < f.tl.n; i++)
		for (size_t k = 0; k < f.tl.lanes[i].n_spans; k++)
			if (&f.tl.lanes[i] != l)
				assert_true(f.tl.lanes[i].spans[k].from >=
					    4 * MS);
	close_trace(&f);
}

/* The busiest first: dog ran for 3 ms, cat for 2 and waited for 3. */
static void threads_beyond_the_limit_share_a_lane(void **state)
{
	const struct an_lane *l;
	struct fixture f;

	(void)state;
	open_trace(&f, &few);
	f.in.max_lanes = 1;
	assert_int_equal(fill(&f, "threads"), 0);
	assert_int_equal(f.tl.n, 2);
	lane(&f, "Threads", "cat (10)");
	l = lane(&f, "Threads", "1 more thread");
	assert_int_equal(l->n_spans, 1);
	is_span(&f, l, 0, 3 * MS, 6 * MS, "dog (11)");
	close_trace(&f);
}

static void samples_beyond_the_limit_are_named_by_their_thread(void **state)
{
	static const struct tp_row rows[] = {
		{ 2 * MS, 0, 0, E_CLOCK, NULL, 0 },
		{ 3 * MS, 0, 1, E_CLOCK, NULL, 0 },
		{ 4 * MS, 0, 1, E_CLOCK, NULL, 0 },
	};
	struct tp_trace t = few;
	const struct an_lane *l;
	struct fixture f;

	(void)state;
	t.rows = rows;
	open_trace(&f, &t);
	f.in.max_lanes = 1;
	assert_int_equal(fill(&f, "samples"), 0);
	assert_int_equal(f.tl.n, 2);
	assert_int_equal(lane(&f, "Samples", "dog (11)")->n_spans, 2);
	l = lane(&f, "Samples", "1 more thread");
	is_span(&f, l, 0, 2 * MS, 2 * MS, "cat (10)");
	close_trace(&f);
}

/* One CPU: 1 from the first thread on, no step between the two, and nothing is
 * known behind the last switch. */
static void busy_cpus_are_counted(void **state)
{
	const struct an_lane *l;
	struct fixture f;

	(void)state;
	open_trace(&f, &few);
	assert_int_equal(fill(&f, "cpus"), 0);
	l = lane(&f, "CPUs", "busy CPUs");
	assert_int_equal(l->kind, AN_LANE_COUNTER);
	assert_int_equal(l->n_steps, 2);
	assert_int_equal(l->steps[0].time, 1 * MS);
	assert_true(l->steps[0].value == 1);
	assert_int_equal(l->steps[1].time, 6 * MS);
	assert_true(isnan(l->steps[1].value));
	close_trace(&f);
}

/* Until the next switch nobody knows who has the CPU. */
static void what_nobody_recorded_is_marked_and_no_value(void **state)
{
	const struct an_break hole = { 4 * MS, 5 * MS };
	const struct an_lane *l;
	struct fixture f;

	(void)state;
	open_trace(&f, &few);
	assert_int_equal(an_breaks_add(f.trace, hole, &f.err), 0);
	assert_int_equal(fill(&f, "cpus,losses"), 0);
	l = lane(&f, "CPUs", "busy CPUs");
	assert_int_equal(l->n_steps, 2);
	assert_true(l->steps[0].value == 1);
	assert_int_equal(l->steps[1].time, 4 * MS);
	assert_true(isnan(l->steps[1].value));
	l = lane(&f, "Losses", "Losses");
	assert_int_equal(l->n_spans, 1);
	is_span(&f, l, 0, 4 * MS, 5 * MS, "not recorded");
	assert_int_equal(l->spans[0].class, AN_CLASS_LOSS);
	close_trace(&f);
}

static void only_selected_threads_and_cpus_are_shown(void **state)
{
	bool threads[ARRAY_LEN(few_threads)] = { false, true, false };
	const struct an_lane *l;
	struct fixture f;

	(void)state;
	open_trace(&f, &few);
	f.sel.thread = threads;
	f.sel.n_threads = ARRAY_LEN(threads);
	f.sel.any = true;
	assert_int_equal(fill(&f, "cpus,threads"), 0);
	l = lane(&f, "CPUs", "CPU 0");
	assert_int_equal(l->n_spans, 1);
	is_span(&f, l, 0, 3 * MS, 6 * MS, "dog");
	for (size_t i = 0; i < f.tl.n; i++)
		assert_string_not_equal(intern_get(&f.tl.texts,
						   f.tl.lanes[i].name).p,
					"cat (10)");
	close_trace(&f);
}

static void a_trace_without_rows_has_no_lanes(void **state)
{
	struct fixture f;

	(void)state;
	open_trace(&f, &empty);
	assert_int_equal(fill(&f, NULL), 0);
	assert_int_equal(f.tl.n, 0);
	assert_int_equal(f.tl.t_min, 0);
	assert_int_equal(f.tl.t_max, 0);
	close_trace(&f);
}

static void samples_are_instants_named_by_what_ran(void **state)
{
	static const struct tp_row rows[] = {
		{ 2 * MS, 0, 0, E_CLOCK, NULL, 0 },
		{ 4 * MS, 0, 0, E_CLOCK, NULL, 0 },
	};
	static const struct tp_symbol symbols[] = {
		{ "handler", 0x400, 0x100 },
	};
	struct tp_trace t = { .threads = few_threads,
			      .n_threads = ARRAY_LEN(few_threads),
			      .rows = rows, .n_rows = ARRAY_LEN(rows),
			      .symbols = symbols,
			      .n_symbols = ARRAY_LEN(symbols) };
	const struct an_lane *l;
	struct fixture f;

	(void)state;
	open_trace(&f, &t);
	assert_int_equal(fill(&f, NULL), 0);
	l = lane(&f, "Samples", "cat (10)");
	assert_int_equal(l->n_spans, 2);
	is_span(&f, l, 0, 2 * MS, 2 * MS, "handler");
	is_span(&f, l, 1, 4 * MS, 4 * MS, "handler");
	close_trace(&f);
}

static void losses_are_shown_when_they_were_noticed(void **state)
{
	static const struct tp_loss losses[] = { { 5 * MS, E_SWITCH, 17 } };
	struct tp_trace t = few;
	const struct an_lane *l;
	struct fixture f;

	(void)state;
	t.losses = losses;
	t.n_losses = ARRAY_LEN(losses);
	open_trace(&f, &t);
	assert_int_equal(fill(&f, "losses"), 0);
	l = lane(&f, "Losses", "Losses");
	is_span(&f, l, 0, 5 * MS, 5 * MS, "ring: 17");
	close_trace(&f);
}

static void a_kind_of_lanes_that_is_none_is_refused(void **state)
{
	struct fixture f;

	(void)state;
	open_trace(&f, &few);
	assert_int_equal(fill(&f, "cpus,moons"), ERR_USAGE);
	assert_non_null(strstr(f.err.text, "no 'moons'"));
	assert_non_null(strstr(f.err.text, "cpus"));
	close_trace(&f);
}

static void a_failed_allocation_is_reported(void **state)
{
	struct fixture f;
	bool hit = true;

	(void)state;
	for (long n = 1; hit; n++) {
		int rc;

		open_trace(&f, &few);
		failalloc_at(n);
		rc = fill(&f, NULL);
		hit = failalloc_hit();
		failalloc_off();
		if (hit && rc)
			assert_int_equal(rc, ERR_NOMEM);
		else
			assert_int_equal(rc, 0);
		close_trace(&f);
	}
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_cpu_shows_who_ran_and_nothing_while_idle),
		cmocka_unit_test(a_thread_runs_waits_and_sleeps),
		cmocka_unit_test(a_thread_runs_only_while_its_cpu_says_so),
		cmocka_unit_test(threads_beyond_the_limit_share_a_lane),
		cmocka_unit_test(
			samples_beyond_the_limit_are_named_by_their_thread),
		cmocka_unit_test(busy_cpus_are_counted),
		cmocka_unit_test(what_nobody_recorded_is_marked_and_no_value),
		cmocka_unit_test(only_selected_threads_and_cpus_are_shown),
		cmocka_unit_test(a_trace_without_rows_has_no_lanes),
		cmocka_unit_test(samples_are_instants_named_by_what_ran),
		cmocka_unit_test(losses_are_shown_when_they_were_noticed),
		cmocka_unit_test(a_kind_of_lanes_that_is_none_is_refused),
		cmocka_unit_test(a_failed_allocation_is_reported),
	};

	if (argc > 1)
		return write_all(argv[1]);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
