#include "record/import/perfdata/describe.h"

#include "format/base/mem.h"
#include "record/import/perfdata/stream.h"

#include <inttypes.h>
#include <string.h>
#include <time.h>

#define WINDOW ((size_t)1 << 20)

#define EVENT_UPDATE_NAME 2
#define EVENT_TYPE_NAME 64u

void rec_pd_described_fini(struct rec_pd_described *d)
{
	rec_pd_attrs_fini(&d->attrs);
	rec_pd_tracing_fini(&d->tracing);
}

/* -- Records of a pipe that describe ----------------------------------------*/

/* The fields behind a record's head. */
static struct rec_pd_fields body(const struct rec_pd_described *d,
				 const struct rec_pd_raw *r)
{
	struct rec_pd_fields f = rec_pd_fields(r->bytes, d->foreign);

	(void)rec_pd_skip(&f, REC_PD_RECORD_HEAD);
	return f;
}

static int take_attr(struct rec_pd_described *d, const struct rec_pd_raw *r,
		     struct err *err)
{
	struct rec_pd_fields f = body(d, r);
	struct perf_event_attr attr;
	struct err why;
	int rc = rec_pd_attr_take(&f, &attr, &why);

	if (rc) {
		rec_pd_trouble(d, "event at offset %" PRIu64 ": %.100s", r->at,
			       why.text);
		return 0;
	}
	rc = rec_pd_attrs_add(&d->attrs, &attr, err);
	return rc ? rc : rec_pd_attrs_ids(&d->attrs, d->attrs.n - 1, f, err);
}

/* Before events had descriptions: names of types, by config. */
static int take_event_type(struct rec_pd_described *d,
			   const struct rec_pd_raw *r, struct err *err)
{
	struct rec_pd_fields f = body(d, r);
	struct span name;
	uint64_t config;
	int rc = 0;

	if (!rec_pd_u64(&f, &config) ||
	    !rec_pd_text(&f, EVENT_TYPE_NAME, &name))
		return 0;
	for (size_t i = 0; !rc && i < d->attrs.n; i++)
		if (d->attrs.items[i].attr.config == config &&
		    !d->attrs.items[i].name)
			rc = rec_pd_attrs_name(&d->attrs, i, name, err);
	return rc;
}

static int take_update(struct rec_pd_described *d, const struct rec_pd_raw *r,
		       struct err *err)
{
	struct rec_pd_fields f = body(d, r);
	uint64_t kind, id;
	int event;

	if (!rec_pd_u64(&f, &kind) || !rec_pd_u64(&f, &id) ||
	    kind != EVENT_UPDATE_NAME)
		return 0;
	event = rec_pd_attrs_of_id(&d->attrs, id);
	if (event < 0)
		return 0;
	return rec_pd_attrs_name(&d->attrs, (size_t)event,
				 rec_pd_until_nul(f.in), err);
}

static int take_feature(struct rec_pd_described *d, const struct rec_pd_raw *r,
			struct err *err)
{
	struct rec_pd_fields f = body(d, r);
	uint64_t number;

	if (!rec_pd_u64(&f, &number) || number >= REC_PD_FEATURES)
		return 0;
	return rec_pd_feature(d, (unsigned)number, f.in, err);
}

static int take_build_id(struct rec_pd_described *d, const struct rec_pd_raw *r,
			 struct err *err)
{
	return rec_pd_build_id(d, r->bytes, err);
}

static const struct describing {
	uint32_t type;
	int (*take)(struct rec_pd_described *d, const struct rec_pd_raw *r,
		    struct err *err);
} describings[] = {
	{ REC_PD_HEADER_ATTR, take_attr },
	{ REC_PD_HEADER_EVENT_TYPE, take_event_type },
	{ REC_PD_EVENT_UPDATE, take_update },
	{ REC_PD_HEADER_FEATURE, take_feature },
	{ REC_PD_HEADER_BUILD_ID, take_build_id },
};

static int tracing_behind(struct rec_pd_described *d,
			  const struct rec_pd_raw *r, int fd, struct err *err)
{
	uint64_t at = r->at + r->size;

	return rec_pd_tracing_section(
		d, &(struct rec_pd_section){ at, r->behind }, fd, err);
}

static int describing_record(struct rec_pd_described *d,
			     const struct rec_pd_raw *r, int fd,
			     struct err *err)
{
	if (r->type == REC_PD_HEADER_TRACING_DATA)
		return tracing_behind(d, r, fd, err);
	for (size_t i = 0; i < ARRAY_LEN(describings); i++)
		if (describings[i].type == r->type)
			return describings[i].take(d, r, err);
	return 0;
}

/* Where it is damaged this ends; the second pass finds the same place and says
 * so. */
static int describing_records(struct rec_pd_described *d,
			      const struct rec_pd_header *h, int fd,
			      struct err *err)
{
	struct rec_pd_stream s = { .foreign = h->foreign };
	struct rec_pd_raw r;
	struct err why;
	int rc = rec_pd_bytes_init(&s.bytes, fd, h->data.at,
				   h->data.at + h->data.size, WINDOW, err);

	while (!rc) {
		int end = rec_pd_stream_peek(&s, &r, &why);

		if (end == ERR_IO)
			rc = err_set(err, ERR_IO, "%s", why.text);
		if (end)
			break;
		rc = describing_record(d, &r, fd, err);
		if (rc || rec_pd_stream_next(&s, &r, &why))
			break;
	}
	rec_pd_bytes_fini(&s.bytes);
	return rc;
}

/* -- What follows from it ---------------------------------------------------*/

static int tell_tracing(struct rec_pd_described *d, struct err *err)
{
	const struct rec_pd_tracing *t = &d->tracing;
	struct span lines = t->comms, name;
	int32_t tid;
	int rc = t->kallsyms.n ? rec_intake_kallsyms(d->to, t->kallsyms, err) :
				 0;

	if (t->long_size)
		rec_intake_fact(d->to, "pointer_size", "%u", t->long_size);
	if (t->page_size)
		rec_intake_fact(d->to, "page_size", "%" PRIu32, t->page_size);
	if (t->printk.n)
		rec_intake_fact(d->to, "printk_formats", "%.*s",
				(int)t->printk.n, (const char *)t->printk.p);
	while (!rc && rec_pd_tracing_comm(&lines, &tid, &name))
		rc = rec_intake_comm(d->to, tid, tid, name, err);
	return rc;
}

/* Which clock times are of, as far as events or the clock's reading tell. */
static void tell_clock(struct rec_pd_described *d)
{
	const struct perf_event_attr *a = &d->attrs.items[0].attr;

	if (d->has_clock)
		return;
	rec_intake_fact(d->to, "clock", "%s",
			a->use_clockid ? rec_pd_clock_name((uint32_t)a->clockid)
				       : "perf");
}

int rec_pd_describe(struct rec_pd_described *d, const struct rec_pd_header *h,
		    int fd, uint64_t size, struct err *err)
{
	int rc;

	d->foreign = h->foreign;
	if (h->pipe) {
		rc = describing_records(d, h, fd, err);
	} else {
		rc = rec_pd_header_attrs(h, fd, size, &d->attrs, err);
		if (!rc)
			rc = rec_pd_features(d, h, fd, size, err);
	}
	if (!rc && !d->attrs.n)
		rc = err_set(err, ERR_FORMAT, "it describes no event%s%s",
			     d->trouble[0] ? ": " : "", d->trouble);
	if (rc)
		return rc;
	tell_clock(d);
	return tell_tracing(d, err);
}
