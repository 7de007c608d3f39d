#include "analyze/gpu/stall.h"

#include "analyze/gpu/show.h"

#include "format/base/time.h"

#include <inttypes.h>

static void put_commit(const struct an_why *w, const struct an_gpu *g,
		       const char *who, struct buf *to)
{
	struct an_why of_worker = *w;

	of_worker.cause = w->piece.what == AN_DOES_RUN ? AN_CAUSE_CPU :
							 AN_CAUSE_RUNQ;
	buf_printf(to, "handed in, but %s, which shows it, ", who);
	an_why_text(&of_worker, g, to);
}

void an_stall_part_text(const struct an_why *w, const struct an_gpu *g,
			const struct an_stall *s, struct buf *to)
{
	const struct an_delivery *d = &g->clients.v[s->delivery];
	char who[AN_TASK_TEXT], time[TIME_TEXT];

	an_gpu_task_text(g, w->task, d->time, who);
	switch (w->cause) {
	case AN_CAUSE_SCANOUT:
		buf_printf(to, "handed in, but not ready to be shown");
		if (w->task != AN_NONE)
			buf_printf(to, ": %s", w->task ==
				   g->clients.clients[d->client].task ?
					   "it" : who);
		buf_u8(to, ' ');
		an_why_text(w, g, to);
		break;
	case AN_CAUSE_COMMIT:
		put_commit(w, g, who, to);
		break;
	case AN_CAUSE_READY:
		time_format(time, w->ns);
		buf_printf(to, "handed in with time left and shown %s later "
			   "than it could have been", time);
		break;
	case AN_CAUSE_UNKNOWN:
		buf_printf(to, "why is not known");
		break;
	default:
		buf_printf(to, "%s ", who);
		an_why_text(w, g, to);
	}
}

void an_stall_text(const struct an_stall *s, const struct an_gpu *g,
		   struct buf *to)
{
	const struct an_delivery *d = &g->clients.v[s->delivery];
	const struct an_client *c = &g->clients.clients[d->client];
	char head[AN_HEAD_NAME], who[AN_TASK_TEXT];

	an_head_name(&g->heads, c->head, head);
	an_gpu_task_text(g, c->task, d->time, who);
	buf_printf(to, "the frame of %s at vblank %" PRIu32 " of %s missed %"
		   PRIu32 " vblank%s: ", who, d->seq, head, d->missed,
		   d->missed == 1 ? "" : "s");
	an_stall_part_text(&s->why, g, s, to);
	buf_printf(to, " (confidence %s%s)",
		   an_confidence_name(s->why.confidence),
		   s->submit_guessed ? ", when it was handed in is guessed" :
				       "");
}
