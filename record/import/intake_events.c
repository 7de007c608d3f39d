#include "record/import/intake_state.h"

#include "format/base/mem.h"

#include <stdlib.h>
#include <string.h>

/* Kernels have two thousand. */
#define MAX_EVENTS 16384u

const struct rec_event *rec_intake_event_of(void *ctx, int event)
{
	const struct rec_intake *in = ctx;

	return &in->events[event];
}

static void put_text(struct buf *to, const char *text)
{
	if (text)
		buf_put(to, text, strlen(text));
	buf_u8(to, 0);
}

/* The number of an event of this name and format; the next one where it is
 * new. */
static int number_of(struct rec_intake *in, const struct rec_event *e,
		     struct span format, size_t *index, struct err *err)
{
	struct buf *key = &in->scratch;
	uint32_t id;

	buf_clear(key);
	put_text(key, e->name);
	put_text(key, e->system);
	put_text(key, e->tracepoint);
	buf_put(key, format.p, format.n);
	if (buf_failed(key) ||
	    !intern_put(&in->event_keys, key->p, key->n, &id, NULL) ||
	    id > in->n_events) /* an earlier one was lost */
		return err_nomem(err);
	*index = id;
	return 0;
}

static int add(struct rec_intake *in, const struct rec_event *e,
	       struct span format, struct err *err)
{
	size_t i = in->n_events;
	struct rec_event *to;
	int rc;

	if (!mem_grow(&in->events, &in->events_cap, i + 1, sizeof(*to)))
		return err_nomem(err);
	to = &in->events[i];
	rc = rec_event_copy(to, e, err);
	if (rc < 0)
		return rc;
	if (!to->unit)
		to->unit = "";
	rc = rec_defs_more_events(&in->defs, i + 1, err);
	if (rc == 0)
		rc = rec_tracepoints_add(&in->tracepoints, to, i, format, err);
	if (rc < 0) {
		rec_event_fini(to);
		return rc;
	}
	in->n_events++;
	return 0;
}

int rec_intake_event(struct rec_intake *in, const struct rec_event *e,
		     struct span format, size_t *index, struct err *err)
{
	int rc;

	if (!e->system || !e->tracepoint)
		format = span_of("", 0);
	if (in->n_events == MAX_EVENTS)
		return err_set(err, ERR_LIMIT, "more than %zu events",
			       in->n_events);
	rc = rec_intake_settle(in, err);
	if (rc == 0)
		rc = number_of(in, e, format, index, err);
	return rc || *index < in->n_events ? rc : add(in, e, format, err);
}

static int add_tables(struct rec_intake *in, struct err *err)
{
	const struct rec_tracepoint_list *l = &in->tracepoints.tables;
	size_t n = l->n - in->n_tables;
	const struct tf_table **tables = calloc(n, sizeof(*tables));
	int rc;

	if (!tables)
		return err_nomem(err);
	for (size_t i = 0; i < n; i++)
		tables[i] = &l->items[in->n_tables + i]->table;
	/* What is sent stands before the tables, so it is written soon. */
	rc = rec_sink_flush_wait(in->sink) ? 0 : rec_intake_check(in, err);
	if (rc == 0)
		rc = rec_sink_add_tables(in->sink, tables, n, err);
	if (rc == 0)
		in->n_tables = l->n;
	free(tables);
	return rc;
}

int rec_intake_announce(struct rec_intake *in, struct err *err)
{
	int rc = 0;

	if (in->n_tables < in->tracepoints.tables.n)
		rc = add_tables(in, err);
	while (rc == 0 && in->n_told < in->n_events) {
		if (!rec_sink_reserve_wait(in->sink))
			return rec_intake_check(in, err);
		(void)rec_defs_event(&in->defs, in->n_told,
				     &in->events[in->n_told]);
		in->n_told++;
	}
	return rc;
}
