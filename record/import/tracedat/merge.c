#include "record/import/tracedat/merge.h"

#include "record/import/tracedat/bytes.h"

#include <stdlib.h>
#include <string.h>

/* Behind "header_page" and its zero. */
#define PAGE_HEADER_AT 12u

static int take_layout(struct rec_dat_merge *m, const struct rec_dat_part *part,
		       struct err *err)
{
	struct rec_dat_bytes in = { span_of(part->p, part->n), m->big };
	struct span text;
	uint64_t n;

	if (!span_skip(&in.s, PAGE_HEADER_AT) || !rec_dat_u64(&in, &n) ||
	    n > in.s.n)
		return err_set(err, ERR_FORMAT, "header_page is cut short");
	(void)span_take(&in.s, (size_t)n, &text);
	return rec_dat_layout_parse(&m->layout, text, m->big, err);
}

/* Equal times: the lower CPU, of the earlier buffer, comes first. */
static bool before(const struct rec_dat_merge *m, size_t a, size_t b)
{
	uint64_t x = m->streams[a].time, y = m->streams[b].time;

	return x != y ? x < y : a < b;
}

static void sift_down(struct rec_dat_merge *m, size_t i)
{
	size_t *h = m->heap;

	for (;;) {
		size_t next = 2 * i + 1, t;

		if (next >= m->n_heap)
			return;
		if (next + 1 < m->n_heap && before(m, h[next + 1], h[next]))
			next++;
		if (!before(m, h[next], h[i]))
			return;
		t = h[i];
		h[i] = h[next];
		h[next] = t;
		i = next;
	}
}

static int first_records(struct rec_dat_merge *m, struct err *err)
{
	for (size_t i = 0; i < m->n; i++) {
		int rc = rec_dat_stream_next(&m->streams[i], err);

		if (rc < 0)
			return rc;
		if (rc == 0)
			m->heap[m->n_heap++] = i;
	}
	for (size_t i = m->n_heap / 2; i-- > 0;)
		sift_down(m, i);
	return 0;
}

static void add_streams(struct rec_dat_merge *m, struct rec_dat_file *f,
			const struct rec_dat_options *o)
{
	for (size_t i = 0; i < o->n_buffers; i++) {
		const struct rec_dat_buffer *b = &o->buffers[i];

		for (size_t c = 0; c < b->n; c++)
			m->streams[m->n++] = (struct rec_dat_stream){
				.file = f,
				.layout = &m->layout,
				.cpu = b->cpus[c].cpu,
				.buffer = (uint32_t)i,
				.page_size = b->page_size,
				.packed = b->packed,
				.at = b->cpus[c].at,
				.end = b->cpus[c].at + b->cpus[c].size,
			};
	}
}

/* What of the file is a CPU's; the rest of it may be cut off. */
static uint64_t size_in(const struct rec_dat_extent *e,
			const struct rec_dat_file *f)
{
	uint64_t left = e->at < f->size ? f->size - e->at : 0;

	return e->size < left ? e->size : left;
}

/* No two CPUs share pages: a small file would become a large trace. */
static int check_sizes(const struct rec_dat_options *o,
		       const struct rec_dat_file *f, struct err *err)
{
	uint64_t left = f->size;

	for (size_t i = 0; i < o->n_buffers; i++)
		for (size_t c = 0; c < o->buffers[i].n; c++) {
			uint64_t n = size_in(&o->buffers[i].cpus[c], f);

			if (n > left)
				return err_set(err, ERR_FORMAT, "the pages of "
					       "buffer %zu, CPU %u lie in "
					       "those of others", i,
					       o->buffers[i].cpus[c].cpu);
			left -= n;
		}
	return 0;
}

static int count_streams(const struct rec_dat_options *o, size_t *n,
			 struct err *err)
{
	for (size_t i = 0; i < o->n_buffers; i++) {
		const struct rec_dat_buffer *b = &o->buffers[i];

		if (b->n && (b->page_size < REC_DAT_PAGE_MIN ||
			     b->page_size > REC_DAT_PAGE_MAX))
			return err_set(err, ERR_FORMAT, "buffer %zu: pages of "
				       "%u bytes", i, b->page_size);
		for (size_t c = 0; c < b->n; c++)
			if (b->cpus[c].size > UINT64_MAX - b->cpus[c].at)
				return err_set(err, ERR_FORMAT, "buffer %zu, "
					       "CPU %u: beyond any file", i,
					       b->cpus[c].cpu);
		*n += b->n;
	}
	return 0;
}

int rec_dat_merge_init(struct rec_dat_merge *m, struct rec_dat_file *f,
		       const struct rec_dat_meta *meta,
		       const struct rec_dat_formats *formats, struct err *err)
{
	size_t n = 0;
	int rc;

	*m = (struct rec_dat_merge){ .formats = formats, .big = f->big };
	buf_init(&m->record, 0);
	buf_init(&m->stacks[0], 0);
	buf_init(&m->stacks[1], 0);
	rc = take_layout(m, &meta->parts[REC_DAT_HEADERS], err);
	if (rc == 0)
		rc = rec_dat_formats_common(formats, &m->common, err);
	if (rc == 0)
		rc = count_streams(&meta->options, &n, err);
	if (rc == 0)
		rc = check_sizes(&meta->options, f, err);
	if (rc < 0)
		return rc;
	m->streams = calloc(n + 1, sizeof(*m->streams));
	m->heap = calloc(n + 1, sizeof(*m->heap));
	if (!m->streams || !m->heap)
		return err_nomem(err);
	add_streams(m, f, &meta->options);
	return first_records(m, err);
}

void rec_dat_merge_fini(struct rec_dat_merge *m)
{
	for (size_t i = 0; i < m->n; i++)
		rec_dat_stream_fini(&m->streams[i]);
	free(m->streams);
	free(m->heap);
	buf_fini(&m->record);
	buf_fini(&m->stacks[0]);
	buf_fini(&m->stacks[1]);
	*m = (struct rec_dat_merge){ 0 };
}

/* The event and the thread of a record; both 0 where it is too short. */
static void identify(const struct rec_dat_merge *m, struct span record,
		     uint64_t *id, int32_t *pid)
{
	const struct rec_dat_common *c = &m->common;
	uint64_t v = 0;

	*id = 0;
	(void)rec_dat_number_at(record, c->type_at, c->type_size, m->big, id);
	(void)rec_dat_number_at(record, c->pid_at, c->pid_size, m->big, &v);
	*pid = (int32_t)v;
}

static int keep(struct buf *to, struct span s, struct span *out,
		struct err *err)
{
	buf_clear(to);
	buf_put(to, s.p, s.n);
	if (buf_failed(to))
		return err_nomem(err);
	*out = span_of(to->p, to->n);
	return 0;
}

/* 1: what comes next on the CPU is no stack of this row. */
static int take_stack(struct rec_dat_merge *m, struct rec_dat_stream *s,
		      struct rec_dat_row *row, struct err *err)
{
	struct rec_dat_stack *to = NULL;
	struct rec_dat_event *e;
	uint64_t id;
	int32_t pid;
	int rc;

	if (!s->there || s->lost || s->hurt)
		return 1;
	identify(m, s->record, &id, &pid);
	e = pid == row->pid ? rec_dat_formats_find(m->formats, id) : NULL;
	if (e && e->use == REC_DAT_KERNEL_STACK)
		to = &row->kernel;
	else if (e && e->use == REC_DAT_USER_STACK)
		to = &row->user;
	if (!to || to->event)
		return 1;
	to->event = e;
	rc = keep(&m->stacks[to == &row->user], s->record, &to->record, err);
	if (rc == 0)
		rc = rec_dat_stream_next(s, err);
	return rc < 0 ? rc : 0;
}

static bool is_stack(const struct rec_dat_event *e)
{
	return e && (e->use == REC_DAT_KERNEL_STACK ||
		     e->use == REC_DAT_USER_STACK);
}

int rec_dat_merge_next(struct rec_dat_merge *m, struct rec_dat_row *row,
		       struct err *err)
{
	struct rec_dat_stream *s;
	int rc;

	if (!m->n_heap)
		return 1;
	s = &m->streams[m->heap[0]];
	*row = (struct rec_dat_row){
		.time = s->time,
		.cpu = s->cpu,
		.buffer = s->buffer,
		.lost = s->lost,
		.n_lost = s->n_lost,
		.hurt = s->hurt,
	};
	s->lost = s->hurt = false;
	s->n_lost = 0;
	identify(m, s->record, &row->id, &row->pid);
	row->event = rec_dat_formats_find(m->formats, row->id);
	rc = keep(&m->record, s->record, &row->record, err);
	if (rc == 0)
		rc = rec_dat_stream_next(s, err);
	while (rc >= 0 && !is_stack(row->event) &&
	       (rc = take_stack(m, s, row, err)) == 0)
		;
	if (rc < 0)
		return rc;
	if (!s->there)
		m->heap[0] = m->heap[--m->n_heap];
	sift_down(m, 0);
	return 0;
}
