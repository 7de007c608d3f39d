#include "analyze/counter/peers.h"

#include "analyze/trace_data.h"

#include "format/base/mem.h"
#include "format/catalog.h"

#include <stdlib.h>
#include <string.h>

struct an_peer {
	uint64_t client;
	uint32_t machine, pid, cpu, run, device, part, cgroup;
	uint32_t name, series;
};

/* Events of several PMUs are of one CPU all the same. */
static struct an_peer peer_of(const struct an_trace *t, uint32_t series,
			      uint32_t name)
{
	const struct an_series *s = an_series_of(t, series);

	return (struct an_peer){
		.client = s->client,
		.machine = s->machine,
		.pid = (uint32_t)s->pid,
		.cpu = (uint32_t)s->cpu,
		.run = s->run,
		.device = s->source == TF_SERIES_PMU ? 0 : s->device,
		.part = s->part,
		.cgroup = s->source == TF_SERIES_PMU ? s->label : 0,
		.name = name,
		.series = series,
	};
}

static int by_place_and_name(const struct an_peer *x, const struct an_peer *y)
{
	int order = CMP(x->machine, y->machine);

	order = order ? order : CMP(x->device, y->device);
	order = order ? order : CMP(x->client, y->client);
	order = order ? order : CMP(x->pid, y->pid);
	order = order ? order : CMP(x->cpu, y->cpu);
	order = order ? order : CMP(x->run, y->run);
	order = order ? order : CMP(x->part, y->part);
	order = order ? order : CMP(x->cgroup, y->cgroup);
	return order ? order : CMP(x->name, y->name);
}

static int by_all(const void *a, const void *b)
{
	const struct an_peer *x = a, *y = b;
	int order = by_place_and_name(x, y);

	return order ? order : CMP(x->series, y->series);
}

int an_peers_make(struct an_peers *out, const struct an_trace *t,
		  struct err *err)
{
	size_t n = an_n_series(t);

	*out = (struct an_peers){ .t = t, .n = n };
	out->v = calloc(n + 1, sizeof(*out->v));
	if (!out->v)
		return err_nomem(err);
	for (uint32_t i = 0; i < n; i++)
		out->v[i] = peer_of(t, i, an_series_of(t, i)->name);
	if (n)
		qsort(out->v, n, sizeof(*out->v), by_all);
	return 0;
}

void an_peers_fini(struct an_peers *p)
{
	free(p->v);
	*p = (struct an_peers){ 0 };
}

uint32_t an_peers_find(const struct an_peers *p, uint32_t series,
		       struct span name)
{
	struct an_peer key;
	size_t low = 0, high = p->n;
	uint32_t id;

	if (!intern_find(&p->t->strings, name.p, name.n, &id))
		return AN_NONE;
	key = peer_of(p->t, series, id);
	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (by_place_and_name(&p->v[mid], &key) < 0)
			low = mid + 1;
		else
			high = mid;
	}
	return low < p->n && by_place_and_name(&p->v[low], &key) == 0 ?
		       p->v[low].series : AN_NONE;
}
