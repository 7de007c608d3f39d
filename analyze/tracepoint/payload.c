#include "analyze/tracepoint/payload.h"

#include "analyze/epochs.h"
#include "analyze/trace_data.h"
#include "analyze/tracepoint/handle.h"
#include "analyze/tracepoint/record.h"

#include "format/base/mem.h"
#include "format/catalog.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define MAX_COPY ((size_t)UINT16_MAX + 1 + AN_GUARD_TAIL)

/* Of one event. Each has a handle of its own: two kernels may have given one
 * number to two tracepoints. */
struct printer {
	bool made;
	const struct tf_table *table; /* NULL: its rows have no payload */
	struct an_layout layout;
	struct an_handle handle;
};

struct an_payloads {
	struct an_trace *t;
	struct printer *printers; /* by event */
	size_t n;
	struct an_handle_maker maker;
	struct trace_seq text;
	struct buf fallback;
	uint8_t *record; /* a copy with a tail of zeros, MAX_COPY bytes */
	size_t record_size;
};

int an_payloads_new(struct an_payloads **out, struct an_trace *t,
		    struct err *err)
{
	struct an_payloads *p = calloc(1, sizeof(*p));
	int rc;

	if (!p)
		return err_nomem(err);
	p->t = t;
	p->n = an_n_events(t);
	buf_init(&p->fallback, 0);
	trace_seq_init(&p->text);
	p->printers = calloc(p->n + 1, sizeof(*p->printers));
	p->record = calloc(1, MAX_COPY);
	rc = p->printers && p->record ? an_handle_maker_init(&p->maker, t,
							 err) :
				    err_nomem(err);
	if (rc) {
		an_payloads_free(p);
		return rc;
	}
	*out = p;
	return 0;
}

void an_payloads_free(struct an_payloads *p)
{
	if (!p)
		return;
	for (size_t i = 0; p->printers && i < p->n; i++) {
		an_layout_fini(&p->printers[i].layout);
		an_handle_fini(&p->printers[i].handle);
	}
	free(p->printers);
	free(p->record);
	an_handle_maker_fini(&p->maker);
	trace_seq_destroy(&p->text);
	buf_fini(&p->fallback);
	free(p);
}

static bool is_named(const struct an_trace *t, uint32_t id, const char *name)
{
	struct span s = an_string(t, id);

	return s.n == strlen(name) && memcmp(s.p, name, s.n) == 0;
}

static int make_printer(struct an_payloads *p, struct printer *pr,
			const struct an_event *e, struct err *err)
{
	const struct an_tracepoint *tp = an_tracepoint_of(p->t, e->tracepoint);
	bool calls = e->key && is_named(p->t, tp->system, "syscalls");
	struct err why;
	int rc = an_layout_make(&pr->layout, tp->format, pr->table, calls,
				p->maker.long_size, &why);

	if (!rc)
		return an_handle_init(&pr->handle, &p->maker, tp, &pr->layout,
				      err);
	if (rc == ERR_NOMEM)
		return err_nomem(err);
	pr->handle.unusable = true;
	return an_layout_of_table(&pr->layout, pr->table, err);
}

/* NULL with *rc 0: the event has no payload. */
static struct printer *printer_of(struct an_payloads *p, uint32_t event,
				  int *rc, struct err *err)
{
	const struct an_event *e = an_event_of(p->t, event);
	struct printer *pr;

	*rc = 0;
	if (event >= p->n)
		return NULL;
	pr = &p->printers[event];
	if (!pr->made && e->table >= TF_TABLE_DYNAMIC && e->table != AN_NONE)
		pr->table = tf_schema_by_id(tf_reader_schema(p->t->reader),
					    e->table);
	if (!pr->made && pr->table)
		*rc = make_printer(p, pr, e, err);
	pr->made = true;
	return !*rc && pr->table ? pr : NULL;
}

/* A record has a place for each field, and nothing that says "not known". */
static bool has_all(const struct an_layout *l, const struct tf_view *v)
{
	for (size_t i = 0; i < l->n; i++) {
		const struct an_field *f = &l->v[i];
		uint32_t at = f->column, n = f->n_columns;

		if (f->kind == AN_FIELD_FLAGS || f->kind == AN_FIELD_PREEMPT) {
			at = f->kind == AN_FIELD_FLAGS ? TF_PAYLOAD_FLAGS :
							 TF_PAYLOAD_PREEMPT;
			n = 1;
		} else if (f->kind < AN_FIELD_NUMBER) {
			n = 0;
		}
		for (uint32_t k = 0; k < n; k++)
			if (!v->columns[at + k].present)
				return false;
	}
	return true;
}

int an_payload_record(struct an_payloads *p, uint32_t event,
		      const struct tf_view *v, uint32_t row, int32_t tid,
		      struct buf *to, struct err *err)
{
	struct an_record_row r = {
		.t = p->t,
		.view = v,
		.epoch = an_epochs_find(&p->t->epochs, v->epoch),
		.row = row,
		.tid = tid,
	};
	int rc;
	struct printer *pr = printer_of(p, event, &rc, err);

	if (!pr || pr->table != v->table || !has_all(&pr->layout, v))
		return rc;
	r.type = pr->handle.event ? (uint64_t)pr->handle.event->id : 0;
	an_record_put(to, &pr->layout, &r);
	return buf_failed(to) ? err_nomem(err) : 0;
}

static void put_bytes(struct buf *to, struct span s)
{
	buf_put(to, "ARRAY[", 6);
	for (size_t i = 0; i < s.n; i++)
		buf_printf(to, "%s%02x", i ? ", " : "", s.p[i]);
	buf_u8(to, ']');
}

static void put_field(struct buf *to, const struct an_field *f, struct span s)
{
	buf_printf(to, " %.*s=", (int)f->name.n, (const char *)f->name.p);
	switch (f->kind) {
	case AN_FIELD_NUMBER:
		if (s.n != f->element)
			break;
		if (f->is_signed)
			buf_printf(to, "%" PRId64,
				   (int64_t)an_record_number(f, s.p));
		else
			buf_printf(to, "%" PRIu64, an_record_number(f, s.p));
		break;
	case AN_FIELD_TEXT:
		buf_put(to, s.p, strnlen((const char *)s.p, s.n));
		break;
	default:
		put_bytes(to, s);
	}
}

/* As the library prints what it could not parse; here it was not even let. */
static int put_fields(struct an_payloads *p, const struct printer *pr,
		      struct span record, struct span *out, struct err *err)
{
	static const char failed[] = "[FAILED TO PARSE]";

	buf_clear(&p->fallback);
	buf_put(&p->fallback, failed, sizeof(failed) - 1);
	for (size_t i = 0; i < pr->layout.n; i++) {
		const struct an_field *f = &pr->layout.v[i];

		if (f->kind >= AN_FIELD_NUMBER)
			put_field(&p->fallback, f,
				  an_record_field(f, record));
	}
	if (buf_failed(&p->fallback))
		return err_nomem(err);
	*out = span_of(p->fallback.p, p->fallback.n);
	return 0;
}

/* Bytes of a longer record before are wiped out. */
static void *with_tail(struct an_payloads *p, struct span record)
{
	memcpy(p->record, record.p, record.n);
	if (record.n < p->record_size)
		memset(p->record + record.n, 0, p->record_size - record.n);
	p->record_size = record.n;
	return p->record;
}

int an_payload_text(struct an_payloads *p, uint32_t event, struct span record,
		    struct span *out, struct err *err)
{
	int rc;
	struct printer *pr = printer_of(p, event, &rc, err);
	struct tep_record r = { .size = (int)record.n,
				.record_size = (int)record.n };

	*out = span_of("", 0);
	if (!pr || !record.n || record.n > UINT16_MAX)
		return rc;
	if (!pr->handle.event || !an_guard_record(&pr->handle.guard, record.p))
		return put_fields(p, pr, record, out, err);
	r.data = with_tail(p, record);
	trace_seq_reset(&p->text);
	tep_print_event(pr->handle.tep, &p->text, &r, "%s", TEP_PRINT_INFO);
	if (p->text.state != TRACE_SEQ__GOOD)
		return err_nomem(err);
	*out = span_of(p->text.buffer, p->text.len);
	/* Some formats, and all lines of trace_marker, end a line themselves.*/
	while (out->n && out->p[out->n - 1] == '\n')
		out->n--;
	return 0;
}

int an_payload_json(struct an_payloads *p, uint32_t event, struct span record,
		    struct json *j, struct err *err)
{
	int rc;
	struct printer *pr = printer_of(p, event, &rc, err);

	if (pr && record.n)
		an_record_json(j, &pr->layout, record);
	return rc;
}

int an_payloads_check(struct an_payloads *p, bool *unusable, size_t *n,
		      struct err *err)
{
	*n = 0;
	for (uint32_t i = 0; i < p->n; i++) {
		int rc;
		const struct printer *pr = printer_of(p, i, &rc, err);

		if (rc)
			return rc;
		unusable[i] = pr && pr->handle.unusable;
		*n += unusable[i];
	}
	return 0;
}

void an_payloads_warn(const struct an_payloads *p, const struct log *log)
{
	struct buf names;
	size_t n = 0;

	buf_init(&names, 512);
	for (uint32_t i = 0; i < p->n; i++)
		if (p->printers[i].handle.unusable) {
			buf_printf(&names, "%s%s", n ? ", " : "",
				   an_text(p->t, an_event_of(p->t, i)->name));
			n++;
		}
	if (n)
		log_warn(log, "%zu tracepoints have a format that cannot be "
			 "printed with, their fields are shown as they are: "
			 "%.*s%s", n, (int)names.n, (const char *)names.p,
			 buf_failed(&names) ? " …" : "");
	buf_fini(&names);
}
