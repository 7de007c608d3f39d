#include "analyze/symbols.h"

#include "analyze/load.h"

#include "format/base/mem.h"
#include "format/catalog.h"

#include <stdlib.h>

int an_load_symbol(const struct an_row *r, uint32_t *id, struct err *err)
{
	struct an_trace *t = r->t;

	*id = (uint32_t)t->symbols.n;
	if (!an_row_has(r, TF_SYMBOL_START) || !an_row_has(r, TF_SYMBOL_SIZE))
		return 0;
	if (!AN_ROOM(t->symbols))
		return err_nomem(err);
	t->symbols.v[t->symbols.n++] = (struct an_symbol){
		.image = an_row_ref(r, TF_SYMBOL_IMAGE, AN_SPACE_IMAGE),
		.name = an_row_ref(r, TF_SYMBOL_NAME, AN_SPACE_STRING),
		.linkage = an_row_ref(r, TF_SYMBOL_LINKAGE, AN_SPACE_STRING),
		.start = an_row_value(r, TF_SYMBOL_START),
		.size = an_row_value(r, TF_SYMBOL_SIZE),
	};
	return 0;
}

/* A symbol in the order that it is searched in. */
struct entry {
	uint64_t start;
	uint32_t content;
	uint32_t symbol;
};

struct directory {
	struct entry *v;
	size_t n;
};

static int by_place(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;
	int order = CMP(x->content, y->content);

	if (!order)
		order = CMP(x->start, y->start);
	return order ? order : CMP(x->symbol, y->symbol);
}

/* Of rows with one start the last counts. One that then has no name is no
 * reason to hide a named symbol that begins before it. */
static void keep_last_named(struct directory *d, const struct an_trace *t)
{
	size_t to = 0;

	for (size_t i = 0; i < d->n; i++) {
		const struct entry *e = &d->v[i], *next = e + 1;

		if (i + 1 < d->n && next->content == e->content &&
		    next->start == e->start)
			continue;
		if (t->symbols.v[e->symbol].name)
			d->v[to++] = *e;
	}
	d->n = to;
}

static int directory_init(struct directory *d, const struct an_trace *t,
			  struct err *err)
{
	*d = (struct directory){ 0 };
	if (!t->symbols.n)
		return 0;
	d->v = malloc(t->symbols.n * sizeof(*d->v));
	if (!d->v)
		return err_nomem(err);
	for (size_t i = 0; i < t->symbols.n; i++) {
		const struct an_symbol *s = &t->symbols.v[i];

		if (s->image < t->images.n)
			d->v[d->n++] = (struct entry){
				.start = s->start,
				.content = t->content.v[s->image],
				.symbol = (uint32_t)i,
			};
	}
	qsort(d->v, d->n, sizeof(*d->v), by_place);
	keep_last_named(d, t);
	return 0;
}

/* The last that begins at or before the address. */
static uint32_t directory_near(const struct directory *d, uint32_t content,
			       uint64_t address)
{
	size_t low = 0, high = d->n;

	while (low < high) {
		size_t mid = low + (high - low) / 2;
		const struct entry *e = &d->v[mid];

		if (e->content < content ||
		    (e->content == content && e->start <= address))
			low = mid + 1;
		else
			high = mid;
	}
	if (!low || d->v[low - 1].content != content)
		return AN_NONE;
	return d->v[low - 1].symbol;
}

/* The call is just before the address that it returns to. */
static uint64_t searched(const struct an_frame *f)
{
	return f->address - (f->kind == TF_FRAME_RETURN && f->address);
}

static uint32_t near_frame(const struct directory *d, const struct an_trace *t,
			   const struct an_frame *f)
{
	return f->image < t->images.n && f->kind != AN_FRAME_UNSURE ?
		       directory_near(d, t->content.v[f->image], searched(f)) :
		       AN_NONE;
}

int an_symbols_resolve(struct an_trace *t, struct err *err)
{
	struct directory d;
	int rc = directory_init(&d, t, err);

	for (size_t i = 0; !rc && i < t->frames.n; i++) {
		struct an_frame *f = &t->frames.v[i];
		uint32_t near = near_frame(&d, t, f);
		const struct an_symbol *s = an_symbol_of(t, near);

		if (near != AN_NONE && searched(f) - s->start < s->size)
			f->symbol = near;
	}
	free(d.v);
	return rc;
}

int an_symbols_mark(const struct an_trace *t, const bool *frames,
		    bool *symbols, struct err *err)
{
	struct directory d;
	int rc = directory_init(&d, t, err);

	for (size_t i = 0; !rc && i < t->frames.n; i++) {
		uint32_t near = frames[i] ?
					near_frame(&d, t, &t->frames.v[i]) :
					AN_NONE;

		if (near != AN_NONE)
			symbols[near] = true;
	}
	free(d.v);
	return rc;
}
