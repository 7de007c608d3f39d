/* Where something is missing. The time of a loss is when it was noticed. */
#include "analyze/losses.h"
#include "analyze/timeline/provider.h"

#include <inttypes.h>

static int put_detail(struct an_timeline *tl, const struct an_trace *t,
		      const struct an_loss *l, uint32_t *id, struct err *err)
{
	const char *event = l->event == AN_NONE ? "no event in particular" :
			    an_text(t, an_event_of(t, l->event)->name);

	if (l->cpu < 0)
		return an_timeline_textf(tl, id, err, "of %s\nnoticed here, it "
					 "happened before", event);
	return an_timeline_textf(tl, id, err, "of %s, CPU %d\nnoticed here, it "
				 "happened before", event, l->cpu);
}

static int put_loss(struct an_timeline *tl, uint32_t lane,
		    const struct an_trace *t, const struct an_loss *l,
		    struct err *err)
{
	struct an_span s = { .from = l->time, .to = l->time,
			     .class = AN_CLASS_LOSS };
	const char *kind = an_loss_name(l->kind);
	int rc = l->count ? an_timeline_textf(tl, &s.name, err, "%s: %" PRIu64,
					      kind, l->count) :
			    an_timeline_textf(tl, &s.name, err,
					      "%s: number not known", kind);

	if (!rc)
		rc = put_detail(tl, t, l, &s.detail, err);
	return rc ? rc : an_timeline_span(tl, lane, &s, err);
}

static bool is_selected(const struct an_timeline_input *in,
			const struct an_loss *l)
{
	const struct an_selection *sel = in->sel;

	return an_input_has_time(in, l->time) &&
	       (l->cpu < 0 || an_input_has_cpu(in, (uint64_t)l->cpu)) &&
	       (l->event == AN_NONE || !sel->event ||
		(l->event < sel->n_events && sel->event[l->event]));
}

/* Between files that are read as one, or that the trace was once made of. */
static int put_break(struct an_timeline *tl, uint32_t lane,
		     const struct an_break *b, struct err *err)
{
	struct an_span s = { .from = b->from, .to = b->to,
			     .class = AN_CLASS_LOSS };
	int rc = an_timeline_textf(tl, &s.name, err, "not recorded");

	return rc ? rc : an_timeline_span(tl, lane, &s, err);
}

static int fill(struct an_timeline *tl, struct an_timeline_input *in,
		struct err *err)
{
	struct an_lane lane = { .kind = AN_LANE_SPANS };
	uint32_t id;
	int rc = an_timeline_textf(tl, &lane.group, err, "Losses");

	lane.name = lane.group;
	if (!rc)
		rc = an_timeline_lane(tl, &lane, &id, err);
	for (uint32_t i = 0; i < an_n_losses(in->t) && !rc; i++) {
		const struct an_loss *l = an_loss_of(in->t, i);

		if (is_selected(in, l))
			rc = put_loss(tl, id, in->t, l, err);
	}
	for (size_t i = 0; i < an_n_breaks(in->t) && !rc; i++) {
		const struct an_break *b = an_break_of(in->t, i);

		if (an_input_touches(in, b->from, b->to))
			rc = put_break(tl, id, b, err);
	}
	return rc;
}

const struct an_provider an_lanes_losses = {
	.name = "losses",
	.summary = "where something is missing",
	.fill = fill,
};
