#include "record/perf/rings.h"

#include "format/base/mem.h"
#include "record/perf/open.h"
#include "record/perf/refusal.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <unistd.h>

#define KIB ((size_t)1024)
#define MIB (KIB * KIB)

#define SIDEBAND_SIZE MIB
#define TOTAL_MAX (256 * MIB) /* sample rings of all CPUs, when we choose */
#define RING_MAX ((size_t)1 << 30)

static size_t page_size(void)
{
	return (size_t)sysconf(_SC_PAGESIZE);
}

static void unmap(struct rec_rings *r)
{
	for (size_t i = 0; i < r->n; i++)
		for (int k = 0; k < REC_RING_KINDS; k++) {
			rec_ring_free(r->items[i].ring[k]);
			r->items[i].ring[k] = NULL;
		}
}

void rec_rings_fini(struct rec_rings *r)
{
	if (!r->items)
		return;
	unmap(r);
	for (size_t i = 0; i < r->n; i++)
		for (int k = 0; k < REC_RING_KINDS; k++)
			if (r->items[i].fd[k] >= 0)
				close(r->items[i].fd[k]);
	if (r->epoll >= 0)
		close(r->epoll);
	free(r->items);
	*r = (struct rec_rings){ 0 };
}

static int open_owners(struct rec_rings *r, const struct rec_cpus *cpus,
		       const struct rec_perf_facts *facts, struct err *err)
{
	struct perf_event_attr a = rec_perf_dummy();

	for (size_t i = 0; i < r->n; i++)
		for (int k = 0; k < REC_RING_KINDS; k++) {
			int fd = rec_perf_call(&a, 0, cpus->items[i]);

			if (fd < 0)
				return rec_perf_refused(&(struct rec_refusal){
					.errnum = -fd,
					.cpu = cpus->items[i],
					.n_needed = r->n * REC_RING_KINDS,
					.facts = facts, .root = "" }, err);
			r->items[i].fd[k] = fd;
		}
	return 0;
}

/* All rings at the sizes of *r, or none. */
static int map_all(struct rec_rings *r, struct err *err)
{
	for (size_t i = 0; i < r->n; i++)
		for (int k = 0; k < REC_RING_KINDS; k++) {
			struct rec_cpu_rings *c = &r->items[i];
			int rc = rec_ring_new(&c->ring[k], c->fd[k],
					      r->size[k], err);

			if (rc) {
				unmap(r);
				return rc;
			}
		}
	return 0;
}

static bool too_much(int rc)
{
	return rc == ERR_DENIED || rc == ERR_NOMEM;
}

static size_t beside(size_t samples)
{
	size_t size = samples / 4;

	if (size < page_size())
		return page_size();
	return size > SIDEBAND_SIZE ? SIDEBAND_SIZE : size;
}

/* Halves the sample rings, and the side band with them, until all fit. */
static int map_what_fits(struct rec_rings *r, size_t samples, struct err *err)
{
	int rc;

	do {
		r->size[REC_RING_SAMPLES] = samples;
		r->size[REC_RING_SIDEBAND] = beside(samples);
		rc = map_all(r, err);
		samples /= 2;
	} while (too_much(rc) && samples >= page_size());
	return rc;
}

/* Halves the side band only. */
static int map_wanted(struct rec_rings *r, size_t samples, struct err *err)
{
	size_t side = SIDEBAND_SIZE;
	int rc;

	do {
		r->size[REC_RING_SAMPLES] = samples;
		r->size[REC_RING_SIDEBAND] = side;
		rc = map_all(r, err);
		side /= 2;
	} while (too_much(rc) && side >= page_size());
	return rc;
}

static void limits_text(char *to, size_t size,
			const struct rec_perf_facts *f)
{
	int n = snprintf(to, size, "perf_event_mlock_kb is %" PRId64
			 " a CPU", f->mlock_kib);

	if (f->memlock != UINT64_MAX && n > 0 && (size_t)n < size)
		snprintf(to + n, size - (size_t)n, " and the memlock limit %"
			 PRIu64 " KiB", f->memlock / KIB);
}

static int too_large(struct rec_rings *r, size_t wanted, int rc,
		     const struct rec_perf_facts *facts, struct err *err)
{
	char limits[128], fits[64] = "";

	limits_text(limits, sizeof(limits), facts);
	for (size_t size = wanted / 2; !fits[0] && size >= page_size();
	     size /= 2) {
		if (map_wanted(r, size, NULL))
			continue;
		snprintf(fits, sizeof(fits), "; -m %zuK fits", size / KIB);
		unmap(r);
	}
	return err_set(err, rc, "cannot lock %zu rings of %zu KiB: %s%s",
		       r->n, wanted / KIB,
		       rc == ERR_NOMEM ? "out of memory" : limits, fits);
}

static size_t round_up(size_t size)
{
	size_t n = page_size();

	while (n < size)
		n *= 2;
	return n;
}

static int map_explicit(struct rec_rings *r, size_t wanted,
			const struct rec_perf_facts *facts, struct err *err)
{
	int rc;

	if (wanted > RING_MAX)
		return err_set(err, ERR_USAGE, "a ring of %zu MiB, limit %zu",
			       wanted / MIB, RING_MAX / MIB);
	wanted = round_up(wanted);
	rc = map_wanted(r, wanted, err);
	return too_much(rc) ? too_large(r, wanted, rc, facts, err) : rc;
}

static int map_default(struct rec_rings *r, size_t samples,
		       const struct rec_perf_facts *facts,
		       const struct log *log, struct err *err)
{
	size_t first;
	char limits[128];
	int rc;

	while (samples > page_size() && samples > TOTAL_MAX / r->n)
		samples /= 2;
	first = samples;
	rc = map_what_fits(r, samples, err);
	limits_text(limits, sizeof(limits), facts);
	if (rc == ERR_DENIED)
		return err_set(err, rc, "cannot lock memory for the smallest "
			       "rings: %s", limits);
	if (!rc && r->size[REC_RING_SAMPLES] < first)
		log_verbose(log, "rings of %zu KiB a CPU: %s",
			    r->size[REC_RING_SAMPLES] / KIB, limits);
	return rc;
}

static int watch(struct rec_rings *r, struct err *err)
{
	r->epoll = epoll_create1(EPOLL_CLOEXEC);
	if (r->epoll < 0)
		return err_sys(err, errno, "cannot create an epoll set");
	for (size_t i = 0; i < r->n; i++)
		for (int k = 0; k < REC_RING_KINDS; k++) {
			struct epoll_event ev = { .events = EPOLLIN };

			if (epoll_ctl(r->epoll, EPOLL_CTL_ADD,
				      r->items[i].fd[k], &ev))
				return err_sys(err, errno,
					       "cannot watch a ring");
		}
	return 0;
}

int rec_rings_init(struct rec_rings *r, const struct rec_cpus *cpus,
		   size_t wanted, size_t usual,
		   const struct rec_perf_facts *facts,
		   const struct log *log, struct err *err)
{
	int rc;

	*r = (struct rec_rings){ .epoll = -1 };
	r->items = calloc(cpus->n, sizeof(*r->items));
	if (!r->items)
		return err_nomem(err);
	r->n = cpus->n;
	for (size_t i = 0; i < r->n; i++) {
		r->items[i].cpu = cpus->items[i];
		for (int k = 0; k < REC_RING_KINDS; k++)
			r->items[i].fd[k] = -1;
	}
	rc = open_owners(r, cpus, facts, err);
	if (!rc)
		rc = wanted ? map_explicit(r, wanted, facts, err) :
			      map_default(r, usual, facts, log, err);
	return rc ? rc : watch(r, err);
}
