#include "analyze/gpu/client.h"

#include "format/base/map64.h"
#include "format/base/mem.h"

#include <stdlib.h>

#define MAX_CADENCE 64u
#define FEW 16u /* vblanks that may come in a hurry */

struct build {
	struct an_clients *c;
	const struct an_trace *t;
	const struct an_heads *heads;
	uint64_t idle_ns;
	struct map64 files;  /* address to a number */
	struct map64 index;  /* (file, crtc and head) to the client */
	struct map64 asked;  /* (file and crtc, seq) to how often */
	uint32_t (*cadences)[MAX_CADENCE]; /* by client: how often each */
	size_t cadences_cap;
};

static int file_of(struct build *b, uint64_t file, uint32_t *id,
		   struct err *err)
{
	bool is_new;
	uint32_t *at = map64_put(&b->files, file, (uint32_t)b->files.n,
				 &is_new);

	*id = at ? *at : 0;
	return at ? 0 : err_nomem(err);
}

/* A crtc of DRM has a number below 64, see head.c. */
static uint32_t with_crtc(uint32_t file, uint32_t crtc)
{
	return file << 6 | (crtc & 63);
}

static int client_of(struct build *b, const struct an_gpu_event *e,
		     uint32_t head, uint32_t *id, struct err *err)
{
	struct an_clients *c = b->c;
	uint32_t crtc = (uint32_t)e->n[AN_GPU_CRTC], file, *at;
	bool is_new;
	int rc = file_of(b, e->n[AN_GPU_FILE], &file, err);

	if (rc)
		return rc;
	if (!mem_grow(&c->clients, &c->clients_cap, c->n_clients + 1,
		      sizeof(*c->clients)) ||
	    !mem_grow(&b->cadences, &b->cadences_cap, c->n_clients + 1,
		      sizeof(*b->cadences)))
		return err_nomem(err);
	at = map64_put(&b->index, map64_pair(with_crtc(file, crtc), head),
		       (uint32_t)c->n_clients, &is_new);
	if (!at)
		return err_nomem(err);
	*id = *at;
	if (!is_new)
		return 0;
	c->clients[c->n_clients] = (struct an_client){
		.file = e->n[AN_GPU_FILE], .crtc = crtc, .head = head,
		.task = AN_NONE, .last = AN_NONE,
	};
	for (size_t i = 0; i < MAX_CADENCE; i++)
		b->cadences[c->n_clients][i] = 0;
	c->n_clients++;
	return 0;
}

static int take_asked(struct build *b, const struct an_gpu_event *e,
		      struct err *err)
{
	uint32_t file, *at;
	bool is_new;
	int rc = file_of(b, e->n[AN_GPU_FILE], &file, err);

	if (rc)
		return rc;
	at = map64_put(&b->asked,
		       map64_pair(with_crtc(file,
					    (uint32_t)e->n[AN_GPU_CRTC]),
				  (uint32_t)e->n[AN_GPU_SEQ]), 0, &is_new);
	if (!at)
		return err_nomem(err);
	++*at;
	return 0;
}

/* Each asking is answered once. */
static bool was_asked(struct build *b, const struct an_gpu_event *e)
{
	uint32_t file, n, *at;
	uint64_t key;
	bool is_new;

	if (!map64_get(&b->files, e->n[AN_GPU_FILE], &file))
		return false;
	key = map64_pair(with_crtc(file, (uint32_t)e->n[AN_GPU_CRTC]),
			 (uint32_t)e->n[AN_GPU_SEQ]);
	if (!map64_get(&b->asked, key, &n) || !n)
		return false;
	at = map64_put(&b->asked, key, 0, &is_new);
	if (at)
		--*at;
	return true;
}

/* A timer that catches up makes many vblanks in no time, and says each. */
static bool were_told(const struct an_heads *h, uint32_t head, uint64_t from,
		      uint64_t to, uint32_t steps)
{
	return an_head_after(h, head, to) - an_head_after(h, head, from) >=
	       steps / 2;
}

/* After a mode set the count may begin anew, higher: more vblanks than fit into
 * the time, by far. */
static bool fits(const struct an_heads *heads, uint32_t head,
		 const struct an_delivery *last, const struct an_delivery *d,
		 uint32_t steps)
{
	const struct an_head *h = &heads->heads[head];
	uint64_t from = last->vblank ? last->vblank : last->time;
	uint64_t to = d->vblank ? d->vblank : d->time;
	double least = h->vrr ? (double)h->shortest_ns : h->period_ns;

	return steps < FEW || to < from ||
	       (double)steps * least < 2 * (double)(to - from) ||
	       were_told(heads, head, from, to, steps);
}

static void judge(struct build *b, struct an_client *c, struct an_delivery *d)
{
	const struct an_delivery *last;
	uint32_t steps;

	c->frames++;
	d->previous = c->last;
	c->last = (uint32_t)(d - b->c->v);
	if (d->previous == AN_NONE || c->head == AN_NONE)
		return;
	last = &b->c->v[d->previous];
	if (an_trace_breaks_in(b->t, last->time, d->time)) {
		d->previous = AN_NONE; /* it showed others in between */
		return;
	}
	steps = d->seq - last->seq;
	/* Twice for one vblank, or the count began anew. */
	if (!steps || steps > INT32_MAX ||
	    !fits(b->heads, c->head, last, d, steps))
		return;
	d->steps = steps;
	b->cadences[d->client][steps < MAX_CADENCE ? steps : 0]++;
	if (d->time - last->time > b->idle_ns) {
		d->paused = true;
		c->pauses++;
		return;
	}
	d->missed = steps - 1;
	c->missed += d->missed;
	c->late += d->missed > 0;
}

static int take_delivered(struct build *b, const struct an_gpu_event *e,
			  struct err *err)
{
	struct an_clients *c = b->c;
	uint32_t seq = (uint32_t)e->n[AN_GPU_SEQ], head = AN_NONE, vblank;
	struct an_delivery *d;
	int rc = 0;

	if (!mem_grow(&c->v, &c->cap, c->n + 1, sizeof(*c->v)))
		return err_nomem(err);
	d = &c->v[c->n++];
	*d = (struct an_delivery){ .time = e->time, .seq = seq,
				   .client = AN_NONE, .previous = AN_NONE,
				   .cpu = e->cpu, .task = e->task };
	vblank = an_heads_find(b->heads, (uint32_t)e->n[AN_GPU_CRTC], seq,
			       e->time);
	if (vblank != AN_NONE) {
		d->vblank = b->heads->v[vblank].time;
		head = b->heads->v[vblank].head;
	}
	if (!e->n[AN_GPU_FILE]) {
		c->own++;
		return 0;
	}
	/* The row of its vblank may be lost: one head of that crtc is it. */
	for (uint32_t i = 0; seq && head == AN_NONE && i < b->heads->n_heads;
	     i++)
		if (b->heads->heads[i].crtc == e->n[AN_GPU_CRTC] &&
		    b->heads->heads[i].alone)
			head = i;
	rc = client_of(b, e, head, &d->client, err);
	if (rc)
		return rc;
	d->asked = was_asked(b, e);
	if (d->asked)
		c->clients[d->client].asked++;
	else
		judge(b, &c->clients[d->client], d);
	return 0;
}

static void choose_cadence(struct build *b)
{
	for (size_t i = 0; i < b->c->n_clients; i++) {
		struct an_client *c = &b->c->clients[i];
		const uint32_t *count = b->cadences[i];
		uint32_t sum = count[0];

		for (uint32_t k = 1; k < MAX_CADENCE; k++) {
			sum += count[k];
			if (count[k] > count[c->cadence] || !c->cadence)
				c->cadence = k;
		}
		if (!sum)
			c->cadence = 0;
	}
}

int an_clients_make(struct an_clients *out, const struct an_trace *t,
		    const struct an_gpu_events *events,
		    const struct an_heads *heads, uint64_t idle_ns,
		    struct err *err)
{
	struct build b = { .c = out, .t = t, .heads = heads, .idle_ns = idle_ns };
	int rc = 0;

	*out = (struct an_clients){ 0 };
	for (size_t i = 0; i < events->n && !rc; i++) {
		if (events->v[i].role == AN_GPU_VBLANK_QUEUED)
			rc = take_asked(&b, &events->v[i], err);
		else if (events->v[i].role == AN_GPU_VBLANK_DELIVERED)
			rc = take_delivered(&b, &events->v[i], err);
	}
	if (!rc)
		choose_cadence(&b);
	map64_fini(&b.files);
	map64_fini(&b.index);
	map64_fini(&b.asked);
	free(b.cadences);
	return rc;
}

void an_clients_fini(struct an_clients *c)
{
	free(c->v);
	free(c->clients);
	*c = (struct an_clients){ 0 };
}
