/* Which events a command line asks for: words and globs as perf list takes
 * them. */
#ifndef RECORD_LIST_PATTERNS_H
#define RECORD_LIST_PATTERNS_H

#include "format/base/err.h"

#include <stdbool.h>
#include <stddef.h>

enum rec_listed_kind {
	REC_LISTED_SOFTWARE,
	REC_LISTED_HARDWARE,
	REC_LISTED_CACHE,
	REC_LISTED_PMU,
	REC_LISTED_FORM, /* not an event but a way to write some */
	REC_LISTED_TRACEPOINT,
	REC_LISTED_KINDS,
};

struct rec_pattern {
	const char *word;  /* as it was written */
	int kind;          /* an enum rec_listed_kind, -1: by name */
	char *glob;        /* for a name; owned */
	bool matched;      /* something so far */
};

struct rec_patterns {
	struct rec_pattern *items; /* none: all is asked for */
	size_t n;
};

/* "sw", "hw", "cache", "tracepoint", "pmu" and their long forms choose a kind.
 * All else is a glob, in any case, that matches a part of a name; with a colon
 * it matches the whole name. The words must outlive *p. */
int rec_patterns_init(struct rec_patterns *p, char *const *words, size_t n,
		      struct err *err);
void rec_patterns_fini(struct rec_patterns *p);

/* `alias` may be NULL. */
bool rec_patterns_match(struct rec_patterns *p, enum rec_listed_kind kind,
			const char *name, const char *alias);

/* Whether an event of this kind may match at all. */
bool rec_patterns_want(const struct rec_patterns *p, enum rec_listed_kind kind);

#endif
