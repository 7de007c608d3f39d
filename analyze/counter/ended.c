#include "analyze/counter/ended.h"

#include "format/base/mem.h"
#include "format/catalog.h"

#include <stdlib.h>

struct client {
	uint64_t id;
	uint32_t machine, device;
};

static int by_client(const void *a, const void *b)
{
	const struct client *x = a, *y = b;
	int order = CMP(x->machine, y->machine);

	order = order ? order : CMP(x->device, y->device);
	return order ? order : CMP(x->id, y->id);
}

/* Whether it ended, and how long after its last reading that was seen. */
static bool has_ended(const struct an_counters *c, uint32_t series,
		      uint64_t *after_ns)
{
	size_t n;
	const struct an_reading *v = an_counters_of(c, series, &n);
	uint64_t last = 0;
	bool ended = false;

	for (size_t i = 0; i < n; i++) {
		if (v[i].state == TF_COUNTER_GONE && last) {
			ended = true;
			if (v[i].time - last > *after_ns)
				*after_ns = v[i].time - last;
		}
		last = v[i].state == TF_COUNTER_READ ? v[i].time : 0;
	}
	return ended;
}

static size_t n_different(struct client *v, size_t n)
{
	size_t different = 0;

	if (n)
		qsort(v, n, sizeof(*v), by_client);
	for (size_t i = 0; i < n; i++)
		different += !i || by_client(&v[i - 1], &v[i]);
	return different;
}

int an_ended_of(struct an_ended *out, const struct an_counters *c,
		struct err *err)
{
	uint32_t n_series = (uint32_t)an_n_series(c->t);
	struct client *v = calloc((size_t)n_series + 1, sizeof(*v));
	size_t n = 0;

	*out = (struct an_ended){ 0 };
	if (!v)
		return err_nomem(err);
	for (uint32_t i = 0; i < n_series; i++) {
		const struct an_series *s = an_series_of(c->t, i);

		if (s->source == TF_SERIES_FDINFO &&
		    has_ended(c, i, &out->longest_ns))
			v[n++] = (struct client){ s->client, s->machine,
						  s->device };
	}
	out->n = n_different(v, n);
	free(v);
	return 0;
}
