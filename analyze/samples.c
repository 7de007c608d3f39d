#include "analyze/samples.h"

#include "analyze/columns.h"
#include "analyze/epochs.h"
#include "analyze/trace_data.h"

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
	struct tf_cursor *cursor;
	struct an_columns columns;
	unsigned wanted;
	uint64_t rows_left;
	size_t cap;          /* rows that each array below has room for */
	uint32_t *kept;      /* rows of the part that are selected */
	uint64_t *time, *period;
	uint32_t *cpu, *thread, *event, *ip, *kstack, *ustack;
	uint8_t *flags;
	struct an_batch batch;
};

static unsigned columns_to_decide(const struct an_selection *sel)
{
	unsigned c = 0;

	if (!sel || !sel->any)
		return 0;
	if (sel->t_min || sel->t_max != UINT64_MAX)
		c |= AN_S_TIME;
	if (sel->thread)
		c |= AN_S_THREAD;
	if (sel->event)
		c |= AN_S_EVENT;
	if (sel->cpu_bits)
		c |= AN_S_CPU;
	return c;
}

static uint64_t catalog_columns(unsigned columns)
{
	uint64_t bits = 0;

	for (size_t i = 0; i < ARRAY_LEN(columns_of); i++)
		if (columns >> i & 1)
			bits |= columns_of[i];
	return bits;
}

int an_samples_new(struct an_samples **out, struct an_trace *t,
		   const struct an_selection *sel, unsigned columns,
		   struct err *err)
{
	struct an_samples *s = calloc(1, sizeof(*s));
	struct tf_query q = { .table = TF_TABLE_SAMPLE, .t_max = UINT64_MAX };
	int rc = 0;

	if (!s)
		return err_nomem(err);
	s->t = t;
	s->sel = sel && sel->any ? sel : NULL;
	s->wanted = columns;
	if (ckd_mul(&s->rows_left, tf_reader_size(t->reader),
		    (uint64_t)SAMPLES_PER_BYTE) ||
	    ckd_add(&s->rows_left, s->rows_left, (uint64_t)SAMPLES_ALWAYS))
		s->rows_left = UINT64_MAX;
	if (s->sel) {
		q.t_min = s->sel->t_min;
		q.t_max = s->sel->t_max;
	}
	columns |= columns_to_decide(sel);
	if (an_columns_find(&s->columns, t->reader, q.table,
			    catalog_columns(columns))) {
		q.columns = s->columns.mask;
		rc = tf_cursor_new(&s->cursor, t->reader, &q, err);
	}
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
	tf_cursor_free(s->cursor);
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

/* What a column says of a row; the ids of one part are looked up in its epoch.
 */
struct part {
	const struct tf_view *view;
	const struct an_columns *columns;
	const struct an_epoch *epoch;
};

static const struct an_ids *ids_of(const struct part *p, enum an_space space)
{
	static const struct an_ids none;

	return p->epoch ? &p->epoch->ids[space] : &none;
}

static bool is_cpu_selected(const struct an_selection *sel, uint64_t cpu)
{
	return cpu / 64 < sel->n_cpu_words &&
	       sel->cpu_bits[cpu / 64] >> (cpu % 64) & 1;
}

static bool is_selected(const struct an_selection *sel, const struct part *p,
			uint32_t row)
{
	const struct an_columns *c = p->columns;
	const struct tf_view *v = p->view;

	if (c->at[TF_SAMPLE_TIME] >= 0) {
		uint64_t time = an_column_value(c, v, TF_SAMPLE_TIME, row);

		if (time < sel->t_min || time > sel->t_max)
			return false;
	}
	if (sel->thread) {
		uint32_t id = an_ids_get(
			ids_of(p, AN_SPACE_THREAD),
			an_column_value(c, v, TF_SAMPLE_THREAD, row));

		if (id >= sel->n_threads || !sel->thread[id])
			return false;
	}
	if (sel->event) {
		uint32_t id = an_ids_get(
			ids_of(p, AN_SPACE_EVENT),
			an_column_value(c, v, TF_SAMPLE_EVENT, row));

		if (id >= sel->n_events || !sel->event[id])
			return false;
	}
	return !sel->cpu_bits ||
	       is_cpu_selected(sel, an_column_value(c, v, TF_SAMPLE_CPU, row));
}

/* Which rows stay, in s->kept; without a selection all do. */
static size_t choose_rows(struct an_samples *s, const struct part *p)
{
	size_t n = 0;

	for (uint32_t row = 0; row < p->view->rows; row++)
		if (!s->sel || is_selected(s->sel, p, row))
			s->kept[n++] = row;
	return n;
}

static const uint64_t *take_u64(const struct an_samples *s,
				const struct part *p, unsigned column,
				uint64_t *to)
{
	const uint64_t *from = an_column(p->columns, p->view, column);

	for (size_t i = 0; i < s->batch.n; i++)
		to[i] = from ? from[s->kept[i]] : 0;
	return to;
}

static const uint32_t *take_ids(const struct an_samples *s,
				const struct part *p, unsigned column,
				enum an_space space, uint32_t *to)
{
	const uint64_t *from = an_column(p->columns, p->view, column);
	const struct an_ids *ids = ids_of(p, space);

	for (size_t i = 0; i < s->batch.n; i++)
		to[i] = from ? an_ids_get(ids, from[s->kept[i]]) : AN_NONE;
	return to;
}

/* Row 0 is the empty stack, even where its definition was lost. */
static const uint32_t *take_stacks(const struct an_samples *s,
				   const struct part *p, unsigned column,
				   uint32_t *to)
{
	const uint64_t *from = an_column(p->columns, p->view, column);

	take_ids(s, p, column, AN_SPACE_STACK, to);
	for (size_t i = 0; i < s->batch.n; i++)
		if (!from || !from[s->kept[i]])
			to[i] = 0;
	return to;
}

static const uint32_t *take_cpus(const struct an_samples *s,
				 const struct part *p, uint32_t *to)
{
	const uint64_t *from = an_column(p->columns, p->view, TF_SAMPLE_CPU);

	for (size_t i = 0; i < s->batch.n; i++)
		to[i] = from ? (uint32_t)from[s->kept[i]] : 0;
	return to;
}

static const uint8_t *take_flags(const struct an_samples *s,
				 const struct part *p, uint8_t *to)
{
	const uint64_t *from = an_column(p->columns, p->view, TF_SAMPLE_FLAGS);

	for (size_t i = 0; i < s->batch.n; i++)
		to[i] = from ? (uint8_t)from[s->kept[i]] : 0;
	return to;
}

static void fill_batch(struct an_samples *s, const struct part *p)
{
	struct an_batch *b = &s->batch;
	unsigned w = s->wanted;

	*b = (struct an_batch){ .n = choose_rows(s, p),
				.chunk = p->view->chunk };
	if (w & AN_S_TIME)
		b->time = take_u64(s, p, TF_SAMPLE_TIME, s->time);
	if (w & AN_S_CPU)
		b->cpu = take_cpus(s, p, s->cpu);
	if (w & AN_S_THREAD)
		b->thread = take_ids(s, p, TF_SAMPLE_THREAD, AN_SPACE_THREAD,
				     s->thread);
	if (w & AN_S_EVENT)
		b->event = take_ids(s, p, TF_SAMPLE_EVENT, AN_SPACE_EVENT,
				    s->event);
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
}

static int take_rows(struct an_samples *s, uint32_t rows, struct err *err)
{
	if (rows > s->rows_left)
		return err_set(err, ERR_LIMIT, "%s: more samples than a file "
			       "of this size can hold", s->t->path);
	s->rows_left -= rows;
	return 0;
}

int an_samples_next(struct an_samples *s, const struct an_batch **out,
		    struct err *err)
{
	struct part p = { .columns = &s->columns };
	int rc = s->cursor ? 0 : 1;

	while (!rc) {
		rc = tf_cursor_next(s->cursor, &p.view, err);
		if (rc < 0) {
			rc = an_trace_survive(s->t, rc, err);
			continue;
		}
		if (rc)
			break;
		p.epoch = an_epochs_find(&s->t->epochs, p.view->epoch);
		rc = take_rows(s, p.view->rows, err);
		if (!rc)
			rc = make_room(s, p.view->rows, err);
		if (rc)
			break;
		fill_batch(s, &p);
		if (s->batch.n) {
			*out = &s->batch;
			break;
		}
	}
	return rc;
}

int an_samples_bounds(const struct an_trace *t, uint64_t *t_min,
		      uint64_t *t_max, struct err *err)
{
	struct tf_query q = { .table = TF_TABLE_SAMPLE, .t_max = UINT64_MAX };
	struct tf_cursor *cursor = NULL;
	const struct tf_view *v;
	int rc = 1;

	*t_min = UINT64_MAX;
	*t_max = 0;
	if (tf_schema_by_id(tf_reader_schema(t->reader), q.table))
		rc = tf_cursor_new(&cursor, t->reader, &q, err);
	while (!rc) {
		rc = tf_cursor_next(cursor, &v, err);
		if (!rc && v->rows) {
			*t_min = v->t_min < *t_min ? v->t_min : *t_min;
			*t_max = v->t_max > *t_max ? v->t_max : *t_max;
		}
		if (rc < 0 && rc != ERR_NOMEM && rc != ERR_IO)
			rc = 0;
	}
	tf_cursor_free(cursor);
	if (rc < 0)
		return rc;
	return *t_min == UINT64_MAX ? 1 : 0;
}
