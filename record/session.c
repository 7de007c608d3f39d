#include "record/session.h"

#include "format/base/time.h"
#include "format/io.h"
#include "record/about.h"
#include "record/counter/counters.h"
#include "record/counter/pmu/pmu.h"
#include "record/drain/drain.h"
#include "record/gpu/follow.h"
#include "record/loop.h"
#include "record/mark/marks.h"
#include "record/output.h"
#include "record/proc/facts.h"
#include "record/proc/procfs.h"
#include "record/segment/segments.h"
#include "record/target/launch.h"
#include "record/tell.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

/* How long the end may wait for function names. */
#define NAMES_TIMEOUT_NS (20ull * NSEC_PER_SEC)
/* How long a signal may go unnoticed meanwhile. */
#define NAMES_STEP_NS (NSEC_PER_SEC / 10)

#define RECORDER_NICE (-15)

struct session {
	struct rec_config *cfg;
	const struct log *log;
	struct rec_output output;
	bool recorded; /* the file holds something worth keeping */
	struct rec_sink *sink;
	struct rec_world world;
	struct rec_defs defs;
	struct rec_names names;
	struct rec_stacks stacks;
	struct rec_losses losses;
	struct rec_tracepoints tracepoints;
	struct rec_perf *perf;
	struct rec_marks marks;
	struct rec_launch child;
	struct rec_signals signals;
	struct rec_drain drain;
	struct rec_follow follow;
	struct rec_fds fds;
	struct rec_pmu_config counted;
	struct rec_counters counters;
	struct rec_loop loop;
	struct rec_segments segments;
	struct rec_about about;
	enum rec_loop_end ended;
	uint64_t bytes; /* of all files */
};

/* Each tracepoint that is recorded has a table of its own. */
static int add_tables(struct session *s, struct err *err)
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
	struct session *s = ctx;

	rec_output_info(info);
	return rec_output_next(&s->output, out, err);
}

static int open_sink(struct session *s, struct err *err)
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

static int open_perf(struct session *s, struct err *err)
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

static int open_counters(struct session *s, struct err *err)
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

static int load_tracepoints(struct session *s, struct err *err)
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

static int open_stacks(struct session *s, struct err *err)
{
	uint64_t max_stack = 127; /* PERF_MAX_STACK_DEPTH */

	(void)rec_procfs_number(&max_stack, "",
				"/proc/sys/kernel/perf_event_max_stack");
	return rec_stacks_init(&s->stacks, &s->defs, &s->world.kernel,
			       &s->names, max_stack, err);
}

static int join_drain(struct session *s, struct err *err)
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

static void add_unnamed(struct session *s, uint64_t n)
{
	if (n)
		rec_losses_add(&s->losses, TF_LOSS_SYMBOLS, -1, -1, n);
}

/* What each file of a split recording ends and begins with, so that it stands
 * alone. */
static void end_segment(void *ctx, uint64_t unnamed)
{
	struct session *s = ctx;

	rec_loop_read_lost(&s->loop, false);
	add_unnamed(s, unnamed);
	rec_loop_write_losses(&s->loop);
	rec_clock_reading(&s->defs);
	rec_about_end(&s->about, "switch to the next file", -1,
		      rec_names_unanswered(&s->names));
}

static void begin_segment(void *ctx)
{
	struct session *s = ctx;

	rec_about_begin(&s->about);
	rec_clock_reading(&s->defs);
}

static void set_segments(struct session *s)
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

static void set_about(struct session *s)
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
static void run_ahead(struct session *s)
{
	if (setpriority(PRIO_PROCESS, 0, RECORDER_NICE))
		log_verbose(s->log, "cannot raise the recorder's priority");
}

/* Everything that can fail for a reason of the user's comes before the command
 * is let go. */
static int start(struct session *s, struct err *err)
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

static int scan(struct session *s, struct err *err)
{
	const struct rec_config *c = s->cfg;
	int rc = 0;

	if (c->system_wide)
		return rec_world_scan(&s->world, err);
	for (size_t i = 0; rc == 0 && i < c->pids.n; i++)
		rc = rec_world_scan_process(&s->world, c->pids.items[i], err);
	for (size_t i = 0; rc == 0 && i < c->tids.n; i++)
		rc = rec_world_scan_task(&s->world, c->tids.items[i], err);
	if (rc == 0 && s->child.pid)
		rc = rec_world_scan_process(&s->world, s->child.pid, err);
	return rc;
}

static void look_at_files(struct session *s)
{
	const struct rec_config *c = s->cfg;

	rec_fds_begin(&s->fds, &s->tracepoints, c->pids.items, c->pids.n,
		      false);
	if (s->child.pid)
		rec_fds_begin(&s->fds, &s->tracepoints, &s->child.pid, 1, true);
}

/* Side band on, then what ran before, then sampling: no sample meets a process
 * that nobody has heard of. */
static int begin(struct session *s, struct err *err)
{
	const struct rec_config *c = s->cfg;
	bool on_exec = !c->system_wide && c->command;
	int rc = rec_perf_enable_sideband(s->perf, err);

	if (rc == 0)
		rc = scan(s, err);
	if (rc == 0)
		rec_follow_begin(&s->follow, time_now_ns(CLOCK_MONOTONIC));
	if (rc == 0)
		look_at_files(s);
	if (rc == 0 && !c->delay_ns && !on_exec)
		rc = rec_drain_enable(&s->drain, err);
	if (rc == 0 && !c->delay_ns)
		rc = rec_counters_begin(&s->counters, err);
	if (rc == 0 && c->command)
		rc = rec_launch_go(&s->child, c->command, err);
	return rc;
}

static int run(struct session *s, struct err *err)
{
	s->loop = (struct rec_loop){
		.segments = &s->segments,
		.max_size = s->cfg->max_size,
		.drain = &s->drain,
		.names = &s->names,
		.marks = &s->marks,
		.follow = &s->follow,
		.fds = &s->fds,
		.counters = &s->counters,
		.child = s->cfg->command ? &s->child : NULL,
		.signals = &s->signals,
		.delay_ns = s->cfg->delay_ns,
		.duration_ns = s->cfg->duration_ns,
		.follow_tasks = !s->cfg->system_wide,
		.log = s->log,
	};
	return rec_loop_run(&s->loop, &s->ended, err);
}

/* The names that are still on their way, unless somebody is in a hurry. */
static uint64_t finish_names(struct session *s)
{
	uint64_t end = time_now_ns(CLOCK_MONOTONIC) + NAMES_TIMEOUT_NS;

	rec_sink_flush(s->sink);
	while (!rec_sink_failed(s->sink) &&
	       rec_names_wait(&s->names, NAMES_STEP_NS) &&
	       time_now_ns(CLOCK_MONOTONIC) < end &&
	       !rec_signals_came(&s->signals))
		;
	return rec_names_finish(&s->names);
}

/* Takes what the rings still hold, the names still on their way, and closes
 * the file. */
static int finish(struct session *s, struct err *err)
{
	uint64_t unnamed;
	int rc;

	rec_perf_disable(s->perf);
	rec_counters_end(&s->counters, &s->defs);
	do {
		rc = rec_drain_round(&s->drain, true, err);
	} while (rc == 1 && rec_sink_reserve_wait(s->sink));
	rec_loop_read_lost(&s->loop, true);
	unnamed = finish_names(s);
	add_unnamed(s, rec_segments_unnamed(&s->segments, unnamed));
	rec_marks_end(&s->marks, &s->defs, !s->child.pid);
	(void)rec_sink_reserve_wait(s->sink);
	rec_loop_write_losses(&s->loop);
	rec_clock_reading(&s->defs);
	rec_about_end(&s->about, rec_loop_end_text(s->ended),
		      s->cfg->command && s->ended == REC_LOOP_CHILD ?
			      s->child.status : -1, unnamed);
	if (rc < 0) {
		(void)rec_sink_close(s->sink, NULL);
		return rc;
	}
	return rec_sink_close(s->sink, err);
}

static void tell(struct session *s)
{
	const struct rec_ending e = {
		.output = &s->output,
		.losses = &s->losses,
		.world = &s->world,
		.perf = s->perf,
		.counters = &s->counters,
		.samples = rec_drain_totals(&s->drain).samples,
		.bytes = s->bytes,
		.by_size = s->ended == REC_LOOP_SIZE,
	};

	rec_tell(&e, s->log);
	rec_gpu_tell(&s->cfg->gpu, s->log);
}

static void fini(struct session *s)
{
	(void)rec_names_finish(&s->names);
	rec_perf_abandon(s->perf);
	rec_launch_fini(&s->child);
	rec_drain_fini(&s->drain);
	rec_counters_fini(&s->counters);
	rec_follow_fini(&s->follow);
	rec_fds_fini(&s->fds);
	rec_stacks_fini(&s->stacks);
	rec_losses_fini(&s->losses);
	rec_defs_fini(&s->defs);
	rec_tracepoints_fini(&s->tracepoints);
	rec_world_fini(&s->world);
	rec_signals_restore(&s->signals);
	rec_segments_fini(&s->segments);
	rec_marks_fini(&s->marks);
}

/* A command that outlives its recording is ended, as perf record does, so that
 * nothing goes on unseen; but a full disk is no reason to end somebody's
 * program. A signal ends the wait, and rec, at once. */
static void end_child(struct session *s)
{
	int signal = s->ended == REC_LOOP_OUTPUT ? 0 : SIGTERM;

	if (!s->child.pid)
		return;
	rec_signals_restore(&s->signals);
	(void)rec_launch_wait(&s->child, signal, NULL);
}

/* A duration or a size that was asked for is an end in good order. */
static int exit_status(const struct session *s)
{
	return s->ended == REC_LOOP_DURATION || s->ended == REC_LOOP_SIZE ?
		       REC_EXIT_DONE : s->child.status;
}

static int record(struct session *s, int *status, struct err *err)
{
	int rc = start(s, err), late;

	if (rc == 0)
		rc = begin(s, err);
	/* Only the command's failure to start has a status of its own. */
	if (s->child.status)
		*status = s->child.status;
	if (rc < 0)
		return rc;
	s->recorded = true;
	log_verbose(s->log, "recording");
	rc = run(s, err);
	late = finish(s, rc ? NULL : err);
	if (rc == 0)
		rc = late;
	if (rc < 0 && s->ended == REC_LOOP_OUTPUT && s->child.pid)
		log_warn(s->log, "the recording ended; '%s' goes on",
			 s->cfg->command[0]);
	end_child(s);
	*status = rc < 0 ? REC_EXIT_FAILED : exit_status(s);
	return rc;
}

int rec_session_run(struct rec_config *cfg, const struct log *log,
		    int *status, struct err *err)
{
	struct session *s = calloc(1, sizeof(*s));
	int rc, late;

	*status = REC_EXIT_FAILED;
	if (!s)
		return err_nomem(err);
	s->cfg = cfg;
	s->log = log;
	s->segments = (struct rec_segments){
		.on = cfg->split,
		.every_ns = cfg->split_ns,
		.every_bytes = cfg->split_size,
	};
	rc = record(s, status, err);
	if (s->sink)
		s->bytes = rec_sink_bytes(s->sink);
	rec_sink_free(s->sink);
	late = rec_output_close(&s->output, s->recorded, rc ? NULL : err);
	if (rc == 0 && late < 0) {
		*status = REC_EXIT_FAILED;
		rc = late;
	}
	if (rc == 0)
		tell(s);
	fini(s);
	free(s);
	return rc;
}
