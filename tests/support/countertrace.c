#include "tests/support/countertrace.h"

#include "format/base/mem.h"

#define MS COUNTER_MS
#define S (1000 * COUNTER_MS)
#define AT(ms) (COUNTER_START + (ms) * MS)

#define PMU(nm, un, knd) { .name = nm, .unit = un, .kind = knd,                \
			   .source = TF_SERIES_PMU, .device = "i915" }

static const struct tb_series i915_series[] = {
	[CT_RCS0] = PMU("i915/rcs0-busy/", "ns", TF_SERIES_COUNT),
	[CT_BCS0] = PMU("i915/bcs0-busy/", "ns", TF_SERIES_COUNT),
	[CT_VCS0] = PMU("i915/vcs0-busy/", "ns", TF_SERIES_COUNT),
	[CT_FREQUENCY] = PMU("i915/actual-frequency/", "MHz",
			     TF_SERIES_INTEGRAL),
	[CT_INTERRUPTS] = PMU("i915/interrupts/", "", TF_SERIES_COUNT),
	[CT_RC6] = PMU("i915/rc6-residency/", "ns", TF_SERIES_COUNT),
};

#define READ(ms, s, v, on) { .time = AT(ms), .series = s, .value = v,          \
			     .enabled = on, .running = on, .took = 12000 }

static const struct tb_reading i915_readings[] = {
	READ(0, CT_RCS0, 0, 0),
	READ(0, CT_BCS0, 0, 0),
	READ(0, CT_VCS0, 0, 0),
	READ(0, CT_FREQUENCY, 0, 0),
	READ(0, CT_INTERRUPTS, 0, 0),
	READ(0, CT_RC6, 0, 0),
	READ(1000, CT_RCS0, 450210000, 1000 * MS),
	READ(1000, CT_BCS0, 12105000, 1000 * MS),
	READ(1000, CT_VCS0, 0, 1000 * MS),
	READ(1000, CT_FREQUENCY, 1150, 1000 * MS),
	READ(1000, CT_INTERRUPTS, 532, 1000 * MS),
	READ(1000, CT_RC6, 500000000, 1000 * MS),
	READ(2107, CT_RCS0, 450210000 + 980450000, 2107 * MS),
	READ(2107, CT_BCS0, 12105000, 2107 * MS),
	READ(2107, CT_VCS0, 1107020000, 2107 * MS),
	READ(2107, CT_FREQUENCY, 1150 + 1273, 2107 * MS),
	READ(2107, CT_INTERRUPTS, 532 + 1107, 2107 * MS),
	READ(2107, CT_RC6, 600000000, 2107 * MS),
};

static const struct tb_fact i915_facts[] = {
	{ "command", "rec -a -I 1000 -e i915/rcs0-busy/" },
	{ "interval", "1000" },
};

/* All began at one moment of the wall clock, so that they can be merged. */
static const struct tb_clock clocks[] = {
	{ COUNTER_START, COUNTER_UNIX, COUNTER_START },
	{ AT(3000), COUNTER_UNIX + 3 * S, AT(3000) },
};

#define READINGS(of)                                                           \
	.series = of##_series, .n_series = ARRAY_LEN(of##_series),             \
	.readings = of##_readings, .n_readings = ARRAY_LEN(of##_readings),     \
	.facts = of##_facts, .n_facts = ARRAY_LEN(of##_facts),                 \
	.clocks = clocks, .n_clocks = ARRAY_LEN(clocks),                       \
	.start_unix_ns = COUNTER_UNIX

const struct tb_trace countertrace_i915 = { READINGS(i915), .id = 1 };

#define COUNT(nm, un) { .name = nm, .unit = un, .kind = TF_SERIES_COUNT,       \
			.source = TF_SERIES_PMU }

static const struct tb_event pmu_events[] = {
	{ "cpu-clock", "ns", 1, 0, 0, 0, false },
	{ "cycles", "", 0, 0, 0, 0, false },
};

static const struct tb_series pmu_series[] = {
	[CT_CLOCK] = { .name = "cpu-clock", .unit = "ns",
		       .kind = TF_SERIES_COUNT, .source = TF_SERIES_PMU,
		       .event = 1 },
	[CT_CYCLES] = { .name = "cycles", .kind = TF_SERIES_COUNT,
			.source = TF_SERIES_PMU, .event = 2 },
	[CT_INSTRUCTIONS] = COUNT("instructions", ""),
	[CT_BRANCHES] = COUNT("branches", ""),
	[CT_BRANCH_MISSES] = COUNT("branch-misses", ""),
	[CT_FAULTS] = COUNT("page-faults", ""),
	[CT_FAILED] = COUNT("context-switches", ""),
	[CT_NONE] = COUNT("mem-loads", ""),
	[CT_ENERGY] = { .name = "power/energy-pkg/", .unit = "Joules",
			.kind = TF_SERIES_COUNT, .scale = 1.0 / 4096,
			.source = TF_SERIES_PMU, .device = "power" },
};

#define PART(ms, s, v, on, ran, ep)                                            \
	{ .time = AT(ms), .series = s, .value = v, .enabled = on,              \
	  .running = ran, .epoch = ep, .took = 5000 }
#define FULL(ms, s, v, ep) PART(ms, s, v, (ms) * MS, (ms) * MS, ep)

static const struct tb_reading pmu_readings[] = {
	FULL(0, CT_CLOCK, 0, 0),
	FULL(0, CT_CYCLES, 0, 0),
	FULL(0, CT_INSTRUCTIONS, 0, 0),
	FULL(0, CT_BRANCHES, 0, 0),
	FULL(0, CT_BRANCH_MISSES, 0, 0),
	FULL(0, CT_FAULTS, 1000, 0),
	FULL(0, CT_FAILED, 0, 0),
	FULL(0, CT_ENERGY, 4096, 0),
	{ .time = AT(0), .series = CT_NONE, .state = TF_COUNTER_NONE },
	FULL(1000, CT_CLOCK, 1000 * (int64_t)MS, 0),
	FULL(1000, CT_CYCLES, 2000000000, 0),
	FULL(1000, CT_INSTRUCTIONS, 3000000000, 0),
	PART(1000, CT_BRANCHES, 250000, 1000 * MS, 625 * MS, 0),
	PART(1000, CT_BRANCH_MISSES, 10000, 1000 * MS, 1000 * MS, 0),
	FULL(1000, CT_FAULTS, 1500, 0),
	{ .time = AT(1000), .series = CT_FAILED,
	  .state = TF_COUNTER_FAILED },
	FULL(1000, CT_ENERGY, 4096 + 51200, 0),
	FULL(2000, CT_CLOCK, 2000 * (int64_t)MS, 1),
	FULL(2000, CT_CYCLES, 3000000000, 1),
	FULL(2000, CT_INSTRUCTIONS, 3500000000, 1),
	PART(2000, CT_BRANCHES, 250000, 2000 * MS, 1625 * MS, 1),
	PART(2000, CT_BRANCH_MISSES, 10000, 2000 * MS, 1000 * MS, 1),
	FULL(2000, CT_FAULTS, 400, 1),
	FULL(2000, CT_FAILED, 30, 1),
	FULL(2000, CT_ENERGY, 4096 + 51200 + 30720, 1),
};

static const struct tb_fact pmu_facts[] = {
	{ "interval", "1000" },
	{ "counter.missing.mem-loads", "this CPU has no such event" },
};

static const struct tb_epoch two_epochs[2];

const struct tb_trace countertrace_pmu = {
	READINGS(pmu),
	.events = pmu_events, .n_events = ARRAY_LEN(pmu_events),
	.epochs = two_epochs, .n_epochs = 2,
	.id = 2,
};

#define WHOLE(nm, n) { .name = nm, .unit = "ns", .kind = TF_SERIES_COUNT,      \
		       .source = TF_SERIES_PROC, .run = n }
#define RUN(n) { .name = "task-clock", .unit = "ns",                           \
		 .kind = TF_SERIES_COUNT, .source = TF_SERIES_PMU, .run = n }, \
	       { .name = "page-faults", .kind = TF_SERIES_COUNT,               \
		 .source = TF_SERIES_PMU, .run = n },                          \
	       WHOLE("duration_time", n), WHOLE("user_time", n),               \
	       WHOLE("system_time", n)

static const struct tb_series runs_series[] = { RUN(1), RUN(2), RUN(3) };

/* Each run takes twice its task-clock, and a millisecond of that in the
 * kernel. */
#define DONE(ms, n, k, v, val)                                                 \
	{ .time = AT((ms) + 2 * (v)), .series = 5 * (n) + (k), .value = val,   \
	  .enabled = (v) * MS, .running = (v) * MS }
#define BEGUN(ms, n, k) { .time = AT(ms), .series = 5 * (n) + (k) }
#define ONCE(ms, n, v)                                                         \
	BEGUN(ms, n, 0), BEGUN(ms, n, 1), BEGUN(ms, n, 2), BEGUN(ms, n, 3),    \
	BEGUN(ms, n, 4),                                                       \
	DONE(ms, n, 0, v, (v) * MS), DONE(ms, n, 1, v, 74),                    \
	DONE(ms, n, 2, v, 2 * (v) * MS), DONE(ms, n, 3, v, ((v) - 1) * MS),    \
	DONE(ms, n, 4, v, 1 * MS)

static const struct tb_reading runs_readings[] = {
	ONCE(0, 0, 10), ONCE(100, 1, 11), ONCE(200, 2, 12),
};

static const struct tb_fact runs_facts[] = {
	{ "command", "rec stat -r 3 -- true" },
};

const struct tb_trace countertrace_runs = { READINGS(runs), .id = 3 };

#define CLIENT(nm, un, knd, prt, p, id, who, dev, cap)                         \
	{ .name = nm, .unit = un, .kind = knd, .source = TF_SERIES_FDINFO,     \
	  .pid = p, .device = dev, .part = prt, .client = id,                  \
	  .capacity = cap, .label = who }
#define GEARS(nm, un, knd, prt, cap)                                           \
	CLIENT(nm, un, knd, prt, 4242, 7, "glxgears", "0000:00:02.0", cap)
#define GAME(nm, un, knd, prt)                                                 \
	CLIENT(nm, un, knd, prt, 5151, 7, "game", "0000:03:00.0", 1)
#define PHONE(nm, un, knd, prt)                                                \
	CLIENT(nm, un, knd, prt, 77, 3, "phone", "card1", 1)

static const struct tb_series clients_series[] = {
	GEARS("drm-engine", "ns", TF_SERIES_COUNT, "render", 1),
	GEARS("drm-engine", "ns", TF_SERIES_COUNT, "video", 2),
	GEARS("drm-memory-resident", "bytes", TF_SERIES_LEVEL, "system", 1),
	GAME("drm-cycles", "cycles", TF_SERIES_COUNT, "rcs"),
	GAME("drm-total-cycles", "cycles", TF_SERIES_COUNT, "rcs"),
	PHONE("drm-cycles", "cycles", TF_SERIES_COUNT, "gpu"),
	PHONE("drm-maxfreq", "Hz", TF_SERIES_LEVEL, "gpu"),
	{ .name = "gpu-busy", .unit = "%", .kind = TF_SERIES_MEAN,
	  .source = TF_SERIES_SYSFS, .device = "0000:0c:00.0" },
};

#define V(ms, s, v) { .time = AT(ms), .series = s, .value = v }

static const struct tb_reading clients_readings[] = {
	V(0, 0, 5000 * (int64_t)MS),
	V(0, 1, 0),
	V(0, 2, 64 << 20),
	V(0, 3, 1000),
	V(0, 4, 123456789),
	V(0, 5, 0),
	V(0, 6, 600000000),
	V(0, 7, 10),
	V(1000, 0, 5400 * (int64_t)MS),
	V(1000, 1, 1000 * (int64_t)MS),
	V(1000, 2, 96 << 20),
	V(1000, 3, 1000 + 4800000),
	V(1000, 4, 123456789 + 19200000),
	V(1000, 5, 300000000),
	V(1000, 6, 600000000),
	V(1000, 7, 90),
	V(1500, 0, 5200 * (int64_t)MS),
	V(2000, 0, 5500 * (int64_t)MS),
	V(2000, 1, 1000 * (int64_t)MS),
	V(2000, 2, 64 << 20),
	{ .time = AT(2000), .series = 3, .state = TF_COUNTER_GONE },
	{ .time = AT(2000), .series = 4, .state = TF_COUNTER_GONE },
	V(2000, 5, 600000000),
	V(2000, 6, 600000000),
	V(2000, 7, 50),
};

static const struct tb_fact clients_facts[] = {
	{ "interval", "1000" },
};

const struct tb_trace countertrace_clients = {
	READINGS(clients), .id = 4,
};
