#include "analyze/overview.h"

#include "analyze/samples.h"
#include "analyze/trace_data.h"
#include "analyze/tracepoint/payload.h"

#include "format/catalog.h"

#include <stdlib.h>

static void count_part(struct an_overview *o, const struct tf_view *v)
{
	size_t low = 0, high = o->n_tables;

	while (low + 1 < high) { /* they are in the order of their ids */
		size_t mid = low + (high - low) / 2;

		if (o->tables[mid].table->id <= v->table->id)
			low = mid;
		else
			high = mid;
	}
	o->tables[low].rows += v->rows;
	o->tables[low].parts++;
	if (v->table->id == TF_TABLE_SWITCH)
		o->switches += v->rows;
	if (v->table->id == TF_TABLE_COUNTER)
		o->readings += v->rows;
}

static int count_parts(struct an_overview *o, struct an_trace *t,
		       const struct tf_query *q, struct err *err)
{
	struct tf_cursor *cursor = NULL;
	const struct tf_view *v;
	int rc = tf_cursor_new_many(&cursor, t->reader, q, o->n_tables, err);

	while (!rc) {
		rc = tf_cursor_next(cursor, &v, err);
		if (!rc)
			count_part(o, v);
		else if (rc < 0)
			rc = an_trace_survive(t, rc, err);
	}
	tf_cursor_free(cursor);
	return rc < 0 ? rc : 0;
}

static int count_tables(struct an_overview *o, struct an_trace *t,
			struct err *err)
{
	const struct tf_schema *schema = tf_reader_schema(t->reader);
	struct tf_query *q = calloc(schema->n + 1, sizeof(*q));
	int rc;

	o->n_tables = schema->n;
	o->tables = calloc(schema->n + 1, sizeof(*o->tables));
	for (size_t i = 0; o->tables && q && i < schema->n; i++) {
		o->tables[i].table = schema->tables[i];
		q[i].table = schema->tables[i]->id;
	}
	rc = o->tables && q ? count_parts(o, t, q, err) : err_nomem(err);
	free(q);
	return rc;
}

static int check_formats(struct an_overview *o, struct an_trace *t,
			 struct err *err)
{
	struct an_payloads *p = NULL;
	int rc;

	o->unusable = calloc(an_n_events(t) + 1, sizeof(*o->unusable));
	if (!o->unusable)
		return err_nomem(err);
	rc = an_payloads_new(&p, t, err);
	if (!rc)
		rc = an_payloads_check(p, o->unusable, &o->n_unusable, err);
	an_payloads_free(p);
	return rc;
}

enum { SEEN = 1, NAMED = 2 };

static int count_images(struct an_overview *o, const struct an_trace *t,
			struct err *err)
{
	uint8_t *state = calloc(an_n_images(t) + 1, 1);

	if (!state)
		return err_nomem(err);
	for (uint32_t i = 0; i < an_n_frames(t); i++) {
		const struct an_frame *f = an_frame_of(t, i);

		if (f->image >= an_n_images(t) || an_frame_is_twin(t, i) ||
		    an_image_of(t, f->image)->kind == TF_IMAGE_SPECIAL)
			continue;
		o->images.frames++;
		state[f->image] |= SEEN;
		if (f->symbol == AN_NONE)
			continue;
		o->images.named_frames++;
		state[f->image] |= NAMED;
	}
	for (size_t i = 0; i < an_n_images(t); i++) {
		o->images.images += (state[i] & SEEN) != 0;
		o->images.named += (state[i] & NAMED) != 0;
		o->images.nameless += state[i] == SEEN;
	}
	free(state);
	return 0;
}

static int find_readings(struct an_overview *o, const struct an_trace *t,
			 struct err *err)
{
	const uint32_t table = TF_TABLE_COUNTER;
	int rc = tf_reader_bounds(t->reader, &table, 1, &o->r_min, &o->r_max,
				  err);

	if (rc)
		o->r_min = o->r_max = 0;
	return rc < 0 ? rc : 0;
}

int an_overview_make(struct an_overview *out, struct an_trace *t,
		     struct err *err)
{
	struct an_overview o = { 0 };
	int rc = count_tables(&o, t, err);

	if (!rc)
		rc = an_profile_make(&o.profile, t, NULL, err);
	if (!rc)
		rc = count_images(&o, t, err);
	if (!rc)
		rc = check_formats(&o, t, err);
	if (!rc)
		rc = find_readings(&o, t, err);
	if (!rc)
		rc = an_samples_bounds(t, &o.t_min, &o.t_max, err);
	if (rc < 0) {
		an_overview_fini(&o);
		return rc;
	}
	o.any = rc == 0;
	if (!o.any)
		o.t_min = o.t_max = 0;
	an_losses_sum(t, AN_NONE, &o.lost);
	*out = o;
	return 0;
}

void an_overview_fini(struct an_overview *o)
{
	an_profile_fini(&o->profile);
	free(o->tables);
	free(o->unusable);
	*o = (struct an_overview){ 0 };
}
