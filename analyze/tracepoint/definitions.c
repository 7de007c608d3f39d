/* Rows of the tables of events and of tracepoints. */
#include "analyze/load.h"

#include "format/base/buf.h"
#include "format/base/mem.h"
#include "format/catalog.h"

/* The largest format file of Linux 6.18 has 13 KiB, all 2,100 have 2 MiB. */
#define MAX_FORMAT (64u << 10)
#define MAX_FORMATS 4096u
#define MAX_FORMAT_BYTES ((size_t)16 << 20)

/* A format that is too large, or one too many, is as if it were not there: its
 * rows are shown without it. */
static int keep_format(struct an_trace *t, struct span *format,
		       struct err *err)
{
	char *copy;

	if (!format->n || format->n > MAX_FORMAT ||
	    t->tracepoints.n >= MAX_FORMATS ||
	    t->format_bytes + format->n > MAX_FORMAT_BYTES) {
		*format = span_of("", 0);
		return 0;
	}
	copy = arena_dup(&t->bytes, format->p, format->n);
	if (!copy)
		return err_nomem(err);
	t->format_bytes += format->n;
	format->p = (const uint8_t *)copy;
	return 0;
}

int an_load_tracepoint(const struct an_row *r, uint32_t *id, struct err *err)
{
	struct an_trace *t = r->t;
	struct an_tracepoint tp = {
		.system = an_row_ref(r, TF_TRACEPOINT_SYSTEM, AN_SPACE_STRING),
		.name = an_row_ref(r, TF_TRACEPOINT_NAME, AN_SPACE_STRING),
		.id = an_row_value(r, TF_TRACEPOINT_ID),
		.format = an_row_bytes(r, TF_TRACEPOINT_FORMAT),
	};
	struct buf key;
	bool is_new = false;
	int rc;

	buf_init(&key, 0);
	buf_u32(&key, tp.system);
	buf_u32(&key, tp.name);
	buf_u64(&key, tp.id);
	buf_put(&key, tp.format.p, tp.format.n);
	rc = an_key_put(&t->tracepoint_keys, &key, id, &is_new, err);
	if (!rc && is_new)
		rc = keep_format(t, &tp.format, err);
	if (rc || !is_new)
		return rc;
	if (!AN_ROOM(t->tracepoints))
		return err_nomem(err);
	t->tracepoints.v[t->tracepoints.n++] = tp;
	return 0;
}

static uint32_t table_of(const struct an_row *r)
{
	uint64_t table = an_row_value_or(r, TF_EVENT_TABLE, AN_NONE);

	if (!table)
		return TF_TABLE_SAMPLE;
	return table < AN_NONE ? (uint32_t)table : AN_NONE;
}

static uint32_t tracepoint_of(const struct an_row *r)
{
	uint64_t row = an_row_value(r, TF_EVENT_TRACEPOINT);

	return row ? an_ids_get(&r->epoch->ids[AN_SPACE_TRACEPOINT], row - 1) :
		     AN_NONE;
}

/* Keys that no 32 bits hold are none of a system call: those rows stay with
 * the event that they name. */
static int split_put(struct an_trace *t, uint32_t id, struct err *err)
{
	const struct an_event *e = &t->events.v[id];
	uint64_t value = e->key - 1;
	uint32_t *at;
	bool is_new;

	if (!e->key || value > UINT32_MAX || e->of >= t->events.n ||
	    e->of == id)
		return 0;
	at = map64_put(&t->splits, map64_pair(e->of, (uint32_t)value), id,
		       &is_new);
	if (!at)
		return err_nomem(err);
	t->events.v[e->of].split = true;
	return 0;
}

static void event_key(struct buf *key, const struct an_event *e,
		      struct span attr)
{
	buf_init(key, 0);
	buf_u32(key, e->name);
	buf_u32(key, e->unit);
	buf_u32(key, e->type);
	buf_u64(key, e->config);
	buf_u64(key, e->frequency);
	buf_u64(key, e->period);
	buf_u8(key, e->callchain);
	buf_u32(key, e->table);
	buf_u32(key, e->tracepoint);
	buf_u64(key, e->key);
	buf_u32(key, e->of);
	buf_put(key, attr.p, attr.n);
}

int an_load_event(const struct an_row *r, uint32_t *id, struct err *err)
{
	struct an_trace *t = r->t;
	struct an_event event = {
		.name = an_row_ref(r, TF_EVENT_NAME, AN_SPACE_STRING),
		.unit = an_row_ref(r, TF_EVENT_UNIT, AN_SPACE_STRING),
		.type = (uint32_t)an_row_value(r, TF_EVENT_TYPE),
		.config = an_row_value(r, TF_EVENT_CONFIG),
		.frequency = an_row_value(r, TF_EVENT_FREQUENCY),
		.period = an_row_value(r, TF_EVENT_PERIOD),
		.callchain = an_row_value_or(r, TF_EVENT_CALLCHAIN, true) != 0,
		.table = table_of(r),
		.tracepoint = tracepoint_of(r),
		.key = an_row_value(r, TF_EVENT_KEY),
		.of = AN_NONE,
	};
	struct buf key;
	bool is_new = false;
	int rc;

	if (event.key)
		event.of = an_row_ref(r, TF_EVENT_OF, AN_SPACE_EVENT);
	event_key(&key, &event, an_row_bytes(r, TF_EVENT_ATTR));
	rc = an_key_put(&t->event_keys, &key, id, &is_new, err);
	if (rc || !is_new)
		return rc;
	if (!AN_ROOM(t->events))
		return err_nomem(err);
	t->events.v[t->events.n++] = event;
	return split_put(t, *id, err);
}
