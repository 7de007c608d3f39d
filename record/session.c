#include "record/session_state.h"

#include "format/base/time.h"
#include "record/proc/facts.h"
#include "record/tell.h"

#include <stdlib.h>
#include <unistd.h>

/* How long the end may wait for function names. */
#define NAMES_TIMEOUT_NS (20ull * NSEC_PER_SEC)
/* How long a signal may go unnoticed meanwhile. */
#define NAMES_STEP_NS (NSEC_PER_SEC / 10)

static int scan(struct rec_session *s, struct err *err)
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

static void look_at_files(struct rec_session *s)
{
	const struct rec_config *c = s->cfg;

	rec_fds_begin(&s->fds, &s->tracepoints, c->pids.items, c->pids.n,
		      false);
	if (s->child.pid)
		rec_fds_begin(&s->fds, &s->tracepoints, &s->child.pid, 1, true);
}

/* Side band on, then what ran before, then sampling: no sample meets a process
 * that nobody has heard of. */
static int begin(struct rec_session *s, struct err *err)
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

static int run(struct rec_session *s, struct err *err)
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
static uint64_t finish_names(struct rec_session *s)
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
static int finish(struct rec_session *s, struct err *err)
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
	rec_session_unnamed(s, rec_segments_unnamed(&s->segments, unnamed));
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

static void tell(struct rec_session *s)
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

static void fini(struct rec_session *s)
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
static void end_child(struct rec_session *s)
{
	int signal = s->ended == REC_LOOP_OUTPUT ? 0 : SIGTERM;

	if (!s->child.pid)
		return;
	rec_signals_restore(&s->signals);
	(void)rec_launch_wait(&s->child, signal, NULL);
}

/* A duration or a size that was asked for is an end in good order. */
static int exit_status(const struct rec_session *s)
{
	return s->ended == REC_LOOP_DURATION || s->ended == REC_LOOP_SIZE ?
		       REC_EXIT_DONE : s->child.status;
}

static int record(struct rec_session *s, int *status, struct err *err)
{
	int rc = rec_session_start(s, err), late;

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
	struct rec_session *s = calloc(1, sizeof(*s));
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
