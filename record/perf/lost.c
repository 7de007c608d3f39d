#include "record/perf/perf_state.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

/* What read() gives for PERF_FORMAT_ID | PERF_FORMAT_LOST; of a group a number
 * of members before, and itself as the first of them; of the side band the time
 * enabled behind the value. */
enum { READ_VALUE, READ_ID, READ_LOST, READ_WORDS };

static size_t cell(const struct rec_perf *p, int event, size_t ring)
{
	size_t row = event == REC_PERF_SIDEBAND ? p->n_events : (size_t)event;

	return row * p->rings.n + ring;
}

/* A count that cannot be read stays what it was: an event in error state
 * reads as end of file. */
static int update(struct rec_perf *p, struct rec_perf_fd *f, struct err *err)
{
	bool is_sideband = f->event == REC_PERF_SIDEBAND;
	bool is_group = !is_sideband && p->layouts[f->event].read_format &
						PERF_FORMAT_GROUP;
	size_t first = is_sideband || is_group ? 1 : 0;
	size_t room = is_group ? 1 + READ_WORDS * p->n_events :
				 first + READ_WORDS;
	ssize_t n = read(f->fd, p->words, room * sizeof(*p->words));

	if (n < 0 && errno != EINTR)
		return err_sys(err, errno, "cannot read a count of lost "
			       "records");
	if (n >= (ssize_t)((first + READ_WORDS) * sizeof(*p->words)))
		f->lost = p->words[first + READ_LOST];
	return 0;
}

static void report_growth(struct rec_perf *p, int event, size_t ring,
			  void (*report)(void *ctx, int event, int cpu,
					 uint64_t more),
			  void *ctx)
{
	size_t at = cell(p, event, ring);
	uint64_t more = p->lost_now[at] - p->lost[at];

	if (p->lost_now[at] <= p->lost[at])
		return;
	p->lost[at] = p->lost_now[at];
	report(ctx, event, p->rings.items[ring].cpu, more);
}

int rec_perf_read_lost(struct rec_perf *p,
		       void (*report)(void *ctx, int event, int cpu,
				      uint64_t more),
		       void *ctx, struct err *err)
{
	size_t cells = (p->n_events + 1) * p->rings.n;

	if (!p->have.lost)
		return 1;
	memset(p->lost_now, 0, cells * sizeof(*p->lost_now));
	for (size_t i = 0; i < p->n_fds; i++) {
		struct rec_perf_fd *f = &p->fds[i];
		int rc = update(p, f, err);

		if (rc)
			return rc;
		p->lost_now[cell(p, f->event, f->ring)] +=
			f->lost_before + f->lost;
	}
	for (int e = REC_PERF_SIDEBAND; e < (int)p->n_events; e++)
		for (size_t ring = 0; ring < p->rings.n; ring++)
			report_growth(p, e, ring, report, ctx);
	return 0;
}
