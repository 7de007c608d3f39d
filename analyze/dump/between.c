#include "analyze/dump/between.h"

#include "format/base/time.h"
#include "format/base/utf8.h"

#include <inttypes.h>

int an_between_init(struct an_between *b, struct an_trace *t,
		    const struct an_selection *sel, struct err *err)
{
	*b = (struct an_between){
		.t = t,
		.marks = { t, sel->t_min, sel->t_max, 0 },
	};
	return an_readings_init(&b->readings, t, sel, err);
}

void an_between_fini(struct an_between *b)
{
	an_readings_fini(&b->readings);
}

static void print_time(const struct an_between *b, uint64_t time,
		       const char *what)
{
	fprintf(b->to, "%16s %5s       %5" PRIu64 ".%06" PRIu64 ": %s: ", "",
		"", time / NSEC_PER_SEC, time % NSEC_PER_SEC / 1000, what);
}

static void print_mark(const struct an_between *b, const struct an_mark *m)
{
	struct json j;

	if (!b->json) {
		print_time(b, m->time, "mark");
		an_mark_print(b->t, m, b->to);
	} else {
		json_init(&j, b->to);
		json_object(&j, NULL);
		json_u64(&j, "time", m->time);
		an_mark_json(b->t, m, &j);
		json_end_object(&j);
	}
	fputc('\n', b->to);
}

static void print_marks(struct an_between *b, uint64_t before)
{
	const struct an_mark *m;

	while ((m = an_mark_next(&b->marks, before)))
		print_mark(b, m);
}

static int reading_text(const struct an_between *b,
			const struct an_dump_reading *r, struct err *err)
{
	struct buf line;
	bool ok;

	buf_init(&line, 0);
	an_reading_text(b->t, r, &line);
	ok = !buf_failed(&line);
	if (ok) {
		print_time(b, r->r->time, "counter");
		utf8_print(b->to, span_of(line.p, line.n));
	}
	buf_fini(&line);
	return ok ? 0 : err_nomem(err);
}

static int print_reading(const struct an_between *b,
			 const struct an_dump_reading *r, struct err *err)
{
	struct json j;
	int rc = 0;

	if (b->json) {
		json_init(&j, b->to);
		json_object(&j, NULL);
		json_u64(&j, "time", r->r->time);
		an_reading_json(b->t, r, &j);
		json_end_object(&j);
	} else {
		rc = reading_text(b, r, err);
	}
	fputc('\n', b->to);
	return rc;
}

int an_between_print(struct an_between *b, uint64_t before, struct err *err)
{
	const struct an_dump_reading *r;
	int rc = 0;

	while (!rc && (r = an_readings_next(&b->readings, before))) {
		print_marks(b, r->r->time);
		rc = print_reading(b, r, err);
	}
	print_marks(b, before);
	return rc;
}
