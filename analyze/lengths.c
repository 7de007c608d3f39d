#include "analyze/lengths.h"

#include "format/base/mem.h"

#include <stdlib.h>

int an_lengths_add(struct an_lengths *l, uint32_t group, uint64_t ns,
		   struct err *err)
{
	if (!mem_grow(&l->v, &l->cap, l->n + 1, sizeof(*l->v)))
		return err_nomem(err);
	l->v[l->n++] = (struct an_length){ group, ns };
	return 0;
}

void an_lengths_fini(struct an_lengths *l)
{
	free(l->v);
	*l = (struct an_lengths){ 0 };
}

static int by_group(const void *a, const void *b)
{
	const struct an_length *x = a, *y = b;

	return x->group != y->group ? CMP(x->group, y->group) :
				      CMP(x->ns, y->ns);
}

void an_lengths_sort(struct an_lengths *l)
{
	if (l->n)
		qsort(l->v, l->n, sizeof(*l->v), by_group);
}

static uint64_t quantile(const struct an_length *v, size_t n, unsigned percent)
{
	return v[(n * percent + 99) / 100 - 1].ns;
}

bool an_lengths_next(const struct an_lengths *l, size_t *at, uint32_t *group,
		     struct an_quantiles *out)
{
	const struct an_length *v;
	size_t n = 0;

	if (*at == l->n)
		return false;
	v = l->v + *at;
	while (*at + n < l->n && v[n].group == v->group)
		n++;
	*at += n;
	*group = v->group;
	*out = (struct an_quantiles){
		quantile(v, n, 50), quantile(v, n, 95), quantile(v, n, 99),
		v[n - 1].ns,
	};
	return true;
}
