/* Filters that change while the recording runs: the kernel takes one for each
 * event and no second one (ftrace_profile_set_filter), so that a new event
 * takes the place of the old one. */
#include "format/base/mem.h"
#include "record/perf/perf_state.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* What read() gives, see lost.c. */
enum { READ_LOST = 2, READ_WORDS };

static int switch_on(const struct rec_perf *p, int fd, struct err *err)
{
	if (p->events_on && ioctl(fd, PERF_EVENT_IOC_ENABLE, 0))
		return err_sys(err, errno, "cannot enable an event");
	return 0;
}

/* Its number is taken over. */
static void retire(struct rec_perf *p, struct rec_perf_fd *f, int old)
{
	uint64_t words[READ_WORDS] = { 0 };

	(void)ioctl(old, PERF_EVENT_IOC_DISABLE, 0);
	if (p->have.lost && read(old, words, sizeof(words)) ==
				    (ssize_t)sizeof(words))
		f->lost = words[READ_LOST];
	f->lost_before += f->lost;
	f->lost = 0;
	close(old);
}

/* The event at `index` of fds, anew. The one before, if there is one, ends when
 * this one counts. */
static int renew(struct rec_perf *p, size_t index, struct err *err)
{
	struct rec_perf_fd *f = &p->fds[index];
	int old = f->fd, fd = rec_perf_open_again(p, index), rc;

	if (fd < 0)
		return err_sys(err, -fd, "cannot follow '%s'",
			       p->events[f->event].name);
	f->fd = fd;
	rc = rec_perf_set_up(p, index, err);
	if (!rc)
		rc = switch_on(p, fd, err);
	if (rc) {
		f->fd = old;
		close(fd);
		return rc;
	}
	if (old >= 0)
		retire(p, f, old);
	return 0;
}

static int begin(struct rec_perf *p, size_t event, size_t ring,
		 struct err *err)
{
	int rc;

	if (!mem_grow(&p->fds, &p->fds_cap, p->n_fds + 1, sizeof(*p->fds)))
		return err_nomem(err);
	p->fds[p->n_fds] = (struct rec_perf_fd){
		.fd = -1, .event = (int)event, .ring = (uint32_t)ring };
	rc = renew(p, p->n_fds, err);
	p->n_fds += !rc;
	return rc;
}

static size_t find(const struct rec_perf *p, size_t event, size_t ring)
{
	size_t i = 0;

	while (i < p->n_fds && (p->fds[i].event != (int)event ||
				p->fds[i].ring != ring))
		i++;
	return i;
}

int rec_perf_refilter(struct rec_perf *p, size_t event, const char *filter,
		      struct err *err)
{
	char *copy = strdup(filter);
	int rc = 0;

	if (!copy)
		return err_nomem(err);
	free(p->events[event].filter);
	p->events[event].filter = copy;
	for (size_t ring = 0; !rc && ring < p->rings.n; ring++) {
		size_t at = find(p, event, ring);

		rc = at < p->n_fds ? renew(p, at, err) :
				     begin(p, event, ring, err);
	}
	return rc;
}
