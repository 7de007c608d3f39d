#include "analyze/merge.h"

#include "analyze/trace_data.h"

#include "format/base/mem.h"
#include "format/catalog.h"

#include <stdlib.h>

struct an_merge {
	struct an_samples *samples;
	struct an_trace *t;
	uint64_t *bounds;    /* by chunk: no sample of this chunk or a later
			      * one is older */
	size_t n_chunks;
	struct an_sample *v; /* from `at` to `ready` in order, then not yet */
	size_t n, cap, at, ready;
	size_t left;         /* rows that the last sorting left over */
	uint64_t order;
	uint64_t limit;      /* rows that may be held */
	bool ended;
};

/* The least time of each chunk, taken from the directories, then the least of
 * all that follow. */
static int find_bounds(struct an_merge *m, struct err *err)
{
	struct tf_query q = { .table = TF_TABLE_SAMPLE, .t_max = UINT64_MAX };
	struct tf_cursor *cursor = NULL;
	const struct tf_view *v;
	int rc;

	m->n_chunks = tf_reader_chunks(m->t->reader);
	m->bounds = malloc((m->n_chunks + 1) * sizeof(*m->bounds));
	if (!m->bounds)
		return err_nomem(err);
	for (size_t i = 0; i <= m->n_chunks; i++)
		m->bounds[i] = UINT64_MAX;
	rc = tf_cursor_new(&cursor, m->t->reader, &q, err);
	while (!rc) {
		rc = tf_cursor_next(cursor, &v, err);
		if (!rc && v->t_min < m->bounds[v->chunk])
			m->bounds[v->chunk] = v->t_min;
		if (rc < 0)
			rc = an_trace_survive(m->t, rc, err);
	}
	tf_cursor_free(cursor);
	for (size_t i = m->n_chunks; i > 0; i--)
		if (m->bounds[i] < m->bounds[i - 1])
			m->bounds[i - 1] = m->bounds[i];
	return rc < 0 ? rc : 0;
}

int an_merge_new(struct an_merge **out, struct an_trace *t,
		 const struct an_selection *sel, struct err *err)
{
	struct an_merge *m = calloc(1, sizeof(*m));
	int rc;

	if (!m)
		return err_nomem(err);
	m->t = t;
	m->limit = an_trace_rows_limit(t);
	rc = find_bounds(m, err);
	if (!rc)
		rc = an_samples_new(&m->samples, t, sel, AN_S_ALL, err);
	if (rc) {
		an_merge_free(m);
		return rc;
	}
	*out = m;
	return 0;
}

void an_merge_free(struct an_merge *m)
{
	if (!m)
		return;
	an_samples_free(m->samples);
	free(m->bounds);
	free(m->v);
	free(m);
}

static int by_time(const void *a, const void *b)
{
	const struct an_sample *x = a, *y = b;
	int order = CMP(x->time, y->time);

	return order ? order : CMP(x->order, y->order);
}

static int keep_batch(struct an_merge *m, const struct an_batch *b,
		      struct err *err)
{
	if (m->n + b->n > m->limit)
		return err_set(err, ERR_LIMIT, "%s: more samples out of order "
			       "than a file of this size can hold",
			       an_trace_path(m->t));
	if (!mem_grow(&m->v, &m->cap, m->n + b->n, sizeof(*m->v)))
		return err_nomem(err);
	for (size_t i = 0; i < b->n; i++)
		m->v[m->n++] = (struct an_sample){
			.time = b->time[i],
			.period = b->period[i],
			.order = m->order++,
			.cpu = b->cpu[i],
			.thread = b->thread[i],
			.event = b->event[i],
			.ip = b->ip[i],
			.kstack = b->kstack[i],
			.ustack = b->ustack[i],
			.flags = b->flags[i],
		};
	return 0;
}

static void drop_given(struct an_merge *m)
{
	size_t left = m->n - m->at;

	for (size_t i = 0; i < left; i++)
		m->v[i] = m->v[m->at + i];
	m->n = m->left = left;
	m->at = m->ready = 0;
}

/* Puts in order what no later row can come before. */
static void make_ready(struct an_merge *m, uint64_t bound)
{
	size_t low = 0, high = m->n;

	if (m->n)
		qsort(m->v, m->n, sizeof(*m->v), by_time);
	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (m->v[mid].time < bound)
			low = mid + 1;
		else
			high = mid;
	}
	m->ready = low;
}

static int refill(struct an_merge *m, struct err *err)
{
	const struct an_batch *b;
	int rc;

	if (m->ready)
		drop_given(m);
	rc = an_samples_next(m->samples, &b, err);
	if (rc == 1) {
		m->ended = true;
		make_ready(m, UINT64_MAX);
		m->ready = m->n;
		return 0;
	}
	if (!rc)
		rc = keep_batch(m, b, err);
	/* Sorting waits until there is as much new as old, so that rows which
	 * cannot leave yet are not sorted again with each batch. */
	if (!rc && m->n >= 2 * m->left)
		make_ready(m, m->bounds[b->chunk]);
	return rc;
}

int an_merge_next(struct an_merge *m, const struct an_sample **out,
		  struct err *err)
{
	while (m->at == m->ready) {
		int rc;

		if (m->ended)
			return 1;
		rc = refill(m, err);
		if (rc)
			return rc;
	}
	*out = &m->v[m->at++];
	return 0;
}
