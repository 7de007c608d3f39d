#include "analyze/merge.h"
#include "analyze/samples.h"
#include "format/base/mem.h"
#include "tests/support/traceopen.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* 240 chunks of 3,000 samples, as rings leave them: each chunk is of one CPU,
 * thread and event, and 1 % of the time is a little more than two. */
#define PART 3000u
#define PARTS 240u
#define ROWS (PART * PARTS)
#define STEP 1000u
#define START 5000000000ull

static const struct tb_image images[] = {
	{ "app", TF_IMAGE_ELF, "/bin/app", NULL, 0 },
};
static const struct tb_symbol symbols[] = {
	{ "app", "main", 0x100, 0x100, NULL },
	{ "app", "work", 0x200, 0x100, NULL },
};
static const struct tb_thread threads[] = {
	{ 10, 10, "zero", 1 }, { 11, 10, "one", 1 }, { 12, 10, "two", 1 },
};
static const struct tb_event events[] = {
	{ "cpu-clock", "ns", 1, 0, 99, 0, true },
	{ "page-faults", "", 1, 2, 0, 1, true },
};

struct fixture {
	struct trace_in_memory m;
	struct tb_sample *samples;
	bool unclosed;
};

static uint64_t next_random(uint64_t *x)
{
	*x ^= *x << 13;
	*x ^= *x >> 7;
	*x ^= *x << 17;
	return *x;
}

static void fill(struct tb_sample *samples)
{
	uint64_t x = 88172645463325252ull;

	for (uint32_t i = 0; i < ROWS; i++) {
		uint32_t part = i / PART;

		samples[i] = (struct tb_sample){
			.time = START + (uint64_t)i * STEP,
			.cpu = part % 4,
			.thread = part % 3,
			.event = part / (PARTS / 2),
			.period = next_random(&x) >> 32,
			.user = next_random(&x) & 1 ? "main;work" : "main",
		};
	}
}

static int build(void **state, bool unclosed)
{
	static struct fixture f;
	struct tb_epoch epoch = { .n = ROWS };
	struct tb_trace t = {
		.images = images, .n_images = ARRAY_LEN(images),
		.symbols = symbols, .n_symbols = ARRAY_LEN(symbols),
		.threads = threads, .n_threads = ARRAY_LEN(threads),
		.events = events, .n_events = ARRAY_LEN(events),
		.epochs = &epoch, .n_epochs = 1,
		.part_samples = PART,
		.unclosed = unclosed,
	};

	f = (struct fixture){ .unclosed = unclosed };
	f.samples = calloc(ROWS, sizeof(*f.samples));
	assert_non_null(f.samples);
	fill(f.samples);
	epoch.samples = f.samples;
	assert_int_equal(trace_build(&f.m, &t), 0);
	*state = &f;
	return 0;
}

static int build_closed(void **state)
{
	return build(state, false);
}

static int build_unclosed(void **state)
{
	return build(state, true);
}

static int drop(void **state)
{
	struct fixture *f = *state;

	trace_fini(&f->m);
	free(f->samples);
	return 0;
}

/* What is to come out: a count and a sum that only these rows have. */
struct sum {
	uint64_t rows, periods;
};

static void add(struct sum *s, uint64_t period)
{
	s->rows++;
	s->periods += period;
}

/* The trace is opened anew: what was read is then of this selection alone. */
static struct sum read_selected(struct fixture *f,
				const struct an_selection_args *args)
{
	struct an_trace *t;
	struct an_selection sel;
	struct an_samples *s;
	const struct an_batch *b;
	struct sum sum = { 0, 0 };
	int rc;

	assert_int_equal(trace_open(&f->m), 0);
	t = f->m.trace;
	assert_int_equal(an_selection_make(&sel, args, t, &f->m.err), 0);
	assert_int_equal(an_samples_new(&s, t, &sel, AN_S_ALL, &f->m.err), 0);
	while ((rc = an_samples_next(s, &b, &f->m.err)) == 0)
		for (size_t i = 0; i < b->n; i++)
			add(&sum, b->period[i]);
	assert_int_equal(rc, 1);
	an_samples_free(s);
	an_selection_fini(&sel);
	return sum;
}

static double share_read(const struct fixture *f)
{
	return (double)an_trace_bytes_read(f->m.trace) /
	       (double)tf_reader_size(an_trace_reader(f->m.trace));
}

static void is_sum(struct sum got, struct sum want)
{
	assert_int_equal(got.rows, want.rows);
	assert_int_equal(got.periods, want.periods);
}

static void a_percent_of_the_time_reads_three_of_the_file_at_most(void **state)
{
	struct fixture *f = *state;
	static const char *const slices[] = { "0%,1%", "49.5%,50.5%",
					      "99%,100%" };
	static const double from[] = { 0, 0.495, 0.99 };

	for (size_t k = 0; k < ARRAY_LEN(slices); k++) {
		struct an_selection_args args = { .time = slices[k] };
		uint64_t span = (uint64_t)(ROWS - 1) * STEP;
		double first = from[k] * (double)span;
		double last = (from[k] + 0.01) * (double)span;
		struct sum want = { 0, 0 };
		struct sum got = read_selected(f, &args);

		for (uint32_t i = 0; i < ROWS; i++)
			if ((double)i * STEP >= first - 1 &&
			    (double)i * STEP <= last + 1)
				add(&want, f->samples[i].period);
		is_sum(got, want);
		assert_true(got.rows >= ROWS / 100 && got.rows <= ROWS / 99);
		if (f->unclosed)
			continue; /* all directories had to be looked at */
		assert_true(share_read(f) <= 0.03);
		assert_true(tf_reader_loaded(an_trace_reader(f->m.trace)) <= 8);
	}
}

static void ten_slices_of_the_time_add_up(void **state)
{
	struct fixture *f = *state;
	struct sum all = { 0, 0 }, sum = { 0, 0 };
	char text[64];

	for (uint32_t i = 0; i < ROWS; i++)
		add(&all, f->samples[i].period);
	for (unsigned k = 0; k < 10; k++) {
		struct an_selection_args args = { .time = text };
		uint64_t from = START + (uint64_t)k * ROWS / 10 * STEP;
		struct sum got;

		snprintf(text, sizeof(text), "@%luns,@%luns",
			 (unsigned long)from,
			 (unsigned long)(from + (uint64_t)ROWS / 10 * STEP -
					 1));
		got = read_selected(f, &args);
		assert_int_equal(got.rows, ROWS / 10);
		sum.rows += got.rows;
		sum.periods += got.periods;
	}
	is_sum(sum, all);
}

static void parts_of_other_cpus_threads_and_events_are_not_read(void **state)
{
	struct fixture *f = *state;
	const char *cpu = "2", *comm = "one", *event = "page-faults";
	struct an_selection_args by_cpu = { .cpu = { .items = &cpu, .n = 1 } };
	struct an_selection_args by_comm = {
		.comm = { .items = &comm, .n = 1 },
	};
	struct an_selection_args by_event = {
		.event = { .items = &event, .n = 1 },
	};
	struct an_selection_args by_all = {
		.cpu = by_cpu.cpu, .comm = by_comm.comm,
		.event = by_event.event,
	};
	struct sum want[4] = { { 0, 0 } };

	for (uint32_t i = 0; i < ROWS; i++) {
		const struct tb_sample *s = &f->samples[i];
		bool is[3] = { s->cpu == 2, s->thread == 1, s->event == 1 };

		for (size_t k = 0; k < 3; k++)
			if (is[k])
				add(&want[k], s->period);
		if (is[0] && is[1] && is[2])
			add(&want[3], s->period);
	}
	/* Beside its parts, a page or two of each of the others. */
	is_sum(read_selected(f, &by_cpu), want[0]);
	assert_true(share_read(f) < 0.60);
	is_sum(read_selected(f, &by_comm), want[1]);
	assert_true(share_read(f) < 0.66);
	is_sum(read_selected(f, &by_event), want[2]);
	assert_true(share_read(f) < 0.80);
	is_sum(read_selected(f, &by_all), want[3]);
	assert_true(share_read(f) < 0.45);
}

static void samples_in_order_of_time_are_of_the_selection(void **state)
{
	struct fixture *f = *state;
	const char *cpu = "3";
	struct an_selection_args args = {
		.time = "10%,20%", .cpu = { .items = &cpu, .n = 1 },
	};
	struct an_selection sel;
	struct an_merge *merge;
	const struct an_sample *s;
	uint64_t last = 0, rows = 0;
	int rc;

	assert_int_equal(trace_open(&f->m), 0);
	assert_int_equal(an_selection_make(&sel, &args, f->m.trace, &f->m.err),
			 0);
	assert_int_equal(an_merge_new(&merge, f->m.trace, &sel, &f->m.err), 0);
	while ((rc = an_merge_next(merge, &s, &f->m.err)) == 0) {
		assert_true(s->time > last);
		assert_int_equal(s->cpu, 3);
		last = s->time;
		rows++;
	}
	assert_int_equal(rc, 1);
	/* Of the parts from 24 to 47 these are of this CPU: 27, 31 … 47. */
	assert_int_equal(rows, 6 * PART);
	an_merge_free(merge);
	an_selection_fini(&sel);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			a_percent_of_the_time_reads_three_of_the_file_at_most),
		cmocka_unit_test(ten_slices_of_the_time_add_up),
		cmocka_unit_test(
			parts_of_other_cpus_threads_and_events_are_not_read),
		cmocka_unit_test(samples_in_order_of_time_are_of_the_selection),
	};
	const struct CMUnitTest without_index[] = {
		cmocka_unit_test(
			a_percent_of_the_time_reads_three_of_the_file_at_most),
		cmocka_unit_test(ten_slices_of_the_time_add_up),
	};
	int rc = cmocka_run_group_tests(tests, build_closed, drop);

	return rc ? rc : cmocka_run_group_tests(without_index, build_unclosed,
						drop);
}
