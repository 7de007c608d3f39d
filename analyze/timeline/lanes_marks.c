/* What people and programs said while it was recorded. */
#include "analyze/marks.h"
#include "analyze/timeline/provider.h"

#include "format/catalog.h"

static const char *source_of(const struct an_mark *m)
{
	switch (m->source) {
	case TF_MARK_COMMAND:
		return "rec mark";
	case TF_MARK_TRACER:
		return "trace_marker";
	case TF_MARK_STDOUT:
		return "standard output";
	default:
		return "another source";
	}
}

static int put_mark(struct an_timeline *tl, uint32_t lane,
		    const struct an_trace *t, const struct an_mark *m,
		    struct err *err)
{
	struct an_span s = { .from = m->time, .to = m->time,
			     .class = AN_CLASS_MARK };
	int rc = an_timeline_text(tl, an_string(t, m->text), &s.name, err);

	if (!rc)
		rc = m->pid ? an_timeline_textf(tl, &s.detail, err,
						"said by %s, pid %d",
						source_of(m), m->pid) :
			      an_timeline_textf(tl, &s.detail, err,
						"said by %s", source_of(m));
	return rc ? rc : an_timeline_span(tl, lane, &s, err);
}

static int fill(struct an_timeline *tl, struct an_timeline_input *in,
		struct err *err)
{
	struct an_mark_walk walk = { in->t, in->sel->t_min, in->sel->t_max, 0 };
	struct an_lane lane = { .kind = AN_LANE_SPANS };
	const struct an_mark *m;
	uint32_t id;
	int rc = an_timeline_textf(tl, &lane.group, err, "Marks");

	lane.name = lane.group;
	if (!rc)
		rc = an_timeline_lane(tl, &lane, &id, err);
	while (!rc && (m = an_mark_next(&walk, UINT64_MAX)))
		rc = put_mark(tl, id, in->t, m, err);
	return rc;
}

const struct an_provider an_lanes_marks = {
	.name = "marks",
	.summary = "what was said while it was recorded",
	.fill = fill,
};
