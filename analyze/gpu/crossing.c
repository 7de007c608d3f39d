#include "analyze/gpu/stall.h"

#include "format/base/mem.h"

static int32_t pid_of(const struct an_gpu *g, uint32_t task)
{
	uint32_t thread = an_task_thread(&g->tasks, task, UINT64_MAX);

	return thread == AN_NONE ? -1 : an_thread_of(g->t, thread)->pid;
}

static bool put(struct an_crossings *c, int32_t pid, uint32_t head)
{
	bool is_new;

	return map64_put(&c->shows, map64_pair((uint32_t)pid, head), 1,
			 &is_new) != NULL;
}

int an_crossings_init(struct an_crossings *c, const struct an_gpu *g,
		      struct err *err)
{
	*c = (struct an_crossings){ .g = g };
	for (size_t i = 0; i < g->clients.n_clients; i++) {
		const struct an_client *v = &g->clients.clients[i];
		int32_t pid = pid_of(g, v->task);

		if (v->head == AN_NONE || pid < 0)
			continue;
		if (!put(c, pid, v->head) || !put(c, pid, AN_NONE))
			return err_nomem(err);
	}
	return 0;
}

void an_crossings_fini(struct an_crossings *c)
{
	map64_fini(&c->shows);
}

static bool shows(const struct an_crossings *c, int32_t pid, uint32_t head)
{
	uint32_t yes;

	return map64_get(&c->shows, map64_pair((uint32_t)pid, head), &yes);
}

static bool is_its_head(const struct an_crossings *c, const struct an_wait *w,
			uint32_t head)
{
	int32_t pid = an_thread_of(c->g->t, w->thread)->pid;

	return c->g->heads.n_heads == 1 || shows(c, pid, head) ||
	       !shows(c, pid, AN_NONE);
}

/* The first delivery behind a time. */
static size_t first_after(const struct an_clients *c, uint64_t time)
{
	size_t low = 0, high = c->n;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (c->v[mid].time <= time)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

/* A frame that was shown late after the wait had begun, and whose client showed
 * the one before until it had ended. */
static bool lost_one(const struct an_gpu *g, uint32_t head, uint64_t from,
		     uint64_t to)
{
	const struct an_clients *c = &g->clients;

	for (size_t i = first_after(c, from); i < c->n; i++) {
		const struct an_delivery *d = &c->v[i];

		/* A longer time than this without a frame is a pause. */
		if (d->time > to && d->time - to > g->idle_ns)
			break;
		if (d->missed && c->clients[d->client].head == head &&
		    c->v[d->previous].time < to)
			return true;
	}
	return false;
}

static bool crosses(const struct an_gpu *g, uint32_t wait, uint32_t head,
		    struct an_crossing *out)
{
	const struct an_wait *w = &g->fences.waits[wait];
	size_t i = an_head_after(&g->heads, head, w->since);
	size_t end = an_head_after(&g->heads, head,
				   w->until ? w->until - 1 : 0);

	*out = (struct an_crossing){ .wait = wait, .head = head };
	if (end <= i)
		return false;
	out->vblanks = (uint32_t)(end - i);
	out->first = an_head_vblank(&g->heads, i)->time;
	out->lost = lost_one(g, head, w->since, w->until);
	return true;
}

bool an_crossings_next(struct an_crossings *c, struct an_crossing *out)
{
	const struct an_gpu *g = c->g;
	uint64_t n = g->heads.n_heads;

	while (n && c->at < g->fences.n_waits * n) {
		uint32_t wait = (uint32_t)(c->at / n);
		uint32_t head = (uint32_t)(c->at % n);

		c->at++;
		if (is_its_head(c, &g->fences.waits[wait], head) &&
		    crosses(g, wait, head, out))
			return true;
	}
	return false;
}
