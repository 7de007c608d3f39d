/* A lane for the vblanks of each head, and one for the display frames of each
 * client: from the vblank that showed the one before to that of its own. */
#include "analyze/gpu/stall.h"
#include "analyze/timeline/provider.h"

#include <inttypes.h>
#include <stdlib.h>

struct filler {
	struct an_timeline *tl;
	struct an_timeline_input *in;
	uint32_t group;
	uint32_t *lanes; /* by client */
};

static uint64_t rank_of(const struct filler *f, uint32_t head)
{
	return head < f->in->gpu.heads.n_heads ? head : UINT32_MAX;
}

static int put_vblank(struct filler *f, uint32_t lane,
		      const struct an_vblank *v, struct err *err)
{
	struct an_span s = { .from = v->time, .to = v->time,
			     .class = AN_CLASS_VBLANK };
	int rc;

	if (!an_input_has_time(f->in, v->time))
		return 0;
	rc = an_timeline_textf(f->tl, &s.name, err, "vblank %" PRIu32, v->seq);
	return rc ? rc : an_timeline_span(f->tl, lane, &s, err);
}

static int put_head(struct filler *f, uint32_t head, struct err *err)
{
	const struct an_heads *heads = &f->in->gpu.heads;
	const struct an_head *h = &heads->heads[head];
	struct an_lane lane = { .kind = AN_LANE_SPANS, .group = f->group,
				.rank = rank_of(f, head) << 32 };
	char name[AN_HEAD_NAME];
	uint32_t id;
	int rc;

	an_head_name(heads, head, name);
	rc = h->period_ns > 0 && !h->vrr ?
		     an_timeline_textf(f->tl, &lane.name, err, "%s: %.4g Hz",
				       name, 1e9 / h->period_ns) :
		     an_timeline_textf(f->tl, &lane.name, err, "%s%s", name,
				       h->vrr ? ": variable" : "");
	if (!rc)
		rc = an_timeline_lane(f->tl, &lane, &id, err);
	for (size_t i = h->first; i < h->end && !rc; i++)
		rc = put_vblank(f, id, an_head_vblank(heads, i), err);
	return rc;
}

static int put_client(struct filler *f, uint32_t client, struct err *err)
{
	const struct an_gpu *g = &f->in->gpu;
	const struct an_client *c = &g->clients.clients[client];
	struct an_lane lane = { .kind = AN_LANE_SPANS, .group = f->group,
				.rank = rank_of(f, c->head) << 32 | 1 };
	char name[AN_HEAD_NAME] = "";
	int rc;

	if (c->head < g->heads.n_heads)
		an_head_name(&g->heads, c->head, name);
	else
		snprintf(name, sizeof(name), "crtc%" PRIu32, c->crtc);
	rc = c->task == AN_NONE ?
		     an_timeline_textf(f->tl, &lane.name, err,
				       "%s: frames of %#" PRIx64, name,
				       c->file) :
		     an_timeline_textf(f->tl, &lane.name, err,
				       "%s: frames of %s (%" PRId32 ")", name,
				       an_task_name(&g->tasks, c->task,
						    UINT64_MAX),
				       an_task_tid(&g->tasks, c->task));
	return rc ? rc : an_timeline_lane(f->tl, &lane, &f->lanes[client], err);
}

static uint64_t shown_at(const struct an_delivery *d)
{
	return d->vblank ? d->vblank : d->time;
}

/* Named by the cause, with the sentence of `stalls`. */
static int tell_why(const struct filler *f, const struct an_stall *stall,
		    uint32_t missed, struct an_span *s, struct err *err)
{
	struct buf text;
	int rc;

	buf_init(&text, 0);
	an_stall_text(stall, &f->in->gpu, &text);
	rc = buf_failed(&text) ? err_nomem(err) :
	     an_timeline_text(f->tl, span_of(text.p, text.n), &s->detail, err);
	buf_fini(&text);
	return rc ? rc : an_timeline_textf(f->tl, &s->name, err,
					   "%s: late, %" PRIu32 " missed",
					   an_cause_name(stall->why.cause),
					   missed);
}

static int late_frame(const struct filler *f, uint32_t delivery,
		      struct an_span *s, struct err *err)
{
	const struct an_gpu *g = &f->in->gpu;
	struct an_stall stall = { 0 };
	int rc = an_stall_explain(&stall, g, delivery, err);

	s->class = AN_CLASS_LATE;
	if (!rc)
		rc = tell_why(f, &stall, g->clients.v[delivery].missed, s, err);
	an_stall_fini(&stall);
	return rc;
}

static int frame_in_time(const struct filler *f, const struct an_delivery *d,
			 struct an_span *s, struct err *err)
{
	int rc = an_timeline_textf(f->tl, &s->name, err, "frame");

	s->class = AN_CLASS_FRAME;
	return rc ? rc : an_timeline_textf(f->tl, &s->detail, err,
					   "shown at vblank %" PRIu32 "%s",
					   d->seq, d->paused ?
					   "\nthe client had paused" : "");
}

static int put_frame(const struct filler *f, uint32_t delivery,
		     struct err *err)
{
	const struct an_clients *c = &f->in->gpu.clients;
	const struct an_delivery *d = &c->v[delivery];
	struct an_span s = { .to = shown_at(d) };
	int rc;

	/* Since when the first one was waited for is not known. */
	s.from = d->previous < c->n ? shown_at(&c->v[d->previous]) : s.to;
	if (!an_input_touches(f->in, s.from, s.to))
		return 0;
	f->in->frames++;
	if (d->previous >= c->n)
		return 0;
	f->in->late += d->missed > 0;
	rc = d->missed ? late_frame(f, delivery, &s, err) :
			 frame_in_time(f, d, &s, err);
	return rc ? rc : an_timeline_span(f->tl, f->lanes[d->client], &s, err);
}

static bool is_frame(const struct filler *f, const struct an_delivery *d)
{
	const struct an_clients *c = &f->in->gpu.clients;
	const struct an_tasks *x = &f->in->gpu.tasks;

	if (d->client >= c->n_clients || d->asked)
		return false;
	return !f->in->sel->thread ||
	       an_input_has_thread(f->in, an_task_thread(
				   x, c->clients[d->client].task, d->time));
}

static int put_all(struct filler *f, struct err *err)
{
	const struct an_gpu *g = &f->in->gpu;
	int rc = an_timeline_textf(f->tl, &f->group, err, "Displays");

	for (uint32_t i = 0; i < g->heads.n_heads && !rc; i++)
		rc = put_head(f, i, err);
	for (uint32_t i = 0; i < g->clients.n_clients && !rc; i++)
		rc = put_client(f, i, err);
	for (uint32_t i = 0; i < g->clients.n && !rc; i++)
		if (is_frame(f, &g->clients.v[i]))
			rc = put_frame(f, i, err);
	return rc;
}

static int fill(struct an_timeline *tl, struct an_timeline_input *in,
		struct err *err)
{
	struct filler f = { .tl = tl, .in = in };
	int rc = an_input_read(in, err);

	if (rc)
		return rc;
	f.lanes = calloc(in->gpu.clients.n_clients + 1, sizeof(*f.lanes));
	rc = f.lanes ? put_all(&f, err) : err_nomem(err);
	free(f.lanes);
	return rc;
}

const struct an_provider an_lanes_displays = {
	.name = "displays",
	.summary = "vblanks, and which display frames were late",
	.fill = fill,
};
