#include "record/loop.h"

#include "format/base/time.h"
#include "record/proc/facts.h"

#include <errno.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

/* What is in a ring dies with the recorder, so rings are drained by the clock,
 * not only when they fill. */
#define TICK_NS 100000000ull
/* A kill may cost a tick, this, and the time to write. */
#define FLUSH_NS 800000000ull
#define NAMES_FLUSH_NS 200000000ull
#define SAME_SIGNAL_NS 20000000
#define CLOCK_READING_NS (5 * (uint64_t)NSEC_PER_SEC)

int rec_signals_take(struct rec_signals *s, struct err *err)
{
	struct sigaction hup;
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	/* Under nohup a hang-up means nothing, but one that is ignored and
	 * blocked would come all the same. */
	if (sigaction(SIGHUP, NULL, &hup) == 0 && hup.sa_handler != SIG_IGN)
		sigaddset(&set, SIGHUP);
	/* A reader that went away is a failed write, not a death. */
	sigaddset(&set, SIGPIPE);
	sigprocmask(SIG_BLOCK, &set, &s->before);
	sigdelset(&set, SIGPIPE);
	s->fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	if (s->fd < 0)
		return err_sys(err, errno, "cannot take signals");
	return 0;
}

void rec_signals_restore(struct rec_signals *s)
{
	const struct timespec none = { 0 };
	sigset_t pipe;

	if (s->fd <= 0)
		return;
	close(s->fd);
	s->fd = 0;
	/* One that waits is of a write whose failure was reported. */
	sigemptyset(&pipe);
	sigaddset(&pipe, SIGPIPE);
	(void)sigtimedwait(&pipe, NULL, &none);
	sigprocmask(SIG_SETMASK, &s->before, NULL);
}

bool rec_signals_came(struct rec_signals *s)
{
	struct signalfd_siginfo info;

	return read(s->fd, &info, sizeof(info)) == sizeof(info);
}

const char *rec_loop_end_text(enum rec_loop_end end)
{
	static const char *const texts[] = {
		[REC_LOOP_CHILD] = "command ended",
		[REC_LOOP_TASKS] = "recorded processes ended",
		[REC_LOOP_SIGNAL] = "signal",
		[REC_LOOP_DURATION] = "duration",
		[REC_LOOP_SIZE] = "size",
		[REC_LOOP_OUTPUT] = "output failed",
	};

	return texts[end];
}

static const struct rec_event *event_of(void *ctx, int event)
{
	const struct rec_loop *l = ctx;

	return rec_perf_event(l->drain->from.perf, (size_t)event);
}

void rec_loop_write_losses(struct rec_loop *l)
{
	rec_losses_write(l->drain->from.losses, l->drain->shards[0].defs, event_of, l,
			 time_now_ns(CLOCK_MONOTONIC));
}

static void on_lost(void *ctx, int event, int cpu, uint64_t more)
{
	struct rec_loop *l = ctx;

	rec_losses_add(l->drain->from.losses,
		       event < 0 ? TF_LOSS_SIDEBAND : TF_LOSS_RING, event, cpu,
		       more);
	l->missed |= event < 0;
}

void rec_loop_read_lost(struct rec_loop *l, bool last)
{
	struct err err = { 0 };
	int rc = rec_perf_read_lost(l->drain->from.perf, on_lost, l, &err);

	if (rc < 0)
		log_verbose(l->log, "cannot read loss counts: %s", err.text);
	/* Mappings were missed: look again at what is mapped now. */
	if (l->missed)
		(void)rec_world_scan(l->drain->from.world, NULL);
	l->missed = false;
	if (rc && last)
		rec_losses_add(l->drain->from.losses, TF_LOSS_UNKNOWN_END, -1, -1,
			       0);
}

/* Nothing is known of a CPU between two looks, so each tells of a gap. */
static void on_cpu(void *ctx, int cpu, bool back)
{
	struct rec_loop *l = ctx;

	rec_losses_add(l->drain->from.losses, TF_LOSS_CPU_OFFLINE, -1, cpu, 0);
	log_warn(l->log, back ? "CPU %d came back and is recorded again" :
				"CPU %d is offline or was when the recording "
				"began: it is not recorded", cpu);
}

/* While no shard drains: ids of events change. */
static void check_cpus(struct rec_loop *l)
{
	struct err err = { 0 };

	if (rec_perf_check_cpus(l->drain->from.perf, on_cpu, l, &err))
		log_warn(l->log, "%s", err.text);
}

static int watch(struct rec_loop *l, int fd, struct err *err)
{
	struct epoll_event e = { .events = EPOLLIN, .data.fd = fd };

	if (fd < 0 || epoll_ctl(l->epoll, EPOLL_CTL_ADD, fd, &e) == 0)
		return 0;
	return err_sys(err, errno, "cannot watch a descriptor");
}

/* By its edge: what is left in the queue waits for the next tick, so that
 * whoever sends without end does not keep the loop busy. */
static int watch_marks(struct rec_loop *l, struct err *err)
{
	struct epoll_event e = { .events = EPOLLIN | EPOLLET };

	e.data.fd = rec_marks_fd(l->marks);
	if (e.data.fd < 0 ||
	    epoll_ctl(l->epoll, EPOLL_CTL_ADD, e.data.fd, &e) == 0)
		return 0;
	return err_sys(err, errno, "cannot watch the socket of marks");
}

static int set_timer(struct rec_loop *l, struct err *err)
{
	struct itimerspec every = { { 0, TICK_NS }, { 0, TICK_NS } };

	l->timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	if (l->timer < 0 || timerfd_settime(l->timer, 0, &every, NULL))
		return err_sys(err, errno, "cannot make a timer");
	return 0;
}

static int open_loop(struct rec_loop *l, struct err *err)
{
	int rc;

	l->timer = -1;
	l->begin_ns = time_now_ns(CLOCK_MONOTONIC);
	l->second_ns = l->names_ns = l->clock_ns = l->begin_ns;
	l->delayed = l->delay_ns != 0;
	l->epoll = epoll_create1(EPOLL_CLOEXEC);
	if (l->epoll < 0)
		return err_sys(err, errno, "cannot make an epoll descriptor");
	rc = set_timer(l, err);
	if (rc == 0)
		rc = watch(l, l->timer, err);
	if (rc == 0)
		rc = watch(l, l->signals->fd, err);
	if (rc == 0)
		rc = watch(l, rec_perf_fd(l->drain->from.perf), err);
	if (rc == 0)
		rc = watch(l, rec_names_fd(l->names), err);
	if (rc == 0)
		rc = watch_marks(l, err);
	if (rc == 0)
		rc = watch(l, rec_segments_fd(l->segments), err);
	if (rc == 0 && l->child)
		rc = watch(l, l->child->pidfd, err);
	return rc;
}

static void close_loop(struct rec_loop *l)
{
	if (l->timer >= 0)
		close(l->timer);
	if (l->epoll >= 0)
		close(l->epoll);
}

static void wait_events(struct rec_loop *l)
{
	struct epoll_event e[8];
	uint64_t ticks;

	(void)epoll_wait(l->epoll, e, 8, -1);
	(void)!read(l->timer, &ticks, sizeof(ticks));
	l->wakeups++;
}

static bool signalled(struct rec_loop *l)
{
	const struct timespec moment = { 0, SAME_SIGNAL_NS };
	sigset_t mask;

	if (!rec_signals_came(l->signals))
		return false;
	/* timeout(1) sends to the process and to its group, which is meant as
	 * one. A second signal after that ends at once, by its default. */
	nanosleep(&moment, NULL);
	while (rec_signals_came(l->signals))
		;
	/* The file is still to be closed: no death by a closed pipe. */
	mask = l->signals->before;
	sigaddset(&mask, SIGPIPE);
	sigprocmask(SIG_SETMASK, &mask, NULL);
	return true;
}

static int begin_delayed(struct rec_loop *l, uint64_t now, struct err *err)
{
	int rc;

	if (!l->delayed || now - l->begin_ns < l->delay_ns)
		return 0;
	l->delayed = false;
	rc = rec_drain_enable(l->drain, err);
	return rc ? rc : rec_counters_begin(l->counters, err);
}

/* Names that are not in the file yet: rows that are, are worth little without
 * theirs, so these wait less. */
static bool names_wait(const struct rec_loop *l)
{
	return l->names->named != l->named;
}

/* What is due about once a second; the epoch is looked at on each tick, since a
 * storm can fill one in less. */
static void housekeeping(struct rec_loop *l, uint64_t now)
{
	rec_drain_epochs(l->drain, now);
	if (now - l->clock_ns >= CLOCK_READING_NS) {
		l->clock_ns = now;
		rec_clock_reading(l->drain->shards[0].defs);
	}
	if (names_wait(l) && now - l->names_ns >= NAMES_FLUSH_NS) {
		l->names_ns = now;
		l->named = l->names->named;
		rec_drain_flush_names(l->drain);
	}
	if (now - l->second_ns < FLUSH_NS)
		return;
	l->second_ns = l->names_ns = now;
	l->named = l->names->named;
	check_cpus(l);
	rec_loop_read_lost(l, false);
	rec_loop_write_losses(l);
	rec_drain_flush(l->drain);
}

static bool is_large(const struct rec_loop *l)
{
	return l->max_size &&
	       rec_sink_bytes(l->drain->shards[0].defs->sink) >= l->max_size;
}

/* 0: goes on; 1: *ended tells why not. */
static int over(struct rec_loop *l, uint64_t now, enum rec_loop_end *ended,
		struct err *err)
{
	int rc;

	if (l->child) {
		rc = rec_launch_ended(l->child, err);
		*ended = REC_LOOP_CHILD;
		if (rc <= 0)
			return rc < 0 ? rc : 1;
	}
	*ended = REC_LOOP_SIGNAL;
	if (signalled(l))
		return 1;
	*ended = REC_LOOP_OUTPUT;
	if (rec_sink_failed(l->drain->shards[0].defs->sink))
		return 1;
	*ended = REC_LOOP_DURATION;
	if (l->duration_ns && now - l->begin_ns >= l->duration_ns)
		return 1;
	*ended = REC_LOOP_SIZE;
	if (is_large(l))
		return 1;
	*ended = REC_LOOP_TASKS;
	return l->follow_tasks && !l->child &&
	       rec_perf_hung_up(l->drain->from.perf);
}

int rec_loop_run(struct rec_loop *l, enum rec_loop_end *ended, struct err *err)
{
	int rc = open_loop(l, err);

	while (rc == 0) {
		uint64_t now;

		wait_events(l);
		now = time_now_ns(CLOCK_MONOTONIC);
		rc = begin_delayed(l, now, err);
		/* Before the round tells that nothing older comes. */
		(void)rec_counters_poll(l->counters,
					l->drain->shards[0].defs);
		if (rc == 0)
			rc = rec_drain_round(l->drain, false, err);
		if (rc < 0)
			break;
		rec_follow_tick(l->follow, now);
		rec_drain_files(l->drain, l->fds, now);
		rec_names_poll(l->names);
		rec_marks_poll(l->marks, l->drain->shards[0].defs);
		housekeeping(l, now);
		rec_segments_tick(l->segments, now);
		rc = over(l, now, ended, err);
	}
	close_loop(l);
	return rc < 0 ? rc : 0;
}
