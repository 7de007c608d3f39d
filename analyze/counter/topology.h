/* Where the CPUs of a machine lie, as its trace tells (fact `cpu_places`). */
#ifndef ANALYZE_COUNTER_TOPOLOGY_H
#define ANALYZE_COUNTER_TOPOLOGY_H

#include "analyze/trace.h"

enum an_cpu_level {
	AN_CPU_LEVEL_ALL, /* all CPUs together */
	AN_CPU_LEVEL_ONE,
	AN_CPU_LEVEL_CORE,
	AN_CPU_LEVEL_DIE,
	AN_CPU_LEVEL_SOCKET,
	AN_CPU_LEVEL_NODE, /* of memory */
};

/* Numbers as the kernel gives them; those a level does not ask for are 0. */
struct an_cpu_place {
	uint32_t machine; /* as of a series */
	int32_t cpu, node, socket, die, core;
};

/* The place of a CPU of a machine; false: the trace does not tell it. CPUs one
 * by one, and all together, need nothing told. */
bool an_cpu_place_of(struct an_cpu_place *out, const struct an_trace *t,
		     enum an_cpu_level level, uint32_t machine, int32_t cpu);

int an_cpu_place_order(const struct an_cpu_place *a,
		       const struct an_cpu_place *b);

/* "S0-D0-C1", as perf stat has it; empty for all CPUs together. */
#define AN_CPU_PLACE_TEXT 48
void an_cpu_place_text(char to[AN_CPU_PLACE_TEXT], enum an_cpu_level level,
		       const struct an_cpu_place *p);

/* "core"; and how wide perf's column of it is. */
const char *an_cpu_place_word(enum an_cpu_level level);
int an_cpu_place_width(enum an_cpu_level level);

#endif
