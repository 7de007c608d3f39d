/* Series of single CPUs put together by where these lie, as perf stat's
 * --per-core does it: a group is of a place, an event and a run. */
#ifndef ANALYZE_COUNTER_GROUPS_H
#define ANALYZE_COUNTER_GROUPS_H

#include "analyze/counter/stat.h"
#include "analyze/counter/topology.h"

/* A series at a place. One that cannot be had is of no CPU and stands at each
 * place. */
struct an_member {
	struct an_cpu_place place;
	bool placed; /* false: it is of no CPU */
	bool copied; /* it stands at other places, too */
	uint32_t series, run;
};

struct an_group {
	size_t first, n; /* members */
	uint32_t order;  /* the least series of all its runs */
	uint32_t cpus;   /* that it was counted on, or those of its place */
};

struct an_by_place {
	const struct an_stat *s;
	enum an_cpu_level level;
	struct an_member *members;
	size_t n_members, cap;
	struct an_group *v; /* as they are printed; runs of one together */
	size_t n;
	bool more;      /* than what cannot be had */
	bool by_cpu;    /* something was counted so */
	bool cgroups;   /* something was counted in one */
	uint32_t *of;   /* by series: its group; AN_NONE: none, or several*/
	double *values; /* room for those of all runs */
};

/* `s` must outlive it. Series of a whole run are left out. ERR_UNSUPPORTED: the
 * trace does not tell where its CPUs lie, or counted none by itself. Release
 * with an_by_place_fini(), whatever comes back. */
int an_by_place_make(struct an_by_place *out, const struct an_stat *s,
		     enum an_cpu_level level, struct err *err);
void an_by_place_fini(struct an_by_place *g); /* a zeroed one is fine */

const struct an_member *an_group_member(const struct an_by_place *g,
					size_t group);

/* This group, and those behind it that are its further runs. */
size_t an_group_runs(const struct an_by_place *g, size_t group);

/* What its members came to together: counts are added up, levels are the mean
 * of theirs. false: none of them has a row in the tick, and none is one that
 * cannot be had, which has one in each. */
bool an_group_row_of_tick(struct an_stat_row *out, const struct an_by_place *g,
			  size_t group, uint32_t tick);
void an_group_row_of_total(struct an_stat_row *out, const struct an_by_place *g,
			   size_t group);
/* The mean of all its runs; *spread as an_spread() has it. */
void an_group_row_of_runs(struct an_stat_row *out, const struct an_by_place *g,
			  size_t group, double *spread);

#endif
