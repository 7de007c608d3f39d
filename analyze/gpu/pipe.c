#include "analyze/gpu/pipe.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Pipes are called A to D; there is room for more. */
#define MAX_PIPES 16u
/* The handler of the interrupt sends the event, then tells that it is done. */
#define AFTER_NS 1000000u

/* Whose rows name a pipe, or are next to a head's deliveries. */
struct claim {
	uint32_t device;     /* string; 0: none */
	const char *driver;
	bool several;
};

struct pipes {
	struct an_gpu *g;
	struct claim by_pipe[MAX_PIPES];
	struct claim *by_head;
};

static const char *driver_of(enum an_gpu_role role)
{
	return role == AN_GPU_I915_FLIP_DONE || role == AN_GPU_I915_PIPE ?
		       "i915" : "xe";
}

static void claim(struct claim *c, const struct an_gpu_event *e)
{
	c->several |= c->device && c->device != e->t[AN_GPU_DEV];
	c->device = e->t[AN_GPU_DEV];
	c->driver = driver_of(e->role);
}

/* The head of the delivery that the flip has just made. */
static uint32_t head_of_flip(const struct pipes *p,
			     const struct an_gpu_event *flip,
			     const struct an_gpu_event *delivered, uint32_t crtc)
{
	const struct an_heads *h = &p->g->heads;
	uint32_t vblank;

	if (!delivered || delivered->cpu != flip->cpu ||
	    delivered->n[AN_GPU_CRTC] != crtc ||
	    flip->time - delivered->time > AFTER_NS)
		return AN_NONE;
	vblank = an_heads_find(h, crtc, (uint32_t)delivered->n[AN_GPU_SEQ],
			       delivered->time);
	return vblank == AN_NONE ? AN_NONE : h->v[vblank].head;
}

static void take(struct pipes *p, const struct an_gpu_event *e,
		 const struct an_gpu_event *delivered)
{
	uint64_t pipe = e->n[AN_GPU_CRTC] - 'A';
	uint32_t head;

	if (!e->t[AN_GPU_DEV] || pipe >= MAX_PIPES)
		return;
	claim(&p->by_pipe[pipe], e);
	if (e->role != AN_GPU_I915_FLIP_DONE && e->role != AN_GPU_XE_FLIP_DONE)
		return;
	head = head_of_flip(p, e, delivered, (uint32_t)pipe);
	if (head < p->g->heads.n_heads)
		claim(&p->by_head[head], e);
}

static void take_all(struct pipes *p)
{
	const struct an_gpu_events *events = &p->g->events;
	const struct an_gpu_event *delivered = NULL;

	for (size_t i = 0; i < events->n; i++) {
		const struct an_gpu_event *e = &events->v[i];

		if (e->role == AN_GPU_VBLANK_DELIVERED)
			delivered = e;
		else if (e->role >= AN_GPU_I915_FLIP_DONE)
			take(p, e, delivered);
	}
}

static bool is_only_of_crtc(const struct an_heads *h, size_t head)
{
	for (size_t i = 0; i < h->n_heads; i++)
		if (i != head && h->heads[i].crtc == h->heads[head].crtc)
			return false;
	return true;
}

static const struct claim *claim_of(const struct pipes *p, size_t head)
{
	const struct an_heads *h = &p->g->heads;
	const struct claim *c = &p->by_head[head];

	if (!c->device && h->heads[head].crtc < MAX_PIPES &&
	    is_only_of_crtc(h, head))
		c = &p->by_pipe[h->heads[head].crtc];
	return c->device && !c->several ? c : NULL;
}

static void name_head(const struct pipes *p, struct an_head *h,
		      const struct claim *c)
{
	size_t n = strlen(h->device);

	if (!n)
		snprintf(h->device, sizeof(h->device), "%s/%s",
			 an_text(p->g->t, c->device), c->driver);
	else if (!strchr(h->device, '/'))
		snprintf(h->device + n, sizeof(h->device) - n, "/%s",
			 c->driver);
}

int an_pipes_name(struct an_gpu *g, struct err *err)
{
	struct pipes p = { .g = g };
	struct an_heads *h = &g->heads;

	if (!h->n_heads)
		return 0;
	p.by_head = calloc(h->n_heads, sizeof(*p.by_head));
	if (!p.by_head)
		return err_nomem(err);
	take_all(&p);
	for (size_t i = 0; i < h->n_heads; i++) {
		const struct claim *c = claim_of(&p, i);

		if (c)
			name_head(&p, &h->heads[i], c);
	}
	free(p.by_head);
	return 0;
}
