/* Traces with readings of counters, whose figures can be worked out by hand: see
 * their tables. The clock stands at COUNTER_START at their first reading. */
#ifndef TESTS_SUPPORT_COUNTERTRACE_H
#define TESTS_SUPPORT_COUNTERTRACE_H

#include "tests/support/tracebuild.h"

#define COUNTER_MS 1000000ull
#define COUNTER_START (100ull * 1000 * COUNTER_MS)
#define COUNTER_UNIX 1700000000000000000ull /* then */

/* i915's PMU, asked for each second, read after 1.000 s and, late, 1.107 s
 * later. By rows of `series`: */
enum {
	CT_RCS0,      /* busy 450.210 ms of 1.000 s, then 980.450 of 1.107 */
	CT_BCS0,      /* 12.105 ms, then nothing */
	CT_VCS0,      /* nothing, then 1.107 s and 20 us more, by when it was
		       * read */
	CT_FREQUENCY, /* integral: 1150 MHz, then 1150 MHz less rounding */
	CT_INTERRUPTS, /* 532, then 1107 */
	CT_RC6,       /* 500 ms, then 100 ms */
};
extern const struct tb_trace countertrace_i915;

/* Events of a CPU, three readings 1 s apart, with all that goes wrong; those
 * that were to be had in two epochs. */
enum {
	CT_CLOCK,        /* cpu-clock: 2 CPUs, both used for half of it */
	CT_CYCLES,       /* 2,000,000,000, then 1,000,000,000 */
	CT_INSTRUCTIONS, /* 3,000,000,000, then 500,000,000 */
	CT_BRANCHES,     /* counted 62.5 % of the time: 400,000 in all */
	CT_BRANCH_MISSES, /* 10,000 of them, then not counted */
	CT_FAULTS,       /* stepped back at the third reading */
	CT_FAILED,       /* could not be read at the second: 30 in all */
	CT_NONE,         /* cannot be had */
	CT_ENERGY,       /* 12.5 J, then 7.5 J */
};
extern const struct tb_trace countertrace_pmu;

/* `true` three times: 10, 11 and 12 ms of task-clock, 74 faults each; it took
 * twice its task-clock, 1 ms of that was in the kernel. */
extern const struct tb_trace countertrace_runs;

/* DRM clients by fdinfo, read at 0, 1 and 2 s, beside readings of a device:
 * glxgears (i915: render 400 ms, then a step back and 500 ms over both; video
 * with two engines, 1 s of 2), game (xe: a quarter of the cycles, then gone),
 * phone (msm: 300 M cycles a second of 600 MHz). */
extern const struct tb_trace countertrace_clients;

#endif
