/* A lane for each thread that waited for fences. */
#include "analyze/gpu/waits.h"
#include "analyze/timeline/provider.h"

#include "format/base/map64.h"

#include <inttypes.h>

struct filler {
	struct an_timeline *tl;
	const struct an_timeline_input *in;
	uint32_t group;
	struct map64 lanes; /* by task */
};

static int lane_of(struct filler *f, const struct an_wait *w, uint32_t *id,
		   struct err *err)
{
	const struct an_tasks *x = &f->in->gpu.tasks;
	struct an_lane lane = { .kind = AN_LANE_SPANS, .group = f->group };
	uint32_t *at;
	bool is_new;
	int rc;

	if (map64_get(&f->lanes, w->task, id))
		return 0;
	rc = an_timeline_textf(f->tl, &lane.name, err, "%s (%" PRId32 ")",
			       an_task_name(x, w->task, w->from),
			       an_task_tid(x, w->task));
	if (!rc)
		rc = an_timeline_lane(f->tl, &lane, id, err);
	if (rc)
		return rc;
	at = map64_put(&f->lanes, w->task, *id, &is_new);
	return at ? 0 : err_nomem(err);
}

static int name_of(struct filler *f, const struct an_fence *fence,
		   uint32_t *id, struct err *err)
{
	const struct an_trace *t = f->in->t;

	if (!fence)
		return an_timeline_textf(f->tl, id, err, "fence not known");
	return an_timeline_textf(f->tl, id, err, "%s %s",
				 fence->driver ? an_text(t, fence->driver) :
						 "driver not known",
				 fence->timeline ? an_text(t, fence->timeline) :
						   "");
}

static int detail_of(struct filler *f, const struct an_wait *w,
		     const struct an_fence *fence, uint32_t *id,
		     struct err *err)
{
	const struct an_gpu *g = &f->in->gpu;
	const char *edges = !w->from ? "\nits begin is not in the trace" :
			    !w->to ? "\nits end is not in the trace" : "";
	const char *kind = an_wait_kind_name(w->kind);
	const char *ring = "";

	if (!fence)
		return an_timeline_textf(f->tl, id, err, "%s%s", kind, edges);
	if (fence->job < g->jobs.n)
		ring = g->jobs.rings[g->jobs.v[fence->job].ring].name;
	return an_timeline_textf(f->tl, id, err, "%s, fence %" PRIu32 ":%" PRIu32
				 "%s%s%s%s", kind, fence->context, fence->seqno,
				 *ring ? ", job on ring " : "", ring,
				 fence->signaled ? "" : "\nnot signalled by the end",
				 edges);
}

static int put_wait(struct filler *f, const struct an_wait *w, struct err *err)
{
	const struct an_fences *fences = &f->in->gpu.fences;
	const struct an_fence *fence = w->fence < fences->n ?
					       &fences->v[w->fence] : NULL;
	struct an_span s = {
		.from = w->since, .to = w->until,
		.class = AN_CLASS_FENCE,
	};
	uint32_t lane;
	int rc = lane_of(f, w, &lane, err);

	if (!rc)
		rc = name_of(f, fence, &s.name, err);
	if (!rc)
		rc = detail_of(f, w, fence, &s.detail, err);
	return rc ? rc : an_timeline_span(f->tl, lane, &s, err);
}

static int fill(struct an_timeline *tl, struct an_timeline_input *in,
		struct err *err)
{
	struct filler f = { .tl = tl, .in = in };
	int rc = an_input_read(in, err);

	if (!rc)
		rc = an_timeline_textf(tl, &f.group, err, "Fence waits");
	for (size_t i = 0; !rc && i < in->gpu.fences.n_waits; i++) {
		const struct an_wait *w = &in->gpu.fences.waits[i];

		if (an_wait_is_selected(&in->gpu, w, in->sel))
			rc = put_wait(&f, w, err);
	}
	map64_fini(&f.lanes);
	return rc;
}

const struct an_provider an_lanes_fences = {
	.name = "fences",
	.summary = "waits of each thread for fences",
	.fill = fill,
};
