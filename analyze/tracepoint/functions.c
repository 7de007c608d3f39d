#include "analyze/tracepoint/functions.h"

#include "format/base/mem.h"
#include "format/catalog.h"

#include <stdlib.h>
#include <string.h>

/* false: nobody knew where the kernel was, so that no address has a name. */
static bool find_text(const struct an_trace *t, uint64_t *text)
{
	const char *fact = an_fact(t, "kernel_text");
	char *end;

	if (!fact || !*fact)
		return false;
	*text = strtoull(fact, &end, 0);
	return !*end && *text;
}

static int by_start(const void *a, const void *b)
{
	const struct an_function *x = a, *y = b;

	return CMP(x->start, y->start);
}

int an_functions_make(struct an_functions *out, const struct an_trace *t,
		      struct err *err)
{
	struct an_functions f = { 0 };
	uint64_t text;

	*out = f;
	if (!find_text(t, &text))
		return 0;
	f.v = calloc(an_n_symbols(t) + 1, sizeof(*f.v));
	if (!f.v)
		return err_nomem(err);
	for (uint32_t i = 0; i < an_n_symbols(t); i++) {
		const struct an_symbol *s = an_symbol_of(t, i);
		struct an_function *to = &f.v[f.n];

		if (an_image_of(t, s->image)->kind != TF_IMAGE_KERNEL ||
		    !s->name || ckd_add(&to->start, text, s->start))
			continue;
		to->size = s->size;
		to->name = s->name;
		f.n++;
	}
	qsort(f.v, f.n, sizeof(*f.v), by_start);
	*out = f;
	return 0;
}

void an_functions_fini(struct an_functions *f)
{
	free(f->v);
	*f = (struct an_functions){ 0 };
}

const struct an_function *an_functions_find(const struct an_functions *f,
					    uint64_t address)
{
	size_t low = 0, high = f->n;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (f->v[mid].start <= address)
			low = mid + 1;
		else
			high = mid;
	}
	if (!low || address - f->v[low - 1].start >= f->v[low - 1].size)
		return NULL;
	return &f->v[low - 1];
}
