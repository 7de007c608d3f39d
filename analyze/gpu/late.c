#include "analyze/gpu/late.h"

#include "analyze/gpu/model.h"

static bool find(const struct an_clients *c, uint64_t number, uint64_t *n,
		 struct an_late *out)
{
	*n = 0;
	for (size_t i = 0; i < c->n; i++) {
		const struct an_delivery *d = &c->v[i];

		if (!d->number)
			continue;
		*n = d->number;
		if (d->number < number)
			continue;
		*out = (struct an_late){ c->v[d->previous].time, d->time };
		return true;
	}
	return false;
}

int an_late_find(struct an_late *out, uint64_t *n, struct an_trace *t,
		 uint64_t number, struct err *err)
{
	struct an_gpu g;
	int rc = an_gpu_make(&g, t, AN_CLIENT_IDLE_NS, err);

	if (!rc)
		rc = !find(&g.clients, number, n, out);
	an_gpu_fini(&g);
	return rc;
}
