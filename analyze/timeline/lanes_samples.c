/* A lane for each thread that was sampled, and on it each sample, named by the
 * function that ran. */
#include "analyze/samples.h"
#include "analyze/timeline/provider.h"

#include "format/base/map64.h"
#include "format/base/mem.h"
#include "format/catalog.h"

#include <inttypes.h>
#include <stdlib.h>

/* Of a thread with one sample; the others' lane is below all. */
#define FIRST_RANK (UINT64_MAX - 1)

struct filler {
	struct an_timeline *tl;
	const struct an_timeline_input *in;
	uint32_t group;
	struct map64 lanes;    /* by (source, tid) */
	uint32_t *ids;         /* of those lanes */
	size_t n, cap;
	uint32_t *names;       /* text by frame, AN_NONE: not made yet */
	size_t n_names;
	struct map64 details;  /* text by (event, cpu) */
};

static int new_lane(struct filler *f, const struct an_thread *th, uint32_t *id,
		    struct err *err)
{
	struct an_lane lane = { .kind = AN_LANE_SPANS, .group = f->group,
				.rank = FIRST_RANK };
	const struct an_tasks *x = &f->in->gpu.tasks;
	uint32_t task = an_tasks_find(x, th->source, th->tid);
	/* What it was called at last: after it became another program. */
	int rc = an_timeline_textf(f->tl, &lane.name, err, "%s (%d)",
				   an_task_name(x, task, f->in->t_max),
				   th->tid);

	if (!rc)
		rc = an_timeline_lane(f->tl, &lane, id, err);
	if (rc)
		return rc;
	if (!mem_grow(&f->ids, &f->cap, f->n + 1, sizeof(*f->ids)))
		return err_nomem(err);
	f->ids[f->n++] = *id;
	return 0;
}

static int lane_of(struct filler *f, uint32_t thread, uint32_t *id,
		   struct err *err)
{
	const struct an_thread *th = an_thread_of(f->in->t, thread);
	bool is_new;
	uint32_t *lane;
	int rc;

	if (map64_get(&f->lanes, map64_pair(th->source, (uint32_t)th->tid),
		      id))
		return 0;
	rc = new_lane(f, th, id, err);
	if (rc)
		return rc;
	lane = map64_put(&f->lanes, map64_pair(th->source, (uint32_t)th->tid),
			 *id, &is_new);
	return lane ? 0 : err_nomem(err);
}

static int name_of(struct filler *f, uint32_t frame, uint32_t *id,
		   struct err *err)
{
	const struct an_trace *t = f->in->t;
	size_t at = frame < f->n_names ? frame : f->n_names;
	int rc = 0;

	if (f->names[at] == AN_NONE) {
		struct span name = an_frame_name(t, frame);
		const struct an_frame *fr = an_frame_of(t, frame);

		rc = fr->symbol == AN_NONE ?
			     an_timeline_textf(f->tl, &f->names[at], err,
					       "[unknown] in %s", an_text(t,
					       an_image_of(t,
							   fr->image)->dso)) :
			     an_timeline_text(f->tl, name, &f->names[at], err);
	}
	*id = f->names[at];
	return rc;
}

static int detail_of(struct filler *f, uint32_t event, uint32_t cpu,
		     uint32_t *id, struct err *err)
{
	const struct an_trace *t = f->in->t;
	uint64_t key = map64_pair(event, cpu);
	bool is_new;
	uint32_t *text;
	int rc;

	if (map64_get(&f->details, key, id))
		return 0;
	rc = an_timeline_textf(f->tl, id, err, "sample of %s\nCPU %" PRIu32,
			       an_text(t, an_event_of(t, event)->name), cpu);
	if (rc)
		return rc;
	text = map64_put(&f->details, key, *id, &is_new);
	return text ? 0 : err_nomem(err);
}

static int put_row(struct filler *f, const struct an_batch *b, size_t i,
		   struct err *err)
{
	struct an_span s = { .from = b->time[i], .to = b->time[i],
			     .class = AN_CLASS_SAMPLE };
	uint32_t lane, frame = b->ip[i];
	int rc = lane_of(f, b->thread[i], &lane, err);

	if (b->flags[i] & TF_SAMPLE_KERNEL)
		frame = an_frame_in_kernel(f->in->t, frame);
	if (!rc)
		rc = name_of(f, frame, &s.name, err);
	if (!rc)
		rc = detail_of(f, b->event[i], b->cpu[i], &s.detail, err);
	if (!rc)
		rc = an_timeline_span(f->tl, lane, &s, err);
	/* The most sampled on top. */
	if (!rc)
		f->tl->lanes[lane].rank--;
	return rc;
}

/* Rows of tracepoints say what happened, not where time went. */
static bool is_sample(const struct filler *f, uint32_t event)
{
	return event == AN_NONE ||
	       an_event_of(f->in->t, event)->tracepoint == AN_NONE;
}

static int put_rows(struct filler *f, struct an_samples *walk, struct err *err)
{
	const struct an_batch *b;
	int rc;

	while ((rc = an_samples_next(walk, &b, err)) == 0)
		for (size_t i = 0; i < b->n; i++) {
			if (is_sample(f, b->event[i]))
				rc = put_row(f, b, i, err);
			if (rc)
				return rc;
		}
	return rc < 0 ? rc : 0;
}

static int by_rank(const void *a, const void *b, void *ctx)
{
	const struct an_timeline *tl = ctx;
	const uint32_t *x = a, *y = b;
	int c = CMP(tl->lanes[*x].rank, tl->lanes[*y].rank);

	return c ? c : CMP(*x, *y);
}

/* In the lane of many a sample is named by its thread. */
static int move(struct filler *f, uint32_t from, uint32_t to, struct err *err)
{
	struct an_lane *l = &f->tl->lanes[from];
	int rc = 0;

	for (size_t i = 0; i < l->n_spans && !rc; i++) {
		struct an_span s = l->spans[i];

		s.detail = s.name;
		s.name = l->name;
		rc = an_timeline_span(f->tl, to, &s, err);
	}
	l->n_spans = 0;
	return rc;
}

static int fold(struct filler *f, struct err *err)
{
	struct an_lane lane = { .kind = AN_LANE_SPANS, .group = f->group,
				.rank = UINT64_MAX };
	size_t max = f->in->max_lanes;
	uint32_t id;
	int rc;

	if (!max || f->n <= max)
		return 0;
	qsort_r(f->ids, f->n, sizeof(*f->ids), by_rank, f->tl);
	rc = an_timeline_textf(f->tl, &lane.name, err, "%zu more thread%s",
			       f->n - max, f->n - max == 1 ? "" : "s");
	if (!rc)
		rc = an_timeline_lane(f->tl, &lane, &id, err);
	for (size_t i = max; i < f->n && !rc; i++)
		rc = move(f, f->ids[i], id, err);
	return rc;
}

static int prepare(struct filler *f, struct err *err)
{
	f->n_names = an_n_frames(f->in->t);
	f->names = malloc((f->n_names + 1) * sizeof(*f->names));
	if (!f->names)
		return err_nomem(err);
	for (size_t i = 0; i <= f->n_names; i++)
		f->names[i] = AN_NONE;
	return an_timeline_textf(f->tl, &f->group, err, "Samples");
}

static bool any_event(const struct an_timeline_input *in)
{
	for (uint32_t i = 0; i < an_n_events(in->t); i++)
		if (an_event_of(in->t, i)->tracepoint == AN_NONE)
			return true;
	return !an_n_events(in->t);
}

static int fill(struct an_timeline *tl, struct an_timeline_input *in,
		struct err *err)
{
	struct filler f = { .tl = tl, .in = in };
	struct an_samples *walk = NULL;
	int rc;

	if (!any_event(in))
		return 0;
	rc = an_input_read(in, err);
	if (!rc)
		rc = prepare(&f, err);
	if (!rc)
		rc = an_samples_new(&walk, in->t, in->sel, AN_S_TIME |
				    AN_S_CPU | AN_S_THREAD | AN_S_EVENT |
				    AN_S_IP | AN_S_FLAGS, err);
	if (!rc)
		rc = put_rows(&f, walk, err);
	if (!rc)
		rc = fold(&f, err);
	an_samples_free(walk);
	map64_fini(&f.lanes);
	map64_fini(&f.details);
	free(f.names);
	free(f.ids);
	return rc;
}

const struct an_provider an_lanes_samples = {
	.name = "samples",
	.summary = "each sample, a lane for each thread",
	.fill = fill,
};
