#include "record/stat/stat.h"

#include "format/base/time.h"
#include "record/counter/counters.h"
#include "record/counter/pmu/pmu.h"
#include "record/loop.h"
#include "record/output.h"
#include "record/proc/facts.h"
#include "record/session.h"
#include "record/stat/elapsed.h"
#include "record/target/launch.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* How often readings are taken to the file. */
#define TICK_MS 100

struct stat {
	const struct rec_stat *how;
	struct rec_config *cfg;
	const struct log *log;
	struct rec_output output;
	struct rec_signals signals;
	struct rec_images images;
	struct rec_sink *sink;
	struct rec_defs defs;
	/* of the run at hand */
	struct rec_launch child;
	struct rec_pmu_config counted;
	struct rec_counters counters;
	struct rec_elapsed elapsed;
	uint64_t late, dropped;
	bool ended; /* by a signal: no further run */
};

static int open_file(struct stat *s, struct err *err)
{
	struct tf_file_info info = { .start_unix_ns = 0 };
	int rc = rec_output_open(&s->output, err);

	if (rc < 0)
		return rc;
	rec_output_info(&info);
	rc = rec_images_init(&s->images, err);
	if (rc == 0)
		rc = rec_sink_new(&s->sink, s->output.sink, &info, err);
	if (rc == 0)
		rc = rec_defs_init(&s->defs, s->sink, &s->images, "", 0,
				   time_now_ns(CLOCK_MONOTONIC), err);
	return rc;
}

static void write_begin(struct stat *s)
{
	const struct rec_config *c = s->cfg;

	rec_fact(&s->defs, "version", "%s", REC_VERSION);
	rec_fact_command(&s->defs, "command", c->argv);
	if (c->command)
		rec_fact_command(&s->defs, "workload", c->command);
	rec_fact(&s->defs, "target", "%s", rec_config_target(c));
	if (c->interval_ns)
		rec_fact(&s->defs, "interval", "%g",
			 (double)c->interval_ns / 1e6);
	if (s->how->runs > 1)
		rec_fact(&s->defs, "runs", "%" PRIu32, s->how->runs);
	rec_facts_machine(&s->defs);
	rec_clock_reading(&s->defs);
}

static int open_counters(struct stat *s, uint32_t run, struct err *err)
{
	struct rec_config *c = s->cfg;

	rec_config_count(c, s->child.pid, &s->counted);
	s->counted.run = s->how->runs > 1 ? run : 0;
	return rec_counters_open(&s->counters,
				 &(struct rec_counter_opening){
					 .root = "",
					 .interval_ns = c->interval_ns,
					 .pids = c->pids.items,
					 .n_pids = c->pids.n,
					 .log = s->log,
					 .pmu = &s->counted },
				 c->gpu_readings, &c->gpu, err);
}

static bool any_lives(const struct rec_ids_list *ids)
{
	for (size_t i = 0; i < ids->n; i++)
		if (!kill(ids->items[i], 0) || errno == EPERM)
			return true;
	return false;
}

static void take_readings(struct stat *s)
{
	uint64_t before = s->counters.rows.written;

	(void)rec_counters_poll(&s->counters, &s->defs);
	if (s->how->begun && s->counters.rows.written != before)
		rec_sink_flush(s->sink);
}

/* Until what is counted is over. */
static int wait_end(struct stat *s, struct err *err)
{
	const struct rec_config *c = s->cfg;
	uint64_t begin = time_now_ns(CLOCK_MONOTONIC);
	struct pollfd fds[] = { { .fd = s->signals.fd, .events = POLLIN },
				{ .fd = c->command ? s->child.pidfd : -1,
				  .events = POLLIN } };
	int rc = 1;

	while (rc > 0) {
		(void)poll(fds, 2, TICK_MS);
		take_readings(s);
		if (rec_signals_came(&s->signals)) {
			s->ended = true;
			return 0;
		}
		if (c->duration_ns && time_now_ns(CLOCK_MONOTONIC) - begin >=
					      c->duration_ns)
			return 0;
		if (rec_sink_failed(s->sink))
			return rec_sink_failure(s->sink, err);
		if (c->command)
			rc = rec_launch_ended(&s->child, err);
		else if (c->pids.n || c->tids.n)
			rc = any_lives(&c->pids) || any_lives(&c->tids);
	}
	return rc;
}

static int end_child(struct stat *s)
{
	if (s->child.pid)
		(void)rec_launch_wait(&s->child, SIGTERM, NULL);
	return s->child.status;
}

static int one_run(struct stat *s, uint32_t run, int *status, struct err *err)
{
	const struct rec_config *c = s->cfg;
	int rc = 0;

	if (c->command)
		rc = rec_launch_fork(&s->child, c->command, &s->signals.before,
				     -1, err);
	if (rc == 0)
		rc = open_counters(s, run, err);
	if (rc == 0 && !s->sink) {
		rc = open_file(s, err);
		if (rc == 0)
			write_begin(s);
		if (rc == 0 && s->how->begun)
			s->how->begun(s->how->ctx);
	}
	if (rc == 0)
		rc = rec_counters_begin(&s->counters, err);
	if (rc == 0)
		rec_elapsed_begin(&s->elapsed, &s->counters.readings,
				  c->command, s->counted.run);
	if (rc == 0 && c->command) {
		rc = rec_launch_go(&s->child, c->command, err);
		*status = s->child.status;
	}
	if (rc == 0) {
		rc = wait_end(s, err);
		rec_elapsed_end(&s->elapsed, &s->counters.readings);
		rec_counters_end(&s->counters, &s->defs);
		*status = end_child(s);
	}
	s->late += rec_counters_late(&s->counters);
	s->dropped += s->counters.readings.dropped;
	rec_launch_fini(&s->child);
	rec_counters_fini(&s->counters);
	return rc;
}

static int all_runs(struct stat *s, int *status, struct err *err)
{
	int rc = 0, first = 0;

	for (uint32_t i = 1; rc == 0 && !s->ended && i <= s->how->runs; i++) {
		rc = one_run(s, i, status, err);
		if (!first)
			first = *status;
	}
	*status = rc < 0 ? *status : first;
	return rc;
}

static int close_file(struct stat *s, int status, struct err *err)
{
	if (s->ended)
		rec_fact(&s->defs, "ended_by", "signal");
	if (s->cfg->command)
		rec_fact(&s->defs, "workload_exit", "%d", status);
	rec_fact_counters(&s->defs, s->late, s->dropped);
	rec_clock_reading(&s->defs);
	return rec_sink_close(s->sink, err);
}

static void fini(struct stat *s)
{
	rec_defs_fini(&s->defs);
	rec_images_fini(&s->images);
	rec_signals_restore(&s->signals);
}

int rec_stat_run(const struct rec_stat *how, int *status, struct err *err)
{
	struct stat *s = calloc(1, sizeof(*s));
	int rc, late;

	*status = REC_EXIT_FAILED;
	if (!s)
		return err_nomem(err);
	s->how = how;
	s->cfg = how->cfg;
	s->log = how->log;
	rc = rec_output_begin(&s->output, s->cfg->output, err);
	if (rc == 0)
		rc = rec_signals_take(&s->signals, err);
	if (rc == 0)
		rc = all_runs(s, status, err);
	late = s->sink ? close_file(s, *status, rc ? NULL : err) : 0;
	rec_sink_free(s->sink);
	if (rc == 0)
		rc = late;
	late = rec_output_close(&s->output, rc == 0, rc ? NULL : err);
	if (rc == 0)
		rc = late;
	if (rc < 0 && !*status)
		*status = REC_EXIT_FAILED;
	fini(s);
	free(s);
	return rc;
}
