#include "analyze/samples.h"

#include "analyze/ahead.h"
#include "analyze/columns.h"
#include "analyze/epochs.h"
#include "analyze/lacks.h"
#include "analyze/recall.h"
#include "analyze/selection/rows.h"
#include "analyze/trace_data.h"
#include "analyze/tracepoint/sources.h"

#include "format/base/mem.h"
#include "format/catalog.h"

#include <stdlib.h>
#include <string.h>

/* No recorder gets more samples than this into a byte; a file made to keep us
 * busy for days does, with columns that never change. */
#define SAMPLES_PER_BYTE 64
#define SAMPLES_ALWAYS (64u << 20)

/* The catalog columns behind each bit of enum an_sample_columns. */
static const uint64_t columns_of[] = {
	1u << TF_SAMPLE_TIME,
	1u << TF_SAMPLE_CPU,
	1u << TF_SAMPLE_THREAD,
	1u << TF_SAMPLE_EVENT,
	1u << TF_SAMPLE_PERIOD,
	1u << TF_SAMPLE_IP,
	1u << TF_SAMPLE_KSTACK | 1u << TF_SAMPLE_USTACK,
	1u << TF_SAMPLE_FLAGS,
};

struct an_samples {
	struct an_trace *t;
	const struct an_selection *sel;
	struct an_selection of_switches; /* what of it they can be chosen by */
	struct an_ahead *parts;
	struct an_sources sources;
	unsigned wanted;
	uint64_t rows_left;
	size_t cap;          /* rows that each array below has room for */
	uint32_t *kept;      /* rows of the part that are selected */
	uint64_t *time, *period;
	uint32_t *cpu, *thread, *event, *ip, *kstack, *ustack;
	uint8_t *flags;
	struct an_batch batch;
};

static uint64_t catalog_columns(unsigned columns)
{
	uint64_t bits = 0;

	for (size_t i = 0; i < ARRAY_LEN(columns_of); i++)
		if (columns >> i & 1)
			bits |= columns_of[i];
	return bits;
}

static uint64_t rows_limit(const struct an_trace *t)
{
	uint64_t n;

	if (ckd_mul(&n, tf_reader_size(t->reader),
		    (uint64_t)SAMPLES_PER_BYTE) ||
	    ckd_add(&n, n, (uint64_t)SAMPLES_ALWAYS))
		return UINT64_MAX;
	return n;
}

static int open_parts(struct an_samples *s, struct err *err)
{
	struct tf_query *q = NULL;
	int rc = an_sources_queries(&q, &s->sources, s->sel,
				    s->wanted & AN_S_PAYLOAD, err);

	if (!rc)
		rc = an_ahead_new(&s->parts, s->t, q, s->sources.n, err);
	if (!rc && s->wanted & AN_S_BY_TIME)
		rc = an_ahead_by_time(s->parts, err);
	free(q);
	return rc;
}

int an_samples_new(struct an_samples **out, struct an_trace *t,
		   const struct an_selection *sel, unsigned columns,
		   struct err *err)
{
	struct an_samples *s = calloc(1, sizeof(*s));
	int rc;

	if (!s)
		return err_nomem(err);
	s->t = t;
	s->sel = sel && sel->any ? sel : NULL;
	if (s->sel)
		s->of_switches = *sel;
	s->of_switches.event = s->of_switches.leaf = NULL;
	s->of_switches.through = NULL;
	s->wanted = columns;
	s->rows_left = rows_limit(t);
	rc = an_sources_find(&s->sources, t, s->sel,
			     catalog_columns(columns) |
			     an_selection_columns(s->sel),
			     columns & AN_S_SWITCHES, err);
	if (!rc)
		rc = open_parts(s, err);
	if (rc) {
		an_samples_free(s);
		return rc;
	}
	*out = s;
	return 0;
}

static void free_arrays(struct an_samples *s)
{
	free(s->kept);
	free(s->time);
	free(s->period);
	free(s->cpu);
	free(s->thread);
	free(s->event);
	free(s->ip);
	free(s->kstack);
	free(s->ustack);
	free(s->flags);
	s->kept = s->cpu = s->thread = s->event = NULL;
	s->ip = s->kstack = s->ustack = NULL;
	s->time = s->period = NULL;
	s->flags = NULL;
	s->cap = 0;
}

void an_samples_free(struct an_samples *s)
{
	if (!s)
		return;
	free_arrays(s);
	an_ahead_free(s->parts);
	an_sources_fini(&s->sources);
	free(s);
}

static int make_room(struct an_samples *s, size_t rows, struct err *err)
{
	if (rows <= s->cap)
		return 0;
	free_arrays(s);
	s->kept = calloc(rows, sizeof(*s->kept));
	s->time = calloc(rows, sizeof(*s->time));
	s->period = calloc(rows, sizeof(*s->period));
	s->cpu = calloc(rows, sizeof(*s->cpu));
	s->thread = calloc(rows, sizeof(*s->thread));
	s->event = calloc(rows, sizeof(*s->event));
	s->ip = calloc(rows, sizeof(*s->ip));
	s->kstack = calloc(rows, sizeof(*s->kstack));
	s->ustack = calloc(rows, sizeof(*s->ustack));
	s->flags = calloc(rows, sizeof(*s->flags));
	if (!s->kept || !s->time || !s->period || !s->cpu || !s->thread ||
	    !s->event || !s->ip || !s->kstack || !s->ustack || !s->flags)
		return err_nomem(err);
	s->cap = rows;
	return 0;
}

static const struct an_ids *ids_of(const struct an_part *p, enum an_space space)
{
	static const struct an_ids none;

	return p->epoch ? &p->epoch->ids[space] : &none;
}

static uint32_t split(const struct an_samples *s, const struct an_part *p,
		      uint32_t event, uint32_t row)
{
	return p->keys ? an_event_split(s->t, event, p->keys[row]) : event;
}

static const uint64_t *take_u64(const struct an_samples *s,
				const struct an_part *p, unsigned column,
				uint64_t *to)
{
	const uint64_t *from = an_column(p->columns, p->view, column);

	for (size_t i = 0; i < s->batch.n; i++)
		to[i] = from ? from[s->kept[i]] : 0;
	return to;
}

static const uint32_t *take_ids(const struct an_samples *s,
				const struct an_part *p, unsigned column,
				enum an_space space, uint32_t *to)
{
	const uint64_t *from = an_column(p->columns, p->view, column);
	const struct an_ids *ids = ids_of(p, space);
	const uint32_t *kept = s->kept;
	size_t n = s->batch.n;

	if (!from)
		memset(to, 0xff, n * sizeof(*to)); /* AN_NONE */
	else if (!s->sel)
		for (size_t i = 0; i < n; i++)
			to[i] = an_ids_get(ids, from[i]);
	else
		for (size_t i = 0; i < n; i++)
			to[i] = an_ids_get(ids, from[kept[i]]);
	return to;
}

static const uint32_t *take_events(const struct an_samples *s,
				   const struct an_part *p, uint32_t *to)
{
	take_ids(s, p, TF_SAMPLE_EVENT, AN_SPACE_EVENT, to);
	for (size_t i = 0; p->keys && i < s->batch.n; i++)
		to[i] = split(s, p, to[i], s->kept[i]);
	return to;
}

/* Row 0 is the empty stack, even where its definition was lost; a stack that is
 * not there is no empty one. */
static const uint32_t *take_stacks(const struct an_samples *s,
				   const struct an_part *p, unsigned column,
				   uint32_t *to)
{
	const uint64_t *from = an_column(p->columns, p->view, column);

	take_ids(s, p, column, AN_SPACE_STACK, to);
	for (size_t i = 0; i < s->batch.n; i++)
		if (from && !from[s->kept[i]])
			to[i] = 0;
	return to;
}

static const uint32_t *take_cpus(const struct an_samples *s,
				 const struct an_part *p, uint32_t *to)
{
	const uint64_t *from = an_column(p->columns, p->view, TF_SAMPLE_CPU);

	for (size_t i = 0; i < s->batch.n; i++)
		to[i] = from ? (uint32_t)from[s->kept[i]] : 0;
	return to;
}

static const uint8_t *take_flags(const struct an_samples *s,
				 const struct an_part *p, uint8_t *to)
{
	const uint64_t *from = an_column(p->columns, p->view, TF_SAMPLE_FLAGS);

	for (size_t i = 0; i < s->batch.n; i++)
		to[i] = from ? (uint8_t)from[s->kept[i]] : 0;
	return to;
}

static const uint64_t *others_of(const struct an_source *from,
				 const struct tf_view *v)
{
	return from->other >= 0 && v->columns[from->other].present ?
		       v->columns[from->other].v : NULL;
}

/* What was asked for and is not there. A switch has no columns but its own. */
static unsigned lacks_of(const struct an_samples *s,
			 const struct an_source *from, const struct an_part *p)
{
	unsigned lacks = 0;

	for (unsigned i = 0; i < ARRAY_LEN(columns_of); i++)
		for (unsigned k = 0; s->wanted >> i & 1 && k <= TF_SAMPLE_FLAGS;
		     k++)
			if (columns_of[i] >> k & 1 &&
			    (from->other < 0 || from->columns.at[k] >= 0) &&
			    !an_column(p->columns, p->view, k))
				lacks |= 1u << i;
	return lacks;
}

static int count_lacks(struct an_samples *s, const struct an_part *p,
		       uint64_t rows, struct err *err)
{
	int rc = 0;

	for (unsigned k = 0; k <= TF_SAMPLE_FLAGS && !rc; k++)
		if (p->columns->at[k] >= 0 && !an_column(p->columns, p->view, k))
			rc = an_lacks_add(s->t, p->view,
					  (unsigned)p->columns->at[k], rows,
					  err);
	for (uint32_t i = TF_PAYLOAD_FLAGS; i < p->view->table->n_columns && !rc;
	     i++)
		if (s->wanted & AN_S_PAYLOAD && p->view->columns[i].skipped)
			rc = an_lacks_add(s->t, p->view, i, rows, err);
	return rc;
}

static void fill_batch(struct an_samples *s, const struct an_source *from,
		       const struct an_part *p)
{
	const struct an_selection *sel = from->other >= 0 ? &s->of_switches :
							    s->sel;
	struct an_batch *b = &s->batch;
	unsigned w = s->wanted;

	*b = (struct an_batch){ .n = an_selection_rows(sel, s->t, p, s->kept),
				.bound = an_ahead_bound(s->parts),
				.number = an_ahead_number(s->parts),
				.view = p->view,
				.row = s->kept,
				.other = others_of(from, p->view) };
	if (w & AN_S_TIME)
		b->time = take_u64(s, p, TF_SAMPLE_TIME, s->time);
	if (w & AN_S_CPU)
		b->cpu = take_cpus(s, p, s->cpu);
	if (w & AN_S_THREAD)
		b->thread = take_ids(s, p, TF_SAMPLE_THREAD, AN_SPACE_THREAD,
				     s->thread);
	if (w & AN_S_EVENT)
		b->event = take_events(s, p, s->event);
	if (w & AN_S_PERIOD)
		b->period = take_u64(s, p, TF_SAMPLE_PERIOD, s->period);
	if (w & AN_S_IP)
		b->ip = take_ids(s, p, TF_SAMPLE_IP, AN_SPACE_FRAME, s->ip);
	if (w & AN_S_STACK) {
		b->kstack = take_stacks(s, p, TF_SAMPLE_KSTACK, s->kstack);
		b->ustack = take_stacks(s, p, TF_SAMPLE_USTACK, s->ustack);
	}
	if (w & AN_S_FLAGS)
		b->flags = take_flags(s, p, s->flags);
	b->lacks = lacks_of(s, from, p);
	if (b->ip && b->lacks & AN_S_FLAGS) /* may be in the stack already */
		memset(s->ip, 0xff, b->n * sizeof(*s->ip));
}

/* Rows that mean nothing are left out. */
static bool is_usable(const struct an_samples *s, const struct an_source *from,
		      const struct an_part *p)
{
	return (!(s->wanted & AN_S_TIME) ||
		an_column(p->columns, p->view, TF_SAMPLE_TIME)) &&
	       (from->other < 0 || !(s->wanted & AN_S_FLAGS) ||
		an_column(p->columns, p->view, TF_SAMPLE_FLAGS));
}

static int take_rows(struct an_samples *s, uint32_t rows, struct err *err)
{
	if (rows > s->rows_left)
		return err_set(err, ERR_LIMIT, "%s: more samples than a file "
			       "of this size can hold", s->t->path);
	s->rows_left -= rows;
	return 0;
}

static int take_part(struct an_samples *s, const struct tf_view *v,
		     struct err *err)
{
	const struct an_source *from = an_sources_of(&s->sources,
						     v->table->id);
	struct an_part p = {
		.view = v,
		.columns = &from->columns,
		.epoch = an_epochs_find(&s->t->epochs, v->epoch),
	};

	if (from->key >= 0 && v->columns[from->key].present)
		p.keys = v->columns[from->key].v;
	s->batch.n = 0;
	if (!is_usable(s, from, &p))
		return count_lacks(s, &p, v->rows, err);
	fill_batch(s, from, &p);
	return count_lacks(s, &p, s->batch.n, err);
}

static bool needs_stacks(const struct an_samples *s)
{
	return s->wanted & (AN_S_IP | AN_S_STACK) ||
	       (s->sel && (s->sel->leaf || s->sel->through));
}

int an_samples_next(struct an_samples *s, const struct an_batch **out,
		    struct err *err)
{
	const struct tf_view *v;
	int rc = 0;

	while (!rc) {
		rc = an_ahead_next(s->parts, &v, err);
		if (rc < 0) {
			rc = an_trace_survive(s->t, rc, err);
			continue;
		}
		if (rc)
			break;
		rc = take_rows(s, v->rows, err);
		if (!rc)
			rc = make_room(s, v->rows, err);
		if (!rc && needs_stacks(s))
			rc = an_recall(s->t, v->epoch, err);
		if (!rc)
			rc = take_part(s, v, err);
		if (rc)
			break;
		if (s->batch.n) {
			*out = &s->batch;
			break;
		}
	}
	if (rc == 1)
		an_lacks_say(s->t);
	return rc;
}

int an_samples_parts(struct tf_cursor **out, const struct an_trace *t,
		     const struct an_selection *sel, bool switches,
		     struct err *err)
{
	struct an_sources sources = { 0 };
	struct tf_query *q = NULL;
	int rc = an_sources_find(&sources, t, sel, 0, switches, err);

	if (!rc)
		rc = an_sources_queries(&q, &sources, sel, false, err);
	if (!rc)
		rc = tf_cursor_new_many(out, t->reader, q, sources.n, err);
	free(q);
	an_sources_fini(&sources);
	return rc;
}

int an_samples_bounds(const struct an_trace *t, uint64_t *t_min,
		      uint64_t *t_max, struct err *err)
{
	struct an_sources sources = { 0 };
	uint32_t *tables = NULL;
	int rc = an_sources_find(&sources, t, NULL, 0, false, err);

	if (!rc)
		tables = calloc(sources.n + 1, sizeof(*tables));
	if (!rc && !tables)
		rc = err_nomem(err);
	for (size_t i = 0; !rc && i < sources.n; i++)
		tables[i] = sources.v[i].table;
	if (!rc)
		rc = tf_reader_bounds(t->reader, tables, sources.n, t_min,
				      t_max, err);
	free(tables);
	an_sources_fini(&sources);
	return rc;
}

int an_rows_bounds(const struct an_trace *t, uint64_t *t_min, uint64_t *t_max,
		   struct err *err)
{
	const uint32_t readings = TF_TABLE_COUNTER;
	uint64_t from, to;
	int rc = an_samples_bounds(t, t_min, t_max, err), also;

	if (rc < 0)
		return rc;
	also = tf_reader_bounds(t->reader, &readings, 1, &from, &to, err);
	if (also)
		return also < 0 ? also : rc;
	if (rc || from < *t_min)
		*t_min = from;
	if (rc || to > *t_max)
		*t_max = to;
	return 0;
}
