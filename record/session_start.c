#include "record/session_state.h"

#include "format/base/time.h"
#include "format/io.h"
#include "record/counter/pmu/pmu.h"
#include "record/proc/facts.h"
#include "record/proc/procfs.h"

#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#define RECORDER_NICE (-15)

/* Each tracepoint that is recorded has a table of its own. */
static int add_tables(struct rec_session *s, struct err *err)
{
	const struct rec_tracepoints *t = &s->tracepoints;
	const struct tf_table **tables;
	int rc;

	if (!t->tables.n)
		return 0;
	tables = calloc(t->tables.n, sizeof(*tables));
	if (!tables)
		return err_nomem(err);
	for (size_t i = 0; i < t->tables.n; i++)
		tables[i] = &t->tables.items[i]->table;
	rc = rec_sink_add_tables(s->sink, tables, t->tables.n, err);
	free(tables);
	return rc;
}

/* On the writer thread, which has the output to itself. */
static int next_file(void *ctx, struct tf_sink **out, struct tf_file_info *info,
		     struct err *err)
{
	struct rec_session *s = ctx;

	rec_output_info(info);
	return rec_output_next(&s->output, out, err);
}

static int open_sink(struct rec_session *s, struct err *err)
{
	struct tf_file_info info = { .start_unix_ns = 0 };
	int rc = rec_output_open(&s->output, err);

	if (rc < 0)
		return rc;
	rec_output_info(&info);
	memcpy(s->about.recording, info.file_id, sizeof(info.file_id));
	rc = rec_sink_new(&s->sink, s->output.sink, &info, err);
	if (rc == 0)
		rc = add_tables(s, err);
	if (rc == 0)
		rc = rec_defs_init(&s->defs, s->sink, &s->world.images, "",
				   s->cfg->events.n,
				   time_now_ns(CLOCK_MONOTONIC), err);
	s->world.defs = &s->defs;
	s->defs.tracepoints = &s->tracepoints;
	return rc;
}

static int open_perf(struct rec_session *s, struct err *err)
{
	const struct rec_config *c = s->cfg;
	struct rec_perf_config p = {
		.events = &c->events,
		.system_wide = c->system_wide,
		.pids = c->pids.items,
		.n_pids = c->pids.n,
		.pids_may_end = c->pids_may_end,
		.tids = c->tids.items,
		.n_tids = c->tids.n,
		.child = c->system_wide ? 0 : s->child.pid,
		.cpus = c->cpus.items,
		.n_cpus = c->cpus.n,
		.frequency = c->frequency,
		.frequency_default = !c->frequency_named,
		.period = c->period,
		.callchain = c->callchain,
		.ring_size = c->ring_size,
		.inherit = c->inherit,
		.enable_on_exec = !c->system_wide && c->command && !c->delay_ns,
		.log = s->log,
	};

	return rec_perf_open(&s->perf, &p, err);
}

static int open_counters(struct rec_session *s, struct err *err)
{
	struct rec_config *c = s->cfg;
	const struct rec_counter_opening how = {
		.root = "",
		.interval_ns = c->interval_ns,
		.pids = c->pids.items,
		.n_pids = c->pids.n,
		.log = s->log,
		.pmu = &s->counted,
	};

	rec_config_count(c, s->child.pid, &s->counted);
	return rec_counters_open(&s->counters, &how, c->gpu_readings, &c->gpu,
				 err);
}

static int load_tracepoints(struct rec_session *s, struct err *err)
{
	size_t n = rec_perf_n_events(s->perf);
	const struct rec_event **events = calloc(n + 1, sizeof(*events));
	int rc;

	if (!events)
		return err_nomem(err);
	for (size_t i = 0; i < n; i++)
		events[i] = rec_perf_event(s->perf, i);
	rc = rec_tracepoints_load(&s->tracepoints, events, n, "", err);
	free(events);
	return rc;
}

static int open_stacks(struct rec_session *s, struct err *err)
{
	uint64_t max_stack = 127; /* PERF_MAX_STACK_DEPTH */

	(void)rec_procfs_number(&max_stack, "",
				"/proc/sys/kernel/perf_event_max_stack");
	return rec_stacks_init(&s->stacks, &s->defs, &s->world.kernel,
			       &s->names, max_stack, err);
}

static int join_drain(struct rec_session *s, struct err *err)
{
	s->drain.from = (struct rec_sources){
		.perf = s->perf,
		.world = &s->world,
		.losses = &s->losses,
		.tracepoints = &s->tracepoints,
		.own_pid = getpid(),
		.symbols_pid = rec_names_pid(&s->names),
		.keep_own = s->cfg->keep_self,
		.kernel_counts_loss =
			rec_perf_sample_layout(s->perf)->read_format &
			PERF_FORMAT_LOST,
	};
	return rec_drain_init(&s->drain, &s->defs, &s->stacks,
			      rec_drain_n_shards(s->perf,
						 s->cfg->drain_threads),
			      err);
}

void rec_session_unnamed(struct rec_session *s, uint64_t n)
{
	if (n)
		rec_losses_add(&s->losses, TF_LOSS_SYMBOLS, -1, -1, n);
}

/* What each file of a split recording ends and begins with, so that it stands
 * alone. */
static void end_segment(void *ctx, uint64_t unnamed)
{
	struct rec_session *s = ctx;

	rec_loop_read_lost(&s->loop, false);
	rec_session_unnamed(s, unnamed);
	rec_loop_write_losses(&s->loop);
	rec_clock_reading(&s->defs);
	rec_about_end(&s->about, "switch to the next file", -1,
		      rec_names_unanswered(&s->names));
}

static void begin_segment(void *ctx)
{
	struct rec_session *s = ctx;

	rec_about_begin(&s->about);
	rec_clock_reading(&s->defs);
}

static void set_segments(struct rec_session *s)
{
	struct rec_segments *g = &s->segments;
	const struct rec_sink_next next = { next_file, s };

	g->defs = &s->defs;
	g->names = &s->names;
	g->end = end_segment;
	g->begin = begin_segment;
	g->ctx = s;
	rec_sink_set_next(s->sink, &next);
	rec_segments_begin(g, time_now_ns(CLOCK_MONOTONIC));
}

static void set_about(struct rec_session *s)
{
	s->follow = (struct rec_follow){
		.perf = s->perf, .drain = &s->drain, .log = s->log, .root = "",
		.command = s->child.pid };
	s->about.cfg = s->cfg;
	s->about.defs = &s->defs;
	s->about.perf = s->perf;
	s->about.world = &s->world;
	s->about.loop = &s->loop;
	s->about.segments = &s->segments;
	s->about.follow = &s->follow;
	s->fds = (struct rec_fds){ .root = "", .defs = &s->defs };
	s->about.fds = &s->fds;
}

/* A recorder that waits for its turn behind a busy machine's programs loses
 * what it came for (measured: 12 % of the samples of 2,000 runnable threads,
 * no names in the first 6 s). It needs little, so it goes first where it may;
 * the command, forked before, does not. */
static void run_ahead(struct rec_session *s)
{
	if (setpriority(PRIO_PROCESS, 0, RECORDER_NICE))
		log_verbose(s->log, "cannot raise the recorder's priority");
}

int rec_session_start(struct rec_session *s, struct err *err)
{
	const struct rec_config *c = s->cfg;
	int rc = rec_output_begin(&s->output, c->output, err);

	if (c->split)
		rec_output_split(&s->output, c->max_files);
	if (rc == 0)
		rc = rec_signals_take(&s->signals, err);
	if (rc == 0)
		rc = rec_segments_take(&s->segments, err);
	if (rc == 0)
		rc = rec_marks_init(&s->marks, "", c->trace_marker,
				    c->mark_regex, s->log, err);
	if (rc == 0 && c->command)
		rc = rec_launch_fork(&s->child, c->command,
				     &s->signals.before,
				     rec_marks_command_fd(&s->marks), err);
	rec_marks_command_forked(&s->marks);
	if (rc == 0)
		rc = rec_world_init(&s->world, "", err);
	if (rc < 0)
		return rc;
	s->world.escapes.watching = !c->system_wide;
	run_ahead(s);
	/* Before the writer thread and the events exist: a child should have
	 * neither. */
	rec_names_start(&s->names, &s->defs, "", s->log);
	rc = open_perf(s, err);
	if (rc == 0)
		rc = open_counters(s, err);
	if (rc == 0)
		rc = load_tracepoints(s, err);
	if (rc == 0)
		rc = open_sink(s, err); /* nothing was touched until here */
	if (rc == 0)
		rc = open_stacks(s, err);
	if (rc < 0)
		return rc;
	rc = join_drain(s, err);
	if (rc < 0)
		return rc;
	set_segments(s);
	set_about(s);
	begin_segment(s);
	return rec_marks_begin(&s->marks, &s->defs, err);
}
