/* Cache events: CACHE[-OP[-RESULT]], one byte of the config each. */
#include "record/perf/event/kind.h"

#include "format/base/mem.h"
#include "record/perf/event/hybrid.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

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

static int cache_parse(struct rec_events *to, const char *name,
		       struct err *err)
{
	size_t cache = PERF_COUNT_HW_CACHE_L1D;
	size_t op = PERF_COUNT_HW_CACHE_OP_READ;
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
	return rec_hybrid_append(to, name, PERF_TYPE_HW_CACHE,
				 cache | op << 8 | result << 16, err);
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

const struct rec_event_kind rec_kind_cache = { cache_parse, cache_name };
