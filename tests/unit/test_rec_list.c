#include "record/list/list.h"

#include "format/base/mem.h"
#include "record/command.h"
#include "tests/support/failalloc.h"
#include "tests/support/filetree.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define DEVICES "/sys/bus/event_source/devices"

/* A user without capabilities at level 2, with i915 and two tracepoints. */
static void make_tree(struct filetree *t)
{
	filetree_init(t);
	filetree_text(t, "/proc/sys/kernel/perf_event_paranoid", "2\n");
	filetree_text(t, "/proc/sys/kernel/osrelease", "6.18.0\n");
	filetree_text(t, "/proc/self/status", "Uid:\t9\t9\t9\t9\n"
		      "CapEff:\t0000000000000000\n");
	filetree_text(t, DEVICES "/i915/type", "17\n");
	filetree_text(t, DEVICES "/i915/cpumask", "3\n");
	filetree_text(t, DEVICES "/i915/format/i915_eventid", "config:0-20\n");
	filetree_text(t, DEVICES "/i915/events/rcs0-busy", "config=0x0\n");
	filetree_text(t, DEVICES "/i915/events/rcs0-busy.unit", "ns\n");
	filetree_text(t, DEVICES "/i915/events/energy", "config=0x5\n");
	filetree_text(t, DEVICES "/i915/events/energy.scale", "6.1e-05\n");
	filetree_text(t, "/sys/kernel/tracing/events/drm/drm_vblank_event/id",
		      "7\n");
	filetree_text(t, "/sys/kernel/tracing/events/sched/sched_switch/id",
		      "8\n");
	filetree_text(t, "/sys/kernel/tracing/events/ftrace/print/format",
		      "name: print\n");
	filetree_text(t, "/sys/kernel/tracing/events/sched/enable", "0\n");
}

struct listing {
	struct filetree tree;
	struct rec_machine m;
	struct rec_patterns patterns;
	struct rec_list l;
};

static void take(struct listing *x, const char *word)
{
	char *words[] = { (char *)word, NULL };

	assert_int_equal(rec_patterns_init(&x->patterns, words, word ? 1 : 0,
					   NULL), 0);
	assert_int_equal(rec_machine_read(&x->m, x->tree.root, NULL), 0);
	assert_int_equal(rec_list_make(&x->l, &x->m, &x->patterns, NULL), 0);
}

static void drop(struct listing *x)
{
	rec_list_fini(&x->l);
	rec_patterns_fini(&x->patterns);
}

static const struct rec_listed *find(const struct listing *x, const char *name)
{
	for (size_t i = 0; i < x->l.n; i++)
		if (!strcmp(x->l.items[i].name, name))
			return &x->l.items[i];
	return NULL;
}

static void a_word_is_matched_as_perf_list_matches_it(void **state)
{
	static const struct {
		const char *word;
		enum rec_listed_kind kind;
		const char *name, *alias;
		bool matches;
	} rows[] = {
		{ "sw", REC_LISTED_SOFTWARE, "cpu-clock", NULL, true },
		{ "software", REC_LISTED_SOFTWARE, "dummy", NULL, true },
		{ "sw", REC_LISTED_TRACEPOINT, "sched:sched_switch", NULL,
		  false },
		{ "hw", REC_LISTED_HARDWARE, "cycles", NULL, true },
		{ "hwcache", REC_LISTED_CACHE, "LLC-loads", NULL, true },
		{ "pmu", REC_LISTED_PMU, "msr/tsc/", NULL, true },
		{ "tracepoint", REC_LISTED_TRACEPOINT, "a:b", NULL, true },
		{ "sched:*", REC_LISTED_TRACEPOINT, "sched:sched_switch", NULL,
		  true },
		{ "sched:*", REC_LISTED_TRACEPOINT, "xsched:a", NULL, false },
		{ "sched:sched_sw", REC_LISTED_TRACEPOINT,
		  "sched:sched_switch", NULL, false },
		{ "sched_sw", REC_LISTED_TRACEPOINT, "sched:sched_switch",
		  NULL, true },
		{ "FAULT", REC_LISTED_SOFTWARE, "page-faults", NULL, true },
		{ "cs", REC_LISTED_SOFTWARE, "context-switches", "cs", true },
		{ "i915/*", REC_LISTED_PMU, "i915/rcs0-busy/", NULL, true },
		{ "i915/*", REC_LISTED_PMU, "xe/rcs0-busy/", NULL, false },
		{ "rcs[01]-busy", REC_LISTED_PMU, "i915/rcs0-busy/", NULL,
		  true },
		{ "", REC_LISTED_SOFTWARE, "dummy", NULL, true },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		char *words[] = { (char *)rows[i].word };
		struct rec_patterns p;

		assert_int_equal(rec_patterns_init(&p, words, 1, NULL), 0);
		assert_int_equal(rec_patterns_match(&p, rows[i].kind,
						    rows[i].name,
						    rows[i].alias),
				 rows[i].matches);
		assert_int_equal(p.items[0].matched, rows[i].matches);
		rec_patterns_fini(&p);
	}
}

static void without_words_everything_is_listed(void **state)
{
	struct rec_patterns p;

	(void)state;
	assert_int_equal(rec_patterns_init(&p, NULL, 0, NULL), 0);
	for (int k = 0; k < REC_LISTED_KINDS; k++) {
		assert_true(rec_patterns_want(&p, (enum rec_listed_kind)k));
		assert_true(rec_patterns_match(&p, (enum rec_listed_kind)k,
					       "x", NULL));
	}
}

static void a_pmus_event_has_its_unit_its_scale_and_its_cpu(void **state)
{
	const struct rec_listed *busy, *energy;
	struct listing x;

	(void)state;
	make_tree(&x.tree);
	take(&x, NULL);
	busy = find(&x, "i915/rcs0-busy/");
	energy = find(&x, "i915/energy/");
	assert_non_null(busy);
	assert_non_null(energy);
	assert_string_equal(busy->unit, "ns");
	assert_null(busy->scale);
	assert_null(energy->unit);
	assert_string_equal(energy->scale, "6.1e-05");
	assert_string_equal(x.l.pmus[busy->pmu].name, "i915");
	assert_string_equal(x.l.pmus[busy->pmu].cpus, "3");
	assert_int_equal(x.l.pmus[busy->pmu].type, 17);
	assert_string_equal(x.l.pmus[busy->pmu].formats[0].bits,
			    "config:0-20");
	drop(&x);
	filetree_fini(&x.tree);
}

static void what_describes_an_event_is_none(void **state)
{
	struct listing x;

	(void)state;
	make_tree(&x.tree);
	take(&x, "pmu");
	assert_int_equal(x.l.n, 2);
	drop(&x);
	filetree_fini(&x.tree);
}

static void only_what_has_an_id_is_a_tracepoint(void **state)
{
	struct listing x;

	(void)state;
	make_tree(&x.tree);
	take(&x, "tracepoint");
	assert_int_equal(x.l.n, 2);
	assert_non_null(find(&x, "drm:drm_vblank_event"));
	assert_non_null(find(&x, "sched:sched_switch"));
	drop(&x);
	filetree_fini(&x.tree);
}

static void tracefs_is_found_below_debugfs_too(void **state)
{
	struct listing x;

	(void)state;
	make_tree(&x.tree);
	filetree_remove(&x.tree, "/sys/kernel/tracing");
	take(&x, "tracepoint");
	assert_int_equal(x.l.n, 0);
	assert_non_null(strstr(x.l.no_tracepoints, "no tracefs"));
	drop(&x);
	filetree_text(&x.tree, "/sys/kernel/debug/tracing/events/a/b/id",
		      "9\n");
	take(&x, "tracepoint");
	assert_null(x.l.no_tracepoints);
	assert_non_null(find(&x, "a:b"));
	drop(&x);
	filetree_fini(&x.tree);
}

static void an_unmounted_tracefs_is_told_only_to_who_asks(void **state)
{
	struct listing x;

	(void)state;
	make_tree(&x.tree);
	filetree_remove(&x.tree, "/sys/kernel/tracing/events");
	take(&x, "sched:*");
	assert_non_null(strstr(x.l.no_tracepoints,
			       "mount -t tracefs nodev /sys/kernel/tracing"));
	drop(&x);
	take(&x, "sw");
	assert_null(x.l.no_tracepoints);
	drop(&x);
	filetree_fini(&x.tree);
}

/* perf stat -e cs:u counts none (measured). */
static void kernel_only_events_are_not_promised_to_users(void **state)
{
	struct listing x;

	(void)state;
	make_tree(&x.tree);
	take(&x, "sw");
	assert_null(find(&x, "cpu-clock")->needs);
	assert_true(find(&x, "cpu-clock")->user_only);
	assert_string_equal(find(&x, "context-switches")->needs,
			    "perf_event_paranoid 1 or cap_perfmon");
	assert_string_equal(find(&x, "context-switches")->alias, "cs");
	drop(&x);
	filetree_text(&x.tree, "/proc/sys/kernel/perf_event_paranoid", "1\n");
	take(&x, "sw");
	assert_null(find(&x, "context-switches")->needs);
	assert_false(find(&x, "cpu-clock")->user_only);
	drop(&x);
	filetree_fini(&x.tree);
}

static void hardware_events_need_a_driver(void **state)
{
	struct listing x;

	(void)state;
	make_tree(&x.tree);
	take(&x, "hw");
	assert_string_equal(find(&x, "cycles")->needs, "hardware counters");
	drop(&x);
	filetree_text(&x.tree, DEVICES "/cpu/type", "4\n");
	take(&x, "hw");
	assert_null(find(&x, "cycles")->needs);
	drop(&x);
	filetree_fini(&x.tree);
}

static void the_list_is_in_order(void **state)
{
	struct listing x;

	(void)state;
	make_tree(&x.tree);
	take(&x, NULL);
	assert_true(x.l.n > 50);
	for (size_t i = 1; i < x.l.n; i++) {
		const struct rec_listed *a = &x.l.items[i - 1], *b = a + 1;

		assert_true(a->kind < b->kind ||
			    (a->kind == b->kind &&
			     strcmp(a->name, b->name) < 0));
	}
	drop(&x);
	filetree_fini(&x.tree);
}

static int command(const char *root, const char *word, FILE *out)
{
	char *argv[] = { (char *)"list", (char *)"-q", (char *)"--root",
			 (char *)root, (char *)word, NULL };

	return rec_command_run(rec_command_find("list"), 5, argv, argv, out);
}

static void no_match_is_status_1(void **state)
{
	FILE *out = fopen("/dev/null", "w");
	struct filetree t;

	(void)state;
	assert_non_null(out);
	make_tree(&t);
	assert_int_equal(command(t.root, "drm:*", out), 0);
	assert_int_equal(command(t.root, "drm:nosuch", out), 1);
	filetree_fini(&t);
	fclose(out);
}

static void every_failed_allocation_is_reported(void **state)
{
	FILE *out = fopen("/dev/null", "w");
	int refused = 0;
	struct filetree t;

	(void)state;
	assert_non_null(out);
	setvbuf(out, NULL, _IONBF, 0);
	make_tree(&t);
	for (long n = 1;; n++) {
		int status;

		failalloc_at(n);
		status = command(t.root, "*", out);
		if (!failalloc_hit())
			break;
		failalloc_off();
		/* A folder or a file that could not be read for want of memory
		 * counts as one that is not there. */
		assert_true(status == 125 || status == 0);
		refused += status == 125;
	}
	failalloc_off();
	assert_true(refused > 100);
	filetree_fini(&t);
	fclose(out);
}

static void only_the_commands_are_found(void **state)
{
	(void)state;
	assert_non_null(rec_command_find("list"));
	assert_non_null(rec_command_find("doctor"));
	assert_null(rec_command_find("lis"));
	assert_null(rec_command_find("--"));
	assert_null(rec_command_find(""));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_word_is_matched_as_perf_list_matches_it),
		cmocka_unit_test(without_words_everything_is_listed),
		cmocka_unit_test(
			a_pmus_event_has_its_unit_its_scale_and_its_cpu),
		cmocka_unit_test(what_describes_an_event_is_none),
		cmocka_unit_test(only_what_has_an_id_is_a_tracepoint),
		cmocka_unit_test(tracefs_is_found_below_debugfs_too),
		cmocka_unit_test(an_unmounted_tracefs_is_told_only_to_who_asks),
		cmocka_unit_test(kernel_only_events_are_not_promised_to_users),
		cmocka_unit_test(hardware_events_need_a_driver),
		cmocka_unit_test(the_list_is_in_order),
		cmocka_unit_test(no_match_is_status_1),
		cmocka_unit_test(every_failed_allocation_is_reported),
		cmocka_unit_test(only_the_commands_are_found),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
