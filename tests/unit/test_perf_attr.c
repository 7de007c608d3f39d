#include "record/perf/attr.h"

#include "format/base/mem.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/* Bits of linux/perf_event.h, written out. */
#define S_READ 0x10u
#define S_CALLCHAIN 0x20u
#define S_RAW 0x400u
/* IP 1, TID 2, TIME 4, CPU 0x80, PERIOD 0x100, IDENTIFIER 0x10000 */
#define S_ALWAYS 0x10187u
#define F_ID 4u
#define F_GROUP 8u
#define F_LOST 16u

static const struct rec_perf_features features = { .lost = true };
static const struct rec_perf_facts facts = { .max_rate = 50000 };
static const struct log silent = { NULL, "test", LOG_QUIET };

static struct perf_event_attr tracepoint_attr(void)
{
	return (struct perf_event_attr){ .type = PERF_TYPE_TRACEPOINT,
					 .config = 7, .sample_period = 1 };
}

/* The usual way: rec -F 4000, which nobody asked for. */
static struct rec_perf_config usual(void)
{
	return (struct rec_perf_config){ .frequency = 4000,
					 .frequency_default = true,
					 .inherit = true, .log = &silent };
}

static void sample(struct rec_event *e, size_t index,
		   const struct rec_perf_config *cfg)
{
	struct err err = { 0 };

	if (rec_attr_sample(e, index, cfg, &features, &facts, &err))
		fail_msg("%s", err.text);
}

static void each_hit_of_a_tracepoint_is_a_sample_with_its_fields(void **state)
{
	struct rec_event e = { .attr = tracepoint_attr() };
	struct rec_perf_config cfg = usual();

	(void)state;
	sample(&e, 0, &cfg);
	assert_int_equal(e.attr.sample_period, 1);
	assert_int_equal(e.attr.freq, 0);
	assert_int_equal(e.attr.sample_type, S_ALWAYS | S_RAW);
	assert_int_equal(e.attr.read_format, F_ID | F_LOST);
	assert_true(e.attr.disabled && e.attr.inherit);
}

static void a_rate_that_was_asked_for_is_for_tracepoints_too(void **state)
{
	struct rec_event e = { .attr = tracepoint_attr() };
	struct rec_perf_config cfg = usual();

	(void)state;
	cfg.frequency = 99;
	cfg.frequency_default = false;
	sample(&e, 0, &cfg);
	assert_int_equal(e.attr.freq, 1);
	assert_int_equal(e.attr.sample_freq, 99);
	cfg.period = 10;
	sample(&e, 0, &cfg);
	assert_int_equal(e.attr.freq, 0);
	assert_int_equal(e.attr.sample_period, 10);
	/* Unless the event's own text says otherwise. */
	e.fixed_rate = true;
	cfg.period = 20;
	sample(&e, 0, &cfg);
	assert_int_equal(e.attr.sample_period, 10);
}

static void chains_are_asked_for_by_event_or_by_all(void **state)
{
	static const struct {
		enum rec_event_chain chain;
		bool all, wanted;
	} rows[] = {
		{ REC_CHAIN_DEFAULT, false, false },
		{ REC_CHAIN_DEFAULT, true, true },
		{ REC_CHAIN_NONE, true, false },
		{ REC_CHAIN_FP, false, true },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct rec_event e = { .chain = rows[i].chain };
		struct rec_perf_config cfg = usual();

		cfg.callchain = rows[i].all;
		sample(&e, 0, &cfg);
		assert_int_equal((e.attr.sample_type & S_CALLCHAIN) != 0,
				 rows[i].wanted);
	}
}

static void a_leader_reads_its_group_whose_members_only_count(void **state)
{
	struct rec_event leader = { .leader = 3, .leader_samples = true };
	struct rec_event member = leader;
	struct rec_perf_config cfg = usual();

	(void)state;
	cfg.child = 1;
	cfg.enable_on_exec = true;
	sample(&leader, 3, &cfg);
	assert_int_equal(leader.attr.sample_type, S_ALWAYS | S_READ);
	assert_int_equal(leader.attr.read_format, F_ID | F_GROUP | F_LOST);
	assert_int_equal(leader.attr.sample_freq, 4000);
	assert_true(leader.attr.disabled && leader.attr.enable_on_exec);
	assert_false(leader.attr.inherit);
	sample(&member, 4, &cfg);
	assert_int_equal(member.attr.sample_period, 0);
	assert_int_equal(member.attr.freq, 0);
	assert_int_equal(member.attr.read_format, F_ID | F_LOST);
	assert_false(member.attr.disabled || member.attr.enable_on_exec);
}

static void switch_records_come_without_counting(void **state)
{
	struct rec_event e = { .switches = true };
	struct rec_perf_config cfg = usual();

	(void)state;
	sample(&e, 0, &cfg);
	assert_true(e.attr.context_switch);
	assert_int_equal(e.attr.sample_period, 0);
	assert_int_equal(e.attr.freq, 0);
	assert_true(e.attr.sample_id_all);
}

static void inheriting_is_up_to_the_event_then_to_all(void **state)
{
	struct rec_event e = { .inherit = REC_INHERIT_NO };
	struct rec_perf_config cfg = usual();

	(void)state;
	sample(&e, 0, &cfg);
	assert_false(e.attr.inherit);
	e.inherit = REC_INHERIT_YES;
	cfg.inherit = false;
	sample(&e, 0, &cfg);
	assert_true(e.attr.inherit);
	cfg.system_wide = true;
	sample(&e, 0, &cfg);
	assert_false(e.attr.inherit);
}

static void a_frequency_beyond_the_kernels_limit_is_refused(void **state)
{
	struct rec_event e = { .fixed_rate = true };
	struct rec_perf_config cfg = usual();
	struct err err = { 0 };

	(void)state;
	e.attr.freq = 1;
	e.attr.sample_freq = 60000;
	assert_int_equal(rec_attr_sample(&e, 0, &cfg, &features, &facts, &err),
			 ERR_USAGE);
	assert_string_equal(err.text, "cannot sample at 60000 Hz: the kernel's "
			    "limit is 50000 Hz (sysctl "
			    "kernel.perf_event_max_sample_rate)");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			each_hit_of_a_tracepoint_is_a_sample_with_its_fields),
		cmocka_unit_test(
			a_rate_that_was_asked_for_is_for_tracepoints_too),
		cmocka_unit_test(chains_are_asked_for_by_event_or_by_all),
		cmocka_unit_test(
			a_leader_reads_its_group_whose_members_only_count),
		cmocka_unit_test(switch_records_come_without_counting),
		cmocka_unit_test(inheriting_is_up_to_the_event_then_to_all),
		cmocka_unit_test(
			a_frequency_beyond_the_kernels_limit_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
