/* Events of CPUs that were offline: the kernel has taken them off for good. */
#include "record/perf/perf_state.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* value, time enabled, id, lost */
enum { ENABLED = 1, SIDEBAND_WORDS = 4 };

/* An event that is switched on and whose clock stands still was taken off: the
 * CPU was away and came back between two looks. */
static bool stands_still(struct rec_perf_fd *f)
{
	uint64_t words[SIDEBAND_WORDS] = { 0 }, before = f->enabled_ns;
	ssize_t n = read(f->fd, words, sizeof(words));

	if (n < (ssize_t)(2 * sizeof(*words)))
		return false;
	f->enabled_ns = words[ENABLED];
	return before && words[ENABLED] == before;
}

static bool is_on(const struct rec_perf *p, const struct rec_perf_fd *f)
{
	return f->event == REC_PERF_SIDEBAND ? p->sideband_on : p->events_on;
}

/* The new event takes the old one's number and place; what was lost before is
 * kept. */
static int reopen(struct rec_perf *p, size_t index, struct err *err)
{
	struct rec_perf_fd *f = &p->fds[index];
	int fd = rec_perf_open_again(p, index);

	if (fd < 0)
		return err_sys(err, -fd, "cannot record CPU %d again",
			       p->rings.items[f->ring].cpu);
	if (dup3(fd, f->fd, O_CLOEXEC) < 0) {
		close(fd);
		return err_sys(err, errno, "cannot replace an event");
	}
	close(fd);
	f->lost_before += f->lost;
	f->lost = f->count = f->enabled_ns = 0;
	if (f->event != REC_PERF_SIDEBAND)
		p->group_fds[f->event] = f->fd;
	return rec_perf_set_up(p, index, err);
}

static int reopen_ring(struct rec_perf *p, size_t ring, struct err *err)
{
	int rc = 0;

	for (size_t i = 0; !rc && i < p->n_fds; i++)
		if (p->fds[i].ring == ring)
			rc = reopen(p, i, err);
	for (size_t i = 0; !rc && i < p->n_fds; i++)
		if (p->fds[i].ring == ring && is_on(p, &p->fds[i]) &&
		    ioctl(p->fds[i].fd, PERF_EVENT_IOC_ENABLE, 0))
			rc = err_sys(err, errno, "cannot enable an event");
	return rc;
}

struct watch {
	struct rec_perf *p;
	void (*report)(void *ctx, int cpu, bool back);
	void *ctx;
};

static int change(void *ctx, int cpu, bool back, struct err *err)
{
	struct watch *w = ctx;
	int rc = 0;

	for (size_t i = 0; back && !rc && i < w->p->rings.n; i++)
		if (w->p->rings.items[i].cpu == cpu)
			rc = reopen_ring(w->p, i, err);
	w->report(w->ctx, cpu, back && !rc);
	return rc;
}

int rec_perf_check_cpus(struct rec_perf *p,
			void (*report)(void *ctx, int cpu, bool back),
			void *ctx, struct err *err)
{
	struct watch w = { p, report, ctx };
	int rc;

	/* Events of tasks stay with their tasks. */
	if (!p->system_wide)
		return 0;
	rc = rec_hotplug_look(&p->hotplug, "", &p->cpus, p->all_cpus, change,
			      &w, err);
	for (size_t i = 0; !rc && p->sideband_on && i < p->n_fds; i++) {
		struct rec_perf_fd *f = &p->fds[i];
		int cpu = p->rings.items[f->ring].cpu;

		if (f->event == REC_PERF_SIDEBAND &&
		    !rec_cpus_has(&p->hotplug.down, cpu) && stands_still(f))
			rc = change(&w, cpu, true, err);
	}
	return rc;
}
