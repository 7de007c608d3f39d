#include "analyze/flame.h"
#include "analyze/head.h"
#include "analyze/merge.h"
#include "analyze/profile.h"
#include "analyze/samples.h"
#include "format/base/mem.h"
#include "tests/support/traceopen.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define SEC 1000000000ull

static const struct tb_image images[] = {
	{ "a", TF_IMAGE_ELF, "/bin/a", "id", 0 },
	{ "b", TF_IMAGE_ELF, "/lib/b.so", NULL, 0 },
	{ "k", TF_IMAGE_KERNEL, "kernel", NULL, 0 },
	{ "cut", TF_IMAGE_SPECIAL, "[truncated]", NULL, 0 },
};
static const struct tb_symbol symbols[] = {
	{ "a", "main", 0x100, 0x100, NULL },
	{ "a", "f", 0x200, 0x100, NULL },
	{ "a", "g", 0x300, 0x100, NULL },
	{ "k", "sys", 0x400, 0x100, NULL },
	{ "k", "do_it", 0x500, 0x100, NULL },
};
static const struct tb_thread threads[] = {
	{ 10, 10, "cat", 0 }, { 11, 10, "dog", 0 }, { 20, 20, "cat", 0 },
};
static const struct tb_event events[] = {
	{ "cpu-clock", "ns", 1, 0, 99, 0, true },
	{ "faults:u", "", 1, 2, 0, 1, true },
};

/* Ten samples, one a second, out of order in the file. */
static const struct tb_sample samples[] = {
	{ 4 * SEC, 1, 0, 0, 1, "main;f", NULL, 0, 0 },
	{ 5 * SEC, 1, 0, 0, 2, "main;f", NULL, 0, 0 },
	{ 6 * SEC, 2, 1, 0, 4, "main;g", NULL, 0, 0 },
	{ 1 * SEC, 3, 1, 0, 8, "main;f", "sys;do_it", 0, 0 },
	{ 2 * SEC, 3, 2, 0, 16, "main;f", "sys", 0, 0 },
	{ 3 * SEC, 4, 2, 1, 32, "main;g", NULL, 0, 0 },
	{ 9 * SEC, 5, 2, 1, 64, "main;g", NULL, 0, 0 },
	{ 7 * SEC, 5, 0, 0, 128, "main;b@0x10", NULL, 0, 0 },
	{ 8 * SEC, 6, 0, 0, 256, "cut@0x0;f", NULL, TF_SAMPLE_TRUNCATED, 0 },
	{ 10 * SEC, 6, 0, 0, 512, "f", NULL, TF_SAMPLE_NO_CHAIN, 0 },
};
static const struct tb_epoch epochs[] = {
	{ samples, 5 }, { samples + 5, ARRAY_LEN(samples) - 5 },
};
static const struct tb_trace trace = {
	.images = images, .n_images = ARRAY_LEN(images),
	.symbols = symbols, .n_symbols = ARRAY_LEN(symbols),
	.threads = threads, .n_threads = ARRAY_LEN(threads),
	.events = events, .n_events = ARRAY_LEN(events),
	.epochs = epochs, .n_epochs = ARRAY_LEN(epochs),
	.part_samples = 3,
};

static struct trace_in_memory m;

static int open_trace(void **state)
{
	(void)state;
	trace_must(&m, &trace);
	return 0;
}

static int close_trace(void **state)
{
	(void)state;
	trace_fini(&m);
	return 0;
}

/* A sample is known by its period: each is a power of two, so that the sum
 * tells which were there. */
static uint64_t selected(const struct an_selection_args *args)
{
	struct an_selection sel;
	struct an_samples *s;
	const struct an_batch *b;
	uint64_t sum = 0;
	int rc;

	assert_int_equal(an_selection_make(&sel, args, m.trace, &m.err), 0);
	assert_int_equal(an_samples_new(&s, m.trace, &sel, AN_S_PERIOD,
					&m.err), 0);
	while ((rc = an_samples_next(s, &b, &m.err)) == 0) {
		assert_null(b->time);
		for (size_t i = 0; i < b->n; i++)
			sum += b->period[i];
	}
	assert_int_equal(rc, 1);
	an_samples_free(s);
	an_selection_fini(&sel);
	return sum;
}

static struct opt_list list_of(const char **items, size_t n)
{
	return (struct opt_list){ .items = items, .n = n };
}

static uint64_t selected_by(size_t field, const char *value)
{
	struct an_selection_args args = { 0 };

	*(struct opt_list *)(void *)((char *)&args + field) =
		list_of(&value, 1);
	return selected(&args);
}

static uint64_t selected_time(const char *time)
{
	struct an_selection_args args = { .time = time };

	return selected(&args);
}

static int refused(size_t field, const char *value, const char *why)
{
	struct an_selection_args args = { 0 };
	struct an_selection sel;
	int rc;

	*(struct opt_list *)(void *)((char *)&args + field) =
		list_of(&value, 1);
	rc = an_selection_make(&sel, &args, m.trace, &m.err);
	assert_non_null(strstr(m.err.text, why));
	return rc;
}

static void without_arguments_everything_is_selected(void **state)
{
	struct an_selection_args args = { 0 };

	(void)state;
	assert_int_equal(selected(&args), 1023);
}

static void threads_are_selected_by_pid_tid_and_name(void **state)
{
	(void)state;
	assert_int_equal(selected_by(offsetof(struct an_selection_args, pid),
				     "20"), 16 + 32 + 64);
	assert_int_equal(selected_by(offsetof(struct an_selection_args, tid),
				     "11"), 4 + 8);
	assert_int_equal(selected_by(offsetof(struct an_selection_args, comm),
				     "cat"), 1023 - 4 - 8);
	assert_int_equal(selected_by(offsetof(struct an_selection_args, pid),
				     "10,20"), 1023);
}

static void several_conditions_must_all_hold(void **state)
{
	const char *pid = "10", *comm = "cat", *cpu = "1,6";
	struct an_selection_args args = {
		.pid = list_of(&pid, 1),
		.comm = list_of(&comm, 1),
		.cpu = list_of(&cpu, 1),
		.time = "@5,@8",
	};

	(void)state;
	assert_int_equal(selected(&args), 2 + 256);
}

static void cpus_are_selected_by_number_and_range(void **state)
{
	size_t cpu = offsetof(struct an_selection_args, cpu);

	(void)state;
	assert_int_equal(selected_by(cpu, "3"), 8 + 16);
	assert_int_equal(selected_by(cpu, "2-4"), 4 + 8 + 16 + 32);
	assert_int_equal(selected_by(cpu, "1,5-65535"), 3 + 64 + 128 + 256 +
			 512);
	assert_int_equal(refused(cpu, "4-2", "'4-2' is no CPU"), ERR_USAGE);
	assert_int_equal(refused(cpu, "65536", "no CPU"), ERR_USAGE);
	assert_int_equal(refused(cpu, "", "no CPU"), ERR_USAGE);
}

static void events_are_selected_by_name_without_their_modifier(void **state)
{
	size_t event = offsetof(struct an_selection_args, event);

	(void)state;
	assert_int_equal(selected_by(event, "faults"), 32 + 64);
	assert_int_equal(selected_by(event, "faults:u"), 32 + 64);
	assert_int_equal(selected_by(event, "cpu-clock,faults"), 1023);
	assert_int_equal(refused(event, "faults:", "there is: cpu-clock"),
			 ERR_USAGE);
}

static void what_is_not_in_the_trace_is_refused_with_what_is(void **state)
{
	(void)state;
	assert_int_equal(refused(offsetof(struct an_selection_args, pid), "11",
				 "no process '11' in this trace (there is: 10 "
				 "20)"), ERR_USAGE);
	assert_int_equal(refused(offsetof(struct an_selection_args, comm),
				 "fox", "(there is: cat dog)"), ERR_USAGE);
	assert_int_equal(refused(offsetof(struct an_selection_args, tid), "x1",
				 "'x1' is not a number"), ERR_USAGE);
}

/* The trace goes from 1 s to 10 s. */
static void times_count_from_the_start_the_end_or_the_clock(void **state)
{
	(void)state;
	assert_int_equal(selected_time("0,1"), 8 + 16);
	assert_int_equal(selected_time("8s,"), 64 + 512);
	assert_int_equal(selected_time(",0"), 8);
	assert_int_equal(selected_time("-1s,"), 64 + 512);
	assert_int_equal(selected_time("@3.5,@5"), 1 + 2);
	assert_int_equal(selected_time("90%,100%"), 512);
	assert_int_equal(selected_time("500ms,2500ms"), 16 + 32);
	assert_int_equal(selected_time(","), 1023);
}

static void malformed_times_are_refused(void **state)
{
	static const char *const bad[] = { "", "5", "a,b", "2,1", "1%%,", "1,x",
					   "101%,", "-,", "@,", "nan%," };
	struct an_selection sel;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		struct an_selection_args args = { .time = bad[i] };

		assert_int_equal(an_selection_make(&sel, &args, m.trace,
						   &m.err), ERR_USAGE);
	}
}

static void the_profile_sums_each_event_apart(void **state)
{
	struct an_profile p;

	(void)state;
	assert_int_equal(an_profile_make(&p, m.trace, NULL, &m.err), 0);
	assert_int_equal(p.n, 2);
	assert_int_equal(p.events[0].total.samples, 8);
	assert_int_equal(p.events[0].total.period, 1023 - 32 - 64);
	assert_int_equal(p.events[0].t_min, 1 * SEC);
	assert_int_equal(p.events[0].t_max, 10 * SEC);
	assert_int_equal(p.events[0].truncated.samples, 1);
	assert_int_equal(p.events[0].no_chain.samples, 1);
	assert_int_equal(p.events[1].n, 1);
	assert_int_equal(p.events[1].places[0].sum.samples, 2);
	assert_int_equal(p.events[1].places[0].sum.period, 32 + 64);
	an_profile_fini(&p);
}

static void a_stack_is_given_from_the_leaf_kernel_before_user(void **state)
{
	static const char *const want[] = { "do_it", "sys", "f", "main" };
	struct an_profile p;
	uint32_t frames[8];
	bool found = false;

	(void)state;
	assert_int_equal(an_profile_make(&p, m.trace, NULL, &m.err), 0);
	for (size_t i = 0; i < p.events[0].n; i++) {
		const struct an_place *at = &p.events[0].places[i];

		if (at->sum.period != 8)
			continue;
		found = true;
		assert_int_equal(an_place_frames(m.trace, at, frames, 8), 4);
		for (size_t k = 0; k < 4; k++) {
			struct span s = an_frame_name(m.trace, frames[k]);

			assert_int_equal(s.n, strlen(want[k]));
			assert_memory_equal(s.p, want[k], s.n);
		}
		assert_int_equal(an_place_frames(m.trace, at, frames, 2), 2);
	}
	assert_true(found);
	an_profile_fini(&p);
}

static void quality_is_a_share_of_the_weight(void **state)
{
	struct an_profile p;
	struct an_quality q;
	const double all = 1023 - 32 - 64;

	(void)state;
	assert_int_equal(an_profile_make(&p, m.trace, NULL, &m.err), 0);
	an_quality_of(m.trace, &p.events[0], &q);
	assert_true(fabs(q.unknown - 128 / all) < 1e-9);
	assert_true(fabs(q.truncated - 256 / all) < 1e-9);
	assert_true(fabs(q.no_chain - 512 / all) < 1e-9);
	assert_int_equal(q.lost, 0);
	an_profile_fini(&p);
}

static void samples_are_merged_in_the_order_of_their_time(void **state)
{
	struct an_merge *merge;
	const struct an_sample *s;
	uint64_t next = 1, sum = 0;
	int rc;

	(void)state;
	assert_int_equal(an_merge_new(&merge, m.trace, NULL, &m.err), 0);
	while ((rc = an_merge_next(merge, &s, &m.err)) == 0) {
		assert_int_equal(s->time, next++ * SEC);
		sum += s->period;
	}
	assert_int_equal(rc, 1);
	assert_int_equal(sum, 1023);
	an_merge_free(merge);
}

static char *folded(enum an_weight weight, bool plain, size_t event)
{
	struct an_flame_options opt = { .weight = weight, .sums = true,
					.plain_kernel = plain };
	struct an_profile p;
	struct fg_tree *tree;
	char *text = NULL;
	size_t size;
	FILE *to = open_memstream(&text, &size);

	assert_int_equal(an_profile_count(&p, m.trace, NULL, &m.err), 0);
	assert_int_equal(an_flame_tree(&tree, &p.events[event], m.trace, NULL,
				       &opt, &m.err), 0);
	assert_int_equal(fg_tree_total(tree),
			 an_weight_of(&p.events[event].total, weight));
	assert_int_equal(fg_write_folded(tree, to), 0);
	fclose(to);
	fg_tree_free(tree);
	an_profile_fini(&p);
	return text;
}

static void folded_stacks_are_merged_by_command_and_name(void **state)
{
	char *text = folded(AN_WEIGHT_SAMPLES, true, 0);

	(void)state;
	assert_string_equal(text, "cat;[truncated];f 1\n"
				  "cat;f 1\n"
				  "cat;main;[b.so] 1\n"
				  "cat;main;f 2\n"
				  "cat;main;f;sys 1\n"
				  "dog;main;f;sys;do_it 1\n"
				  "dog;main;g 1\n");
	free(text);
}

static void folded_kernel_frames_can_be_marked_and_weights_be_periods(void **s)
{
	char *text = folded(AN_WEIGHT_PERIOD, false, 0);

	(void)s;
	assert_non_null(strstr(text, "cat;main;f 3\n"));
	assert_non_null(strstr(text, "cat;main;f;sys_[k] 16\n"));
	assert_non_null(strstr(text, "dog;main;f;sys_[k];do_it_[k] 8\n"));
	free(text);
}

static void only_events_in_ns_can_be_weighed_by_time(void **state)
{
	(void)state;
	for (uint32_t i = 0; i < an_n_events(m.trace); i++) {
		const struct an_event *e = an_event_of(m.trace, i);
		bool ns = strcmp(an_text(m.trace, e->unit), "ns") == 0;

		assert_int_equal(an_weight_check(m.trace, i, AN_WEIGHT_TIME,
						 &m.err), ns ? 0 : ERR_USAGE);
		assert_int_equal(an_weight_check(m.trace, i, AN_WEIGHT_PERIOD,
						 &m.err), 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(without_arguments_everything_is_selected),
		cmocka_unit_test(threads_are_selected_by_pid_tid_and_name),
		cmocka_unit_test(several_conditions_must_all_hold),
		cmocka_unit_test(cpus_are_selected_by_number_and_range),
		cmocka_unit_test(
			events_are_selected_by_name_without_their_modifier),
		cmocka_unit_test(
			what_is_not_in_the_trace_is_refused_with_what_is),
		cmocka_unit_test(
			times_count_from_the_start_the_end_or_the_clock),
		cmocka_unit_test(malformed_times_are_refused),
		cmocka_unit_test(the_profile_sums_each_event_apart),
		cmocka_unit_test(
			a_stack_is_given_from_the_leaf_kernel_before_user),
		cmocka_unit_test(quality_is_a_share_of_the_weight),
		cmocka_unit_test(samples_are_merged_in_the_order_of_their_time),
		cmocka_unit_test(folded_stacks_are_merged_by_command_and_name),
		cmocka_unit_test(
			folded_kernel_frames_can_be_marked_and_weights_be_periods),
		cmocka_unit_test(only_events_in_ns_can_be_weighed_by_time),
	};

	return cmocka_run_group_tests(tests, open_trace, close_trace);
}
