#include "record/perf/event.h"

#include "format/base/mem.h"
#include "tests/support/failalloc.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

/* Numbers are those of linux/perf_event.h, written out. */
static const struct meaning {
	const char *text;
	uint32_t type;
	uint64_t config;
} meanings[] = {
	{ "cpu-clock", 1, 0 },
	{ "task-clock", 1, 1 },
	{ "page-faults", 1, 2 },
	{ "faults", 1, 2 },
	{ "context-switches", 1, 3 },
	{ "cs", 1, 3 },
	{ "cpu-migrations", 1, 4 },
	{ "migrations", 1, 4 },
	{ "minor-faults", 1, 5 },
	{ "major-faults", 1, 6 },
	{ "alignment-faults", 1, 7 },
	{ "emulation-faults", 1, 8 },
	{ "dummy", 1, 9 },
	{ "bpf-output", 1, 10 },
	{ "cgroup-switches", 1, 11 },
	{ "cycles", 0, 0 },
	{ "cpu-cycles", 0, 0 },
	{ "instructions", 0, 1 },
	{ "cache-references", 0, 2 },
	{ "cache-misses", 0, 3 },
	{ "branches", 0, 4 },
	{ "branch-instructions", 0, 4 },
	{ "branch-misses", 0, 5 },
	{ "bus-cycles", 0, 6 },
	{ "stalled-cycles-frontend", 0, 7 },
	{ "idle-cycles-frontend", 0, 7 },
	{ "stalled-cycles-backend", 0, 8 },
	{ "ref-cycles", 0, 9 },
	{ "L1-dcache-loads", 3, 0 },
	{ "L1-dcache-load-misses", 3, 0x10000 },
	{ "l1d-read-misses", 3, 0x10000 },
	{ "L1-dcache-stores", 3, 0x100 },
	{ "L1-icache-load-misses", 3, 0x10001 },
	{ "LLC-store-misses", 3, 0x10102 },
	{ "LLC-misses", 3, 0x10002 },
	{ "dTLB-loads", 3, 3 },
	{ "dTLB-prefetch-misses", 3, 0x10203 },
	{ "iTLB-load-misses", 3, 0x10004 },
	{ "branch-loads", 3, 5 },
	{ "branch-load-misses", 3, 0x10005 },
	{ "node-prefetches", 3, 0x206 },
	{ "r1", 4, 1 },
	{ "r01c2", 4, 0x1c2 },
	{ "rffffffffffffffff", 4, UINT64_MAX },
};

static void names_mean_what_the_kernel_numbers(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(meanings); i++) {
		const struct meaning *m = &meanings[i];
		struct rec_events e = { 0 };
		struct err err = { 0 };

		if (rec_events_add(&e, m->text, &err))
			fail_msg("%s: %s", m->text, err.text);
		assert_int_equal(e.n, 1);
		assert_string_equal(e.items[0].name, m->text);
		assert_int_equal(e.items[0].attr.type, m->type);
		assert_int_equal(e.items[0].attr.config, m->config);
		rec_events_fini(&e);
	}
}

static void clocks_count_in_nanoseconds(void **state)
{
	struct rec_events e = { 0 };
	struct err err = { 0 };

	(void)state;
	assert_int_equal(rec_events_add(&e, "cpu-clock,task-clock,cs", &err),
			 0);
	assert_string_equal(e.items[0].unit, "ns");
	assert_string_equal(e.items[1].unit, "ns");
	assert_string_equal(e.items[2].unit, "");
	rec_events_fini(&e);
}

static void a_list_keeps_its_order(void **state)
{
	struct rec_events e = { 0 };
	struct err err = { 0 };

	(void)state;
	assert_int_equal(rec_events_add(&e, "faults,cs:u,r1f", &err), 0);
	assert_int_equal(rec_events_add(&e, "cpu-clock", &err), 0);
	assert_int_equal(e.n, 4);
	assert_string_equal(e.items[0].name, "faults");
	assert_string_equal(e.items[1].name, "cs:u");
	assert_string_equal(e.items[2].name, "r1f");
	assert_string_equal(e.items[3].name, "cpu-clock");
	rec_events_fini(&e);
}

/* As "perf record -vv -e cycles:..." of perf 6.1 shows the attr. */
static const struct modified {
	const char *text;
	int no_user, no_kernel, no_hv, no_guest, no_host, no_idle, pinned;
	int precise;
	bool user_only, kernel_only;
} modifieds[] = {
	{ "cycles", 0, 0, 0, 0, 0, 0, 0, 0, false, false },
	{ "cycles:u", 0, 1, 1, 0, 0, 0, 0, 0, true, false },
	{ "cycles:k", 1, 0, 1, 0, 0, 0, 0, 0, false, true },
	{ "cycles:h", 1, 1, 0, 0, 0, 0, 0, 0, false, false },
	{ "cycles:uk", 0, 0, 1, 0, 0, 0, 0, 0, false, false },
	{ "cycles:ukh", 0, 0, 0, 0, 0, 0, 0, 0, false, false },
	{ "cycles:G", 0, 0, 0, 0, 1, 0, 0, 0, false, false },
	{ "cycles:H", 0, 0, 0, 1, 0, 0, 0, 0, false, false },
	{ "cycles:GH", 0, 0, 0, 0, 0, 0, 0, 0, false, false },
	{ "cycles:I", 0, 0, 0, 0, 0, 1, 0, 0, false, false },
	{ "cycles:D", 0, 0, 0, 0, 0, 0, 1, 0, false, false },
	{ "cycles:p", 0, 0, 0, 0, 0, 0, 0, 1, false, false },
	{ "cycles:ppp", 0, 0, 0, 0, 0, 0, 0, 3, false, false },
	{ "cycles:P", 0, 0, 0, 0, 0, 0, 0, 3, false, false },
	{ "cycles:upp", 0, 1, 1, 0, 0, 0, 0, 2, true, false },
	{ "r1c2:k", 1, 0, 1, 0, 0, 0, 0, 0, false, true },
	{ "LLC-loads:u", 0, 1, 1, 0, 0, 0, 0, 0, true, false },
};

static void modifiers_leave_the_other_levels_out(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(modifieds); i++) {
		const struct modified *m = &modifieds[i];
		struct rec_events e = { 0 };
		struct err err = { 0 };
		const struct perf_event_attr *a;

		if (rec_events_add(&e, m->text, &err))
			fail_msg("%s: %s", m->text, err.text);
		a = &e.items[0].attr;
		assert_int_equal(a->exclude_user, m->no_user);
		assert_int_equal(a->exclude_kernel, m->no_kernel);
		assert_int_equal(a->exclude_hv, m->no_hv);
		assert_int_equal(a->exclude_guest, m->no_guest);
		assert_int_equal(a->exclude_host, m->no_host);
		assert_int_equal(a->exclude_idle, m->no_idle);
		assert_int_equal(a->pinned, m->pinned);
		assert_int_equal(a->precise_ip, m->precise);
		assert_int_equal(e.items[0].user_only, m->user_only);
		assert_int_equal(e.items[0].kernel_only, m->kernel_only);
		rec_events_fini(&e);
	}
}

static const struct refused {
	const char *text;
	int code;
	const char *says;
} refuseds[] = {
	{ "cpu-clok", ERR_USAGE,
	  "unknown event 'cpu-clok' (did you mean 'cpu-clock'?)" },
	{ "cpu-clok:u", ERR_USAGE,
	  "unknown event 'cpu-clok:u' (did you mean 'cpu-clock'?)" },
	{ "cylces", ERR_USAGE,
	  "unknown event 'cylces' (did you mean 'cycles'?)" },
	{ "page-fault", ERR_USAGE,
	  "unknown event 'page-fault' (did you mean 'page-faults'?)" },
	{ "xyzzyxyzzy", ERR_USAGE, "unknown event 'xyzzyxyzzy'" },
	{ "a:u", ERR_USAGE, "unknown event 'a:u'" },
	{ "", ERR_USAGE, "an empty event name" },
	{ "cycles,", ERR_USAGE, "an empty event name" },
	{ "cycles,,cs", ERR_USAGE, "an empty event name" },
	{ ":u", ERR_USAGE, "unknown event ':u'" },
	{ "cycles:", ERR_USAGE, "event 'cycles:': unknown modifier '' (known: "
				"u k h G H p P I D S W e)" },
	{ "cycles:ux", ERR_USAGE, "event 'cycles:ux': unknown modifier 'x' "
				  "(known: u k h G H p P I D S W e)" },
	{ "cycles:pppp", ERR_USAGE,
	  "event 'cycles:pppp' asks for more precision than ppp" },
	{ "cycles:Pp", ERR_USAGE,
	  "event 'cycles:Pp' asks for more precision than ppp" },
	{ "r12345678901234567", ERR_USAGE,
	  "raw event 'r12345678901234567' has more than 16 digits" },
	{ "iTLB-store-misses", ERR_USAGE,
	  "no such event: 'iTLB-store-misses' (iTLB has no store)" },
	{ "LLC-", ERR_USAGE, "unknown event 'LLC-' (did you mean 'LLC-loads', "
			     "'LLC-stores', 'LLC-prefetches'?)" },
	{ "LLC-loads-loads", ERR_USAGE, NULL },
	{ "{cycles,cs", ERR_USAGE, "event group '{cycles,cs' does not end" },
	{ "{}", ERR_USAGE, "event group '{}' is empty" },
	{ "{cycles,cs}u", ERR_USAGE, "event group '{cycles,cs}u': modifiers "
				     "begin with a colon" },
	{ "{cycles,{cs}}", ERR_USAGE, NULL },
	{ "{cycles,}", ERR_USAGE, "an empty event name" },
	{ "cycles/period=1", ERR_USAGE, "event 'cycles/period=1': the terms do "
					"not end with a slash" },
	{ "cycles/period=0/", ERR_USAGE,
	  "term 'period': '0' is not more than zero" },
	{ "cycles/period=x/", ERR_USAGE, "term 'period': 'x' is not a number" },
	{ "cycles/freq=/", ERR_USAGE, "term 'freq': '' is not a number" },
	{ "cycles/period=9223372036854775808/", ERR_USAGE,
	  "term 'period': 9223372036854775808 is over 9223372036854775807" },
	{ "cycles/max-stack=65536/", ERR_USAGE,
	  "term 'max-stack': 65536 is over 65535" },
	{ "cycles/name=/", ERR_USAGE, "term 'name': '' is not a name" },
	{ "cycles/call-graph=dwarf/", ERR_UNSUPPORTED, NULL },
	{ "cycles/call-graph=never/", ERR_USAGE, "term 'call-graph': 'never' is "
		"not a way to obtain call chains (fp, no)" },
	{ "cycles/time=0/", ERR_UNSUPPORTED, NULL },
	{ "cycles/stack-size=8/", ERR_UNSUPPORTED,
	  "term 'stack-size' is not supported by this version" },
	{ "cycles/inherit=2/", ERR_USAGE,
	  "term 'inherit': '2' is not 0 or 1" },
	{ "cycles/foo=1/", ERR_USAGE, "unknown term 'foo' (known: config, "
		"config1, config2, name, period, freq, call-graph, max-stack, "
		"inherit, no-inherit, time)" },
	{ "mem:zz", ERR_USAGE,
	  "'mem:zz' is not a breakpoint (mem:ADDRESS[/LENGTH][:rwx])" },
	{ "mem:", ERR_USAGE, NULL },
	{ "mem:0x1000/:rw", ERR_USAGE, NULL },
	{ "mem:0x1000:rwq", ERR_USAGE, NULL },
	{ "mem:0x1000:rr", ERR_USAGE, NULL },
};

static void a_refusal_names_the_part_and_changes_nothing(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(refuseds); i++) {
		const struct refused *r = &refuseds[i];
		struct rec_events e = { 0 };
		struct err err = { 0 };

		assert_int_equal(rec_events_add(&e, "cs", &err), 0);
		assert_int_equal(rec_events_add(&e, r->text, &err), r->code);
		if (r->says)
			assert_string_equal(err.text, r->says);
		assert_int_equal(e.n, 1);
		rec_events_fini(&e);
	}
}

/* HW_BREAKPOINT_R is 1, W 2, X 4; lengths are perf's. */
static const struct broken {
	const char *text;
	uint32_t type;
	uint64_t address, length;
	bool user_only;
} brokens[] = {
	{ "mem:0x1000", 3, 0x1000, 4, false },
	{ "mem:4096", 3, 0x1000, 4, false },
	{ "mem:0x1000:r", 1, 0x1000, 4, false },
	{ "mem:0x1000:w", 2, 0x1000, 4, false },
	{ "mem:0x1000:rw", 3, 0x1000, 4, false },
	{ "mem:0x1000:x", 4, 0x1000, 8, false },
	{ "mem:0x1000/1:w", 2, 0x1000, 1, false },
	{ "mem:0x1000/8:rw:u", 3, 0x1000, 8, true },
	{ "mem:0x1000:u", 3, 0x1000, 4, true },
	{ "mem:0:u", 3, 0, 4, true },
};

static void a_breakpoint_is_an_address_a_length_and_an_access(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(brokens); i++) {
		const struct broken *b = &brokens[i];
		struct rec_events e = { 0 };
		struct err err = { 0 };

		if (rec_events_add(&e, b->text, &err))
			fail_msg("%s: %s", b->text, err.text);
		assert_int_equal(e.n, 1);
		assert_string_equal(e.items[0].name, b->text);
		assert_int_equal(e.items[0].attr.type, 5);
		assert_int_equal(e.items[0].attr.bp_type, b->type);
		assert_int_equal(e.items[0].attr.bp_addr, b->address);
		assert_int_equal(e.items[0].attr.bp_len, b->length);
		assert_int_equal(e.items[0].attr.sample_period, 1);
		assert_int_equal(e.items[0].user_only, b->user_only);
		rec_events_fini(&e);
	}
}

static void terms_belong_to_their_event(void **state)
{
	struct rec_events e = { 0 };
	struct err err = { 0 };
	const struct rec_event *x;

	(void)state;
	if (rec_events_add(&e, "cpu-clock/period=1000000,name=tick/u,"
			       "faults/freq=99,call-graph=no,max-stack=16/,"
			       "cs/call-graph=fp,no-inherit,time/,"
			       "dummy/config=0x9,config1=010,inherit/,cycles//k",
			   &err))
		fail_msg("%s", err.text);
	assert_int_equal(e.n, 5);
	x = &e.items[0];
	assert_string_equal(x->name, "tick");
	assert_int_equal(x->attr.sample_period, 1000000);
	assert_int_equal(x->attr.freq, 0);
	assert_true(x->fixed_rate && x->user_only);
	x++;
	assert_string_equal(x->name,
			    "faults/freq=99,call-graph=no,max-stack=16/");
	assert_int_equal(x->attr.config, 2);
	assert_int_equal(x->attr.sample_freq, 99);
	assert_int_equal(x->attr.freq, 1);
	assert_int_equal(x->chain, REC_CHAIN_NONE);
	assert_int_equal(x->attr.sample_max_stack, 16);
	x++;
	assert_int_equal(x->chain, REC_CHAIN_FP);
	assert_int_equal(x->inherit, REC_INHERIT_NO);
	assert_false(x->fixed_rate);
	x++;
	assert_int_equal(x->attr.config, 9);
	assert_int_equal(x->attr.config1, 8);
	assert_int_equal(x->inherit, REC_INHERIT_YES);
	x++;
	assert_int_equal(x->attr.type, 0);
	assert_true(x->kernel_only);
	rec_events_fini(&e);
}

static void the_first_of_a_group_leads_it(void **state)
{
	struct rec_events e = { 0 };
	struct err err = { 0 };

	(void)state;
	if (rec_events_add(&e, "cs,{cpu-clock,faults:u,cycles}:kS,{cs,faults},"
			       "{dummy,cs}:W,cycles:S", &err))
		fail_msg("%s", err.text);
	assert_int_equal(e.n, 9);
	assert_int_equal(e.items[0].leader, 0);
	for (size_t i = 1; i < 4; i++) {
		assert_int_equal(e.items[i].leader, 1);
		assert_true(e.items[i].leader_samples);
		assert_false(e.items[i].attr.exclude_kernel);
	}
	/* perf adds a group's levels to those of an event. */
	assert_true(e.items[1].attr.exclude_user);
	assert_false(e.items[2].attr.exclude_user);
	assert_string_equal(e.items[1].name, "cpu-clock:k");
	assert_string_equal(e.items[2].name, "faults:uk");
	assert_int_equal(e.items[4].leader, 4);
	assert_int_equal(e.items[5].leader, 4);
	assert_false(e.items[5].leader_samples);
	assert_true(e.items[6].weak && e.items[7].weak);
	assert_int_equal(e.items[8].leader, 8);
	assert_false(e.items[8].leader_samples);
	rec_events_fini(&e);
}

static void commas_inside_of_an_event_are_its_own(void **state)
{
	struct rec_events e = { 0 };
	struct err err = { 0 };

	(void)state;
	if (rec_events_add(&e, "{mem:0x10/4:w,cs/period=3,name=x/},"
			       "cs/period=1,freq=2/,mem:0x20/8:r,faults", &err))
		fail_msg("%s", err.text);
	assert_int_equal(e.n, 5);
	assert_int_equal(e.items[0].attr.bp_len, 4);
	assert_string_equal(e.items[1].name, "x");
	assert_int_equal(e.items[1].leader, 0);
	assert_string_equal(e.items[2].name, "cs/period=1,freq=2/");
	assert_int_equal(e.items[3].attr.bp_len, 8);
	assert_string_equal(e.items[4].name, "faults");
	rec_events_fini(&e);
}

static void a_copy_owns_what_it_has(void **state)
{
	struct rec_events e = { 0 };
	struct err err = { 0 };
	struct rec_event copy;

	(void)state;
	assert_int_equal(rec_events_add(&e, "cycles:u", &err), 0);
	e.items[0].filter = strdup("a > 1");
	e.items[0].system = strdup("sched");
	assert_int_equal(rec_event_copy(&copy, &e.items[0], &err), 0);
	rec_events_fini(&e);
	assert_string_equal(copy.name, "cycles:u");
	assert_string_equal(copy.filter, "a > 1");
	assert_string_equal(copy.system, "sched");
	assert_null(copy.cgroup);
	rec_event_fini(&copy);
}

static void one_bad_name_refuses_its_whole_list(void **state)
{
	struct rec_events e = { 0 };
	struct err err = { 0 };

	(void)state;
	assert_int_equal(rec_events_add(&e, "cs,faults,nonsense-xy,cycles",
					&err), ERR_USAGE);
	assert_string_equal(err.text, "unknown event 'nonsense-xy'");
	assert_int_equal(e.n, 0);
	rec_events_fini(&e);
}

static void a_suggestion_fits_however_many_are_near(void **state)
{
	struct rec_events e = { 0 };
	struct err err = { 0 };

	(void)state;
	assert_int_equal(rec_events_add(&e, "L1-", &err), ERR_USAGE);
	assert_non_null(strstr(err.text, "did you mean 'L1-dcache-loads'"));
	assert_int_equal(err.text[strlen(err.text) - 1], ')');
	rec_events_fini(&e);
}

static void a_very_long_name_is_refused(void **state)
{
	struct rec_events e = { 0 };
	struct err err = { 0 };
	char name[5000];

	(void)state;
	memset(name, 'x', sizeof(name) - 1);
	name[sizeof(name) - 1] = 0;
	assert_int_equal(rec_events_add(&e, name, &err), ERR_USAGE);
	rec_events_fini(&e);
}

static void running_out_of_memory_changes_nothing(void **state)
{
	long n = 1;

	(void)state;
	for (;; n++) {
		struct rec_events e = { 0 };
		struct err err = { 0 };
		int rc;

		failalloc_at(n);
		rc = rec_events_add(&e, "cycles,{cs:u,dummy}:k,"
				       "faults/name=x/,mem:1:w", &err);
		failalloc_off();
		if (!failalloc_hit()) {
			assert_int_equal(rc, 0);
			rec_events_fini(&e);
			break;
		}
		assert_int_equal(rc, ERR_NOMEM);
		assert_int_equal(e.n, 0);
		rec_events_fini(&e);
	}
	assert_true(n > 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_mean_what_the_kernel_numbers),
		cmocka_unit_test(clocks_count_in_nanoseconds),
		cmocka_unit_test(a_list_keeps_its_order),
		cmocka_unit_test(modifiers_leave_the_other_levels_out),
		cmocka_unit_test(a_refusal_names_the_part_and_changes_nothing),
		cmocka_unit_test(one_bad_name_refuses_its_whole_list),
		cmocka_unit_test(
			a_breakpoint_is_an_address_a_length_and_an_access),
		cmocka_unit_test(terms_belong_to_their_event),
		cmocka_unit_test(the_first_of_a_group_leads_it),
		cmocka_unit_test(commas_inside_of_an_event_are_its_own),
		cmocka_unit_test(a_copy_owns_what_it_has),
		cmocka_unit_test(a_suggestion_fits_however_many_are_near),
		cmocka_unit_test(a_very_long_name_is_refused),
		cmocka_unit_test(running_out_of_memory_changes_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
