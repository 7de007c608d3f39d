/* Whole traces as stackcollapse-perf.pl shows what perf script prints. */
#include "analyze/compat/compat.h"
#include "format/base/mem.h"
#include "tests/support/failalloc.h"
#include "tests/support/traceopen.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const struct an_compat_options plain, all = { .kernel = true,
						     .jit = true };
static const struct an_compat_options addrs = { .addrs = true };

static const struct tb_image images[] = {
	{ "app", TF_IMAGE_ELF, "/opt/x/app", NULL, 0 },
	{ "kernel", TF_IMAGE_KERNEL, "[kernel.kallsyms]", NULL, 0 },
	{ "module", TF_IMAGE_MODULE, "[nf_tables]", NULL, 0 },
	{ "vdso", TF_IMAGE_VDSO, "[vdso]", NULL, 0 },
	{ "area", TF_IMAGE_ANON, "//anon", NULL, 1 },
	{ "told", TF_IMAGE_KERNEL, "", NULL, 0 },
	{ "none", TF_IMAGE_UNKNOWN, "", NULL, 0 },
	{ "mark", TF_IMAGE_SPECIAL, "[truncated]", NULL, 0 },
};
static const struct tb_symbol symbols[] = {
	{ "app", "main", 0x100, 0x100, NULL },
	{ "app", "f(int)", 0x200, 0x100, NULL },
	{ "kernel", "read", 0x100, 0x100, NULL },
	{ "module", "hook", 0x100, 0x100, NULL },
	{ "vdso", "clock", 0x100, 0x100, NULL },
	{ "area", "Lp/A;::g->Lp/B;::h", 0x100, 0x100, NULL },
};
static const struct tb_thread threads[] = {
	{ 10, 10, "app", 0 }, { 21, 20, "java 1", 0 }, { 31, 30, "java 1", 0 },
};
static const struct tb_event events[] = {
	{ "late", "", 0, 0, 0, 1000, true },
	{ "first", "", 0, 1, 99, 0, true },
	{ "cycles:u", "", 0, 2, 0, 0, false },
	{ "cycles", "", 0, 2, 0, 0, false },
};
static const struct tb_fact recorded[] = { { "kernel_text", "0xffff0000" } };
static const struct tb_fact no_pids[] = { { "import.lacks", "times pids " } };

static void expect_of(const struct tb_fact *fact,
		      const struct tb_sample *samples, size_t n,
		      const struct an_compat_options *opt, const char *want)
{
	const struct tb_epoch epoch = { samples, n };
	const struct tb_trace built = {
		.images = images, .n_images = ARRAY_LEN(images),
		.symbols = symbols, .n_symbols = ARRAY_LEN(symbols),
		.threads = threads, .n_threads = ARRAY_LEN(threads),
		.events = events, .n_events = ARRAY_LEN(events),
		.facts = fact, .n_facts = 1,
		.epochs = &epoch, .n_epochs = 1,
	};
	struct trace_in_memory m = { 0 };
	struct an_trace *t = trace_must(&m, &built);
	struct an_profile counted;
	char *text = NULL;
	size_t size = 0;
	FILE *to = open_memstream(&text, &size);
	struct an_compat_choice choice;

	assert_non_null(to);
	assert_int_equal(an_profile_count(&counted, t, NULL, &m.err), 0);
	assert_int_equal(an_compat_choose(&choice, t, NULL, &counted, &m.log,
					  &m.err), 0);
	assert_int_equal(an_compat_write(t, NULL, &choice, opt, to, &m.err), 0);
	fclose(to);
	assert_string_equal(text, want);
	free(text);
	an_compat_choice_fini(&choice);
	an_profile_fini(&counted);
	trace_fini(&m);
}

static void expect_trace(const struct tb_sample *samples, size_t n,
			 const struct an_compat_options *opt, const char *want)
{
	expect_of(recorded, samples, n, opt, want);
}

static void frames_are_those_that_perf_would_print(void **state)
{
	static const struct tb_sample samples[] = {
		{ .event = 0, .user = "mark@0x0;main;f(int)",
		  .kernel = "read;hook" },
		{ .event = 0, .user = "main;app@0x1234;clock" },
		{ .event = 0, .user = "none@0x77;main",
		  .kernel = "kernel@0x4321" },
	};

	(void)state;
	expect_trace(samples, ARRAY_LEN(samples), &all,
		     "app;[unknown];main;[[kernel.kallsyms]]_[k] 1\n"
		     "app;main;[app];clock_[k] 1\n"
		     "app;main;f;read_[k];hook_[k] 1\n");
	expect_trace(samples, ARRAY_LEN(samples), &addrs,
		     "app;[unknown <77>];main;"
		     "[[kernel.kallsyms] <ffff4321>] 1\n"
		     "app;main;[app <1234>];clock 1\n"
		     "app;main;f;read;hook 1\n");
}

static void a_sample_whose_stack_did_not_come_is_of_its_command(void **state)
{
	static const struct tb_sample samples[] = {
		{ .user = "main", .flags = TF_SAMPLE_NO_CHAIN },
		{ .user = "main" },
	};

	(void)state;
	expect_trace(samples, ARRAY_LEN(samples), &plain,
		     "app 1\napp;main 1\n");
}

/* Of a text that only tells an address of the upper half. */
static void a_kernel_that_was_not_told_has_no_mark(void **state)
{
	static const struct tb_sample samples[] = {
		{ .user = "main", .kernel = "told@0xffffffff9b201293" },
	};

	(void)state;
	expect_trace(samples, ARRAY_LEN(samples), &all,
		     "app;main;[unknown] 1\n");
}

static void memory_without_a_file_is_named_by_the_process(void **state)
{
	static const struct tb_sample samples[] = {
		{ .thread = 1, .user = "main;area@0x900;area@0x110" },
		{ .thread = 2, .user = "main;area@0x900;area@0x110" },
		{ .thread = 0, .user = "main;area@0x900;area@0x110" },
	};

	(void)state;
	expect_trace(samples, ARRAY_LEN(samples), &all,
		     "app;main;[perf-10.map]_[j];Lp/A:::g_[j];Lp/B:::h_[i] 1\n"
		     "java_1;main;[perf-20.map]_[j];p/A:::g_[j];p/B:::h_[i] 1\n"
		     "java_1;main;[perf-30.map]_[j];p/A:::g_[j];p/B:::h_[i] "
		     "1\n");
}

static void the_event_of_the_first_sample_is_shown_alone(void **state)
{
	static const struct tb_sample samples[] = {
		{ .time = 20, .event = 0, .period = 1000, .user = "main" },
		{ .time = 10, .event = 1, .period = 7, .user = "main" },
		{ .time = 30, .event = 1, .period = 5, .user = "main" },
		{ .time = 40, .event = 2, .user = "main" },
	};

	(void)state;
	expect_trace(samples, ARRAY_LEN(samples), &plain, "app;main 12\n");
}

static void samples_count_their_period(void **state)
{
	static const struct tb_sample samples[] = {
		{ .event = 0, .period = 1000, .user = "main", .times = 3 },
	};

	(void)state;
	expect_trace(samples, ARRAY_LEN(samples), &plain, "app;main 3000\n");
}

static void a_sample_whose_period_is_not_told_counts_one(void **state)
{
	static const struct tb_sample samples[] = {
		{ .event = 1, .period = 0, .user = "main" },
		{ .event = 1, .period = 9, .user = "main" },
	};

	(void)state;
	expect_trace(samples, ARRAY_LEN(samples), &plain, "app;main 10\n");
}

static void samples_without_stacks_go_by_the_name_before_modifiers(void **state)
{
	static const struct tb_sample samples[] = {
		{ .time = 1, .event = 2, .period = 1, .user = "main" },
		{ .time = 2, .event = 3, .period = 1, .user = "f(int)" },
	};

	(void)state;
	expect_trace(samples, ARRAY_LEN(samples), &plain,
		     "app;f 1\napp;main 1\n");
}

static void the_thread_can_be_told(void **state)
{
	static const struct tb_sample samples[] = {
		{ .thread = 1, .user = "main" }, { .thread = 2, .user = "main" },
	};
	const struct an_compat_options pid = { .pid = true };
	const struct an_compat_options tid = { .tid = true };

	(void)state;
	expect_trace(samples, ARRAY_LEN(samples), &pid,
		     "java_1-20;main 1\njava_1-30;main 1\n");
	expect_trace(samples, ARRAY_LEN(samples), &tid,
		     "java_1-20/21;main 1\njava_1-30/31;main 1\n");
	expect_trace(samples, ARRAY_LEN(samples), &plain, "java_1;main 2\n");
}

/* A text that only tells one number gives each thread a process of its own. */
static void a_process_that_was_not_told_is_unknown(void **state)
{
	static const struct tb_sample samples[] = {
		{ .thread = 0, .user = "main" }, { .thread = 1, .user = "main" },
	};
	const struct an_compat_options pid = { .pid = true };
	const struct an_compat_options tid = { .tid = true };

	(void)state;
	expect_of(no_pids, samples, ARRAY_LEN(samples), &pid,
		  "app-?;main 1\njava_1-20;main 1\n");
	expect_of(no_pids, samples, ARRAY_LEN(samples), &tid,
		  "app-?/10;main 1\njava_1-20/21;main 1\n");
}

static void each_allocation_that_fails_is_reported(void **state)
{
	static const struct tb_sample samples[] = {
		{ .thread = 1, .user = "main;area@0x900",
		  .kernel = "read;hook" },
		{ .thread = 0, .user = "main;f(int)", .event = 1 },
	};
	const struct tb_epoch epoch = { samples, ARRAY_LEN(samples) };
	const struct tb_trace built = {
		.images = images, .n_images = ARRAY_LEN(images),
		.symbols = symbols, .n_symbols = ARRAY_LEN(symbols),
		.threads = threads, .n_threads = ARRAY_LEN(threads),
		.events = events, .n_events = ARRAY_LEN(events),
		.epochs = &epoch, .n_epochs = 1,
	};
	struct trace_in_memory m = { 0 };
	struct an_trace *t = trace_must(&m, &built);
	FILE *to = fopen("/dev/null", "w");
	struct an_profile counted;
	bool failed = true;

	(void)state;
	assert_non_null(to);
	assert_int_equal(an_profile_count(&counted, t, NULL, &m.err), 0);
	for (long n = 1; failed; n++) {
		struct an_compat_choice choice;
		int rc;

		failalloc_at(n);
		rc = an_compat_choose(&choice, t, NULL, &counted, &m.log,
				      &m.err);
		if (!rc)
			rc = an_compat_write(t, NULL, &choice, &all, to,
					     &m.err);
		failed = failalloc_hit();
		an_compat_choice_fini(&choice);
		failalloc_off();
		assert_int_equal(rc, failed ? ERR_NOMEM : 0);
	}
	an_profile_fini(&counted);
	fclose(to);
	trace_fini(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(frames_are_those_that_perf_would_print),
		cmocka_unit_test(
			a_sample_whose_stack_did_not_come_is_of_its_command),
		cmocka_unit_test(a_kernel_that_was_not_told_has_no_mark),
		cmocka_unit_test(memory_without_a_file_is_named_by_the_process),
		cmocka_unit_test(the_event_of_the_first_sample_is_shown_alone),
		cmocka_unit_test(samples_count_their_period),
		cmocka_unit_test(a_sample_whose_period_is_not_told_counts_one),
		cmocka_unit_test(
			samples_without_stacks_go_by_the_name_before_modifiers),
		cmocka_unit_test(the_thread_can_be_told),
		cmocka_unit_test(a_process_that_was_not_told_is_unknown),
		cmocka_unit_test(each_allocation_that_fails_is_reported),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
