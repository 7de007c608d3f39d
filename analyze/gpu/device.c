#include "analyze/gpu/device.h"

#include "analyze/gpu/pipe.h"

#include "format/base/map64.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Strings of the trace by process. */
#define SEVERAL UINT32_MAX

struct devices {
	struct an_gpu *g;
	struct map64 cards, drivers;
};

static int learn(struct map64 *m, uint32_t pid, uint32_t string,
		 struct err *err)
{
	bool is_new;
	uint32_t *at = map64_put(m, pid, string, &is_new);

	if (!at)
		return err_nomem(err);
	if (*at != string)
		*at = SEVERAL;
	return 0;
}

/* Heads are driven by "/dev/dri/card0"; a render node drives none. */
static bool is_card(struct span path)
{
	return span_begins(path, "/dev/dri/card");
}

static int learn_cards(struct devices *d, struct err *err)
{
	const struct an_trace *t = d->g->t;
	int rc = 0;

	for (uint32_t i = 0; i < an_n_facts(t) && !rc; i++) {
		const struct an_fact *f = an_fact_of(t, i);
		uint32_t pid;

		if (sscanf(an_text(t, f->key), "gpu.file.%10" SCNu32 ".%*u",
			   &pid) == 1 && is_card(an_string(t, f->value)))
			rc = learn(&d->cards, pid, f->value, err);
	}
	return rc;
}

static uint32_t pid_of(const struct an_gpu *g, uint32_t task)
{
	uint32_t thread = an_task_thread(&g->tasks, task, UINT64_MAX);

	return thread == AN_NONE ? AN_NONE :
				   (uint32_t)an_thread_of(g->t, thread)->pid;
}

static int learn_drivers(struct devices *d, struct err *err)
{
	const struct an_gpu *g = d->g;
	int rc = 0;

	for (size_t i = 0; i < g->fences.n && !rc; i++) {
		const struct an_fence *f = &g->fences.v[i];

		if (f->job == AN_NONE || !f->driver ||
		    span_is(an_string(g->t, f->driver), "drm_sched"))
			continue;
		rc = learn(&d->drivers, pid_of(g, g->jobs.v[f->job].task),
			   f->driver, err);
	}
	return rc;
}

/* "card0", and "/i915" where the driver is known. */
static bool name_of(const struct devices *d, uint32_t pid, char *to,
		    size_t size)
{
	const struct an_trace *t = d->g->t;
	uint32_t card, driver;
	struct span path;

	if (!map64_get(&d->cards, pid, &card) || card == SEVERAL)
		return false;
	if (!map64_get(&d->drivers, pid, &driver))
		driver = SEVERAL;
	path = span_base_name(an_string(t, card));
	snprintf(to, size, "%.*s%s%s", (int)path.n, (const char *)path.p,
		 driver == SEVERAL ? "" : "/",
		 driver == SEVERAL ? "" : an_text(t, driver));
	return true;
}

static void name_heads(const struct devices *d)
{
	const struct an_clients *c = &d->g->clients;
	struct an_heads *heads = &d->g->heads;

	for (size_t i = 0; i < c->n_clients; i++) {
		char name[sizeof(heads->heads->device)];
		uint32_t head = c->clients[i].head;
		struct an_head *h;

		if (head >= heads->n_heads ||
		    !name_of(d, pid_of(d->g, c->clients[i].task), name,
			     sizeof(name)))
			continue;
		h = &heads->heads[head];
		h->unsure |= h->device[0] && strcmp(h->device, name) != 0;
		snprintf(h->device, sizeof(h->device), "%s", name);
	}
	for (uint32_t i = 0; i < heads->n_heads; i++)
		if (heads->heads[i].unsure)
			heads->heads[i].device[0] = 0;
}

int an_devices_find(struct an_gpu *g, struct err *err)
{
	struct devices d = { .g = g };
	int rc = learn_cards(&d, err);

	if (!rc && d.cards.n)
		rc = learn_drivers(&d, err);
	if (!rc)
		name_heads(&d);
	if (!rc)
		rc = an_pipes_name(g, err);
	an_heads_number(&g->heads);
	map64_fini(&d.cards);
	map64_fini(&d.drivers);
	return rc;
}
