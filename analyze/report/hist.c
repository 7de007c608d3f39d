#include "analyze/report/hist.h"

#include "format/base/map64.h"
#include "format/base/mem.h"

#include <stdlib.h>
#include <string.h>

struct maker {
	struct an_hist h;
	struct map64 ids;    /* (thread group, row group) → entry */
	uint32_t *recent;    /* by row group: the entry found last; the thread
			      * group changes seldom, so it mostly fits */
	uint32_t *last;      /* by entry: call being walked, or AN_NONE */
	size_t last_cap;
	const struct an_grouping *g;
	const struct an_hist_options *o;
};

void an_hist_fini(struct an_hist *h)
{
	an_calls_fini(&h->calls);
	free(h->entries);
	free(h->sorted);
	free(h->order);
	*h = (struct an_hist){ 0 };
}

static void maker_fini(struct maker *m)
{
	an_hist_fini(&m->h);
	map64_fini(&m->ids);
	free(m->recent);
	free(m->last);
}

static bool add_entry(struct maker *m, uint32_t threads, uint32_t row)
{
	struct an_hist *h = &m->h;

	if (!mem_grow(&h->entries, &h->cap, h->n + 1, sizeof(*h->entries)) ||
	    !mem_grow(&m->last, &m->last_cap, h->n + 1, sizeof(*m->last)))
		return false;
	m->last[h->n] = AN_NONE;
	h->entries[h->n++] = (struct an_entry){
		.threads = threads, .row = row,
	};
	return true;
}

static bool entry_of(struct maker *m, uint32_t threads, uint32_t row,
		     uint32_t *out)
{
	uint32_t recent = m->recent[row], *at;
	bool is_new;

	if (recent < m->h.n && m->h.entries[recent].row == row &&
	    m->h.entries[recent].threads == threads) {
		*out = recent;
		return true;
	}
	at = map64_put(&m->ids, map64_pair(threads, row), (uint32_t)m->h.n,
		       &is_new);
	if (!at || (is_new && !add_entry(m, threads, row)))
		return false;
	m->recent[row] = *out = *at;
	return true;
}

static bool sum_selves(struct maker *m, const struct an_trace *t,
		       const struct an_event_profile *e)
{
	for (size_t i = 0; i < e->n; i++) {
		const struct an_place *p = &e->places[i];
		uint32_t id, leaf = an_place_leaf(t, p);

		if (!entry_of(m, an_group_of(&m->g->threads, p->thread),
			      an_group_of(&m->g->rows, leaf), &id))
			return false;
		m->h.entries[id].self += an_weight_of(&p->sum,
							m->o->weight);
		m->h.entries[id].samples += p->sum.samples;
	}
	return true;
}

/* Puts in `own` how many calls are below each call at most. */
static void measure_heights(struct an_calls *c)
{
	for (size_t i = c->n; i-- > 0;) {
		struct an_call *parent = &c->calls[c->calls[i].parent];

		if (c->calls[i].step != AN_NONE &&
		    parent->own < c->calls[i].own + 1)
			parent->own = c->calls[i].own + 1;
	}
}

/* Takes the height of a call out of its `own`. A graph down from the root, as
 * that of stacks that end here, is as long as the call is deep. */
static uint32_t chain_of(struct an_call *call, uint32_t depth)
{
	uint32_t height = (uint32_t)call->own;

	call->own = 0;
	return (call->self && depth > height ? depth : height) + 1;
}

static bool enter_call(struct maker *m, uint32_t id, uint32_t threads,
		       uint32_t depth)
{
	struct an_call *call = &m->h.calls.calls[id];
	uint32_t chain = chain_of(call, depth);
	struct an_entry *entry;

	if (!entry_of(m, threads, m->g->row_of_step[call->step], &call->entry))
		return false;
	entry = &m->h.entries[call->entry];
	if (chain > entry->chain)
		entry->chain = chain;
	call->above = m->last[call->entry];
	if (call->above == AN_NONE)
		entry->total += call->total;
	m->last[call->entry] = id;
	entry->n++;
	return true;
}

/* Down and up again through one root's calls; m->last knows the way back, so
 * that recursion is counted once. */
static bool walk_root(struct maker *m, const struct an_root *root)
{
	struct an_call *calls = m->h.calls.calls;
	uint32_t id = calls[root->call].child, depth = 0;

	calls[root->call].own = 0;
	while (id != AN_NONE) {
		if (!enter_call(m, id, root->threads, depth))
			return false;
		if (calls[id].child != AN_NONE) {
			id = calls[id].child;
			depth++;
			continue;
		}
		m->last[calls[id].entry] = calls[id].above;
		while (calls[id].next == AN_NONE && depth) {
			id = calls[id].parent;
			m->last[calls[id].entry] = calls[id].above;
			depth--;
		}
		id = calls[id].next;
	}
	return true;
}

static bool order_calls(struct an_hist *h)
{
	size_t at = 0;

	h->order = calloc(h->calls.n + 1, sizeof(*h->order));
	if (!h->order)
		return false;
	for (size_t i = 0; i < h->n; i++) {
		h->entries[i].first = at;
		at += h->entries[i].n;
		h->entries[i].n = 0;
	}
	for (uint32_t id = 0; id < h->calls.n; id++) {
		struct an_entry *e;

		if (h->calls.calls[id].entry == AN_NONE)
			continue;
		e = &h->entries[h->calls.calls[id].entry];
		h->order[e->first + e->n++] = id;
	}
	return true;
}

static bool sum_totals(struct maker *m)
{
	measure_heights(&m->h.calls);
	for (size_t i = 0; i < m->h.calls.n_roots; i++)
		if (!walk_root(m, &m->h.calls.roots[i]))
			return false;
	return order_calls(&m->h);
}

struct ranking {
	const struct an_hist *h;
	const struct an_trace *t;
	const struct an_grouping *g;
	const struct an_sort *sort;
	const struct an_hist_options *o;
	bool failed;         /* a name found no memory */
};

static int compare_shown(struct ranking *r, const struct an_key *key,
			 const struct an_entry *a, const struct an_entry *b)
{
	struct buf left = { 0 }, right = { 0 };
	size_t n;
	int c;

	if (key->side == AN_SIDE_THREAD) {
		key->show(r->t, r->g->threads.shown[a->threads], &left);
		key->show(r->t, r->g->threads.shown[b->threads], &right);
	} else {
		key->show(r->t, r->g->rows.shown[a->row], &left);
		key->show(r->t, r->g->rows.shown[b->row], &right);
	}
	n = left.n < right.n ? left.n : right.n;
	c = n ? memcmp(left.p, right.p, n) : 0;
	c = c ? c : CMP(left.n, right.n);
	r->failed = r->failed || buf_failed(&left) || buf_failed(&right);
	buf_fini(&left);
	buf_fini(&right);
	return c;
}

static int compare_totals(const struct an_entry *a, const struct an_entry *b)
{
	int c = CMP(b->total, a->total);

	return c ? c : CMP(b->chain, a->chain);
}

static int compare(const void *left, const void *right, void *ctx)
{
	uint32_t i = *(const uint32_t *)left, j = *(const uint32_t *)right;
	struct ranking *r = ctx;
	const struct an_entry *a = &r->h->entries[i];
	const struct an_entry *b = &r->h->entries[j];
	int c = r->o->by_total ? compare_totals(a, b) : 0;

	c = c ? c : CMP(b->self, a->self);
	for (size_t k = 0; k < r->sort->n && !c; k++)
		c = compare_shown(r, r->sort->keys[k], a, b);
	return c ? c : CMP(i, j);
}

static bool rank(struct maker *m, struct ranking *r)
{
	struct an_hist *h = &m->h;

	h->sorted = calloc(h->n + 1, sizeof(*h->sorted));
	if (!h->sorted)
		return false;
	for (uint32_t i = 0; i < h->n; i++)
		if (r->o->by_total || h->entries[i].samples)
			h->sorted[h->n_sorted++] = i;
	qsort_r(h->sorted, h->n_sorted, sizeof(*h->sorted), compare, r);
	return !r->failed;
}

static int fill(struct maker *m, const struct an_trace *t,
		const struct an_event_profile *e, const struct an_sort *sort,
		struct err *err)
{
	struct ranking r = { &m->h, t, m->g, sort, m->o, false };
	int rc;

	m->recent = calloc((size_t)m->g->rows.n + 1, sizeof(*m->recent));
	if (!m->recent || !sum_selves(m, t, e))
		return err_nomem(err);
	m->h.total = an_weight_of(&e->total, m->o->weight);
	if (m->o->stacks) {
		rc = an_calls_make(&m->h.calls, t, e, m->g, m->o->weight, err);
		if (rc < 0)
			return rc;
		if (!sum_totals(m))
			return err_nomem(err);
	} else {
		for (size_t i = 0; i < m->h.n; i++)
			m->h.entries[i].total = m->h.entries[i].self;
	}
	return rank(m, &r) ? 0 : err_nomem(err);
}

int an_hist_make(struct an_hist *out, const struct an_trace *t,
		 const struct an_event_profile *e,
		 const struct an_grouping *g, const struct an_sort *sort,
		 const struct an_hist_options *o, struct err *err)
{
	struct maker m = { .g = g, .o = o };
	int rc = fill(&m, t, e, sort, err);

	if (!rc) {
		*out = m.h;
		m.h = (struct an_hist){ 0 };
	}
	maker_fini(&m);
	return rc;
}
