/* Events that the kernel counts under a name of its own. */
#include "record/perf/event/kind.h"

#include "format/base/mem.h"
#include "record/perf/event/hybrid.h"

#include <stdint.h>
#include <stdio.h>
#include <strings.h>

/* PERF_COUNT_SW_CGROUP_SWITCHES, newer than some headers. */
#define SW_CGROUP_SWITCHES 11

static const struct named {
	const char *name, *alias;
	uint32_t type;
	uint64_t config;
	const char *unit;
} nameds[] = {
#define SW(n, al, c, u) { n, al, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_##c, u }
#define HW(n, al, c) { n, al, PERF_TYPE_HARDWARE, PERF_COUNT_HW_##c, "" }
	SW("cpu-clock", NULL, CPU_CLOCK, "ns"),
	SW("task-clock", NULL, TASK_CLOCK, "ns"),
	SW("page-faults", "faults", PAGE_FAULTS, ""),
	SW("minor-faults", NULL, PAGE_FAULTS_MIN, ""),
	SW("major-faults", NULL, PAGE_FAULTS_MAJ, ""),
	SW("context-switches", "cs", CONTEXT_SWITCHES, ""),
	SW("cpu-migrations", "migrations", CPU_MIGRATIONS, ""),
	SW("alignment-faults", NULL, ALIGNMENT_FAULTS, ""),
	SW("emulation-faults", NULL, EMULATION_FAULTS, ""),
	SW("bpf-output", NULL, BPF_OUTPUT, ""),
	{ "cgroup-switches", NULL, PERF_TYPE_SOFTWARE, SW_CGROUP_SWITCHES,
	  "" },
	SW("dummy", NULL, DUMMY, ""),
	HW("cycles", "cpu-cycles", CPU_CYCLES),
	HW("instructions", NULL, INSTRUCTIONS),
	HW("cache-references", NULL, CACHE_REFERENCES),
	HW("cache-misses", NULL, CACHE_MISSES),
	HW("branches", "branch-instructions", BRANCH_INSTRUCTIONS),
	HW("branch-misses", NULL, BRANCH_MISSES),
	HW("bus-cycles", NULL, BUS_CYCLES),
	HW("ref-cycles", NULL, REF_CPU_CYCLES),
	HW("stalled-cycles-frontend", "idle-cycles-frontend",
	   STALLED_CYCLES_FRONTEND),
	HW("stalled-cycles-backend", "idle-cycles-backend",
	   STALLED_CYCLES_BACKEND),
#undef SW
#undef HW
};

static int append(struct rec_events *to, const char *name,
		  const struct named *row, struct err *err)
{
	struct rec_event *e;

	if (row->type == PERF_TYPE_HARDWARE)
		return rec_hybrid_append(to, name, row->type, row->config, err);
	e = rec_events_append(to, NULL, err);
	if (!e)
		return ERR_NOMEM;
	e->attr.type = row->type;
	e->attr.config = row->config;
	e->unit = row->unit;
	return 0;
}

static int named_parse(struct rec_events *to, const char *name,
		       struct err *err)
{
	for (size_t i = 0; i < ARRAY_LEN(nameds); i++) {
		const struct named *row = &nameds[i];

		if (strcasecmp(name, row->name) &&
		    (!row->alias || strcasecmp(name, row->alias)))
			continue;
		return append(to, name, row, err);
	}
	return 1;
}

/* Names first, then their aliases. */
static bool named_name(size_t i, char to[REC_EVENT_NAME_MAX])
{
	size_t n = ARRAY_LEN(nameds);
	const char *name;

	if (i >= 2 * n)
		return false;
	name = i < n ? nameds[i].name : nameds[i - n].alias;
	snprintf(to, REC_EVENT_NAME_MAX, "%s", name ? name : "");
	return true;
}

const struct rec_event_kind rec_kind_named = { named_parse, named_name };
