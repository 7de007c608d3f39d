/* What is inside: for sched.c, which fills it, and walk.c. */
#ifndef ANALYZE_SCHED_SCHED_DATA_H
#define ANALYZE_SCHED_SCHED_DATA_H

#include "analyze/sched/sched.h"

enum an_sched_kind {
	AN_SCHED_SWITCH, /* a left the CPU, b got it; either may be AN_NONE */
	AN_SCHED_WAKE,   /* a was woken by b */
};

/* 32 bytes: a busy machine has millions. */
struct an_sched_row {
	uint64_t time;
	uint32_t a, b;   /* tasks */
	uint32_t place;  /* + 1, 0: none */
	uint32_t order;  /* in the file: settles equal times */
	uint32_t cpu;
	uint8_t kind;
	char letter;     /* of a switch: the state that a was left in */
	bool in_interrupt;
	bool done;       /* of a wake-up: it was done here, and may have been
			  * asked for elsewhere */
};

struct an_sched_place { uint32_t ip, kstack, ustack; uint8_t flags; };

/* Rows by what they are of: those of i are list[first[i]..first[i + 1]]. */
struct an_sched_lists {
	uint32_t *list;
	size_t *first;
	size_t n;
};

/* Times in which rows may be missing. */
struct an_sched_doubt {
	uint64_t from, to;
	uint64_t until;  /* the latest `to` of this one and all before it */
	int32_t cpu;     /* -1: any */
};

struct an_sched {
	const struct an_trace *t;
	struct an_tasks *tasks;
	struct an_sched_row *rows; /* by time */
	size_t n, cap;
	struct an_sched_place *places;
	size_t n_places, places_cap;
	struct an_sched_lists of_task, of_cpu;
	struct an_sched_doubt *doubts; /* by `from` */
	size_t n_doubts;
	bool switches, wakeups, wakings; /* whether there are such rows */
	uint64_t first, last; /* switch; of any row where there is none */
};

#endif
