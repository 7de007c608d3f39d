#include "record/about.h"

#include "format/base/time.h"
#include "record/proc/facts.h"
#include "record/session.h"
#include "record/stat/places.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <sys/resource.h>

static bool user_only(const struct rec_about *a)
{
	for (size_t i = 0; i < rec_perf_n_events(a->perf); i++)
		if (!rec_perf_event(a->perf, i)->attr.exclude_kernel)
			return false;
	return true;
}

/* Where this file belongs among those of the recording. */
static void write_segment(const struct rec_about *a)
{
	char id[2 * TF_FILE_ID_SIZE + 1];

	if (!a->cfg->split)
		return;
	for (size_t i = 0; i < TF_FILE_ID_SIZE; i++)
		snprintf(id + 2 * i, 3, "%02x", a->recording[i]);
	rec_fact(a->defs, "recording", "%s", id);
	rec_fact(a->defs, "segment", "%" PRIu32, a->segments->number);
}

/* What the texts of tracepoints refer to. */
static void write_tracing(const struct rec_about *a)
{
	const struct rec_tracepoints *t = a->defs->tracepoints;
	char path[PATH_MAX];

	if (!t || !t->tracefs)
		return;
	snprintf(path, sizeof(path), "%s/printk_formats", t->tracefs);
	rec_fact_file(a->defs, "printk_formats", t->root, path);
}

static void write_gpu(const struct rec_about *a)
{
	const struct rec_gpu_report *r = &a->cfg->gpu;
	char key[256];

	if (!r->asked)
		return;
	rec_fact(a->defs, "gpu.sources", "%s", rec_gpu_taken(r));
	for (size_t i = 0; i < r->n; i++) {
		snprintf(key, sizeof(key), "gpu.missing.%s",
			 r->missing[i].name);
		rec_fact(a->defs, key, "%s", r->missing[i].why);
	}
	rec_follow_facts(a->follow, a->defs, true);
}

/* What it stands for by --alias. */
static void write_alias(const struct rec_about *a, const struct rec_event *e)
{
	char key[NAME_MAX];

	if (!e->stands_for)
		return;
	snprintf(key, sizeof(key), "alias.%s:%s", e->system, e->tracepoint);
	rec_fact(a->defs, key, "%s", e->stands_for);
}

void rec_about_filters(struct rec_defs *d, const struct rec_event *events,
		       size_t n)
{
	const struct rec_event *first = NULL;
	size_t found = 0;
	char key[NAME_MAX];

	for (size_t i = 0; i < n; i++) {
		const struct rec_event *e = &events[i];

		if (!e->asked_filter)
			continue;
		snprintf(key, sizeof(key), "filter.%s:%s", e->system,
			 e->tracepoint);
		rec_fact(d, key, "%s", e->asked_filter);
		first = found++ ? first : e;
	}
	if (first)
		rec_fact(d, "note.filter", REC_FILTERED, first->name,
			 first->asked_filter, found);
}

void rec_about_begin(const struct rec_about *a)
{
	const struct rec_config *c = a->cfg;
	const struct rec_event *thinned;
	size_t n_thinned = rec_perf_n_thinned(a->perf, &thinned);
	struct rec_defs *d = a->defs;

	write_segment(a);
	rec_fact(d, "version", "%s", REC_VERSION);
	rec_fact_command(d, "command", c->argv);
	if (c->command)
		rec_fact_command(d, "workload", c->command);
	rec_fact(d, "target", "%s", rec_config_target(c));
	if (c->interval_ns)
		rec_fact(d, "interval", "%g", (double)c->interval_ns / 1e6);
	rec_fact(d, "ring_size", "%zu", rec_perf_ring_size(a->perf));
	if (!a->world->kernel.text && !user_only(a))
		rec_fact(d, "note.kernel_names",
			 "kallsyms shows no addresses: kernel functions have "
			 "no names");
	if (n_thinned)
		rec_fact(d, "note.thinned", REC_THINNED, thinned->name,
			 n_thinned);
	if (a->world->kernel.text)
		rec_fact(d, "kernel_text", "%#" PRIx64,
			 a->world->kernel.text);
	rec_facts_machine(d);
	if (c->per_cpu)
		rec_fact_places(d);
	write_tracing(a);
	write_gpu(a);
	rec_fds_facts(a->fds);
	for (size_t i = 0; i < rec_perf_n_events(a->perf); i++) {
		const struct rec_event *e = rec_perf_event(a->perf, i);

		if (e->attr.exclude_kernel)
			rec_fact(d, "user_only", "%s", e->name);
		write_alias(a, e);
		(void)rec_defs_event(d, i, e);
	}
	if (rec_perf_n_events(a->perf))
		rec_about_filters(d, rec_perf_event(a->perf, 0),
				  rec_perf_n_events(a->perf));
}

static uint64_t own_cpu_ns(void)
{
	struct rusage u;

	if (getrusage(RUSAGE_SELF, &u))
		return 0;
	return ((uint64_t)u.ru_utime.tv_sec + (uint64_t)u.ru_stime.tv_sec) *
		       NSEC_PER_SEC +
	       ((uint64_t)u.ru_utime.tv_usec + (uint64_t)u.ru_stime.tv_usec) *
		       1000;
}

void rec_about_end(const struct rec_about *a, const char *ended_by,
		   int exit_status, uint64_t unnamed)
{
	const struct rec_world *w = a->world;
	const struct rec_drain_totals t = rec_drain_totals(a->loop->drain);
	struct rec_defs *d = a->defs;

	rec_fact(d, "ended_by", "%s", ended_by);
	if (a->follow->left_out)
		rec_fact(d, "gpu.missing.threads", REC_TOO_MANY,
			 REC_FOLLOW_MAX);
	if (exit_status >= 0)
		rec_fact(d, "workload_exit", "%d", exit_status);
	if (w->escapes.found)
		rec_fact(d, "incomplete", REC_ESCAPED, w->escapes.found,
			 (int)w->escapes.pid, w->escapes.comm);
	rec_fact_counters(d, rec_counters_late(a->loop->counters),
			  a->loop->counters->readings.dropped);
	rec_fact(d, "recorder_cpu_ns", "%" PRIu64, own_cpu_ns());
	rec_fact(d, "recorder_wakeups", "%" PRIu64, a->loop->wakeups);
	rec_fact(d, "recorder_own_samples", "%" PRIu64, t.own_samples);
	if (t.cut_fields)
		rec_fact(d, "cut_fields", "%" PRIu64, t.cut_fields);
	rec_fact(d, "guessed_threads", "%" PRIu64, w->guessed);
	rec_fact(d, "unasked_addresses", "%" PRIu64, unnamed);
	rec_fact(d, "epochs", "%" PRIu32, rec_sink_epoch(d->sink) + 1);
}
