#include "record/perf/event_kinds.h"

#include "format/base/mem.h"

#include <ctype.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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

static int named_parse(struct rec_event *e, const char *name, struct err *err)
{
	(void)err;
	for (size_t i = 0; i < ARRAY_LEN(nameds); i++) {
		const struct named *row = &nameds[i];

		if (strcasecmp(name, row->name) &&
		    (!row->alias || strcasecmp(name, row->alias)))
			continue;
		e->attr.type = row->type;
		e->attr.config = row->config;
		e->unit = row->unit;
		return 0;
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

/* Cache events: CACHE[-OP[-RESULT]], one byte of the config each. */

#define MAX_WORDS 6

#define CAN_LOAD (1u << PERF_COUNT_HW_CACHE_OP_READ)
#define CAN_STORE (1u << PERF_COUNT_HW_CACHE_OP_WRITE)
#define CAN_PREFETCH (1u << PERF_COUNT_HW_CACHE_OP_PREFETCH)
#define CAN_ALL (CAN_LOAD | CAN_STORE | CAN_PREFETCH)

struct words {
	const char *words[MAX_WORDS]; /* perf's name first, then aliases */
	unsigned int can;             /* of a cache: its operations */
};

static const struct words caches[] = {
	[PERF_COUNT_HW_CACHE_L1D] = {
		{ "L1-dcache", "L1-d", "L1d", "L1-data" }, CAN_ALL },
	[PERF_COUNT_HW_CACHE_L1I] = {
		{ "L1-icache", "L1-i", "L1i", "L1-instruction" },
		CAN_LOAD | CAN_PREFETCH },
	[PERF_COUNT_HW_CACHE_LL] = { { "LLC", "L2" }, CAN_ALL },
	[PERF_COUNT_HW_CACHE_DTLB] = {
		{ "dTLB", "d-tlb", "Data-TLB" }, CAN_ALL },
	[PERF_COUNT_HW_CACHE_ITLB] = {
		{ "iTLB", "i-tlb", "Instruction-TLB" }, CAN_LOAD },
	[PERF_COUNT_HW_CACHE_BPU] = {
		{ "branch", "branches", "bpu", "btb", "bpc" }, CAN_LOAD },
	[PERF_COUNT_HW_CACHE_NODE] = { { "node" }, CAN_ALL },
};

static const struct words ops[] = {
	[PERF_COUNT_HW_CACHE_OP_READ] = { { "load", "loads", "read" }, 0 },
	[PERF_COUNT_HW_CACHE_OP_WRITE] = { { "store", "stores", "write" }, 0 },
	[PERF_COUNT_HW_CACHE_OP_PREFETCH] = {
		{ "prefetch", "prefetches", "speculative-read",
		  "speculative-load" }, 0 },
};

static const struct words results[] = {
	[PERF_COUNT_HW_CACHE_RESULT_ACCESS] = {
		{ "refs", "Reference", "ops", "access" }, 0 },
	[PERF_COUNT_HW_CACHE_RESULT_MISS] = { { "misses", "miss" }, 0 },
};

/* Takes the longest word of `rows` off the front of *name, up to a '-' or the
 * end; false: none fits. */
static bool take_word(const char **name, const struct words *rows, size_t n,
		      size_t *row)
{
	size_t longest = 0;

	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j < MAX_WORDS && rows[i].words[j]; j++) {
			size_t len = strlen(rows[i].words[j]);
			char after;

			if (len <= longest ||
			    strncasecmp(*name, rows[i].words[j], len))
				continue;
			after = (*name)[len];
			if (after && after != '-')
				continue;
			longest = len;
			*row = i;
		}
	*name += longest;
	if (longest && **name == '-')
		++*name;
	return longest;
}

static int cache_parse(struct rec_event *e, const char *name, struct err *err)
{
	size_t cache, op = PERF_COUNT_HW_CACHE_OP_READ;
	size_t result = PERF_COUNT_HW_CACHE_RESULT_ACCESS;
	const char *at = name;

	if (!take_word(&at, caches, ARRAY_LEN(caches), &cache))
		return 1;
	(void)take_word(&at, ops, ARRAY_LEN(ops), &op);
	(void)take_word(&at, results, ARRAY_LEN(results), &result);
	if (*at || at[-1] == '-')
		return 1;
	if (!(caches[cache].can >> op & 1))
		return err_set(err, ERR_USAGE, "no such event: '%s' (%s has "
			       "no %s)", name, caches[cache].words[0],
			       ops[op].words[0]);
	e->attr.type = PERF_TYPE_HW_CACHE;
	e->attr.config = cache | op << 8 | result << 16;
	return 0;
}

/* As perf list writes them: "L1-dcache-loads", "L1-dcache-load-misses". */
static bool cache_name(size_t i, char to[REC_EVENT_NAME_MAX])
{
	size_t op = i % ARRAY_LEN(ops);
	size_t cache = i / ARRAY_LEN(ops) % ARRAY_LEN(caches);
	size_t result = i / ARRAY_LEN(ops) / ARRAY_LEN(caches);

	to[0] = 0;
	if (result >= ARRAY_LEN(results))
		return false;
	if (!(caches[cache].can >> op & 1))
		return true;
	if (result == PERF_COUNT_HW_CACHE_RESULT_ACCESS)
		snprintf(to, REC_EVENT_NAME_MAX, "%s-%s",
			 caches[cache].words[0], ops[op].words[1]);
	else
		snprintf(to, REC_EVENT_NAME_MAX, "%s-%s-misses",
			 caches[cache].words[0], ops[op].words[0]);
	return true;
}

static int raw_parse(struct rec_event *e, const char *name, struct err *err)
{
	size_t n;

	if (name[0] != 'r')
		return 1;
	for (n = 1; isxdigit((unsigned char)name[n]); n++)
		;
	if (n == 1 || name[n])
		return 1;
	if (n > 17)
		return err_set(err, ERR_USAGE, "raw event '%s' has more than "
			       "16 digits", name);
	e->attr.type = PERF_TYPE_RAW;
	e->attr.config = strtoull(name + 1, NULL, 16);
	return 0;
}

static int unsupported(const char *what, const char *name, struct err *err)
{
	return err_set(err, ERR_UNSUPPORTED,
		       "%s are not supported by this version: '%s'", what,
		       name);
}

static int group_parse(struct rec_event *e, const char *name, struct err *err)
{
	(void)e;
	if (!strpbrk(name, "{}"))
		return 1;
	return unsupported("event groups", name, err);
}

static int pmu_parse(struct rec_event *e, const char *name, struct err *err)
{
	(void)e;
	if (!strchr(name, '/'))
		return 1;
	return unsupported("events with terms", name, err);
}

static int breakpoint_parse(struct rec_event *e, const char *name,
			    struct err *err)
{
	(void)e;
	if (strncmp(name, "mem:", 4))
		return 1;
	return unsupported("breakpoint events", name, err);
}

static int tracepoint_parse(struct rec_event *e, const char *name,
			    struct err *err)
{
	const char *colon = strchr(name, ':');

	(void)e;
	if (!colon || colon == name || !colon[1])
		return 1;
	return unsupported("tracepoint events", name, err);
}

/* The first that knows the name has it: "branches" is a generic event before
 * it is a cache. */
const struct rec_event_kind rec_event_kinds[] = {
	{ group_parse, NULL },
	{ named_parse, named_name },
	{ cache_parse, cache_name },
	{ raw_parse, NULL },
	{ pmu_parse, NULL },
	{ breakpoint_parse, NULL },
	{ tracepoint_parse, NULL },
};

const size_t rec_n_event_kinds = ARRAY_LEN(rec_event_kinds);
