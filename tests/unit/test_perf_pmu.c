#include "format/base/mem.h"
#include "record/perf/event.h"
#include "tests/support/failalloc.h"
#include "tests/support/filetree.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define DEVICES "/sys/bus/event_source/devices/"

struct place {
	struct filetree tree;
	struct rec_events e;
	struct err err;
};

/* As the kernel shows an Intel core, its memory controllers and i915. */
static const struct {
	const char *path, *text;
} files[] = {
	{ DEVICES "cpu/type", "4\n" },
	{ DEVICES "cpu/format/event", "config:0-7\n" },
	{ DEVICES "cpu/format/umask", "config:8-15\n" },
	{ DEVICES "cpu/format/edge", "config:18\n" },
	{ DEVICES "cpu/format/cmask", "config:24-31\n" },
	{ DEVICES "cpu/format/ldlat", "config1:0-15\n" },
	{ DEVICES "cpu/format/split", "config:32-35,40-43\n" },
	{ DEVICES "cpu/format/strange", "config9:0\n" },
	{ DEVICES "cpu/events/mem-loads", "event=0xcd,umask=0x1,ldlat=3\n" },
	{ DEVICES "cpu/events/chosen", "event=0x1,ldlat=?\n" },
	{ DEVICES "uncore_imc_0/type", "20\n" },
	{ DEVICES "uncore_imc_0/cpumask", "0,4\n" },
	{ DEVICES "uncore_imc_0/format/event", "config:0-7\n" },
	{ DEVICES "uncore_imc_0/events/data_reads", "event=0xff\n" },
	{ DEVICES "uncore_imc_0/events/data_reads.scale", "6.103515625e-5\n" },
	{ DEVICES "uncore_imc_0/events/data_reads.unit", "MiB\n" },
	{ DEVICES "uncore_imc_1/type", "21\n" },
	{ DEVICES "uncore_imc_1/cpumask", "0,4\n" },
	{ DEVICES "uncore_imc_1/format/event", "config:0-7\n" },
	{ DEVICES "uncore_imc_1/events/data_reads", "event=0xff\n" },
	{ DEVICES "uncore_imc_free/type", "22\n" },
	{ DEVICES "i915/type", "30\n" },
	{ DEVICES "i915/cpumask", "0\n" },
	{ DEVICES "i915/format/i915_eventid", "config:0-20\n" },
	{ DEVICES "i915/events/rcs0-busy", "config=0x0\n" },
	{ DEVICES "i915/events/rcs0-busy.unit", "ns\n" },
	{ DEVICES "i915/events/interrupts", "config=0x100002\n" },
};

static int set_up(void **state)
{
	struct place *p = calloc(1, sizeof(*p));

	assert_non_null(p);
	filetree_init(&p->tree);
	for (size_t i = 0; i < ARRAY_LEN(files); i++)
		filetree_text(&p->tree, files[i].path, files[i].text);
	p->e.root = p->tree.root;
	*state = p;
	return 0;
}

static int tear_down(void **state)
{
	struct place *p = *state;

	rec_events_fini(&p->e);
	filetree_fini(&p->tree);
	free(p);
	return 0;
}

static const struct rec_event *accept(struct place *p, const char *text)
{
	rec_events_fini(&p->e);
	p->e.root = p->tree.root;
	if (rec_events_add(&p->e, text, &p->err))
		fail_msg("%s: %s", text, p->err.text);
	return p->e.items;
}

static void refuse(struct place *p, const char *text, int code,
		   const char *says)
{
	rec_events_fini(&p->e);
	p->e.root = p->tree.root;
	p->err = (struct err){ 0 };
	assert_int_equal(rec_events_add(&p->e, text, &p->err), code);
	assert_string_equal(p->err.text, says);
	assert_int_equal(p->e.n, 0);
}

static const struct meaning {
	const char *text;
	uint64_t config, config1;
} meanings[] = {
	{ "cpu/event=0x3c/", 0x3c, 0 },
	{ "cpu/event=0x3c,umask=0x1/", 0x13c, 0 },
	{ "cpu/event=60,umask=1/", 0x13c, 0 },
	{ "cpu/event=0x3c,edge/", 0x4003c, 0 },
	{ "cpu/event=0x3c,cmask=16,edge=1/", 0x1004003c, 0 },
	{ "cpu/mem-loads/", 0x1cd, 3 },
	{ "cpu/mem-loads,ldlat=30/", 0x1cd, 30 },
	{ "cpu/split=0xa5/", (uint64_t)0xa << 40 | (uint64_t)5 << 32, 0 },
	{ "cpu/config=0x1ff,config1=7/", 0x1ff, 7 },
	{ "cpu/config=0x1ff,event=0/", 0x100, 0 },
	{ "cpu/chosen,ldlat=9/", 1, 9 },
	{ "cpu//", 0, 0 },
};

static void terms_go_to_the_bits_that_sysfs_tells(void **state)
{
	struct place *p = *state;

	for (size_t i = 0; i < ARRAY_LEN(meanings); i++) {
		const struct meaning *m = &meanings[i];
		const struct rec_event *e = accept(p, m->text);

		assert_int_equal(p->e.n, 1);
		assert_string_equal(e->name, m->text);
		assert_int_equal(e->attr.type, 4);
		assert_int_equal(e->attr.config, m->config);
		assert_int_equal(e->attr.config1, m->config1);
		assert_int_equal(e->cpus.n, 0);
		assert_false(e->no_tasks);
	}
}

static void modifiers_and_common_terms_go_with_them(void **state)
{
	struct place *p = *state;
	const struct rec_event *e =
		accept(p, "cpu/event=0x3c,period=1000,name=busy/upp,"
			  "cpu/event=1/:k");

	assert_int_equal(p->e.n, 2);
	assert_string_equal(e->name, "busy");
	assert_int_equal(e->attr.sample_period, 1000);
	assert_int_equal(e->attr.precise_ip, 2);
	assert_true(e->user_only);
	assert_string_equal(e[1].name, "cpu/event=1/:k");
	assert_true(e[1].kernel_only);
}

static void one_name_may_be_several_pmus(void **state)
{
	static const char *const texts[] = {
		"uncore_imc/data_reads/", "imc/data_reads/",
		"uncore_imc_?/data_reads/", "data_reads",
	};
	struct place *p = *state;

	for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
		const struct rec_event *e = accept(p, texts[i]);

		assert_int_equal(p->e.n, 2);
		assert_string_equal(e->name, "uncore_imc_0/data_reads/");
		assert_int_equal(e->attr.type, 20);
		assert_int_equal(e->attr.config, 0xff);
		assert_string_equal(e[1].name, "uncore_imc_1/data_reads/");
		assert_int_equal(e[1].attr.type, 21);
	}
}

static void units_scales_and_cpus_come_from_sysfs(void **state)
{
	struct place *p = *state;
	const struct rec_event *e = accept(p, "i915/rcs0-busy/");
	struct rec_event copy;

	assert_string_equal(e->unit, "ns");
	assert_true(e->scale >= 1 && e->scale <= 1);
	assert_true(e->no_tasks);
	assert_int_equal(e->cpus.n, 1);
	assert_int_equal(e->cpus.items[0], 0);
	assert_int_equal(rec_event_copy(&copy, e, &p->err), 0);
	rec_events_fini(&p->e);
	assert_string_equal(copy.unit, "ns");
	assert_int_equal(copy.cpus.n, 1);
	rec_event_fini(&copy);

	/* Counts of 64 bytes, shown as MiB: a count is no MiB. */
	e = accept(p, "uncore_imc_0/data_reads/");
	assert_string_equal(e->unit, "");
	assert_string_equal(e->pmu_unit, "MiB");
	assert_true(e->scale > 6.1e-5 && e->scale < 6.2e-5);
	assert_int_equal(e->cpus.n, 2);
	assert_int_equal(e->cpus.items[1], 4);
}

static void what_is_unknown_is_told_with_what_is_known(void **state)
{
	struct place *p = *state;

	refuse(p, "gpu/busy/", ERR_USAGE, "no PMU and no event 'gpu' (PMUs "
	       "here: cpu, i915, uncore_imc_0, uncore_imc_1, uncore_imc_free)");
	refuse(p, "i915/rcs0/", ERR_USAGE, "PMU 'i915' has no term 'rcs0' "
	       "(known: i915_eventid, interrupts, rcs0-busy, config, config1, "
	       "config2, name, period, freq, call-graph, max-stack, inherit, "
	       "no-inherit, time)");
	refuse(p, "i915/rcs0-busy.unit/", ERR_USAGE, p->err.text);
	refuse(p, "cpu/event=0x100/", ERR_USAGE, "term 'event' of PMU 'cpu': "
	       "0x100 does not fit into its bits (0-7)");
	refuse(p, "cpu/event=x/", ERR_USAGE,
	       "term 'event' of PMU 'cpu': 'x' is not a number");
	refuse(p, "cpu/strange=1/", ERR_UNSUPPORTED, "term 'strange' of PMU "
	       "'cpu' is not understood: 'config9:0'");
	refuse(p, "cpu/chosen/", ERR_USAGE, "event 'chosen' of PMU 'cpu' needs "
	       "the term ldlat=…");
	refuse(p, "../cpu/event=1/", ERR_USAGE, p->err.text);
}

/* A hybrid processor: no PMU "cpu", but one for each type of core; generic
 * events have the PMU's type in the upper half (PERF_PMU_TYPE_SHIFT). */
static void an_event_of_the_cpu_is_one_for_each_type_of_core(void **state)
{
	struct place *p = *state;
	const struct rec_event *e;

	filetree_remove(&p->tree, DEVICES "cpu/type");
	filetree_text(&p->tree, DEVICES "cpu_core/type", "4\n");
	filetree_text(&p->tree, DEVICES "cpu_core/cpus", "0-3\n");
	filetree_text(&p->tree, DEVICES "cpu_core/format/event",
		      "config:0-7\n");
	filetree_text(&p->tree, DEVICES "cpu_atom/type", "10\n");
	filetree_text(&p->tree, DEVICES "cpu_atom/cpus", "4-7\n");
	filetree_text(&p->tree, DEVICES "cpu_atom/format/event",
		      "config:0-7\n");
	e = accept(p, "instructions:u");
	assert_int_equal(p->e.n, 2);
	assert_string_equal(e->name, "cpu_atom/instructions/u");
	assert_int_equal(e->attr.type, 0);
	assert_int_equal(e->attr.config, (uint64_t)10 << 32 | 1);
	assert_int_equal(e->cpus.n, 4);
	assert_int_equal(e->cpus.items[0], 4);
	assert_false(e->no_tasks);
	assert_string_equal(e[1].name, "cpu_core/instructions/u");
	assert_int_equal(e[1].attr.config, (uint64_t)4 << 32 | 1);
	e = accept(p, "cpu/event=0x3c/");
	assert_int_equal(p->e.n, 2);
	assert_int_equal(e->attr.type, 10);
	assert_int_equal(e[1].attr.type, 4);
	assert_int_equal(e[1].attr.config, 0x3c);
	e = accept(p, "r3c");
	assert_int_equal(p->e.n, 2);
	assert_int_equal(e->attr.type, 10);
	assert_int_equal(e->attr.config, 0x3c);
	e = accept(p, "cpu-clock");
	assert_int_equal(p->e.n, 1);
}

static void running_out_of_memory_changes_nothing(void **state)
{
	struct place *p = *state;
	bool done = false;

	for (long n = 1; !done; n++) {
		int rc;

		rec_events_fini(&p->e);
		p->e.root = p->tree.root;
		failalloc_at(n);
		rc = rec_events_add(&p->e, "uncore_imc/data_reads/,"
					   "cpu/mem-loads,name=x/u,data_reads",
				    &p->err);
		failalloc_off();
		done = !failalloc_hit();
		assert_int_equal(rc, done ? 0 : ERR_NOMEM);
		assert_true(n < 500);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			terms_go_to_the_bits_that_sysfs_tells, set_up,
			tear_down),
		cmocka_unit_test_setup_teardown(
			modifiers_and_common_terms_go_with_them, set_up,
			tear_down),
		cmocka_unit_test_setup_teardown(one_name_may_be_several_pmus,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			units_scales_and_cpus_come_from_sysfs, set_up,
			tear_down),
		cmocka_unit_test_setup_teardown(
			what_is_unknown_is_told_with_what_is_known, set_up,
			tear_down),
		cmocka_unit_test_setup_teardown(
			an_event_of_the_cpu_is_one_for_each_type_of_core,
			set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			running_out_of_memory_changes_nothing, set_up,
			tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
