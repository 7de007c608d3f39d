#include "record/segment/segments.h"

#include "format/base/time.h"

#include <errno.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

/* How long names are waited for. */
#define NAMES_NS (2ull * NSEC_PER_SEC)
/* Signals that come closer than this are one. */
#define LEAST_NS (NSEC_PER_SEC / 10)

int rec_segments_take(struct rec_segments *s, struct err *err)
{
	sigset_t set;

	if (!s->on)
		return 0;
	sigemptyset(&set);
	sigaddset(&set, SIGUSR2);
	sigprocmask(SIG_BLOCK, &set, NULL);
	s->fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	if (s->fd >= 0)
		return 0;
	s->fd = 0;
	return err_sys(err, errno, "cannot take SIGUSR2");
}

/* Blocked, it comes through the descriptor although it is ignored. */
void rec_segments_begin(struct rec_segments *s, uint64_t now_ns)
{
	s->number = 1;
	s->began_ns = now_ns;
	if (s->on)
		signal(SIGUSR2, SIG_IGN);
}

void rec_segments_fini(struct rec_segments *s)
{
	if (s->fd > 0)
		close(s->fd);
	s->fd = 0;
}

int rec_segments_fd(const struct rec_segments *s)
{
	return s->fd > 0 ? s->fd : -1;
}

static void read_signal(struct rec_segments *s)
{
	struct signalfd_siginfo info;

	while (read(s->fd, &info, sizeof(info)) == sizeof(info))
		s->asked = true;
}

static bool is_due(const struct rec_segments *s, uint64_t now)
{
	/* One at a time: until the writer has begun the last one, the size is
	 * that of the file before. */
	if (!rec_sink_segment_begun(s->defs->sink) ||
	    now - s->began_ns < LEAST_NS)
		return false;
	return s->asked || (s->every_ns && now - s->began_ns >= s->every_ns) ||
	       (s->every_bytes &&
		rec_sink_segment_bytes(s->defs->sink) >= s->every_bytes);
}

/* What is on its way now may still be answered, in the next file. */
uint64_t rec_segments_unnamed(struct rec_segments *s, uint64_t all)
{
	uint64_t pending = rec_names_pending(s->names);
	uint64_t fresh = all > s->unnamed ? all - s->unnamed : 0;

	s->unnamed = all > pending ? all - pending : 0;
	return fresh;
}

static void switch_over(struct rec_segments *s, uint64_t now)
{
	if (!s->ended)
		s->end(s->ctx, rec_segments_unnamed(s,
				       rec_names_unanswered(s->names)));
	s->ended = true;
	if (!rec_defs_new_segment(s->defs, now))
		return; /* the writer is behind: at the next tick */
	rec_names_forget(s->names);
	s->number++;
	s->began_ns = now;
	s->due_ns = 0;
	s->asked = false;
	s->ended = false;
	s->begin(s->ctx);
}

void rec_segments_tick(struct rec_segments *s, uint64_t now)
{
	if (!s->on)
		return;
	read_signal(s);
	if (!s->due_ns && is_due(s, now))
		s->due_ns = now;
	if (!s->due_ns ||
	    (rec_names_pending(s->names) && now - s->due_ns < NAMES_NS))
		return;
	switch_over(s, now);
}
