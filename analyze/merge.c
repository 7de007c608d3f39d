#include "analyze/merge.h"

#include "analyze/trace_data.h"
#include "analyze/tracepoint/payload.h"

#include "format/base/buf.h"
#include "format/base/mem.h"

#include <stdlib.h>

/* Payloads that are held, of all rows that wait for others. */
#define MAX_HELD ((uint64_t)256 << 20)

/* The payloads of one batch. */
struct block {
	size_t live;         /* rows that need it */
	struct buf bytes;
};

struct an_merge {
	struct an_samples *samples;
	struct an_trace *t;
	struct an_sample *v; /* from `at` to `ready` in order, then not yet */
	size_t n, cap, at, ready;
	size_t left;         /* rows that the last sorting left over */
	uint64_t limit;      /* rows that may be held */
	struct an_payloads *payloads;
	uint64_t held;       /* bytes of blocks */
	bool ended;
};

int an_merge_new(struct an_merge **out, struct an_trace *t,
		 const struct an_selection *sel, struct err *err)
{
	return an_merge_new_with(out, t, sel, NULL, false, err);
}

int an_merge_new_with(struct an_merge **out, struct an_trace *t,
		      const struct an_selection *sel,
		      struct an_payloads *payloads, bool switches,
		      struct err *err)
{
	struct an_merge *m = calloc(1, sizeof(*m));
	unsigned columns = AN_S_ALL | AN_S_BY_TIME;
	int rc;

	if (!m)
		return err_nomem(err);
	m->t = t;
	m->payloads = payloads;
	m->limit = an_trace_rows_limit(t);
	if (payloads)
		columns |= AN_S_PAYLOAD;
	if (switches)
		columns |= AN_S_SWITCHES;
	rc = an_samples_new(&m->samples, t, sel, columns, err);
	if (rc) {
		an_merge_free(m);
		return rc;
	}
	*out = m;
	return 0;
}

static void release(struct an_merge *m, const struct an_sample *s)
{
	struct block *b = s->block;

	if (!b || --b->live)
		return;
	m->held -= b->bytes.n;
	buf_fini(&b->bytes);
	free(b);
}

void an_merge_free(struct an_merge *m)
{
	if (!m)
		return;
	for (size_t i = 0; i < m->n; i++)
		release(m, &m->v[i]);
	an_samples_free(m->samples);
	free(m->v);
	free(m);
}

static int by_time(const void *a, const void *b)
{
	const struct an_sample *x = a, *y = b;
	int order = CMP(x->time, y->time);

	return order ? order : CMP(x->order, y->order);
}

/* Makes the records of the last n rows. Their places are kept as numbers until
 * the block does not move any more. */
static int fill_block(struct an_merge *m, struct block *block,
		      const struct an_batch *b, size_t *places,
		      struct err *err)
{
	for (size_t i = 0; i < b->n; i++) {
		int32_t tid = an_thread_of(m->t, b->thread[i])->tid;
		int rc = an_payload_record(m->payloads, b->event[i], b->view,
					   b->row[i], tid, &block->bytes, err);

		if (rc)
			return rc;
		places[i] = block->bytes.n;
		if (m->held + block->bytes.n > MAX_HELD)
			return err_set(err, ERR_LIMIT, "%s: more than %u MiB of "
				       "payloads out of order",
				       an_trace_path(m->t),
				       (unsigned)(MAX_HELD >> 20));
	}
	return 0;
}

static void use_block(struct an_merge *m, struct block *block, size_t n,
		      const size_t *places)
{
	struct an_sample *rows = m->v + m->n - n;
	size_t at = 0;

	for (size_t i = 0; i < n; i++) {
		if (places[i] > at) {
			rows[i].payload = block->bytes.p + at;
			rows[i].payload_size = (uint32_t)(places[i] - at);
			rows[i].block = block;
			block->live++;
		}
		at = places[i];
	}
	m->held += block->bytes.n;
}

static int keep_payloads(struct an_merge *m, const struct an_batch *b,
			 struct err *err)
{
	struct block *block = calloc(1, sizeof(*block));
	size_t *places = calloc(b->n + 1, sizeof(*places));
	int rc = block && places ? 0 : err_nomem(err);

	if (!rc)
		rc = fill_block(m, block, b, places, err);
	if (!rc)
		use_block(m, block, b->n, places);
	free(places);
	if (block && !block->live) {
		buf_fini(&block->bytes);
		free(block);
	}
	return rc;
}

/* Bits for the number of a row in its part, and for that of the part. */
#define ROW_BITS 20
#define PART_BITS 28

/* Rows of one moment: table by table, as they are in the file. Which table is
 * written first in a chunk says nothing. */
static uint64_t order_of(const struct an_merge *m, const struct an_batch *b)
{
	const struct tf_schema *s = tf_reader_schema(m->t->reader);
	size_t low = 0, high = s->n;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (s->tables[mid]->id < b->view->table->id)
			low = mid + 1;
		else
			high = mid;
	}
	return (uint64_t)low << (PART_BITS + ROW_BITS) |
	       (b->number & ((1u << PART_BITS) - 1)) << ROW_BITS;
}

static int keep_batch(struct an_merge *m, const struct an_batch *b,
		      struct err *err)
{
	uint64_t order = order_of(m, b);

	if (m->n + b->n > m->limit)
		return err_set(err, ERR_LIMIT, "%s: more samples out of order "
			       "than a file of this size can hold",
			       an_trace_path(m->t));
	if (!mem_grow(&m->v, &m->cap, m->n + b->n, sizeof(*m->v)))
		return err_nomem(err);
	for (size_t i = 0; i < b->n; i++)
		m->v[m->n++] = (struct an_sample){
			.time = b->time[i],
			.period = b->other ? b->other[b->row[i]] :
					     b->period[i],
			.order = order | b->row[i],
			.cpu = b->cpu[i],
			.thread = b->thread[i],
			.event = b->event[i],
			.ip = b->ip[i],
			.kstack = b->kstack[i],
			.ustack = b->ustack[i],
			.flags = b->flags[i],
			.lacks = (uint16_t)b->lacks,
			.is_switch = b->other != NULL,
		};
	return m->payloads && !b->other ? keep_payloads(m, b, err) : 0;
}

static void drop_given(struct an_merge *m)
{
	size_t left = m->n - m->at;

	for (size_t i = 0; i < m->at; i++)
		release(m, &m->v[i]);
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
		make_ready(m, b->bound);
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
