#include "record/import/perfdata/events.h"

#include "format/base/mem.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* By config, of PERF_TYPE_HARDWARE and PERF_TYPE_SOFTWARE. */
static const char *const hardware[] = {
	"cycles", "instructions", "cache-references", "cache-misses",
	"branches", "branch-misses", "bus-cycles", "stalled-cycles-frontend",
	"stalled-cycles-backend", "ref-cycles",
};
static const char *const software[] = {
	"cpu-clock", "task-clock", "page-faults", "context-switches",
	"cpu-migrations", "minor-faults", "major-faults", "alignment-faults",
	"emulation-faults", "dummy", "bpf-output", "cgroup-switches",
};

/* Three bytes of config: which cache, what was done, with what result. */
static const char *const caches[] = { "L1-dcache", "L1-icache", "LLC", "dTLB",
				      "iTLB", "branch", "node" };
static const struct operation {
	const char *one, *many;
} operations[] = { { "load", "loads" },
		   { "store", "stores" },
		   { "prefetch", "prefetches" } };
static const char *const results[] = { "refs", "misses" };

static void cache_name(char to[REC_PD_NAME_MAX], uint64_t config)
{
	uint64_t cache = config & 255, op = config >> 8 & 255;
	uint64_t result = config >> 16 & 255;

	if (cache >= ARRAY_LEN(caches) || op >= ARRAY_LEN(operations) ||
	    result >= ARRAY_LEN(results))
		snprintf(to, REC_PD_NAME_MAX, "cache 0x%" PRIx64, config);
	else if (result)
		snprintf(to, REC_PD_NAME_MAX, "%s-%s-%s", caches[cache],
			 operations[op].one, results[result]);
	else
		snprintf(to, REC_PD_NAME_MAX, "%s-%s", caches[cache],
			 operations[op].many);
}

static void breakpoint_name(char to[REC_PD_NAME_MAX],
			    const struct perf_event_attr *a)
{
	snprintf(to, REC_PD_NAME_MAX, "mem:0x%" PRIx64 ":%s%s%s",
		 (uint64_t)a->bp_addr, a->bp_type & 1 ? "r" : "",
		 a->bp_type & 2 ? "w" : "", a->bp_type & 4 ? "x" : "");
}

static void base_name(char to[REC_PD_NAME_MAX], const struct perf_event_attr *a)
{
	const char *known = NULL;

	if (a->type == PERF_TYPE_HARDWARE && a->config < ARRAY_LEN(hardware))
		known = hardware[a->config];
	if (a->type == PERF_TYPE_SOFTWARE && a->config < ARRAY_LEN(software))
		known = software[a->config];
	if (known)
		snprintf(to, REC_PD_NAME_MAX, "%s", known);
	else if (a->type == PERF_TYPE_HW_CACHE)
		cache_name(to, a->config);
	else if (a->type == PERF_TYPE_BREAKPOINT)
		breakpoint_name(to, a);
	else if (a->type == PERF_TYPE_RAW)
		snprintf(to, REC_PD_NAME_MAX, "raw 0x%" PRIx64,
			 (uint64_t)a->config);
	else if (a->type == PERF_TYPE_TRACEPOINT)
		snprintf(to, REC_PD_NAME_MAX, "tracepoint %" PRIu64,
			 (uint64_t)a->config);
	else
		snprintf(to, REC_PD_NAME_MAX, "type %" PRIu32 " 0x%" PRIx64,
			 a->type, (uint64_t)a->config);
}

/* What perf writes behind the colon. Where something is left out, that guests
 * are is taken for granted and not shown. */
static void put_modifiers(char to[REC_PD_NAME_MAX],
			  const struct perf_event_attr *a)
{
	char m[16] = "";
	size_t n = 0, at = strlen(to);
	bool some = a->exclude_kernel || a->exclude_user || a->exclude_hv;

	if (some && !a->exclude_kernel)
		m[n++] = 'k';
	if (some && !a->exclude_user)
		m[n++] = 'u';
	if (some && !a->exclude_hv)
		m[n++] = 'h';
	for (unsigned i = 0; i < a->precise_ip; i++)
		m[n++] = 'p';
	if (a->exclude_host || a->exclude_guest == (n > 0)) {
		if (!a->exclude_host)
			m[n++] = 'H';
		if (!a->exclude_guest)
			m[n++] = 'G';
	}
	if (n)
		snprintf(to + at, REC_PD_NAME_MAX - at, ":%.*s", (int)n, m);
}

void rec_pd_event_name(char to[REC_PD_NAME_MAX],
		       const struct perf_event_attr *a)
{
	base_name(to, a);
	if (a->type == PERF_TYPE_HARDWARE || a->type == PERF_TYPE_SOFTWARE ||
	    a->type == PERF_TYPE_HW_CACHE || a->type == PERF_TYPE_RAW)
		put_modifiers(to, a);
}

/* Their period is time. */
static bool is_clock(const struct perf_event_attr *a)
{
	return a->type == PERF_TYPE_SOFTWARE &&
	       (a->config == PERF_COUNT_SW_CPU_CLOCK ||
		a->config == PERF_COUNT_SW_TASK_CLOCK);
}

static int set_tracepoint(struct rec_event *e, const struct rec_pd_format *f,
			  struct err *err)
{
	e->system = strdup(f->system);
	e->tracepoint = strdup(f->name);
	if (!e->name && asprintf(&e->name, "%s:%s", f->system, f->name) < 0)
		e->name = NULL;
	return e->system && e->tracepoint && e->name ? 0 : err_nomem(err);
}

/* Without a format a name "system:name" still says which it is. */
static int split_name(struct rec_event *e, struct err *err)
{
	const char *colon = e->name ? strchr(e->name, ':') : NULL;

	if (!colon || colon == e->name || !colon[1] || strchr(colon + 1, ':'))
		return 0;
	e->system = strndup(e->name, (size_t)(colon - e->name));
	e->tracepoint = strdup(colon + 1);
	return e->system && e->tracepoint ? 0 : err_nomem(err);
}

static int set_name(struct rec_event *e, const struct rec_pd_attr *attr,
		    struct err *err)
{
	char made[REC_PD_NAME_MAX];

	if (e->name)
		return 0;
	rec_pd_event_name(made, &attr->attr);
	e->name = strdup(made);
	return e->name ? 0 : err_nomem(err);
}

int rec_pd_event_make(struct rec_event *out, struct span *format,
		      const struct rec_pd_attr *attr, size_t index,
		      const struct rec_pd_tracing *tracing, struct err *err)
{
	struct rec_event e = {
		.unit = is_clock(&attr->attr) ? "ns" : "",
		.scale = 1,
		.leader = index,
		.attr = attr->attr,
	};
	const struct rec_pd_format *f = NULL;
	int rc = 0;

	*format = span_of(NULL, 0);
	if (attr->name) {
		e.name = strdup(attr->name);
		if (!e.name)
			return err_nomem(err);
	}
	if (attr->attr.type == PERF_TYPE_TRACEPOINT) {
		f = rec_pd_tracing_of(tracing, attr->attr.config);
		rc = f ? set_tracepoint(&e, f, err) : split_name(&e, err);
	}
	if (!rc)
		rc = set_name(&e, attr, err);
	if (rc) {
		rec_event_fini(&e);
		return rc;
	}
	if (f)
		*format = f->text;
	*out = e;
	return 0;
}
