#include "analyze/selection/rows.h"

#include "format/catalog.h"

/* The rows that are left, and where to look at them. */
struct rows {
	const struct an_selection *sel;
	const struct an_trace *t;
	const struct an_part *p;
	uint32_t *kept;
	size_t n;
};

uint64_t an_selection_columns(const struct an_selection *sel)
{
	uint64_t c = 0;

	if (!sel || !sel->any)
		return 0;
	if (sel->t_min || sel->t_max != UINT64_MAX)
		c |= 1u << TF_SAMPLE_TIME;
	if (sel->cpu_bits)
		c |= 1u << TF_SAMPLE_CPU;
	if (sel->thread)
		c |= 1u << TF_SAMPLE_THREAD;
	if (sel->event)
		c |= 1u << TF_SAMPLE_EVENT;
	if (sel->leaf || sel->through)
		c |= 1u << TF_SAMPLE_IP | 1u << TF_SAMPLE_FLAGS;
	if (sel->through)
		c |= 1u << TF_SAMPLE_KSTACK | 1u << TF_SAMPLE_USTACK;
	return c;
}

static bool has(const struct rows *r, unsigned column)
{
	return an_column(r->p->columns, r->p->view, column) != NULL;
}

static uint64_t value(const struct rows *r, unsigned column, uint32_t row)
{
	return an_column_value(r->p->columns, r->p->view, column, row);
}

static uint32_t id(const struct rows *r, unsigned column, enum an_space space,
		   uint32_t row)
{
	return r->p->epoch && has(r, column) ? an_ids_get(&r->p->epoch->ids[space],
					value(r, column, row)) : AN_NONE;
}

static bool is_marked(const bool *marks, size_t n, uint32_t i)
{
	return i < n && marks[i];
}

static bool is_time(const struct rows *r, uint32_t row)
{
	uint64_t time = value(r, TF_SAMPLE_TIME, row);

	return has(r, TF_SAMPLE_TIME) && time >= r->sel->t_min && time <= r->sel->t_max;
}

static bool is_cpu(const struct rows *r, uint32_t row)
{
	uint64_t cpu = value(r, TF_SAMPLE_CPU, row);

	return has(r, TF_SAMPLE_CPU) && cpu / 64 < r->sel->n_cpu_words &&
	       r->sel->cpu_bits[cpu / 64] >> (cpu % 64) & 1;
}

static bool is_thread(const struct rows *r, uint32_t row)
{
	return is_marked(r->sel->thread, r->sel->n_threads,
			 id(r, TF_SAMPLE_THREAD, AN_SPACE_THREAD, row));
}

static bool is_event(const struct rows *r, uint32_t row)
{
	uint32_t event = id(r, TF_SAMPLE_EVENT, AN_SPACE_EVENT, row);

	if (r->p->keys)
		event = an_event_split(r->t, event, r->p->keys[row]);
	return is_marked(r->sel->event, r->sel->n_events, event);
}

static uint32_t leaf_of(const struct rows *r, uint32_t row)
{
	uint32_t ip = id(r, TF_SAMPLE_IP, AN_SPACE_FRAME, row);

	if (!has(r, TF_SAMPLE_FLAGS))
		return AN_NONE;
	return value(r, TF_SAMPLE_FLAGS, row) & TF_SAMPLE_KERNEL ?
		       an_frame_in_kernel(r->t, ip) : ip;
}

static bool is_leaf(const struct rows *r, uint32_t row)
{
	return is_marked(r->sel->leaf, r->sel->n_frames, leaf_of(r, row));
}

static bool is_through(const struct rows *r, uint32_t row)
{
	const struct an_selection *sel = r->sel;

	return is_marked(sel->through, sel->n_frames, leaf_of(r, row)) ||
	       is_marked(sel->node, sel->n_nodes,
			 id(r, TF_SAMPLE_KSTACK, AN_SPACE_STACK, row)) ||
	       is_marked(sel->node, sel->n_nodes,
			 id(r, TF_SAMPLE_USTACK, AN_SPACE_STACK, row));
}

/* Leaves only those that hold, where `asked`. */
static void keep(struct rows *r, bool asked,
		 bool (*holds)(const struct rows *r, uint32_t row))
{
	size_t n = 0;

	if (!asked)
		return;
	for (size_t i = 0; i < r->n; i++)
		if (holds(r, r->kept[i]))
			r->kept[n++] = r->kept[i];
	r->n = n;
}

size_t an_selection_rows(const struct an_selection *sel,
			 const struct an_trace *t,
			 const struct an_part *p, uint32_t *kept)
{
	struct rows r = { sel, t, p, kept, p->view->rows };

	for (uint32_t i = 0; i < p->view->rows; i++)
		kept[i] = i;
	if (!sel || !sel->any)
		return r.n;
	keep(&r, sel->t_min || sel->t_max != UINT64_MAX, is_time);
	keep(&r, sel->cpu_bits, is_cpu);
	keep(&r, sel->thread, is_thread);
	keep(&r, sel->event, is_event);
	keep(&r, sel->leaf, is_leaf);
	keep(&r, sel->through, is_through);
	return r.n;
}
