#include "format/meter.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

#define PAGE 4096u

struct meter {
	struct tf_source base;
	struct tf_source *inner;
	size_t n;             /* pages */
	atomic_bool *touched; /* by page */
};

static int meter_read(struct tf_source *s, void *to, size_t n, uint64_t at,
		      struct err *err)
{
	struct meter *m = (struct meter *)s;

	if (n && at < s->size && n <= s->size - at)
		for (uint64_t i = at / PAGE; i <= (at + n - 1) / PAGE; i++)
			atomic_store_explicit(&m->touched[i], true,
					      memory_order_relaxed);
	return m->inner->read(m->inner, to, n, at, err);
}

static void meter_close(struct tf_source *s)
{
	struct meter *m = (struct meter *)s;

	tf_source_close(m->inner);
	free(m->touched);
	free(m);
}

int tf_meter_new(struct tf_source **out, struct tf_source *inner,
		 struct err *err)
{
	struct meter *m = calloc(1, sizeof(*m));

	if (!m)
		return err_nomem(err);
	m->base = (struct tf_source){ .read = meter_read,
				      .close = meter_close,
				      .size = inner->size,
				      .name = inner->name };
	m->inner = inner;
	m->n = (size_t)(inner->size / PAGE) + 1;
	m->touched = calloc(m->n, sizeof(*m->touched));
	if (!m->touched) {
		free(m);
		return err_nomem(err);
	}
	*out = &m->base;
	return 0;
}

uint64_t tf_meter_bytes(const struct tf_source *meter)
{
	const struct meter *m = (const struct meter *)meter;
	uint64_t bytes = 0;

	for (size_t i = 0; i < m->n; i++) {
		uint64_t left = meter->size - (uint64_t)i * PAGE;

		if (atomic_load_explicit(&m->touched[i], memory_order_relaxed))
			bytes += left < PAGE ? left : PAGE;
	}
	return bytes;
}
