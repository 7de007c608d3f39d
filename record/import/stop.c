#include "record/import/stop.h"

#include <errno.h>
#include <poll.h>
#include <sys/signalfd.h>
#include <unistd.h>

int rec_stop_take(struct rec_stop *s, struct err *err)
{
	return rec_signals_take(&s->signals, err);
}

void rec_stop_release(struct rec_stop *s)
{
	rec_signals_restore(&s->signals);
}

/* From then on the next one does what it does to any program. */
bool rec_stop_came(struct rec_stop *s)
{
	struct signalfd_siginfo info;

	if (!s || s->by)
		return s && s->by;
	if (s->signals.fd <= 0 ||
	    read(s->signals.fd, &info, sizeof(info)) != sizeof(info))
		return false;
	s->by = (int)info.ssi_signo;
	rec_signals_restore(&s->signals);
	return true;
}

bool rec_stop_reading(struct rec_stop *s, int fd)
{
	struct pollfd fds[] = { { .fd = fd, .events = POLLIN },
				{ .fd = -1, .events = POLLIN } };

	if (!s || s->by || s->signals.fd <= 0)
		return s && s->by;
	fds[1].fd = s->signals.fd;
	while (poll(fds, 2, -1) < 0 && errno == EINTR)
		;
	return fds[1].revents && rec_stop_came(s);
}

bool rec_stop_rows(struct rec_stop *s)
{
	if (s && !s->by && rec_stop_came(s))
		s->in_rows = true;
	return s && s->in_rows;
}
