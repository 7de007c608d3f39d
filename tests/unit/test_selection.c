#include "analyze/samples.h"
#include "analyze/selection/choose.h"
#include "format/base/mem.h"
#include "tests/support/failalloc.h"
#include "tests/support/traceopen.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define SEC 1000000000ull

static const struct tb_image images[] = {
	{ "app", TF_IMAGE_ELF, "/usr/bin/app", "id", 0 },
	{ "z", TF_IMAGE_ELF, "/usr/lib/libz.so.1", NULL, 0 },
	{ "k", TF_IMAGE_KERNEL, "[kernel.kallsyms]", NULL, 0 },
	{ "drm", TF_IMAGE_MODULE, "[nvidia_drm]", NULL, 0 },
};
static const struct tb_symbol symbols[] = {
	{ "app", "main", 0x100, 0x100, NULL },
	{ "app", "work", 0x200, 0x100, NULL },
	{ "app", "ns::f(int, int)", 0x300, 0x100, "_ZN2ns1fEii" },
	{ "z", "inflate", 0x100, 0x100, NULL },
	{ "z", "inflate_fast", 0x200, 0x100, NULL },
	{ "k", "sys_read", 0x400, 0x100, NULL },
	{ "drm", "flip", 0x500, 0x100, NULL },
};
static const struct tb_thread threads[] = {
	{ 10, 10, "app", 1 },
	{ 11, 10, "app:worker", 1 },
	{ 20, 20, "cron", 1 },
	{ 30, 30, "lone", 1 },
	{ 10, 10, "reborn", 6 * SEC }, /* the pid again, another process */
};
static const struct tb_process processes[] = {
	{ .pid = 10, .time = 1, .cgroup = "/user.slice/session-1.scope" },
	{ .pid = 20, .time = 1, .cgroup = "/system.slice/cron.service" },
	{ .pid = 30, .time = 1 },
	{ .pid = 10, .time = 5 * SEC,
	  .cgroup = "/system.slice/other.service/sub" },
};
static const struct tb_event events[] = {
	{ "cpu-clock:u", "ns", 1, 0, 99, 0, true },
	{ "sched:sched_switch", "", 2, 1, 0, 1, true },
	{ "sched:sched_waking", "", 2, 2, 0, 1, true },
};
static const struct tb_sample samples[] = {
	{ 1 * SEC, 0, 0, 0, 1, "main", NULL, 0, 0 },
	{ 2 * SEC, 0, 0, 0, 2, "main;work", NULL, 0, 0 },
	{ 3 * SEC, 1, 1, 1, 4, "work;inflate", NULL, 0, 0 },
	{ 4 * SEC, 1, 1, 1, 8, "main;work;inflate_fast", NULL, 0, 0 },
	{ 5 * SEC, 2, 2, 2, 16, "main;inflate", "sys_read", 0, 0 },
	{ 6 * SEC, 2, 3, 2, 32, "main", "sys_read;flip", 0, 0 },
	{ 7 * SEC, 3, 4, 0, 64, "ns::f(int, int)", NULL, 0, 0 },
	{ 8 * SEC, 3, 4, 0, 128, "app@0x900", NULL, 0, 0 },
};
static const struct tb_mark marks[] = {
	{ .time = 3 * SEC, .text = "begin" },
	{ .time = 5 * SEC, .text = "one, two" },
	{ .time = 6 * SEC, .text = "end" },
	{ .time = 7 * SEC, .text = "begin" },
	{ .time = 2 * SEC, .text = "end" },
};
static const struct tb_epoch epochs[] = {
	{ samples, 5 }, { samples + 5, ARRAY_LEN(samples) - 5 },
};
static const struct tb_trace trace = {
	.images = images, .n_images = ARRAY_LEN(images),
	.symbols = symbols, .n_symbols = ARRAY_LEN(symbols),
	.threads = threads, .n_threads = ARRAY_LEN(threads),
	.processes = processes, .n_processes = ARRAY_LEN(processes),
	.events = events, .n_events = ARRAY_LEN(events),
	.marks = marks, .n_marks = ARRAY_LEN(marks),
	.epochs = epochs, .n_epochs = ARRAY_LEN(epochs),
	.part_samples = 2,
};
#define ALL 255u

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

/* A sample is known by its period, each a power of two. */
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
	while ((rc = an_samples_next(s, &b, &m.err)) == 0)
		for (size_t i = 0; i < b->n; i++)
			sum += b->period[i];
	assert_int_equal(rc, 1);
	an_samples_free(s);
	an_selection_fini(&sel);
	return sum;
}

#define FIELD(f) offsetof(struct an_selection_args, f)

static struct opt_list *list_at(struct an_selection_args *args, size_t field)
{
	return (struct opt_list *)(void *)((char *)args + field);
}

static uint64_t by(size_t field, const char *value)
{
	struct an_selection_args args = { 0 };

	*list_at(&args, field) = (struct opt_list){ .items = &value, .n = 1 };
	return selected(&args);
}

static uint64_t by_two(size_t one, const char *a, size_t two, const char *b)
{
	struct an_selection_args args = { 0 };

	*list_at(&args, one) = (struct opt_list){ .items = &a, .n = 1 };
	*list_at(&args, two) = (struct opt_list){ .items = &b, .n = 1 };
	return selected(&args);
}

static void refuses(size_t field, const char *value, const char *why)
{
	struct an_selection_args args = { 0 };
	struct an_selection sel;

	*list_at(&args, field) = (struct opt_list){ .items = &value, .n = 1 };
	assert_int_equal(an_selection_make(&sel, &args, m.trace, &m.err),
			 ERR_USAGE);
	if (!strstr(m.err.text, why))
		fail_msg("'%s' is not in '%s'", why, m.err.text);
}

static void a_star_stands_for_any_bytes_and_a_mark_for_one(void **state)
{
	static const struct {
		const char *word, *text;
		bool is;
	} cases[] = {
		{ "", "", true },	{ "", "a", false },
		{ "*", "", true },	{ "*", "abc", true },
		{ "a*", "a", true },	{ "a*", "ba", false },
		{ "*c", "abc", true },	{ "*b", "abc", false },
		{ "a?c", "abc", true }, { "a?c", "ac", false },
		{ "a*b*c", "axxbyyc", true },
		{ "a*b*c", "axxbyycd", false },
		{ "*ab", "aab", true }, { "*aab*b", "aaabab", true },
		{ "**", "x", true },	{ "?*", "", false },
		{ "[x]", "[x]", true }, { "[x]", "x", false },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		if (an_word_is(an_word(cases[i].word),
			       an_word(cases[i].text)) != cases[i].is)
			fail_msg("'%s' and '%s'", cases[i].word,
				 cases[i].text);
}

static void commands_and_events_are_named_by_globs(void **state)
{
	(void)state;
	assert_int_equal(by(FIELD(comm), "app*"), 1 + 2 + 4 + 8);
	assert_int_equal(by(FIELD(comm), "*e*"), 4 + 8 + 32 + 64 + 128);
	assert_int_equal(by(FIELD(event), "sched:*"), 4 + 8 + 16 + 32);
	assert_int_equal(by(FIELD(event), "sched:*_switch,cpu*"),
			 ALL - 16 - 32);
	assert_int_equal(by(FIELD(event), "cpu-cloc?"), 1 + 2 + 64 + 128);
	refuses(FIELD(event), "irq:*", "no event 'irq:*' in this trace (there "
		"is: cpu-clock:u sched:sched_switch sched:sched_waking)");
}

static void an_image_is_where_the_sample_ran_by_any_of_its_names(void **state)
{
	static const char *const z[] = { "libz.so.1", "/usr/lib/libz.so.1",
					 "libz*", "/usr/lib/*" };
	static const char *const drm[] = {
		"nvidia_drm", "[nvidia_drm]", "nvidia_drm.ko", "nvidia-drm.ko",
		"/lib/modules/6.1/video/nvidia-drm.ko.xz", "nvidia*",
		"nvidia-drm", "[nvidia-drm]", "nvidia_drm.ko.gz",
		"nvidia-drm.ko.zst", "nvidia-d*",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(z); i++)
		assert_int_equal(by(FIELD(image), z[i]), 4 + 8);
	for (size_t i = 0; i < ARRAY_LEN(drm); i++)
		assert_int_equal(by(FIELD(image), drm[i]), 32);
	assert_int_equal(by(FIELD(image), "[kernel.kallsyms]"), 16);
	assert_int_equal(by(FIELD(image), "kernel.kallsyms"), 16);
	assert_int_equal(by(FIELD(image), "app"), 1 + 2 + 64 + 128);
	assert_int_equal(by(FIELD(image), "app,libz.so.1,nvidia*,kernel*"),
			 ALL);
	refuses(FIELD(image), "nvidia.ko", "no image 'nvidia.ko' in this "
		"trace (there is: app libz.so.1 [kernel.kallsyms] "
		"[nvidia_drm])");
}

static void a_symbol_is_where_the_sample_ran(void **state)
{
	(void)state;
	assert_int_equal(by(FIELD(symbol), "main"), 1);
	assert_int_equal(by(FIELD(symbol), "inflate"), 4);
	assert_int_equal(by(FIELD(symbol), "inflate*"), 4 + 8);
	assert_int_equal(by(FIELD(symbol), "main,sys_read"), 1 + 16);
	assert_int_equal(by(FIELD(symbol), "ns::f(int, int)"), 64);
	assert_int_equal(by(FIELD(symbol), "_ZN2ns1fEii"), 64);
	assert_int_equal(by(FIELD(symbol), "[unknown]"), 128);
	refuses(FIELD(symbol), "deflate", "no symbol 'deflate'");
}

static void through_is_any_frame_of_either_half_of_the_stack(void **state)
{
	(void)state;
	assert_int_equal(by(FIELD(through), "main"), 1 + 2 + 8 + 16 + 32);
	assert_int_equal(by(FIELD(through), "work"), 2 + 4 + 8);
	assert_int_equal(by(FIELD(through), "sys_read"), 16 + 32);
	assert_int_equal(by(FIELD(through), "inflate"), 4 + 16);
	assert_int_equal(by(FIELD(through), "flip,_ZN2*"), 32 + 64);
	refuses(FIELD(through), "nowhere", "no symbol 'nowhere'");
}

static void a_cgroup_is_a_path_from_the_root_or_a_name_on_the_way(void **state)
{
	(void)state;
	assert_int_equal(by(FIELD(cgroup), "/user.slice"), 1 + 2 + 4 + 8);
	assert_int_equal(by(FIELD(cgroup), "user.slice/"), 1 + 2 + 4 + 8);
	assert_int_equal(by(FIELD(cgroup), "/system.slice"), 16 + 64 + 128);
	assert_int_equal(by(FIELD(cgroup), "/system.slice/cron.service"), 16);
	assert_int_equal(by(FIELD(cgroup), "cron.service"), 16);
	assert_int_equal(by(FIELD(cgroup), "other.service"), 64 + 128);
	assert_int_equal(by(FIELD(cgroup), "sub"), 64 + 128);
	assert_int_equal(by(FIELD(cgroup), "/*/cron.*"), 16);
	assert_int_equal(by(FIELD(cgroup), "sub,session-?.scope"),
			 ALL - 16 - 32);
	assert_int_equal(by(FIELD(cgroup), "/"), ALL - 32);
	refuses(FIELD(cgroup), "/system", "no cgroup '/system' in this trace "
		"(there is: /user.slice/session-1.scope");
	refuses(FIELD(cgroup), "/cron.service", "no cgroup");
}

static uint64_t by_time(const char *time)
{
	struct an_selection_args args = { .time = time };

	return selected(&args);
}

/* The end is the first mark of its text behind the beginning. */
static void marks_are_moments(void **state)
{
	struct an_selection_args gone = { .time = "mark:gone," };
	struct an_selection sel;

	(void)state;
	assert_int_equal(by_time("mark:begin,mark:end"), 4 + 8 + 16 + 32);
	assert_int_equal(by_time(",mark:end"), 1 + 2);
	assert_int_equal(by_time("mark:begin,@4"), 4 + 8);
	assert_int_equal(by_time("mark:one, two,"), 16 + 32 + 64 + 128);
	assert_int_equal(by_time("mark:one, two,mark:end"), 16 + 32);
	assert_int_equal(by_time("mark:begin,mark:one, two"), 4 + 8 + 16);
	assert_int_equal(an_selection_make(&sel, &gone, m.trace, &m.err),
			 ERR_USAGE);
	assert_non_null(strstr(m.err.text, "no moment 'mark:gone,' in this "
			       "trace (there is: mark:end mark:begin "
			       "mark:one, two)"));
}

static void options_narrow_what_the_others_leave(void **state)
{
	(void)state;
	assert_int_equal(by_two(FIELD(image), "libz*", FIELD(symbol),
				"inflate"), 4);
	assert_int_equal(by_two(FIELD(image), "app", FIELD(symbol),
				"inflate"), 0);
	assert_int_equal(by_two(FIELD(through), "main", FIELD(cpu), "2-3"),
			 16 + 32);
	assert_int_equal(by_two(FIELD(through), "main", FIELD(image), "app"),
			 1 + 2);
	assert_int_equal(by_two(FIELD(cgroup), "system.slice", FIELD(pid),
				"10"), 64 + 128);
}

/* For each option, each thing alone: nothing is counted twice or missed. */
static void what_is_selected_apart_adds_up_to_all(void **state)
{
	static const char *const images_apart[] = {
		"app", "libz.so.1", "[kernel.kallsyms]", "[nvidia_drm]",
	};
	static const char *const cpus[] = { "0", "1", "2", "3" };
	uint64_t sum = 0;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(images_apart); i++)
		sum += by(FIELD(image), images_apart[i]);
	assert_int_equal(sum, ALL);
	sum = 0;
	for (size_t i = 0; i < ARRAY_LEN(cpus); i++)
		sum += by(FIELD(cpu), cpus[i]);
	assert_int_equal(sum, ALL);
	sum = 0;
	for (size_t i = 0; i < ARRAY_LEN(threads); i++)
		sum += by(FIELD(comm), threads[i].comm);
	assert_int_equal(sum, ALL);
}

static void a_trace_without_cgroups_says_so(void **state)
{
	static const struct tb_trace bare = {
		.images = images, .n_images = ARRAY_LEN(images),
		.symbols = symbols, .n_symbols = ARRAY_LEN(symbols),
		.threads = threads, .n_threads = ARRAY_LEN(threads),
		.events = events, .n_events = ARRAY_LEN(events),
		.epochs = epochs, .n_epochs = 1,
	};
	struct trace_in_memory was = m;

	(void)state;
	trace_must(&m, &bare);
	refuses(FIELD(cgroup), "x", "does not say which cgroups");
	trace_fini(&m);
	m = was;
}

/* Thirteen commands are too many to show: those with the word in them are. */
static void of_many_names_those_like_the_word_are_shown(void **state)
{
	static const struct tb_thread many[] = {
		{ 1, 1, "a", 1 },  { 2, 2, "b", 1 },	{ 3, 3, "c", 1 },
		{ 4, 4, "d", 1 },  { 5, 5, "e", 1 },	{ 6, 6, "f", 1 },
		{ 7, 7, "g", 1 },  { 8, 8, "h", 1 },	{ 9, 9, "i", 1 },
		{ 10, 10, "j", 1 }, { 11, 11, "kworker", 1 },
		{ 12, 12, "worker", 1 }, { 13, 13, "z", 1 },
	};
	struct tb_sample each[13] = { { .time = 0 } };
	struct tb_epoch epoch = { each, 12 };
	struct tb_trace t = {
		.images = images, .n_images = ARRAY_LEN(images),
		.symbols = symbols, .n_symbols = ARRAY_LEN(symbols),
		.threads = many, .n_threads = ARRAY_LEN(many),
		.events = events, .n_events = ARRAY_LEN(events),
		.epochs = &epoch, .n_epochs = 1,
	};
	struct trace_in_memory was = m;

	(void)state;
	for (uint32_t i = 0; i < ARRAY_LEN(each); i++)
		each[i] = (struct tb_sample){ .time = i + 1, .thread = i,
					      .user = "main" };
	trace_must(&m, &t);
	refuses(FIELD(comm), "work", "(there is: a b c d e f g h i j kworker "
		"worker)");
	trace_fini(&m);
	epoch.n = 13;
	trace_must(&m, &t);
	refuses(FIELD(comm), "work", "(alike: kworker worker)");
	refuses(FIELD(comm), "x", "(there is: a b c d e f g h i j kworker "
		"worker …)");
	trace_fini(&m);
	m = was;
}

static void every_allocation_may_fail(void **state)
{
	const char *words[] = { "app*", "/user.slice", "1", "cpu-clock",
				"app", "work", "main", "10" };
	struct an_selection_args args = {
		.time = "10%,90%",
		.comm = { .items = words, .n = 1 },
		.cgroup = { .items = words + 1, .n = 1 },
		.cpu = { .items = words + 2, .n = 1 },
		.event = { .items = words + 3, .n = 1 },
		.image = { .items = words + 4, .n = 1 },
		.symbol = { .items = words + 5, .n = 1 },
		.through = { .items = words + 6, .n = 1 },
		.pid = { .items = words + 7, .n = 1 },
	};
	struct an_selection sel;
	long n = 0;
	int rc;

	(void)state;
	do {
		failalloc_at(++n);
		rc = an_selection_make(&sel, &args, m.trace, &m.err);
		failalloc_off();
		if (failalloc_hit())
			assert_int_equal(rc, ERR_NOMEM);
		else
			assert_int_equal(rc, 0);
		if (!rc)
			an_selection_fini(&sel);
	} while (rc);
	assert_true(n > 15);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			a_star_stands_for_any_bytes_and_a_mark_for_one),
		cmocka_unit_test(commands_and_events_are_named_by_globs),
		cmocka_unit_test(
			an_image_is_where_the_sample_ran_by_any_of_its_names),
		cmocka_unit_test(a_symbol_is_where_the_sample_ran),
		cmocka_unit_test(
			through_is_any_frame_of_either_half_of_the_stack),
		cmocka_unit_test(
			a_cgroup_is_a_path_from_the_root_or_a_name_on_the_way),
		cmocka_unit_test(marks_are_moments),
		cmocka_unit_test(options_narrow_what_the_others_leave),
		cmocka_unit_test(what_is_selected_apart_adds_up_to_all),
		cmocka_unit_test(a_trace_without_cgroups_says_so),
		cmocka_unit_test(of_many_names_those_like_the_word_are_shown),
		cmocka_unit_test(every_allocation_may_fail),
	};

	return cmocka_run_group_tests(tests, open_trace, close_trace);
}
