/* The events that can be named, each with what it needs to be recorded. */
#ifndef RECORD_LIST_LIST_H
#define RECORD_LIST_LIST_H

#include "format/base/arena.h"
#include "format/base/err.h"
#include "record/doctor/machine.h"
#include "record/list/patterns.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define REC_NO_PMU SIZE_MAX

struct rec_listed {
	enum rec_listed_kind kind;
	const char *name;
	const char *alias; /* NULL: none, as the next three */
	const char *needs; /* NULL: usable now */
	const char *unit;
	const char *scale; /* as the kernel writes it; NULL: 1 */
	bool user_only;    /* usable, but not in the kernel */
	size_t pmu;        /* in rec_list.pmus, or REC_NO_PMU */
};

struct rec_pmu_format {
	const char *name;
	const char *bits; /* "config:0-20" */
};

struct rec_pmu {
	const char *name;
	const char *cpus; /* those on which it counts; NULL: any */
	uint64_t type;
	struct rec_pmu_format *formats; /* by name */
	size_t n_formats;
	size_t formats_cap;
};

struct rec_list {
	const struct rec_machine *m;
	struct rec_patterns *patterns;
	struct arena texts;
	struct rec_listed *items; /* by kind, then by name */
	size_t n;
	size_t cap;
	struct rec_pmu *pmus;     /* by name; also those of no listed event */
	size_t n_pmus;
	size_t pmus_cap;
	const char *no_tracepoints; /* why they cannot even be listed */
};

/* All that matches. Both pointers must outlive *l, the patterns take notes.
 * On failure *l is empty. */
int rec_list_make(struct rec_list *l, const struct rec_machine *m,
		  struct rec_patterns *patterns, struct err *err);
void rec_list_fini(struct rec_list *l);

/* For those that collect, below. */

/* Adds one where it matches: 0, 1 not asked for, or a failure; then *out may
 * be filled up. The name is copied. */
int rec_list_add(struct rec_list *l, enum rec_listed_kind kind,
		 const char *name, const char *alias, struct rec_listed **out,
		 struct err *err);

/* Fills `needs` and `user_only` for the event `text`, on the CPU that a
 * system-wide one counts on, or -1. Of a form only what holds for any of its
 * events. */
int rec_list_needs(struct rec_list *l, const char *text, int cpu,
		   struct rec_listed *item, struct err *err);

int rec_list_named(struct rec_list *l, struct err *err);
int rec_list_pmus(struct rec_list *l, struct err *err);
int rec_list_forms(struct rec_list *l, struct err *err);
int rec_list_tracepoints(struct rec_list *l, struct err *err);

#endif
