#include "record/import/text/events.h"

#include "format/base/mem.h"
#include "record/import/intake.h"
#include "record/import/text/scan.h"
#include "record/import/text/system.h"

#include <inttypes.h>
#include <stdlib.h>

void rec_text_events_fini(struct rec_text_events *e)
{
	for (size_t i = 0; i < e->n; i++)
		free(e->items[i].shape);
	free(e->items);
	intern_fini(&e->names);
	buf_fini(&e->raw);
	*e = (struct rec_text_events){ 0 };
}

static bool all_modifiers(struct span s)
{
	for (size_t i = 0; i < s.n; i++)
		if (!strchr("ukhHGpPSDIeWbR", s.p[i]))
			return false;
	return true;
}

/* "sched:sched_switch:u" is one, "cycles:u" and "cpu/event=0:1/" are none. */
static void split(struct rec_text_event *event)
{
	struct span name = event->name;
	const uint8_t *colon = memchr(name.p, ':', name.n), *second;
	struct span behind;

	if (!colon || colon == name.p || memchr(name.p, '/', name.n))
		return;
	behind = rec_text_from(name, (size_t)(colon - name.p) + 1);
	second = behind.n ? memchr(behind.p, ':', behind.n) : NULL;
	if (second && all_modifiers(rec_text_from(
			behind, (size_t)(second - behind.p) + 1)))
		behind.n = (size_t)(second - behind.p);
	if (!behind.n || all_modifiers(behind))
		return;
	event->system = span_of(name.p, (size_t)(colon - name.p));
	event->tracepoint = behind;
}

static bool is_same(const struct rec_text_events *e, size_t i, struct span name)
{
	return i < e->n && e->items[i].name.n == name.n &&
	       memcmp(e->items[i].name.p, name.p, name.n) == 0;
}

static int get(struct rec_text_events *e, struct span name, bool traced,
	       struct rec_text_event **out, struct err *err)
{
	struct rec_text_event *event;
	bool fresh;
	uint32_t id;

	if (is_same(e, e->last, name)) {
		*out = &e->items[e->last];
		return 0;
	}
	if (e->n == REC_TEXT_EVENTS_MAX) {
		if (!intern_find(&e->names, name.p, name.n, &id))
			return 1;
	} else {
		if (!mem_grow(&e->items, &e->cap, e->n + 1,
			      sizeof(*e->items)) ||
		    !intern_put(&e->names, name.p, name.n, &id, &fresh))
			return err_nomem(err);
	}
	e->last = id;
	*out = event = &e->items[id];
	if (id < e->n)
		return 0;
	e->n++;
	*event = (struct rec_text_event){ .name = intern_get(&e->names, id) };
	if (traced) {
		event->tracepoint = event->name;
		event->system = rec_text_system(event->name);
	} else {
		split(event);
	}
	return 0;
}

int rec_text_events_named(struct rec_text_events *e, struct span name,
			  struct rec_text_event **out, struct err *err)
{
	return get(e, name, false, out, err);
}

int rec_text_events_traced(struct rec_text_events *e, struct span name,
			   struct rec_text_event **out, struct err *err)
{
	return get(e, name, true, out, err);
}

static bool is_clock(struct span name)
{
	return span_begins(name, "cpu-clock") ||
	       span_begins(name, "task-clock");
}

static int tell(struct rec_text_events *e, struct rec_intake *to,
		struct rec_event *what, struct span format, size_t *index,
		struct err *err)
{
	int rc;

	what->leader = e->n_told;
	what->scale = 1;
	if (e->chains)
		what->attr.sample_type |= PERF_SAMPLE_CALLCHAIN;
	rc = rec_intake_event(to, what, format, index, err);
	if (rc >= 0)
		e->n_told++;
	return rc;
}

int rec_text_events_plain(struct rec_text_events *e, struct rec_intake *to,
			  struct rec_text_event *event, size_t *index,
			  struct err *err)
{
	int rc = 0;

	if (!event->has_plain) {
		struct rec_event what = {
			.name = (char *)(uintptr_t)event->name.p,
			.unit = is_clock(event->name) ? "ns" : "",
			.attr.type = is_clock(event->name) ?
					     PERF_TYPE_SOFTWARE :
					     PERF_TYPE_RAW,
		};

		rc = tell(e, to, &what, span_of("", 0), &event->plain, err);
		event->has_plain = rc == 0;
	}
	*index = event->plain;
	return rc;
}

static int make_shape(struct rec_text_events *e, struct rec_intake *to,
		      struct rec_text_event *event, struct span payload,
		      struct err *err)
{
	struct rec_text_shape *s = malloc(sizeof(*s));
	struct rec_event what = {
		.unit = "", .attr.type = PERF_TYPE_TRACEPOINT,
		.attr.config = e->n_told + 1,
	};
	struct buf format, name;
	int rc;

	if (!s)
		return err_nomem(err);
	buf_init(&format, 0);
	buf_init(&name, 0);
	rec_text_shape_make(s, event->system, event->tracepoint,
			    (uint16_t)(e->n_told + 1), payload, &format);
	buf_printf(&name, "%s:%s", s->system, s->name);
	buf_u8(&name, 0);
	if (buf_failed(&format) || buf_failed(&name)) {
		rc = err_nomem(err);
		goto out;
	}
	what.name = (char *)name.p;
	what.system = s->system;
	what.tracepoint = s->name;
	rc = tell(e, to, &what, span_of(format.p, format.n), &event->payload,
		  err);
	if (rc == 0) {
		event->shape = s;
		s = NULL;
	}
out:
	free(s);
	buf_fini(&format);
	buf_fini(&name);
	return rc;
}

int rec_text_events_payload(struct rec_text_events *e, struct rec_intake *to,
			    struct rec_text_event *event, int32_t pid,
			    struct span payload, size_t *index,
			    struct span *raw, struct err *err)
{
	int rc = 0;

	if (!event->shape)
		rc = make_shape(e, to, event, payload, err);
	if (rc)
		return rc;
	rec_text_shape_record(event->shape, pid, payload, &e->raw,
			      &e->misfits);
	if (buf_failed(&e->raw))
		return err_nomem(err);
	*raw = span_of(e->raw.p, e->raw.n);
	*index = event->payload;
	return 0;
}

void rec_text_events_tell(const struct rec_text_events *e,
			  struct rec_intake *to)
{
	if (e->misfits)
		rec_intake_fact(to, "note.import_fields", "%" PRIu64 " values "
				"of payloads are only in the field 'text': the "
				"first line of their event has no such field, "
				"or one of another type", e->misfits);
}
