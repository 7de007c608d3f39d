#include "record/stat/stat.h"

#include "format/base/time.h"
#include "record/about.h"
#include "record/counter/counters.h"
#include "record/counter/pmu/pmu.h"
#include "record/loop.h"
#include "record/output.h"
#include "record/proc/facts.h"
#include "record/session.h"
#include "record/stat/elapsed.h"
#include "record/stat/hook.h"
#include "record/stat/places.h"
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
	bool ended;     /* by a signal: no further run */
	bool timed_out; /* the run at hand, by the time that was set */
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
	for (size_t i = 0; i < c->gpu.n; i++) {
		char key[256];

		snprintf(key, sizeof(key), "counter.missing.%s",
			 c->gpu.missing[i].name);
		rec_fact(&s->defs, key, "%s", c->gpu.missing[i].why);
	}
	rec_about_filters(&s->defs, s->counted.events->items,
			  s->counted.events->n);
	if (c->per_cpu)
		rec_fact_places(&s->defs);
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
					 .intervals = s->how->intervals,
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

/* ms until `at_ns`, 0: it has come; TICK_MS at most, and where there is no
 * end. */
static int left(uint64_t at_ns)
{
	uint64_t now = time_now_ns(CLOCK_MONOTONIC);
	uint64_t ms;

	if (at_ns && now >= at_ns)
		return 0;
	ms = at_ns ? (at_ns - now + 999999) / 1000000 : TICK_MS;
	return ms < TICK_MS ? (int)ms : TICK_MS;
}

/* 0: what is counted is over; 1: it is not. */
static int look(struct stat *s, struct err *err)
{
	const struct rec_config *c = s->cfg;

	if (rec_signals_came(&s->signals)) {
		s->ended = true;
		return 0;
	}
	if (rec_sink_failed(s->sink))
		return rec_sink_failure(s->sink, err);
	if (c->command)
		return rec_launch_ended(&s->child, err);
	if (c->pids.n || c->tids.n)
		return any_lives(&c->pids) || any_lives(&c->tids);
	return 1;
}

/* Until what is counted is over (0), or so much time is (1); 0: no limit. */
static int wait_for(struct stat *s, uint64_t limit_ns, struct err *err)
{
	uint64_t end = limit_ns ? time_now_ns(CLOCK_MONOTONIC) + limit_ns : 0;
	struct pollfd fds[] = { { .fd = s->signals.fd, .events = POLLIN },
				{ .fd = s->cfg->command ? s->child.pidfd : -1,
				  .events = POLLIN } };
	int rc = 1;

	while (rc > 0) {
		(void)poll(fds, 2, left(end));
		take_readings(s);
		rc = look(s, err);
		if (rc > 0 && !left(end))
			return 1;
		/* A command goes on uncounted. */
		if (rc > 0 && !s->cfg->command &&
		    rec_counters_done(&s->counters))
			return 0;
	}
	return rc;
}

static int begin(struct stat *s, struct err *err)
{
	int rc = rec_counters_begin(&s->counters, err);

	if (rc == 0)
		rec_elapsed_begin(&s->elapsed, &s->counters.readings,
				  s->cfg->command, s->counted.run);
	return rc;
}

/* From when the command runs. */
static int measure(struct stat *s, struct err *err)
{
	const struct rec_config *c = s->cfg;
	int rc = 1;

	if (c->delay_ns) {
		rc = wait_for(s, c->delay_ns, err);
		if (rc == 0)
			log_warn(s->log, "it was over before the delay of -D: "
					 "nothing was counted");
		if (rc >= 0 && begin(s, err) < 0)
			return err->code;
	}
	if (rc > 0)
		rc = wait_for(s, c->duration_ns, err);
	s->timed_out = rc > 0;
	return rc < 0 ? rc : 0;
}

static int end_child(struct stat *s)
{
	if (s->child.pid)
		(void)rec_launch_wait(&s->child, SIGTERM, NULL);
	return s->child.status;
}

/* What the command took of the CPU is known when its end has been taken. */
static void end_run(struct stat *s, int *status)
{
	uint64_t end_ns = time_now_ns(CLOCK_MONOTONIC);

	rec_counters_end(&s->counters, &s->defs);
	*status = end_child(s);
	if (s->timed_out)
		*status = 0;
	rec_elapsed_end(&s->elapsed, &s->counters.readings, end_ns);
	while (!rec_counters_poll(&s->counters, &s->defs) &&
	       rec_sink_reserve_wait(s->sink))
		;
}

static int before_run(struct stat *s, struct err *err)
{
	int rc = 0;

	if (s->how->pre)
		rc = rec_hook_run("--pre", s->how->pre, &s->signals.before,
				  err);
	if (rc == 0 && s->how->sync)
		sync();
	s->ended |= rec_signals_came(&s->signals);
	if (rc == 0 && s->ended && !s->sink)
		return err_set(err, ERR_IO, "ended by a signal before there "
			       "was a run");
	return rc;
}

static int prepare(struct stat *s, uint32_t run, struct err *err)
{
	const struct rec_config *c = s->cfg;
	int rc = 0;

	if (c->command)
		rc = rec_launch_fork(&s->child, c->command, &s->signals.before,
				     -1, err);
	if (rc == 0)
		rc = open_counters(s, run, err);
	if (rc < 0 || s->sink)
		return rc;
	rc = open_file(s, err);
	if (rc < 0)
		return rc;
	write_begin(s);
	if (s->how->begun)
		s->how->begun(s->how->ctx);
	return 0;
}

static int one_run(struct stat *s, uint32_t run, int *status, struct err *err)
{
	const struct rec_config *c = s->cfg;
	int rc = prepare(s, run, err);

	if (rc == 0 && !c->delay_ns)
		rc = begin(s, err);
	if (rc == 0 && c->command) {
		rc = rec_launch_go(&s->child, c->command, err);
		*status = s->child.status;
	}
	if (rc == 0) {
		rc = measure(s, err);
		end_run(s, status);
	}
	s->late += rec_counters_late(&s->counters);
	s->dropped += s->counters.readings.dropped;
	rec_launch_fini(&s->child);
	rec_counters_fini(&s->counters);
	if (rc == 0 && s->how->post)
		rc = rec_hook_run("--post", s->how->post, &s->signals.before,
				  err);
	return rc;
}

static int all_runs(struct stat *s, int *status, struct err *err)
{
	int rc = 0, first = 0;

	for (uint32_t i = 1; rc == 0 && !s->ended && i <= s->how->runs; i++) {
		rc = before_run(s, err);
		if (rc < 0 || s->ended)
			break;
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
	else if (s->timed_out)
		rec_fact(&s->defs, "ended_by", "duration");
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
