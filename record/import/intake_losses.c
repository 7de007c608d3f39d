#include "record/import/intake_state.h"

#include "format/base/mem.h"

/* CPUs have lower numbers, in files that are sound. */
#define MAX_CPU 65536

static void write_row(struct rec_intake *in, const struct rec_dated_loss *x)
{
	uint64_t event = 0;

	if (rec_intake_room(in, 0, NULL, NULL) < 0)
		return;
	if (x->event >= 0)
		event = UINT64_C(1) +
			rec_defs_event(&in->defs, (size_t)x->event,
				       rec_intake_event_of(in, x->event));
	rec_loss_row(&in->defs, x->kind, event, x->cpu, x->count, x->time);
}

static void write_dated(struct rec_intake *in, size_t if_more)
{
	if (in->dated.n <= if_more)
		return;
	for (size_t i = 0; i < in->dated.n; i++)
		write_row(in, &in->dated.items[i]);
	in->dated.n = 0;
}

void rec_intake_write_losses(struct rec_intake *in, size_t if_more)
{
	write_dated(in, if_more);
	if (in->losses.n <= if_more || rec_intake_room(in, 0, NULL, NULL) < 0)
		return;
	rec_losses_write(&in->losses, &in->defs, rec_intake_event_of, in,
			 in->newest);
	in->losses.n = 0;
}

/* That of a loss which came at the same time, where one waits: a number that is
 * known and one that is not never become one. */
static struct rec_dated_loss *same(struct rec_intake *in,
				   const struct rec_dated_loss *x)
{
	for (size_t i = in->dated.n; i-- > 0;) {
		struct rec_dated_loss *y = &in->dated.items[i];

		if (y->time == x->time && y->kind == x->kind &&
		    y->event == x->event && y->cpu == x->cpu &&
		    !y->count == !x->count)
			return y;
	}
	return NULL;
}

/* false: it has to do without a row of its own. */
static bool put_dated(struct rec_intake *in, const struct rec_dated_loss *x)
{
	struct rec_dated_losses *d = &in->dated;
	struct rec_dated_loss *y = same(in, x);

	if (y) {
		if (ckd_add(&y->count, y->count, x->count))
			y->count = UINT64_MAX;
		return true;
	}
	if (d->rows[x->kind] >= REC_INTAKE_LOSS_ROWS ||
	    !mem_grow(&d->items, &d->cap, d->n + 1, sizeof(*d->items)))
		return false;
	d->rows[x->kind]++;
	d->items[d->n++] = *x;
	return true;
}

/* Its events are missing, and not only in doubt. */
static bool takes_events(enum tf_loss_kind kind)
{
	return kind == TF_LOSS_RING || kind == TF_LOSS_MEMORY ||
	       kind == TF_LOSS_DECODE;
}

void rec_intake_lost(struct rec_intake *in, enum tf_loss_kind kind, int event,
		     int cpu, uint64_t time, uint64_t count)
{
	struct rec_dated_loss x = { kind, event, cpu, time, count };

	if (event < 0 || (size_t)event >= in->n_events)
		x.event = -1;
	if (cpu < 0 || cpu >= MAX_CPU)
		x.cpu = -1;
	if (!time || !put_dated(in, &x)) {
		rec_losses_add(&in->losses, kind, x.event, x.cpu, count);
		if (takes_events(kind))
			in->undated += count ? count : 1;
	}
	rec_intake_write_losses(in, REC_INTAKE_MANY_LOSSES);
}
