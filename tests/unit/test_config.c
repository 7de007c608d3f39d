#include "record/config.h"

#include "format/base/mem.h"
#include "tests/support/failalloc.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define MAX_WORDS 16

/* A command line, as main() hands it on. */
struct line {
	char text[256];
	char *words[MAX_WORDS + 2];
	struct rec_args args;
	struct rec_config config;
	struct err err;
};

static int parse(struct line *l, const char *text)
{
	char *save = NULL;
	int argc = 1, operands = 0, rc;

	*l = (struct line){ 0 };
	snprintf(l->text, sizeof(l->text), "rec %s", text);
	l->words[0] = strtok_r(l->text, " ", &save);
	while (argc < MAX_WORDS &&
	       (l->words[argc] = strtok_r(NULL, " ", &save)))
		argc++;
	rc = opt_parse(rec_options, OPT_FIRST, &l->args, argc, l->words,
		       &operands, &l->err);
	if (rc)
		return rc;
	l->words[1 + operands] = NULL;
	return rec_config_make(&l->config, &l->args, l->words, l->words + 1,
			       &l->err);
}

static void fini(struct line *l)
{
	rec_config_fini(&l->config);
	rec_args_fini(&l->args);
}

static void accept(struct line *l, const char *text)
{
	int rc = parse(l, text);

	if (rc)
		print_error("'%s': %s\n", text, l->err.text);
	assert_int_equal(rc, 0);
}

static void refuse(const char *text, int code, const char *says)
{
	struct line l;
	int rc = parse(&l, text);

	if (rc != code || !strstr(l.err.text, says))
		print_error("'%s': %d, %s\n", text, rc, l.err.text);
	assert_int_equal(rc, code);
	assert_non_null(strstr(l.err.text, says));
	/* What was refused left nothing behind. */
	assert_null(l.config.pids.items);
	assert_null(l.config.events.items);
	fini(&l);
}

static void without_anything_the_whole_system_is_recorded(void **state)
{
	struct line l;

	(void)state;
	accept(&l, "");
	assert_true(l.config.system_wide);
	assert_null(l.config.command);
	assert_string_equal(l.config.output, "trace.ctr");
	assert_true(l.config.inherit);
	assert_false(l.config.callchain);
	assert_false(l.config.event_named);
	assert_false(l.config.frequency_named);
	assert_int_equal(l.config.events.n, 1);
	assert_int_equal(l.config.frequency, 4000);
	assert_int_equal(l.config.period, 0);
	assert_int_equal(l.config.ring_size, 0);
	assert_int_equal(l.config.delay_ns, 0);
	assert_int_equal(l.config.duration_ns, 0);
	fini(&l);
}

static void a_command_is_recorded_alone_unless_asked_otherwise(void **state)
{
	struct line l;

	(void)state;
	accept(&l, "-g ls -a -p 5");
	assert_false(l.config.system_wide);
	assert_string_equal(l.config.command[0], "ls");
	assert_string_equal(l.config.command[3], "5");
	assert_null(l.config.command[4]);
	fini(&l);
	accept(&l, "-a -- ls");
	assert_true(l.config.system_wide);
	assert_string_equal(l.config.command[0], "ls");
	fini(&l);
	accept(&l, "-C 0 ls");
	assert_true(l.config.system_wide);
	fini(&l);
}

/* With another event it goes on where there are no tracepoints. */
static void a_gpu_is_recorded_of_the_whole_system_unless_of_tasks(void **state)
{
	struct line l;

	(void)state;
	accept(&l, "--gpu -e cpu-clock -- ls");
	assert_true(l.config.system_wide);
	assert_string_equal(l.config.command[0], "ls");
	assert_true(l.config.gpu.asked);
	assert_string_equal(l.config.events.items[0].name, "cpu-clock");
	fini(&l);
	accept(&l, "--gpu -e cpu-clock -t 5");
	assert_false(l.config.system_wide);
	fini(&l);
	accept(&l, "-e cpu-clock -- ls");
	assert_false(l.config.gpu.asked);
	fini(&l);
	refuse("--alias mine:ev -- ls", ERR_USAGE, "SYSTEM:EVENT=");
	refuse("--alias mine:ev=a:b -- ls", ERR_USAGE, "nothing is known");
}

static void an_interval_alone_counts_and_samples_nothing(void **state)
{
	struct line l;

	(void)state;
	accept(&l, "-I 250 -e cpu-clock,page-faults -- ls");
	assert_int_equal(l.config.interval_ns, 250000000);
	assert_int_equal(l.config.events.n, 0);
	assert_int_equal(l.config.counted.n, 2);
	assert_string_equal(l.config.counted.items[1].name, "page-faults");
	assert_false(l.config.per_cpu);
	fini(&l);
	accept(&l, "-I 2s -A -a"); /* those of perf stat */
	assert_int_equal(l.config.interval_ns, 2000000000);
	assert_true(l.config.per_cpu);
	assert_int_equal(l.config.counted.n, 8);
	assert_string_equal(l.config.counted.items[0].name, "cpu-clock");
	fini(&l);
	accept(&l, "-I 100 -- ls");
	assert_string_equal(l.config.counted.items[0].name, "task-clock");
	fini(&l);
	refuse("-I 0 -- ls", ERR_USAGE, "'0' is not a time of 1 ms");
	refuse("-I 10us -- ls", ERR_USAGE, "1 ms at least");
}

/* Its name is a label of the count, not a part of the event's name. */
static void cgroups_are_counted_by_event(void **state)
{
	struct line l;

	(void)state;
	accept(&l, "-I 100 -a -e cpu-clock,cpu-clock,faults -G a,b");
	assert_string_equal(l.config.counted.items[0].cgroup, "a");
	assert_string_equal(l.config.counted.items[1].cgroup, "b");
	assert_string_equal(l.config.counted.items[1].name, "cpu-clock");
	assert_null(l.config.counted.items[2].cgroup);
	fini(&l);
	accept(&l, "-I 100 -a -e {cpu-clock,faults} -G a -e cs");
	assert_string_equal(l.config.counted.items[1].cgroup, "a");
	assert_null(l.config.counted.items[2].cgroup); /* it stands behind */
	fini(&l);
	refuse("-I 100 -a -e {cpu-clock,faults} -G a,b", ERR_USAGE,
	       "in one cgroup");
	refuse("-I 100 -a -e {cpu-clock,faults} -G a,", ERR_USAGE,
	       "in one cgroup");
	refuse("-I 100 -e cpu-clock -G a -- ls", ERR_USAGE, "try: -a");
}

/* Where a group goes its members know each other. */
static void groups_are_counted_together(void **state)
{
	struct line l;

	(void)state;
	accept(&l, "-I 9 -e cs -e {cpu-clock,page-faults} -- ls");
	assert_int_equal(l.config.counted.n, 3);
	assert_int_equal(l.config.counted.items[0].leader, 0);
	assert_int_equal(l.config.counted.items[1].leader, 1);
	assert_int_equal(l.config.counted.items[2].leader, 1);
	fini(&l);
}

static void beside_samples_only_what_cannot_be_sampled_is_counted(void **state)
{
	struct line l;

	(void)state;
	accept(&l, "-I 100 -F 99 -e cpu-clock -- ls");
	assert_int_equal(l.config.events.n, 1);
	assert_int_equal(l.config.counted.n, 0);
	fini(&l);
	accept(&l, "-I 100 -g -- ls");
	assert_int_equal(l.config.events.n, 1);
	assert_int_equal(l.config.counted.n, 0);
	fini(&l);
	/* A rate is of something to sample beside a GPU's own events. */
	accept(&l, "--gpu -F 99");
	assert_false(l.config.event_named);
	assert_true(l.config.gpu_readings);
	assert_int_equal(l.config.interval_ns, 100000000);
	fini(&l);
}

static void check_list(const struct rec_ids_list *l, size_t n, const int *want)
{
	assert_int_equal(l->n, n);
	for (size_t i = 0; i < n; i++)
		assert_int_equal(l->items[i], want[i]);
}

static void lists_and_ranges_add_up(void **state)
{
	struct line l;

	(void)state;
	accept(&l, "-C 0,2-4 -C 9");
	check_list(&l.config.cpus, 5, (int[]){ 0, 2, 3, 4, 9 });
	assert_true(l.config.system_wide);
	fini(&l);
	accept(&l, "-p 5,6 -p 7 -t 8 -C 1-1");
	check_list(&l.config.pids, 3, (int[]){ 5, 6, 7 });
	check_list(&l.config.tids, 1, (int[]){ 8 });
	check_list(&l.config.cpus, 1, (int[]){ 1 });
	assert_false(l.config.system_wide);
	fini(&l);
}

static void what_is_no_number_is_named(void **state)
{
	(void)state;
	refuse("-p x", ERR_USAGE, "'-p': 'x'");
	refuse("-p 5,,6", ERR_USAGE, "'-p': ''");
	refuse("-p 5-6", ERR_USAGE, "'5-6'");
	refuse("-p 0", ERR_USAGE, "'0'");
	refuse("-t 0", ERR_USAGE, "'0'");
	refuse("-t 5x", ERR_USAGE, "'-t': '5x'");
	refuse("-p 2147483648", ERR_USAGE, "2147483648");
	refuse("-p 99999999999999999999", ERR_USAGE, "99999999999999999999");
	refuse("-C 3-1", ERR_USAGE, "CPU number or range");
	refuse("-C 3-", ERR_USAGE, "'3-'");
	refuse("-C -3", ERR_USAGE, "'-3'");
	refuse("-C 1-2-3", ERR_USAGE, "'1-2-3'");
	refuse("-C 0-65536", ERR_USAGE, "'0-65536'");
}

static void what_does_not_go_together_is_refused(void **state)
{
	(void)state;
	refuse("-a -p 5", ERR_USAGE, "-a and -p");
	refuse("-a -t 5", ERR_USAGE, "-a and -p or -t");
	refuse("-p 5 ls", ERR_USAGE, "and a command");
	refuse("-t 5 ls", ERR_USAGE, "and a command");
	refuse("-F 99 -c 5", ERR_USAGE, "-c and -F");
}

static void events_are_named_or_refused(void **state)
{
	struct line l;

	(void)state;
	accept(&l, "-e cpu-clock,page-faults:u -e task-clock");
	assert_true(l.config.event_named);
	assert_int_equal(l.config.events.n, 3);
	assert_string_equal(l.config.events.items[1].name, "page-faults:u");
	assert_null(l.config.default_why);
	fini(&l);
	refuse("-e cpu-clok", ERR_USAGE, "cpu-clok");
}

static void filters_belong_to_the_events_before_them(void **state)
{
	(void)state;
	refuse("--filter x -e cpu-clock", ERR_USAGE, "no event before 'x'");
	refuse("-e cpu-clock --filter x", ERR_USAGE, "'cpu-clock', is no "
						     "tracepoint");
}

static void cgroups_belong_to_the_events_in_order(void **state)
{
	struct line l;

	(void)state;
	accept(&l, "-a -e cpu-clock -e faults,cs -G a,,b/c");
	assert_string_equal(l.config.events.items[0].cgroup, "a");
	assert_string_equal(l.config.events.items[0].name, "cpu-clock@a");
	assert_null(l.config.events.items[1].cgroup);
	assert_string_equal(l.config.events.items[1].name, "faults");
	assert_string_equal(l.config.events.items[2].cgroup, "b/c");
	fini(&l);
	accept(&l, "-a -e cpu-clock,faults -G a");
	for (size_t i = 0; i < 2; i++)
		assert_string_equal(l.config.events.items[i].cgroup, "a");
	assert_string_equal(l.config.events.items[1].name, "faults");
	fini(&l);
	accept(&l, "-a -e cpu-clock -G a -e faults -G b");
	assert_string_equal(l.config.events.items[1].name, "faults@b");
	fini(&l);
	refuse("-a -G a -e faults", ERR_USAGE, "'a' has no event before it");
	refuse("-a -e faults -G a,b", ERR_USAGE, "'b' has no event");
	refuse("-e faults -G a ls", ERR_USAGE, "try: -a");
}

static void options_for_all_events_change_each(void **state)
{
	struct line l;

	(void)state;
	accept(&l, "--all-user --switch-events --group -e cs,faults:k ls");
	assert_int_equal(l.config.events.n, 3);
	assert_true(l.config.events.items[0].attr.exclude_kernel);
	assert_string_equal(l.config.events.items[0].name, "cs:u");
	assert_int_equal(l.config.events.items[1].leader, 0);
	assert_true(l.config.events.items[2].switches);
	assert_int_equal(l.config.events.items[2].leader, 2);
	assert_string_equal(l.config.events.items[2].name, "switch");
	fini(&l);
	accept(&l, "-a --switch-events -e cs,faults -G x");
	assert_string_equal(l.config.events.items[2].cgroup, "x");
	fini(&l);
	accept(&l, "--all-kernel -e cs ls");
	assert_true(l.config.events.items[0].attr.exclude_user);
	fini(&l);
	refuse("--all-user --all-kernel ls", ERR_USAGE, "do not go together");
}

static void a_user_is_his_processes(void **state)
{
	struct line l;
	char text[32];

	(void)state;
	snprintf(text, sizeof(text), "-u %u", getuid());
	accept(&l, text);
	assert_true(l.config.pids.n > 0 && l.config.pids_may_end);
	assert_false(l.config.system_wide);
	for (size_t i = 0; i < l.config.pids.n; i++)
		assert_int_not_equal(l.config.pids.items[i], getpid());
	fini(&l);
	refuse("-u 4000000000", ERR_USAGE, "has no processes");
	refuse("-u no.such.user", ERR_USAGE, "no user 'no.such.user'");
	refuse("-a -u 0", ERR_USAGE, "do not go together");
}

static void letters_of_perf_mean_what_they_mean_there(void **state)
{
	struct line l;

	(void)state;
	accept(&l, "-sTPRBN -z3 -z --compression-level=5 --stat -k mono "
		   "--sample-cpu ls");
	assert_string_equal(l.config.command[0], "ls");
	fini(&l);
	refuse("-d ls", ERR_UNSUPPORTED, "'-d'");
	refuse("-b ls", ERR_UNSUPPORTED, "'-b'");
	refuse("-j any ls", ERR_UNSUPPORTED, "'-j'");
	refuse("-n ls", ERR_UNSUPPORTED, "'-n'");
	refuse("--overwrite ls", ERR_UNSUPPORTED, "--switch-output");
	refuse("-k boottime ls", ERR_UNSUPPORTED, "CLOCK_MONOTONIC");
}

static void its_own_rows_are_left_out_unless_asked_for(void **state)
{
	struct line l;

	(void)state;
	accept(&l, "-a");
	assert_false(l.config.keep_self);
	fini(&l);
	accept(&l, "-a --exclude-perf");
	assert_false(l.config.keep_self);
	fini(&l);
	accept(&l, "-a --no-exclude-self");
	assert_true(l.config.keep_self);
	fini(&l);
}

static void a_rate_is_a_frequency_or_a_period(void **state)
{
	struct line l;

	(void)state;
	accept(&l, "-F 99");
	assert_int_equal(l.config.frequency, 99);
	assert_true(l.config.frequency_named);
	fini(&l);
	accept(&l, "-c 1000");
	assert_int_equal(l.config.period, 1000);
	fini(&l);
	refuse("-F 0", ERR_USAGE, "'0'");
	refuse("-F -5", ERR_USAGE, "'-5'");
	refuse("-F 9.5", ERR_USAGE, "'9.5'");
	refuse("-F often", ERR_USAGE, "'often'");
	refuse("-c 0", ERR_USAGE, "'-c'");
	refuse("-c x", ERR_USAGE, "x");
}

static void the_greatest_frequency_is_the_kernels(void **state)
{
	static const char path[] =
		"/proc/sys/kernel/perf_event_max_sample_rate";
	FILE *f = fopen(path, "r");
	unsigned long long want = 0;
	struct line l;

	(void)state;
	if (!f)
		skip();
	assert_int_equal(fscanf(f, "%llu", &want), 1);
	fclose(f);
	accept(&l, "-F max");
	assert_int_equal(l.config.frequency, want);
	assert_true(l.config.frequency_named);
	fini(&l);
}

struct size {
	const char *text;
	size_t bytes;
};

static void a_ring_is_pages_or_a_size(void **state)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	const struct size sizes[] = {
		{ "-m 1", page },	{ "-m 8", 8 * page },
		{ "-m 4096B", 4096 },	{ "-m 64K", 65536 },
		{ "-m 64k", 65536 },	{ "-m 16M", 16777216 },
		{ "-m 1G", 1073741824 }, { "-m 2G", 2147483648 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(sizes); i++) {
		struct line l;

		accept(&l, sizes[i].text);
		assert_true(l.config.ring_size == sizes[i].bytes);
		fini(&l);
	}
	refuse("-m 0", ERR_USAGE, "'0'");
	refuse("-m 3G", ERR_USAGE, "'3G'");
	refuse("-m K", ERR_USAGE, "'K'");
	refuse("-m 5Q", ERR_USAGE, "'5Q'");
	refuse("-m -1", ERR_USAGE, "'-1'");
	refuse("-m 18446744073709551615K", ERR_USAGE, "2G");
}

static void times_have_units(void **state)
{
	struct line l;

	(void)state;
	accept(&l, "-D 500 --duration 2 ls");
	assert_int_equal(l.config.delay_ns, 500000000);
	assert_int_equal(l.config.duration_ns, 2000000000);
	fini(&l);
	accept(&l, "-D 2s --duration 500ms ls");
	assert_int_equal(l.config.delay_ns, 2000000000);
	assert_int_equal(l.config.duration_ns, 500000000);
	fini(&l);
	refuse("-D soon", ERR_USAGE, "'soon'");
	refuse("-D -1", ERR_USAGE, "'-1'");
	refuse("--duration 0", ERR_USAGE, "--duration");
	refuse("--duration x", ERR_USAGE, "x");
}

static void call_chains_are_asked_for_in_two_ways(void **state)
{
	struct line l;

	(void)state;
	accept(&l, "-g ls");
	assert_true(l.config.callchain);
	fini(&l);
	accept(&l, "--call-graph fp ls");
	assert_true(l.config.callchain);
	fini(&l);
	refuse("--call-graph dwarf ls", ERR_UNSUPPORTED, "'dwarf'");
	refuse("--call-graph dwarf,4096 ls", ERR_UNSUPPORTED, "'dwarf,4096'");
	refuse("--call-graph lbr ls", ERR_UNSUPPORTED, "'lbr'");
	refuse("--call-graph no ls", ERR_USAGE, "'no'");
}

static void out_of_memory_is_told_and_nothing_leaks(void **state)
{
	bool done = false;

	(void)state;
	for (long n = 1; !done; n++) {
		struct line l;
		int rc;

		failalloc_at(n);
		rc = parse(&l, "-p 5,6 -C 0-40 -e cpu-clock,cs/name=x/ "
			       "--switch-events --all-user");
		failalloc_off();
		done = !failalloc_hit();
		assert_int_equal(rc, done ? 0 : ERR_NOMEM);
		fini(&l);
		assert_true(n < 100);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(without_anything_the_whole_system_is_recorded),
		cmocka_unit_test(
			a_command_is_recorded_alone_unless_asked_otherwise),
		cmocka_unit_test(
			a_gpu_is_recorded_of_the_whole_system_unless_of_tasks),
		cmocka_unit_test(an_interval_alone_counts_and_samples_nothing),
		cmocka_unit_test(cgroups_are_counted_by_event),
		cmocka_unit_test(groups_are_counted_together),
		cmocka_unit_test(
			beside_samples_only_what_cannot_be_sampled_is_counted),
		cmocka_unit_test(lists_and_ranges_add_up),
		cmocka_unit_test(what_is_no_number_is_named),
		cmocka_unit_test(what_does_not_go_together_is_refused),
		cmocka_unit_test(events_are_named_or_refused),
		cmocka_unit_test(filters_belong_to_the_events_before_them),
		cmocka_unit_test(cgroups_belong_to_the_events_in_order),
		cmocka_unit_test(options_for_all_events_change_each),
		cmocka_unit_test(a_user_is_his_processes),
		cmocka_unit_test(letters_of_perf_mean_what_they_mean_there),
		cmocka_unit_test(its_own_rows_are_left_out_unless_asked_for),
		cmocka_unit_test(a_rate_is_a_frequency_or_a_period),
		cmocka_unit_test(the_greatest_frequency_is_the_kernels),
		cmocka_unit_test(a_ring_is_pages_or_a_size),
		cmocka_unit_test(times_have_units),
		cmocka_unit_test(call_chains_are_asked_for_in_two_ways),
		cmocka_unit_test(out_of_memory_is_told_and_nothing_leaks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
