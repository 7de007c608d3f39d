#include "analyze/report/calls.h"

#include "analyze/index.h"
#include "format/base/map64.h"
#include "format/base/mem.h"
#include "format/catalog.h"
#include "format/layout.h"

#include <stdlib.h>

struct node {
	uint32_t parent;
	uint32_t step, kernel_step; /* in either half */
};

struct builder {
	struct an_calls calls;
	struct an_index index;  /* of calls by (parent, step) */
	struct node *nodes;     /* the stack tree with steps for frames */
	size_t n_nodes;
	uint32_t *memo;         /* by node: its call under the root at work;
				 * one at or below the root: not yet */
	uint32_t *path;         /* nodes on the way down, last one first */
	size_t path_cap;
	uint32_t root;
	uint32_t lost_step;
};

void an_calls_fini(struct an_calls *c)
{
	free(c->calls);
	free(c->roots);
	*c = (struct an_calls){ 0 };
}

static void builder_fini(struct builder *b)
{
	an_calls_fini(&b->calls);
	an_index_fini(&b->index);
	free(b->nodes);
	free(b->memo);
	free(b->path);
}

uint32_t an_place_leaf(const struct an_trace *t, const struct an_place *p)
{
	if (!(p->flags & TF_SAMPLE_IP_IN_STACK) || (!p->kstack && !p->ustack))
		return an_place_ip(t, p);
	if (p->kstack)
		return an_frame_in_kernel(t, an_node_of(t, p->kstack)->frame);
	return an_node_of(t, p->ustack)->frame;
}

static bool add_call(struct builder *b, uint32_t parent, uint32_t step,
		     uint32_t *out)
{
	struct an_calls *c = &b->calls;

	if (c->n >= AN_NONE ||
	    !mem_grow(&c->calls, &c->cap, c->n + 1, sizeof(*c->calls)))
		return false;
	*out = (uint32_t)c->n;
	c->calls[c->n++] = (struct an_call){
		.parent = parent, .step = step, .child = AN_NONE,
		.next = AN_NONE, .entry = AN_NONE, .above = AN_NONE,
	};
	return true;
}

static uint64_t call_hash(const void *rows, uint32_t row)
{
	const struct an_call *c = (const struct an_call *)rows + row;

	return an_hash(0, map64_pair(c->parent, c->step));
}

/* The keys of the index are in the calls themselves: a quarter of the memory
 * of a map beside them. */
static bool descend(struct builder *b, uint32_t *call, uint32_t step)
{
	struct an_index *x = &b->index;
	uint32_t fresh;
	size_t i;

	if (!an_index_room(x, call_hash, b->calls.calls))
		return false;
	for (i = an_index_first(x, an_hash(0, map64_pair(*call, step)));
	     x->slots[i] != AN_INDEX_FREE; i = an_index_next(x, i)) {
		const struct an_call *c = &b->calls.calls[x->slots[i]];

		if (c->parent == *call && c->step == step) {
			*call = x->slots[i];
			return true;
		}
	}
	if (!add_call(b, *call, step, &fresh))
		return false;
	an_index_set(x, i, fresh);
	*call = fresh;
	return true;
}

/* Every call has its place in the index, so a root has one, too. */
static bool begin_root(struct builder *b, uint32_t threads)
{
	struct an_calls *c = &b->calls;

	b->root = (uint32_t)c->n;
	c->roots[c->n_roots++] = (struct an_root){ b->root, threads };
	return descend(b, &(uint32_t){ b->root }, AN_NONE);
}

static uint32_t step_of_node(const struct builder *b, uint32_t node)
{
	return node < b->n_nodes ? b->nodes[node].step : b->lost_step;
}

/* The parent is lower in a sound tree; anything else ends the stack. */
static uint32_t parent_of(const struct builder *b, uint32_t node)
{
	uint32_t parent = node < b->n_nodes ? b->nodes[node].parent : 0;

	return parent < node ? parent : 0;
}

/* User stacks begin at the root, so a node has one call per root and only
 * nodes not met before under it are walked. */
static bool descend_user(struct builder *b, uint32_t stack, uint32_t *call)
{
	uint32_t node = stack;
	size_t n = 0;

	if (stack == AN_NONE)
		return descend(b, call, b->lost_step);
	for (; node && !(node < b->n_nodes && b->memo[node] > b->root);
	     node = parent_of(b, node)) {
		if (!mem_grow(&b->path, &b->path_cap, n + 1, sizeof(*b->path)))
			return false;
		b->path[n++] = node;
	}
	if (node)
		*call = b->memo[node];
	while (n--) {
		node = b->path[n];
		if (!descend(b, call, step_of_node(b, node)))
			return false;
		if (node < b->n_nodes)
			b->memo[node] = *call;
	}
	return true;
}

/* Kernel stacks hang below any user stack and are walked for each place, so a
 * depth that no kernel has is cut. */
static bool descend_kernel(struct builder *b, uint32_t stack, uint32_t *call)
{
	size_t n = 0;

	if (stack == AN_NONE)
		return descend(b, call, b->lost_step);
	for (uint32_t node = stack; node && n < TF_MAX_STACK_DEPTH;
	     node = parent_of(b, node)) {
		if (!mem_grow(&b->path, &b->path_cap, n + 1, sizeof(*b->path)))
			return false;
		b->path[n++] = node;
	}
	while (n--) {
		uint32_t node = b->path[n];

		if (!descend(b, call, node < b->n_nodes ?
				      b->nodes[node].kernel_step :
				      b->lost_step))
			return false;
	}
	return true;
}

static bool add_place(struct builder *b, const struct an_trace *t,
		      const struct an_place *p, const struct an_groups *steps,
		      enum an_weight weight)
{
	bool in_stack = p->flags & TF_SAMPLE_IP_IN_STACK &&
			(p->kstack || p->ustack);
	uint32_t call = b->root;

	if (!descend_user(b, p->ustack, &call) ||
	    !descend_kernel(b, p->kstack, &call) ||
	    (!in_stack &&
	     !descend(b, &call, an_group_of(steps, an_place_ip(t, p)))))
		return false;
	b->calls.calls[call].self += an_weight_of(&p->sum, weight);
	return true;
}

static bool flatten_nodes(struct builder *b, const struct an_trace *t,
			  const struct an_groups *steps)
{
	b->n_nodes = an_n_nodes(t);
	b->lost_step = an_group_of(steps, AN_NONE);
	b->nodes = calloc(b->n_nodes + 1, sizeof(*b->nodes));
	b->memo = calloc(b->n_nodes + 1, sizeof(*b->memo));
	if (!b->nodes || !b->memo)
		return false;
	for (uint32_t i = 1; i < b->n_nodes; i++) {
		const struct an_node *n = an_node_of(t, i);

		b->nodes[i].parent = n->parent;
		b->nodes[i].step = an_group_of(steps, n->frame);
		b->nodes[i].kernel_step = an_group_of(
			steps, an_frame_in_kernel(t, n->frame));
	}
	return true;
}

/* Places in the order of their thread groups. */
static uint32_t *by_threads(const struct an_event_profile *e,
			    const struct an_groups *threads)
{
	uint32_t *order = calloc(e->n + 1, sizeof(*order));
	size_t *at = calloc((size_t)threads->n + 1, sizeof(*at));

	for (size_t i = 0; i < e->n && order && at; i++)
		at[an_group_of(threads, e->places[i].thread) + 1]++;
	for (size_t g = 0; g < threads->n && order && at; g++)
		at[g + 1] += at[g];
	for (size_t i = 0; i < e->n && order && at; i++)
		order[at[an_group_of(threads, e->places[i].thread)]++] =
			(uint32_t)i;
	if (!at) {
		free(order);
		order = NULL;
	}
	free(at);
	return order;
}

static bool add_places(struct builder *b, const struct an_trace *t,
		       const struct an_event_profile *e,
		       const struct an_grouping *g, enum an_weight weight)
{
	uint32_t *order = by_threads(e, &g->threads);
	uint32_t now = AN_NONE;
	bool ok;

	b->calls.roots = calloc((size_t)g->threads.n + 1,
				sizeof(*b->calls.roots));
	ok = order && b->calls.roots;
	for (size_t i = 0; i < e->n && ok; i++) {
		const struct an_place *p = &e->places[order[i]];
		uint32_t threads = an_group_of(&g->threads, p->thread);

		if (threads != now)
			ok = begin_root(b, threads);
		now = threads;
		ok = ok && add_place(b, t, p, &g->steps, weight);
	}
	free(order);
	return ok;
}

static void link_and_sum(struct an_calls *c)
{
	for (size_t i = c->n; i-- > 0;) {
		struct an_call *call = &c->calls[i];
		struct an_call *parent = &c->calls[call->parent];

		call->total += call->self;
		if (call->step == AN_NONE)
			continue;
		parent->total += call->total;
		call->next = parent->child;
		parent->child = (uint32_t)i;
	}
}

int an_calls_make(struct an_calls *out, const struct an_trace *t,
		  const struct an_event_profile *e,
		  const struct an_grouping *g, enum an_weight weight,
		  struct err *err)
{
	struct builder b = { .root = 0 };

	if (!flatten_nodes(&b, t, &g->steps) ||
	    !add_places(&b, t, e, g, weight)) {
		builder_fini(&b);
		return err_nomem(err);
	}
	link_and_sum(&b.calls);
	*out = b.calls;
	b.calls = (struct an_calls){ 0 };
	builder_fini(&b);
	return 0;
}
