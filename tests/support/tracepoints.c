#include "tests/support/tracepoints.h"

#include "format/base/intern.h"
#include "format/base/mem.h"
#include "format/catalog.h"
#include "format/writer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROWS 256u
#define MAX_COLUMNS 64u

enum part {
	P_STRING, P_IMAGE, P_THREAD, P_TRACEPOINT, P_EVENT, P_FRAME, P_STACK,
	P_SYMBOL, P_FACT, P_LOSS, P_SAMPLE, P_SWITCH, N_CATALOG,
};

static const uint32_t catalog[N_CATALOG] = {
	TF_TABLE_STRING, TF_TABLE_IMAGE, TF_TABLE_THREAD, TF_TABLE_TRACEPOINT,
	TF_TABLE_EVENT, TF_TABLE_FRAME, TF_TABLE_STACK, TF_TABLE_SYMBOL,
	TF_TABLE_FACT, TF_TABLE_LOSS, TF_TABLE_SAMPLE, TF_TABLE_SWITCH,
};

struct own_table {
	struct tf_table table;
	struct tf_column columns[MAX_COLUMNS];
	char name[128];
};

struct build {
	const struct tp_trace *t;
	struct tf_writer *w;
	struct tf_builder **b;    /* those of the catalog, then the others */
	size_t n;
	struct own_table *tables; /* by tracepoint */
	struct intern strings;
	uint32_t epoch;
	struct err *err;
};

static uint32_t string(struct build *b, const char *text)
{
	bool is_new;
	uint32_t id;

	if (!intern_put(&b->strings, text, strlen(text), &id, &is_new))
		abort();
	if (is_new) {
		tf_builder_bytes(b->b[P_STRING], 0, text, strlen(text));
		if (!tf_builder_commit(b->b[P_STRING]))
			abort();
	}
	return id;
}

/* A row of numbers. */
static void put(struct build *b, size_t part, const uint64_t *v, size_t n)
{
	for (size_t i = 0; i < n; i++)
		tf_builder_set(b->b[part], (unsigned)i, v[i]);
	if (!tf_builder_commit(b->b[part]))
		abort();
}
#define PUT(b, part, ...)                                                      \
	put(b, part, (const uint64_t[]){ __VA_ARGS__ },                        \
	    sizeof((const uint64_t[]){ __VA_ARGS__ }) / sizeof(uint64_t))

static void events(struct build *b)
{
	for (size_t i = 0; i < b->t->n_events; i++) {
		const struct tp_event *e = &b->t->events[i];
		bool tp = e->tracepoint >= 0;

		tf_builder_bytes(b->b[P_EVENT], TF_EVENT_ATTR, "", 0);
		PUT(b, P_EVENT, string(b, e->name), string(b, ""), tp ? 2 : 1,
		    0, 0, 1, 0, 0,
		    tp ? TF_TABLE_DYNAMIC + (uint64_t)e->table : 0,
		    tp ? (uint64_t)e->tracepoint + 1 : 0, e->key,
		    e->key ? (uint64_t)e->of : i);
	}
}

static void tracepoints(struct build *b)
{
	for (size_t i = 0; i < b->t->n_tracepoints; i++) {
		const struct tp_tracepoint *tp = &b->t->tracepoints[i];

		tf_builder_bytes(b->b[P_TRACEPOINT], TF_TRACEPOINT_FORMAT,
				 tp->format, strlen(tp->format));
		tf_builder_set(b->b[P_TRACEPOINT], TF_TRACEPOINT_SYSTEM,
			       string(b, tp->system));
		tf_builder_set(b->b[P_TRACEPOINT], TF_TRACEPOINT_NAME,
			       string(b, tp->name));
		tf_builder_set(b->b[P_TRACEPOINT], TF_TRACEPOINT_ID, tp->id);
		if (!tf_builder_commit(b->b[P_TRACEPOINT]))
			abort();
	}
}

static void kernel(struct build *b)
{
	uint64_t ip = b->t->n_symbols ? b->t->symbols[0].start : 0;

	tf_builder_bytes(b->b[P_IMAGE], TF_IMAGE_BUILD_ID, "", 0);
	PUT(b, P_IMAGE, TF_IMAGE_KERNEL, string(b, "kernel"), 0, 0);
	PUT(b, P_FRAME, 0, ip, TF_FRAME_EXACT);
	PUT(b, P_STACK, 0, 0);
	for (size_t i = 0; i < b->t->n_symbols; i++)
		PUT(b, P_SYMBOL, 0, b->t->symbols[i].start,
		    b->t->symbols[i].size, string(b, b->t->symbols[i].name),
		    string(b, ""));
}

static void begin_epoch(struct build *b)
{
	const struct tp_trace *t = b->t;

	intern_fini(&b->strings);
	string(b, "");
	kernel(b);
	for (size_t i = 0; i < t->n_threads; i++)
		PUT(b, P_THREAD, (uint64_t)t->threads[i].tid,
		    (uint64_t)t->threads[i].pid, 0,
		    string(b, t->threads[i].comm));
	tracepoints(b);
	events(b);
	for (size_t i = 0; i < t->n_facts; i++)
		PUT(b, P_FACT, string(b, t->facts[i].key),
		    string(b, t->facts[i].value));
}

static void value(struct build *b, struct tf_builder *to, unsigned column,
		  const struct tp_field *f, const struct tp_value *v)
{
	if (f->list)
		tf_builder_list(to, column, v->items, v->n);
	else if (f->type == TF_BYTES)
		tf_builder_bytes(to, column, v->text ? v->text : "", v->n);
	else if (f->type == TF_REF)
		tf_builder_set(to, column, string(b, v->text ? v->text : ""));
	else
		tf_builder_set(to, column, v->v);
}

static void row(struct build *b, const struct tp_row *r)
{
	const struct tp_event *e = &b->t->events[r->event];
	const struct tp_event *of = e->key ? &b->t->events[e->of] : e;
	const struct tp_tracepoint *tp;
	struct tf_builder *to = b->b[P_SAMPLE];
	const uint64_t head[] = { r->time, r->cpu, r->thread,
				  (uint64_t)(of - b->t->events), 1, 0, 0, 0,
				  TF_SAMPLE_KERNEL, 0, 0 };

	if (e->tracepoint < 0) {
		put(b, P_SAMPLE, head, 9);
		return;
	}
	tp = &b->t->tracepoints[e->table];
	to = b->b[N_CATALOG + e->table];
	for (unsigned i = 0; i < tp->n; i++)
		value(b, to, TF_PAYLOAD_POSITION + i, &tp->fields[i],
		      &r->values[i]);
	put(b, N_CATALOG + (size_t)e->table, head, ARRAY_LEN(head));
}

static int flush(struct build *b)
{
	int rc = tf_writer_data(b->w, b->epoch, b->b, b->n, b->err);

	for (size_t i = 0; i < b->n; i++)
		tf_builder_clear(b->b[i]);
	return rc;
}

static int rows(struct build *b)
{
	const struct tp_trace *t = b->t;
	int rc = 0;

	begin_epoch(b);
	for (size_t i = 0; i < t->n_rows && !rc; i++) {
		if (t->rows[i].epoch != b->epoch) {
			rc = flush(b);
			b->epoch = t->rows[i].epoch;
			begin_epoch(b);
		}
		row(b, &t->rows[i]);
		if (t->chunk_rows && (i + 1) % t->chunk_rows == 0 && !rc)
			rc = flush(b);
	}
	for (size_t i = 0; i < t->n_switches; i++)
		PUT(b, P_SWITCH, t->switches[i].time, t->switches[i].cpu,
		    t->switches[i].thread, t->switches[i].flags,
		    t->switches[i].other);
	for (size_t i = 0; i < t->n_losses; i++)
		PUT(b, P_LOSS, t->losses[i].time, TF_LOSS_RING,
		    t->losses[i].event + 1u, 0, t->losses[i].count);
	return rc ? rc : flush(b);
}

static void make_table(struct own_table *to, const struct tp_tracepoint *tp,
		       uint32_t id)
{
	const struct tf_table *sample = tf_catalog_table(TF_TABLE_SAMPLE);
	uint32_t n = sample->n_columns;

	memcpy(to->columns, sample->columns, n * sizeof(*to->columns));
	for (uint32_t i = 0; i < 2; i++)
		to->columns[n++] = (struct tf_column){
			.id = TF_PAYLOAD_FLAGS + i,
			.name = i ? "common_preempt_count" : "common_flags",
			.type = TF_U64, .unit = "", .role = TF_ROLE_ID,
			.privacy = TF_PRIVACY_NUMBER,
		};
	for (uint32_t i = 0; i < tp->n; i++)
		to->columns[n++] = (struct tf_column){
			.id = TF_PAYLOAD_FIRST + i,
			.name = tp->fields[i].name,
			.type = tp->fields[i].type,
			.list = tp->fields[i].list,
			.unit = "",
			.ref_table = tp->fields[i].type == TF_REF ?
					     TF_TABLE_STRING : 0,
			.role = tp->fields[i].type == TF_BYTES ?
					TF_ROLE_BLOB : TF_ROLE_VALUE,
			.privacy = TF_PRIVACY_NUMBER,
		};
	snprintf(to->name, sizeof(to->name), "%s:%s", tp->system, tp->name);
	to->table = (struct tf_table){ .id = id, .name = to->name,
				       .kind = TF_KIND_EVENT,
				       .columns = to->columns,
				       .n_columns = n };
}

static int init(struct build *b)
{
	size_t n = b->t->n_tracepoints;
	int rc = 0;

	b->b = calloc(N_CATALOG + n, sizeof(struct tf_builder *));
	b->tables = calloc(n + 1, sizeof(*b->tables));
	if (!b->b || !b->tables)
		return err_nomem(b->err);
	for (size_t i = 0; i < N_CATALOG + n && !rc; i++) {
		const struct tf_table *t;

		if (i < N_CATALOG) {
			t = tf_catalog_table(catalog[i]);
		} else {
			struct own_table *own = &b->tables[i - N_CATALOG];

			make_table(own, &b->t->tracepoints[i - N_CATALOG],
				   TF_TABLE_DYNAMIC +
					   (uint32_t)(i - N_CATALOG));
			t = &own->table;
			rc = tf_writer_add_tables(b->w, &t, 1, b->err);
		}
		if (!rc)
			rc = tf_builder_new(&b->b[b->n], t, ROWS, b->err);
		if (!rc)
			b->n++;
	}
	return rc;
}

static int build(const struct tp_trace *t, struct tf_sink *sink,
		 struct err *err)
{
	struct tf_file_info info = { .file_id = { 'p','o','i','n','t','s' },
				     .start_unix_ns = t->start_unix_ns };
	struct build b = { .t = t, .err = err };
	int rc = tf_writer_new(&b.w, sink, &info, err);

	if (!rc)
		rc = init(&b);
	if (!rc)
		rc = rows(&b);
	if (!rc)
		rc = tf_writer_end(b.w, err);
	tf_writer_free(b.w);
	for (size_t i = 0; i < b.n; i++)
		tf_builder_free(b.b[i]);
	free(b.b);
	free(b.tables);
	intern_fini(&b.strings);
	return rc;
}

int tp_build(const struct tp_trace *t, struct buf *out, struct err *err)
{
	struct tf_sink *sink;
	int rc = tf_sink_memory(&sink, out, err), closed;

	if (rc)
		return rc;
	rc = build(t, sink, err);
	closed = tf_sink_close(sink, rc ? NULL : err);
	return rc ? rc : closed;
}

int tp_write(const struct tp_trace *t, const char *path, struct err *err)
{
	struct tf_sink *sink;
	int rc = tf_sink_open(&sink, path, err), closed;

	if (rc)
		return rc;
	rc = build(t, sink, err);
	closed = tf_sink_close(sink, rc ? NULL : err);
	return rc ? rc : closed;
}
