#include "analyze/follow.h"

#include "analyze/command.h"
#include "analyze/trace.h"

#include "format/base/time.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

/* What is in one file together may be written by several threads. */
#define SOON_MS 50
/* Where nothing tells that the file has grown or was left. */
#define NOW_AND_THEN_MS 1000
/* Of the time that a look took, until the next one. */
#define PAUSE_FACTOR 9u
/* A recorder that has just begun may not have written its first chunk. */
#define BEGIN_NS (2 * NSEC_PER_SEC)

struct follow {
	const struct an_following *how;
	uint64_t begin_ns;
	int notify;    /* -1: nothing tells */
	int fd;        /* of the file as it was met */
	bool leaseless;
};

/* A lease for reading is given only where nobody has the file open for writing;
 * see fcntl(2), F_SETLEASE. */
static bool is_left(struct follow *f)
{
	if (f->leaseless)
		return false;
	if (fcntl(f->fd, F_SETLEASE, F_RDLCK) == 0) {
		(void)fcntl(f->fd, F_SETLEASE, F_UNLCK);
		return true;
	}
	f->leaseless = errno != EAGAIN;
	return false;
}

static bool is_another(const struct follow *f)
{
	struct stat met, now;

	return fstat(f->fd, &met) || stat(f->how->path, &now) ||
	       met.st_dev != now.st_dev || met.st_ino != now.st_ino;
}

static bool has_ended(const struct an_trace *t)
{
	enum tf_ending e = tf_reader_ending(an_trace_reader(t));

	return e == TF_CLOSED || e == TF_FOLLOWED;
}

static int begin(struct follow *f, struct err *err)
{
	const char *path = f->how->path;
	struct stat st;

	f->begin_ns = time_now_ns(CLOCK_MONOTONIC);
	if (strcmp(path, "-") == 0)
		return err_set(err, ERR_USAGE, "standard input cannot be "
			       "followed (try: a file)");
	f->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (f->fd < 0)
		return err_sys(err, errno, "%s", path);
	if (fstat(f->fd, &st) || !S_ISREG(st.st_mode))
		return err_set(err, ERR_USAGE, "%s: not a file, which could be "
			       "followed", path);
	/* A lease that another one breaks is told by this signal. */
	signal(SIGIO, SIG_IGN);
	f->notify = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
	if (f->notify >= 0 &&
	    inotify_add_watch(f->notify, path, IN_MODIFY | IN_CLOSE_WRITE) < 0) {
		close(f->notify);
		f->notify = -1;
	}
	return 0;
}

static void drain(int fd)
{
	char events[4096];

	while (read(fd, events, sizeof(events)) > 0)
		;
}

/* Until there is something to see; `soon`: even if the file does not grow. */
static void wait_for_more(const struct follow *f, bool soon, uint64_t took_ns)
{
	struct pollfd fd = { .fd = f->notify, .events = POLLIN };
	int ms = soon || f->notify < 0 ? SOON_MS : NOW_AND_THEN_MS;

	(void)poll(NULL, 0, (int)(took_ns * PAUSE_FACTOR / 1000000));
	(void)poll(&fd, f->notify >= 0, ms);
	if (f->notify >= 0)
		drain(f->notify);
}

/* The last one: all of the file, and what is to be said of it. */
static int last_look(const struct follow *f, struct err *err)
{
	struct an_trace *t = NULL;
	int rc = an_trace_open(&t, f->how->path, f->how->log, err);

	if (!rc)
		rc = f->how->look(f->how->ctx, t, true, err);
	if (!rc && an_trace_damage(t))
		rc = AN_EXIT_DAMAGED;
	an_trace_close(t);
	return rc;
}

/* 1: there is more to come; 2: soon. */
static int look(struct follow *f, struct err *err)
{
	bool left = is_left(f), another = is_another(f), ended = false;
	struct an_trace *t = NULL;
	int rc;

	if (another)
		return err_set(err, ERR_IO, "%s: another file has taken its "
			       "place", f->how->path);
	if (left)
		return 0;
	rc = an_trace_open(&t, f->how->path, NULL, err);
	if (rc < 0)
		return time_now_ns(CLOCK_MONOTONIC) - f->begin_ns < BEGIN_NS ?
			       2 : rc;
	ended = has_ended(t);
	if (!ended)
		rc = f->how->look(f->how->ctx, t, false, err);
	an_trace_close(t);
	return rc < 0 || ended ? rc : rc + 1;
}

int an_follow(const struct an_following *how, struct err *err)
{
	struct follow f = { .how = how, .notify = -1, .fd = -1 };
	int rc = begin(&f, err);

	while (!rc) {
		uint64_t at = time_now_ns(CLOCK_MONOTONIC);
		int more = look(&f, err);

		if (more <= 0) {
			rc = more ? more : last_look(&f, err);
			break;
		}
		wait_for_more(&f, more > 1,
			      time_now_ns(CLOCK_MONOTONIC) - at);
	}
	if (f.notify >= 0)
		close(f.notify);
	if (f.fd >= 0)
		close(f.fd);
	return rc;
}
