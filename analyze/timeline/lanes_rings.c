/* For each ring of a GPU a lane of the jobs that it did, and one of those that
 * waited for it. */
#include "analyze/timeline/provider.h"

#include "format/base/time.h"

#include <inttypes.h>
#include <stdlib.h>

struct lanes {
	uint32_t jobs, queue;
};

struct filler {
	struct an_timeline *tl;
	const struct an_timeline_input *in;
	uint32_t group;
	struct lanes *lanes; /* by ring */
};

static int new_lane(struct filler *f, uint32_t ring, const char *what,
		    unsigned rank, uint32_t *id, struct err *err)
{
	const char *name = f->in->gpu.jobs.rings[ring].name;
	struct an_lane lane = { .kind = AN_LANE_SPANS, .group = f->group,
				.rank = (uint64_t)ring * 2 + rank };
	int rc = an_timeline_textf(f->tl, &lane.name, err, "%s%s", name, what);

	return rc ? rc : an_timeline_lane(f->tl, &lane, id, err);
}

static int name_of(struct filler *f, const struct an_job *j, uint32_t *id,
		   struct err *err)
{
	if (j->task == AN_NONE)
		return an_timeline_textf(f->tl, id, err, "job");
	return an_timeline_textf(f->tl, id, err, "%s",
				 an_task_name(&f->in->gpu.tasks, j->task,
					      j->submit));
}

static int detail_of(struct filler *f, const struct an_job *j, uint32_t *id,
		     struct err *err)
{
	char queued[TIME_TEXT] = "not known", held[TIME_TEXT] = "not known";

	if (j->submit && j->run >= j->submit && !j->guessed_run)
		time_format(queued, j->run - j->submit);
	if (j->run && j->start >= j->run && !j->guessed_run)
		time_format(held, j->start - j->run);
	return an_timeline_textf(f->tl, id, err, "job %" PRIu32 ":%" PRIu32
				 ", submitted by tid %" PRId32
				 "\nfrom submission to hand-over %s, behind "
				 "the job before on the ring %s", j->context,
				 j->seqno, an_task_tid(&f->in->gpu.tasks,
						       j->task), queued, held);
}

static int put_span(struct filler *f, uint32_t lane, struct an_span *s,
		    const struct an_job *j, struct err *err)
{
	int rc;

	if (!an_input_touches(f->in, s->from, s->to))
		return 0;
	rc = name_of(f, j, &s->name, err);
	if (!rc)
		rc = detail_of(f, j, &s->detail, err);
	return rc ? rc : an_timeline_span(f->tl, lane, s, err);
}

/* A job that is not seen to end may be there still. */
static int put_job(struct filler *f, const struct an_job *j, struct err *err)
{
	const struct lanes *l = &f->lanes[j->ring];
	struct an_span s = { .from = j->start, .to = j->end,
			     .class = AN_CLASS_JOB };
	struct an_span wait = { .from = j->submit, .to = j->start,
				.class = AN_CLASS_QUEUED };
	int rc = 0;

	if (j->start && j->end)
		rc = put_span(f, l->jobs, &s, j, err);
	if (!rc && j->submit && j->start && j->end)
		rc = put_span(f, l->queue, &wait, j, err);
	if (!rc && j->submit && !j->end) {
		wait.to = f->in->t_max;
		wait.class = AN_CLASS_UNKNOWN;
		rc = put_span(f, l->queue, &wait, j, err);
	}
	return rc;
}

static int put_all(struct filler *f, struct err *err)
{
	const struct an_jobs *jobs = &f->in->gpu.jobs;
	int rc = an_timeline_textf(f->tl, &f->group, err, "GPU rings");

	for (uint32_t i = 0; i < jobs->n_rings && !rc; i++) {
		rc = new_lane(f, i, "", 0, &f->lanes[i].jobs, err);
		if (!rc)
			rc = new_lane(f, i, ": queue", 1, &f->lanes[i].queue,
				      err);
	}
	for (size_t i = 0; i < jobs->n && !rc; i++)
		if (jobs->v[i].ring < jobs->n_rings &&
		    an_input_has_thread(f->in, jobs->v[i].thread))
			rc = put_job(f, &jobs->v[i], err);
	return rc;
}

static int fill(struct an_timeline *tl, struct an_timeline_input *in,
		struct err *err)
{
	struct filler f = { .tl = tl, .in = in };
	int rc = an_input_read(in, err);

	if (rc)
		return rc;
	f.lanes = calloc(in->gpu.jobs.n_rings + 1, sizeof(*f.lanes));
	rc = f.lanes ? put_all(&f, err) : err_nomem(err);
	free(f.lanes);
	return rc;
}

const struct an_provider an_lanes_rings = {
	.name = "rings",
	.summary = "jobs on each ring of a GPU, and those that waited",
	.fill = fill,
};
