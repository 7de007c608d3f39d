#include "analyze/gpu/head_data.h"

#include "format/base/mem.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* By how many periods a vblank may be early, and by what part of those since the
 * last ones; and how many late. On a loaded machine the timer of a virtual
 * display is late by nine and then catches up at once (measured). Another head
 * is either early here, or its count is behind. */
#define EARLY 0.6
#define DRIFT 0.02
#define LATE 60.0
/* Off the grid only the next one counts, and comes within this. */
#define NEXT_MAX_NS 250000000u

/* DRM has up to 32 pipes; who has more heads of one name made them up. */
#define MAX_CRTC 63u
#define MAX_HEADS 32u

static int add_vblank(struct an_heads *h, const struct an_gpu_event *e,
		      struct err *err)
{
	if (e->n[AN_GPU_CRTC] > MAX_CRTC || h->n >= UINT32_MAX)
		return 0;
	if (!mem_grow(&h->v, &h->cap, h->n + 1, sizeof(*h->v)))
		return err_nomem(err);
	h->v[h->n++] = (struct an_vblank){
		.time = e->n[AN_GPU_TIME] ? e->n[AN_GPU_TIME] : e->time,
		.told = e->time,
		.head = AN_NONE,
		.crtc = (uint32_t)e->n[AN_GPU_CRTC],
		.seq = (uint32_t)e->n[AN_GPU_SEQ],
	};
	return 0;
}

static int new_head(struct an_heads *h, uint32_t crtc, uint32_t *id,
		    struct err *err)
{
	if (!mem_grow(&h->heads, &h->heads_cap, h->n_heads + 1,
		      sizeof(*h->heads)))
		return err_nomem(err);
	*id = (uint32_t)h->n_heads;
	h->heads[h->n_heads++] = (struct an_head){ .crtc = crtc };
	return 0;
}

static const struct an_vblank *last_of(const struct an_split *s, uint32_t head)
{
	const struct an_recent *r = &s->recent[head];

	return &s->h->v[r->v[(r->n - 1) % AN_RECENT]];
}

/* By how many periods it is off the grid of a head. Vblanks are told late but
 * never early, so that the earliest of what the last ones let expect is it. */
static double off_grid(const struct an_split *s, uint32_t head, double period,
		       const struct an_vblank *v)
{
	const struct an_recent *r = &s->recent[head];
	double latest = 0;

	for (uint32_t i = 0; i < r->n && i < AN_RECENT; i++) {
		const struct an_vblank *w = &s->h->v[r->v[i]];
		double off = ((double)v->time - (double)w->time) / period -
			     (double)(uint32_t)(v->seq - w->seq);

		if (!i || off > latest)
			latest = off;
	}
	return latest;
}

/* How far off it is from what the head would bring next, in periods; negative:
 * it cannot be of that head. */
static double misfit(const struct an_split *s, uint32_t head,
		     const struct an_vblank *v)
{
	const struct an_vblank *last = last_of(s, head);
	uint32_t steps = v->seq - last->seq;
	double best = -1, ns;

	if (!steps || steps > INT32_MAX || v->time <= last->time)
		return -1;
	ns = (double)(v->time - last->time);
	for (size_t i = 0; i < s->n_periods; i++) {
		double off = off_grid(s, head, s->periods[i], v);

		if (off < -EARLY - DRIFT * steps || off > LATE + DRIFT * steps)
			continue;
		off = off < 0 ? -off : off;
		if (best < 0 || off < best)
			best = off;
	}
	/* The very next one, at any time: there may be no fixed period, or the
	 * first ones were late. Worse than any that fits. */
	if (best < 0 && steps == 1 && ns <= NEXT_MAX_NS)
		return 1e6 + ns;
	return best;
}

static bool is_again(const struct an_vblank *last, const struct an_vblank *v)
{
	return v->seq == last->seq && v->time == last->time;
}

/* The head that it fits best; AN_NONE: none. */
static uint32_t head_for(const struct an_split *s, const struct an_vblank *v)
{
	uint32_t found = AN_NONE;
	double best = 0;

	for (uint32_t i = s->first_head; i < s->h->n_heads; i++) {
		double off;

		if (is_again(last_of(s, i), v))
			return i;
		off = misfit(s, i, v);
		if (off >= 0 && (found == AN_NONE || off < best)) {
			found = i;
			best = off;
		}
	}
	return found;
}

static void remember(struct an_split *s, uint32_t head, uint32_t vblank)
{
	struct an_recent *r = &s->recent[head];

	r->v[r->n++ % AN_RECENT] = vblank;
}

static int take(struct an_split *s, uint32_t i, struct err *err)
{
	struct an_heads *h = s->h;
	uint32_t head = head_for(s, &h->v[i]);

	if (head == AN_NONE && h->n_heads - s->first_head >= MAX_HEADS) {
		h->heads[s->first_head].strays++;
		return 0;
	}
	if (head == AN_NONE) {
		if (new_head(h, h->v[i].crtc, &head, err) ||
		    !mem_grow(&s->recent, &s->recent_cap, h->n_heads,
			      sizeof(*s->recent)))
			return err_nomem(err);
		s->recent[head].n = 0;
	} else if (is_again(last_of(s, head), &h->v[i])) {
		h->heads[head].duplicates++;
		return 0;
	}
	h->v[i].head = head;
	remember(s, head, i);
	return 0;
}

static int find_periods(struct an_split *s, uint32_t crtc, struct err *err)
{
	struct an_moment *m = calloc(s->h->n + 1, sizeof(*m));
	size_t n = 0;
	int rc;

	if (!m)
		return err_nomem(err);
	for (size_t i = 0; i < s->h->n; i++)
		if (s->h->v[i].crtc == crtc)
			m[n++] = (struct an_moment){ s->h->v[i].time,
						     s->h->v[i].seq };
	rc = an_periods_find(s->periods, &s->n_periods, m, n, err);
	free(m);
	return rc;
}

static int split_crtc(struct an_split *s, uint32_t crtc, struct err *err)
{
	int rc = find_periods(s, crtc, err);

	s->first_head = (uint32_t)s->h->n_heads;
	for (uint32_t i = 0; i < s->h->n && !rc; i++)
		if (s->h->v[i].crtc == crtc)
			rc = take(s, i, err);
	return rc ? rc : an_split_mend(s, err);
}

/* Each crtc once, however many heads it is the name of. */
static int split_all(struct an_heads *h, struct err *err)
{
	struct an_split s = { .h = h };
	uint64_t seen = 0; /* bit c: crtc c */
	int rc = 0;

	for (size_t i = 0; i < h->n && !rc; i++) {
		if (seen >> h->v[i].crtc & 1)
			continue;
		seen |= (uint64_t)1 << h->v[i].crtc;
		rc = split_crtc(&s, h->v[i].crtc, err);
	}
	free(s.recent);
	return rc;
}

int an_heads_make(struct an_heads *out, const struct an_gpu_events *events,
		  struct err *err)
{
	int rc = 0;

	*out = (struct an_heads){ 0 };
	for (size_t i = 0; i < events->n && !rc; i++)
		if (events->v[i].role == AN_GPU_VBLANK)
			rc = add_vblank(out, &events->v[i], err);
	if (!rc)
		rc = split_all(out, err);
	return rc ? rc : an_heads_order(out, err);
}

void an_heads_fini(struct an_heads *h)
{
	free(h->v);
	free(h->heads);
	free(h->by_head);
	free(h->by_seq);
	*h = (struct an_heads){ 0 };
}

void an_head_name(const struct an_heads *h, uint32_t head,
		  char to[AN_HEAD_NAME])
{
	const struct an_head *d;

	if (head >= h->n_heads) {
		snprintf(to, AN_HEAD_NAME, "no vblanks");
		return;
	}
	d = &h->heads[head];
	if (d->alone)
		snprintf(to, AN_HEAD_NAME, "%s%scrtc%" PRIu32, d->device,
			 d->device[0] ? " " : "", d->crtc);
	else
		snprintf(to, AN_HEAD_NAME, "%s%scrtc%" PRIu32 "#%" PRIu32,
			 d->device, d->device[0] ? " " : "", d->crtc,
			 d->number);
}
