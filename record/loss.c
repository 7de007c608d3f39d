#include "record/loss.h"

#include "format/base/mem.h"

#include <stdlib.h>

void rec_losses_fini(struct rec_losses *l)
{
	free(l->items);
	*l = (struct rec_losses){ 0 };
}

static struct rec_loss *slot(struct rec_losses *l, enum tf_loss_kind kind,
			     int event, int cpu)
{
	for (size_t i = 0; i < l->n; i++) {
		struct rec_loss *x = &l->items[i];

		if (x->kind == kind && x->event == event && x->cpu == cpu)
			return x;
	}
	if (!mem_grow(&l->items, &l->cap, l->n + 1, sizeof(*l->items)))
		return NULL;
	l->items[l->n] = (struct rec_loss){ kind, event, cpu, 0, 0 };
	return &l->items[l->n++];
}

void rec_losses_add(struct rec_losses *l, enum tf_loss_kind kind, int event,
		    int cpu, uint64_t count)
{
	struct rec_loss *x = slot(l, kind, event, cpu);

	l->total[kind] += count ? count : 1;
	if (!x)
		return; /* the totals still tell */
	x->count += count;
	x->unknown += !count;
}

void rec_loss_row(struct rec_defs *defs, enum tf_loss_kind kind, uint64_t event,
		  int cpu, uint64_t count, uint64_t time)
{
	struct tf_builder *b = rec_sink_rows(defs->sink, TF_TABLE_LOSS);

	tf_builder_set(b, TF_LOSS_TIME, time);
	tf_builder_set(b, TF_LOSS_KIND, kind);
	tf_builder_set(b, TF_LOSS_EVENT, event);
	tf_builder_set(b, TF_LOSS_CPU, (uint64_t)cpu + 1);
	tf_builder_set(b, TF_LOSS_COUNT, count);
	if (!tf_builder_commit(b))
		defs->failed = true;
}

void rec_losses_write(struct rec_losses *l, struct rec_defs *defs,
		      const struct rec_event *(*event_of)(void *ctx, int event),
		      void *ctx, uint64_t now_ns)
{
	for (size_t i = 0; i < l->n; i++) {
		struct rec_loss *x = &l->items[i];
		uint32_t id = 0;

		if ((!x->count && !x->unknown) || !rec_sink_reserve(defs->sink))
			continue;
		if (x->event >= 0)
			id = rec_defs_event(defs, (size_t)x->event,
					    event_of(ctx, x->event)) + 1;
		if (x->count)
			rec_loss_row(defs, x->kind, id, x->cpu, x->count,
				     now_ns);
		/* A row of its own: a number says that it is all. */
		if (x->unknown)
			rec_loss_row(defs, x->kind, id, x->cpu, 0, now_ns);
		x->count = x->unknown = 0;
	}
}
