#include "record/perf/attr.h"

#include <inttypes.h>
#include <time.h>

/* The kernel's timer behind the clock events fires no faster, but its samples
 * still claim the period that was asked for: shares would stay right and sums
 * come out too small. */
#define CLOCK_PERIOD_MIN 10000
#define CLOCK_FREQUENCY_MAX (1000000000 / CLOCK_PERIOD_MIN)

static uint64_t read_format(const struct rec_perf_features *have)
{
	return PERF_FORMAT_ID | (have->lost ? PERF_FORMAT_LOST : 0);
}

static int too_fast(uint64_t hz, uint64_t limit, struct err *err)
{
	return err_set(err, ERR_USAGE, "cannot sample at %" PRIu64 " Hz: the "
		       "kernel's limit is %" PRIu64 " Hz (sysctl "
		       "kernel.perf_event_max_sample_rate)", hz, limit);
}

/* Of a frequency that the event's text asks for. */
static int check_frequency(const struct rec_event *e,
			   const struct rec_perf_facts *facts, struct err *err)
{
	if (facts->max_rate <= 0 ||
	    e->attr.sample_freq <= (uint64_t)facts->max_rate)
		return 0;
	return too_fast(e->attr.sample_freq, (uint64_t)facts->max_rate, err);
}

static int set_frequency(struct perf_event_attr *a,
			 const struct rec_perf_config *cfg,
			 const struct rec_perf_facts *facts, struct err *err)
{
	uint64_t limit = facts->max_rate > 0 ? (uint64_t)facts->max_rate :
					       UINT64_MAX;

	a->freq = 1;
	a->sample_freq = cfg->frequency;
	if (cfg->frequency <= limit)
		return 0;
	if (!cfg->frequency_default)
		return too_fast(cfg->frequency, limit, err);
	log_verbose(cfg->log, "frequency lowered to %" PRIu64 " Hz, the "
		    "kernel's limit (kernel.perf_event_max_sample_rate)",
		    limit);
	a->sample_freq = limit;
	return 0;
}

static bool is_clock(const struct perf_event_attr *a)
{
	return a->type == PERF_TYPE_SOFTWARE &&
	       (a->config == PERF_COUNT_SW_CPU_CLOCK ||
		a->config == PERF_COUNT_SW_TASK_CLOCK);
}

static void slow_clock_down(struct rec_event *e, const struct log *log)
{
	struct perf_event_attr *a = &e->attr;

	if (!is_clock(a))
		return;
	if (a->freq && a->sample_freq > CLOCK_FREQUENCY_MAX)
		a->sample_freq = CLOCK_FREQUENCY_MAX;
	else if (!a->freq && a->sample_period &&
		 a->sample_period < CLOCK_PERIOD_MIN)
		a->sample_period = CLOCK_PERIOD_MIN;
	else
		return;
	log_warn(log, "'%s': sampled each %d us, the kernel's clock events "
		 "are not faster", e->name, CLOCK_PERIOD_MIN / 1000);
}

/* Tracepoints and breakpoints happen once, each time counts; a rate that was
 * asked for holds for them, too, as with perf. */
static bool has_own_rate(const struct rec_event *e,
			 const struct rec_perf_config *cfg)
{
	return e->fixed_rate || (e->attr.sample_period && !cfg->period &&
				 cfg->frequency_default);
}

static int set_rate(struct rec_event *e, const struct rec_perf_config *cfg,
		    const struct rec_perf_facts *facts, struct err *err)
{
	if (has_own_rate(e, cfg))
		return e->attr.freq ? check_frequency(e, facts, err) : 0;
	if (!cfg->period && !cfg->frequency)
		return err_set(err, ERR_USAGE,
			       "neither a frequency nor a period to sample at");
	if (!cfg->period)
		return set_frequency(&e->attr, cfg, facts, err);
	/* The kernel keeps periods in signed numbers. */
	if (cfg->period > INT64_MAX)
		return err_set(err, ERR_USAGE, "period %" PRIu64
			       " is too large", cfg->period);
	e->attr.freq = 0;
	e->attr.sample_period = cfg->period;
	return 0;
}

static bool wants_chain(const struct rec_event *e,
			const struct rec_perf_config *cfg)
{
	return e->chain == REC_CHAIN_FP ||
	       (e->chain == REC_CHAIN_DEFAULT && cfg->callchain);
}

static bool carries_raw(const struct perf_event_attr *a)
{
	return a->type == PERF_TYPE_TRACEPOINT ||
	       (a->type == PERF_TYPE_SOFTWARE &&
		a->config == PERF_COUNT_SW_BPF_OUTPUT);
}

static bool inherits(const struct rec_event *e,
		     const struct rec_perf_config *cfg)
{
	if (cfg->system_wide || e->leader_samples)
		return false;
	return e->inherit == REC_INHERIT_DEFAULT ? cfg->inherit :
						   e->inherit == REC_INHERIT_YES;
}

/* The fields at the same places in all records, then those of this event. */
static void set_fields(struct rec_event *e, const struct rec_perf_config *cfg,
		       const struct rec_perf_features *have)
{
	struct perf_event_attr *a = &e->attr;

	a->sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP |
			 PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
			 PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD;
	if (wants_chain(e, cfg))
		a->sample_type |= PERF_SAMPLE_CALLCHAIN;
	if (carries_raw(a))
		a->sample_type |= PERF_SAMPLE_RAW;
	a->read_format = read_format(have);
}

/* The leader samples for its whole group, the others are only read. */
static int set_shared_rate(struct rec_event *e, bool is_leader,
			   const struct rec_perf_config *cfg,
			   const struct rec_perf_facts *facts, struct err *err)
{
	struct perf_event_attr *a = &e->attr;

	if (is_leader) {
		a->sample_type |= PERF_SAMPLE_READ;
		a->read_format |= PERF_FORMAT_GROUP;
		return set_rate(e, cfg, facts, err);
	}
	a->freq = 0;
	a->sample_period = 0;
	return 0;
}

/* With the period in each sample the kernel makes a sample of every event of
 * software, whatever the period that was asked for (perf_swevent_event() in
 * kernel/events/core.c). So it is left out where it is always the same; of
 * tracepoints all are wanted, as with perf. */
static void drop_period(struct perf_event_attr *a)
{
	if (a->type != PERF_TYPE_TRACEPOINT && !a->freq && a->sample_period > 1)
		a->sample_type &= ~(uint64_t)PERF_SAMPLE_PERIOD;
}

/* The switch records of tasks or CPUs come without being counted. */
static void set_switches(struct rec_event *e)
{
	struct perf_event_attr *a = &e->attr;

	a->context_switch = 1;
	a->sample_period = 0;
	a->freq = 0;
}

int rec_attr_sample(struct rec_event *e, size_t index,
		    const struct rec_perf_config *cfg,
		    const struct rec_perf_features *have,
		    const struct rec_perf_facts *facts, struct err *err)
{
	struct perf_event_attr *a = &e->attr;
	int rc = 0;

	a->size = sizeof(*a);
	/* A group begins with its leader: a member that is switched on after it
	 * never counts (measured on 6.18). */
	a->disabled = e->leader == index;
	a->inherit = inherits(e, cfg);
	a->enable_on_exec = a->disabled && cfg->enable_on_exec && cfg->child &&
			    !cfg->system_wide;
	set_fields(e, cfg, have);
	a->sample_id_all = 1;
	a->use_clockid = 1;
	a->clockid = CLOCK_MONOTONIC;
	if (!e->guest_set)
		a->exclude_guest = 1;
	if (e->switches)
		set_switches(e);
	else if (e->leader_samples)
		rc = set_shared_rate(e, e->leader == index, cfg, facts, err);
	else
		rc = set_rate(e, cfg, facts, err);
	if (!rc)
		slow_clock_down(e, cfg->log);
	drop_period(a);
	return rc;
}

struct perf_event_attr rec_attr_sideband(const struct rec_perf_config *cfg,
					 const struct rec_perf_features *have)
{
	struct perf_event_attr a = rec_perf_dummy();

	a.inherit = cfg->inherit && !cfg->system_wide;
	a.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TID |
			PERF_SAMPLE_TIME | PERF_SAMPLE_CPU;
	a.sample_id_all = 1;
	a.read_format = read_format(have) | PERF_FORMAT_TOTAL_TIME_ENABLED;
	a.mmap = a.mmap2 = 1;
	a.comm = a.comm_exec = 1;
	a.task = 1;
	a.build_id = have->build_id;
	a.ksymbol = have->ksymbol;
	return a;
}

struct rec_layout rec_attr_layout(const struct perf_event_attr *a)
{
	return (struct rec_layout){
		.sample_type = a->sample_type,
		.read_format = a->read_format,
		.branch_type = a->branch_sample_type,
		.regs_user = a->sample_regs_user,
		.regs_intr = a->sample_regs_intr,
		.sample_id_all = a->sample_id_all,
	};
}
