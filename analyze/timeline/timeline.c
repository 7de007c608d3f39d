#include "analyze/timeline/timeline.h"

#include "format/base/mem.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int an_timeline_init(struct an_timeline *tl, struct err *err)
{
	uint32_t empty;

	*tl = (struct an_timeline){ .t_max = UINT64_MAX,
				    .held = AN_TIMELINE_HELD };
	return an_timeline_text(tl, span_of("", 0), &empty, err);
}

void an_timeline_fini(struct an_timeline *tl)
{
	for (size_t i = 0; i < tl->n; i++) {
		free(tl->lanes[i].spans);
		free(tl->lanes[i].steps);
	}
	free(tl->lanes);
	free(tl->groups);
	intern_fini(&tl->texts);
	*tl = (struct an_timeline){ 0 };
}

int an_timeline_text(struct an_timeline *tl, struct span text, uint32_t *id,
		     struct err *err)
{
	return intern_put(&tl->texts, text.p, text.n, id, NULL) ?
		       0 : err_nomem(err);
}

int an_timeline_textf(struct an_timeline *tl, uint32_t *id, struct err *err,
		      const char *fmt, ...)
{
	char *text = NULL;
	va_list ap;
	int n, rc;

	va_start(ap, fmt);
	n = vasprintf(&text, fmt, ap);
	va_end(ap);
	if (n < 0)
		return err_nomem(err);
	rc = an_timeline_text(tl, span_of(text, (size_t)n), id, err);
	free(text);
	return rc;
}

static bool has_group(const struct an_timeline *tl, uint32_t text)
{
	for (size_t i = 0; i < tl->n_groups; i++)
		if (tl->groups[i] == text)
			return true;
	return false;
}

int an_timeline_lane(struct an_timeline *tl, const struct an_lane *lane,
		     uint32_t *id, struct err *err)
{
	if (!mem_grow(&tl->lanes, &tl->cap, tl->n + 1, sizeof(*tl->lanes)))
		return err_nomem(err);
	if (!has_group(tl, lane->group)) {
		if (!mem_grow(&tl->groups, &tl->groups_cap, tl->n_groups + 1,
			      sizeof(*tl->groups)))
			return err_nomem(err);
		tl->groups[tl->n_groups++] = lane->group;
	}
	*id = (uint32_t)tl->n;
	tl->lanes[tl->n++] = (struct an_lane){
		.kind = lane->kind,
		.name = lane->name,
		.group = lane->group,
		.unit = lane->unit,
		.rank = lane->rank,
		.rows = 1,
		.order = *id,
	};
	return 0;
}

/* 1 us is less than what a page of a second can show. */
#define FIRST_WIDTH 1024u

static void make_room(struct an_timeline *tl)
{
	for (size_t i = 0; i < tl->n; i++)
		an_lane_arrange(&tl->lanes[i]);
	if (!tl->width)
		tl->width = FIRST_WIDTH;
	an_timeline_merge(tl, tl->width);
	/* Room for many more, as each time costs much. */
	while (an_timeline_spans(tl) > tl->held / 2 &&
	       tl->width < UINT64_MAX / 4) {
		tl->width *= 2;
		an_timeline_merge(tl, tl->width);
	}
	tl->n_spans = an_timeline_spans(tl);
}

int an_timeline_span(struct an_timeline *tl, uint32_t lane,
		     const struct an_span *span, struct err *err)
{
	struct an_lane *l = &tl->lanes[lane];
	struct an_span *s;

	if (tl->n_spans >= tl->held)
		make_room(tl);
	if (!mem_grow(&l->spans, &l->spans_cap, l->n_spans + 1,
		      sizeof(*l->spans)))
		return err_nomem(err);
	tl->n_spans++;
	s = &l->spans[l->n_spans++];
	*s = *span;
	s->row = 0;
	if (s->to < s->from)
		s->to = s->from;
	if (!s->count) {
		s->count = 1;
		s->busy = s->to - s->from;
	}
	return 0;
}

int an_timeline_step(struct an_timeline *tl, uint32_t lane, uint64_t time,
		     double value, struct err *err)
{
	struct an_lane *l = &tl->lanes[lane];

	if (tl->n_spans >= tl->held)
		make_room(tl);
	if (!mem_grow(&l->steps, &l->steps_cap, l->n_steps + 1,
		      sizeof(*l->steps)))
		return err_nomem(err);
	/* No scale has a place for others, nor has JSON. */
	if (isinf(value))
		value = 0;
	tl->n_spans++;
	l->steps[l->n_steps++] = (struct an_step){ time, value };
	return 0;
}

size_t an_timeline_spans(const struct an_timeline *tl)
{
	size_t n = 0;

	for (size_t i = 0; i < tl->n; i++)
		n += tl->lanes[i].n_spans + tl->lanes[i].n_steps;
	return n;
}

uint64_t an_timeline_merged(const struct an_timeline *tl)
{
	uint64_t n = 0;

	for (size_t i = 0; i < tl->n; i++)
		n += tl->lanes[i].merged;
	return n;
}
