#include "analyze/report/calltree.h"

#include "format/base/mem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A call as part of a branch. In caller order the stacks that end in the row
 * (`ends`) begin at the root and the others at the row, so one call can be
 * part of two branches with shares of its weight. */
struct member {
	uint32_t call;
	uint32_t branch;  /* while it is a candidate */
	uint64_t weight;
	bool ends;
};

struct branch {
	uint32_t step;
	uint64_t weight;
	size_t first, n;  /* members */
};

struct level {
	size_t first, end, at; /* branches */
	size_t members;        /* where its members begin */
	uint64_t base;
	uint64_t rest;         /* not shown below it; fractal */
	bool rest_due;
};

struct an_calltree {
	struct an_hist *h;
	const struct an_trace *t;
	const struct an_grouping *g;
	struct an_calltree_options o;
	struct member *members; /* of all levels, one behind another */
	size_t n_members, members_cap;
	struct branch *branches;
	size_t n_branches, branches_cap;
	struct level *levels;
	size_t n_levels, levels_cap;
	struct member *found;   /* candidates of one expansion */
	size_t n_found, found_cap;
	uint32_t *run;          /* steps of the branch given out */
	size_t n_run, run_cap;
	uint32_t *slot;         /* by step: its branch + 1 in an expansion */
	const struct an_entry *row;
	uint64_t weight;        /* of the row */
};

int an_calltree_new(struct an_calltree **out, struct an_hist *h,
		    const struct an_trace *t, const struct an_grouping *g,
		    const struct an_calltree_options *o, struct err *err)
{
	struct an_calltree *c = calloc(1, sizeof(*c));

	if (!c)
		return err_nomem(err);
	*c = (struct an_calltree){ .h = h, .t = t, .g = g, .o = *o };
	c->slot = calloc((size_t)g->steps.n + 1, sizeof(*c->slot));
	if (!c->slot) {
		an_calltree_free(c);
		return err_nomem(err);
	}
	*out = c;
	return 0;
}

void an_calltree_free(struct an_calltree *c)
{
	if (!c)
		return;
	free(c->members);
	free(c->branches);
	free(c->levels);
	free(c->found);
	free(c->run);
	free(c->slot);
	free(c);
}

static struct an_call *call_of(const struct an_calltree *c, uint32_t id)
{
	return &c->h->calls.calls[id];
}

static bool find(struct an_calltree *c, uint32_t call, uint64_t weight,
		 bool ends)
{
	if (!weight)
		return true;
	if (!mem_grow(&c->found, &c->found_cap, c->n_found + 1,
		      sizeof(*c->found)))
		return false;
	c->found[c->n_found++] = (struct member){
		.call = call, .weight = weight, .ends = ends,
	};
	return true;
}

static bool find_called(struct an_calltree *c, const struct member *m)
{
	uint32_t id = call_of(c, m->call)->child;
	bool ok = true;

	for (; id != AN_NONE && ok; id = call_of(c, id)->next) {
		const struct an_call *call = call_of(c, id);

		ok = find(c, id, m->ends ? call->own : call->total - call->own,
			  m->ends);
	}
	return ok;
}

/* Many members share a caller: their weights meet in its `own`. */
static bool find_callers(struct an_calltree *c, size_t first, size_t n)
{
	bool ok = true;

	for (size_t i = first; i < first + n && ok; i++) {
		uint32_t up = call_of(c, c->members[i].call)->parent;
		struct an_call *caller = call_of(c, up);

		if (caller->step == AN_NONE)
			continue;
		if (!caller->own)
			ok = find(c, up, 1, false);
		caller->own += c->members[i].weight;
	}
	for (size_t i = 0; i < c->n_found; i++) {
		struct an_call *caller = call_of(c, c->found[i].call);

		c->found[i].weight = caller->own;
		caller->own = 0;
	}
	return ok;
}

static bool find_next(struct an_calltree *c, size_t first, size_t n)
{
	bool ok = true;

	c->n_found = 0;
	if (c->o.order == AN_CALLEE)
		return find_callers(c, first, n);
	for (size_t i = first; i < first + n && ok; i++)
		ok = find_called(c, &c->members[i]);
	return ok;
}

/* Candidates to branches by step, behind those there are. */
static bool join(struct an_calltree *c, size_t first)
{
	for (size_t i = 0; i < c->n_found; i++) {
		struct member *m = &c->found[i];
		uint32_t step = call_of(c, m->call)->step;

		if (!c->slot[step]) {
			if (!mem_grow(&c->branches, &c->branches_cap,
				      c->n_branches + 1, sizeof(*c->branches)))
				return false;
			c->branches[c->n_branches++] =
				(struct branch){ .step = step };
			c->slot[step] = (uint32_t)(c->n_branches - first);
		}
		m->branch = c->slot[step] - 1;
		c->branches[first + m->branch].weight += m->weight;
		c->branches[first + m->branch].n++;
	}
	return true;
}

static void forget_slots(struct an_calltree *c, size_t first)
{
	for (size_t i = first; i < c->n_branches; i++)
		c->slot[c->branches[i].step] = 0;
}

/* Members of the branches that are large enough, branch by branch. */
static bool place_members(struct an_calltree *c, size_t first, uint64_t min)
{
	size_t at = c->n_members;

	for (size_t i = first; i < c->n_branches; i++) {
		struct branch *b = &c->branches[i];

		b->first = at;
		at += b->weight >= min ? b->n : 0;
		b->n = 0;
	}
	if (!mem_grow(&c->members, &c->members_cap, at, sizeof(*c->members)))
		return false;
	for (size_t i = 0; i < c->n_found; i++) {
		struct branch *b = &c->branches[first + c->found[i].branch];

		if (b->weight >= min)
			c->members[b->first + b->n++] = c->found[i];
	}
	c->n_members = at;
	return true;
}

static int by_text(struct span x, struct span y)
{
	int rc = x.n && y.n ? memcmp(x.p, y.p, x.n < y.n ? x.n : y.n) : 0;

	return rc ? rc : CMP(x.n, y.n);
}

/* By what is shown, then by where that is, so that the order does not depend on
 * that of rows in the file, which those of a cut of it may not share. */
static int compare(const void *left, const void *right, void *ctx)
{
	const struct branch *a = left, *b = right;
	const struct an_calltree *c = ctx;
	uint32_t x = c->g->steps.shown[a->step], y = c->g->steps.shown[b->step];
	const struct an_frame *f = an_frame_of(c->t, x);
	const struct an_frame *g = an_frame_of(c->t, y);
	int rc = CMP(b->weight, a->weight);

	rc = rc ? rc : by_text(an_frame_name(c->t, x), an_frame_name(c->t, y));
	rc = rc ? rc : by_text(an_string(c->t, an_image_of(c->t, f->image)->dso),
			       an_string(c->t, an_image_of(c->t, g->image)->dso));
	rc = rc ? rc : CMP(f->address, g->address);
	return rc ? rc : CMP(a->step, b->step);
}

static void drop_small(struct an_calltree *c, size_t first, uint64_t min)
{
	size_t kept = first;

	for (size_t i = first; i < c->n_branches; i++)
		if (c->branches[i].weight >= min)
			c->branches[kept++] = c->branches[i];
	c->n_branches = kept;
	if (kept > first)
		qsort_r(c->branches + first, kept - first,
			sizeof(*c->branches), compare, c);
	if (c->o.limit && kept - first > c->o.limit)
		c->n_branches = first + (size_t)c->o.limit;
}

static uint64_t found_weight(const struct an_calltree *c)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < c->n_found; i++)
		sum += c->found[i].weight;
	return sum;
}

/* Shares of the event round down, those of a branch round up, as perf's. */
static uint64_t least(const struct an_calltree *c)
{
	double part = c->o.min_percent / 100;

	if (c->o.fractal)
		return (uint64_t)ceil((double)found_weight(c) * part);
	return (uint64_t)((double)c->h->total * part);
}

/* What was found becomes branches behind the others: `*n` before small ones
 * are left out. */
static bool make_branches(struct an_calltree *c, size_t first, size_t *n)
{
	uint64_t min = least(c);
	bool ok = join(c, first);

	forget_slots(c, first);
	*n = c->n_branches - first;
	ok = ok && place_members(c, first, min);
	if (ok)
		drop_small(c, first, min);
	return ok;
}

static bool push_level(struct an_calltree *c, size_t first, size_t members,
		       uint64_t base)
{
	struct level *l;

	if (!mem_grow(&c->levels, &c->levels_cap, c->n_levels + 1,
		      sizeof(*c->levels)))
		return false;
	l = &c->levels[c->n_levels++];
	*l = (struct level){
		.first = first, .at = first, .end = c->n_branches,
		.members = members, .base = c->o.fractal ? base : c->h->total,
	};
	if (!c->o.fractal || first == c->n_branches)
		return true;
	l->rest = base;
	for (size_t i = first; i < c->n_branches; i++)
		l->rest -= c->branches[i].weight;
	l->rest_due = l->rest != 0;
	return true;
}

/* Puts the weight of the stacks that end in the row on each call of them. */
static void mark_ends(struct an_calltree *c, const struct an_entry *e)
{
	for (size_t i = e->first; i < e->first + e->n; i++) {
		struct an_call *call = call_of(c, c->h->order[i]);
		uint64_t self = call->self;

		if (!self)
			continue;
		for (; call->step != AN_NONE; call = call_of(c, call->parent))
			call->own += self;
	}
}

static void clear_ends(struct an_calltree *c, const struct an_entry *e)
{
	for (size_t i = e->first; i < e->first + e->n; i++) {
		struct an_call *call = call_of(c, c->h->order[i]);

		for (; call->own; call = call_of(c, call->parent))
			call->own = 0;
	}
}

static bool find_first_called(struct an_calltree *c, const struct an_entry *e)
{
	bool ok = true;

	mark_ends(c, e);
	for (size_t i = e->first; i < e->first + e->n && ok; i++) {
		const struct an_call *call = call_of(c, c->h->order[i]);

		if (c->o.children && call->above == AN_NONE)
			ok = find(c, c->h->order[i], call->total - call->own,
				  false);
	}
	for (size_t r = 0; r < c->h->calls.n_roots && ok; r++) {
		const struct an_root *root = &c->h->calls.roots[r];
		struct member all = { .call = root->call, .ends = true };

		if (e->self && root->threads == e->threads)
			ok = find_called(c, &all);
	}
	return ok;
}

/* A stack counts where the row is on it for the last time. */
static bool find_last_calls(struct an_calltree *c, const struct an_entry *e)
{
	bool ok = true;

	for (size_t i = e->first; i < e->first + e->n; i++) {
		struct an_call *call = call_of(c, c->h->order[i]);

		call->own += c->o.children ? call->total : call->self;
		if (c->o.children && call->above != AN_NONE)
			call_of(c, call->above)->own -= call->total;
	}
	for (size_t i = e->first; i < e->first + e->n; i++) {
		struct an_call *call = call_of(c, c->h->order[i]);

		ok = ok && find(c, c->h->order[i], call->own, false);
		call->own = 0;
	}
	return ok;
}

static void leave_row(struct an_calltree *c)
{
	if (c->row && c->o.order == AN_CALLER)
		clear_ends(c, c->row);
	c->row = NULL;
	c->n_members = c->n_branches = c->n_levels = 0;
	c->n_found = c->n_run = 0;
}

int an_calltree_start(struct an_calltree *c, uint32_t entry, struct err *err)
{
	const struct an_entry *e = &c->h->entries[entry];
	size_t n;
	bool ok;

	leave_row(c);
	c->weight = c->o.children ? e->total : e->self;
	if (!c->o.fractal && c->weight < least(c))
		return 0;
	c->row = e;
	ok = c->o.order == AN_CALLER ? find_first_called(c, e) :
				       find_last_calls(c, e);
	ok = ok && make_branches(c, 0, &n) && push_level(c, 0, 0, c->weight);
	return ok ? 0 : err_nomem(err);
}

static bool add_step(struct an_calltree *c, uint32_t step)
{
	if (!mem_grow(&c->run, &c->run_cap, c->n_run + 1, sizeof(*c->run)))
		return false;
	c->run[c->n_run++] = step;
	return true;
}

/* Follows a branch as far as all of it goes one way; what it then splits into
 * is the next level. */
static bool follow(struct an_calltree *c, const struct branch *b, bool whole)
{
	size_t first = c->n_branches, members = c->n_members, n;
	size_t at = b->first, n_at = b->n;
	uint64_t weight = b->weight, below;

	c->n_run = 0;
	if (!add_step(c, b->step))
		return false;
	for (;;) {
		if (!find_next(c, at, n_at))
			return false;
		c->n_branches = first;
		c->n_members = members;
		below = found_weight(c);
		if (!make_branches(c, first, &n))
			return false;
		if (n != 1 || below != weight || c->n_branches != first + 1)
			break;
		at = c->branches[first].first;
		n_at = c->branches[first].n;
		if (!add_step(c, c->branches[first].step))
			return false;
	}
	return push_level(c, first, members, whole ? c->weight : below);
}

static void pop_level(struct an_calltree *c)
{
	const struct level *l = &c->levels[--c->n_levels];

	c->n_branches = l->first;
	c->n_members = l->members;
}

static bool next_rest(struct an_calltree *c, struct level *l,
		      struct an_branch *out)
{
	*out = (struct an_branch){
		.depth = (unsigned)c->n_levels, .steps = c->run,
		.weight = l->rest, .base = l->base, .last = true,
	};
	l->rest_due = false;
	return true;
}

static bool next_branch(struct an_calltree *c, struct level *l,
			struct an_branch *out)
{
	struct branch b = c->branches[l->at++];

	*out = (struct an_branch){
		.depth = (unsigned)c->n_levels, .weight = b.weight,
		.base = l->base,
		.whole = c->n_levels == 1 && l->end == l->first + 1 &&
			 b.weight == c->weight,
		.last = l->at == l->end && !l->rest_due,
	};
	if (!follow(c, &b, out->whole))
		return false;
	out->steps = c->run;
	out->n_steps = c->n_run;
	return true;
}

int an_calltree_next(struct an_calltree *c, struct an_branch *out,
		     struct err *err)
{
	while (c->n_levels) {
		struct level *l = &c->levels[c->n_levels - 1];
		bool ok;

		if (l->at == l->end && !l->rest_due) {
			pop_level(c);
			continue;
		}
		ok = l->at < l->end ? next_branch(c, l, out) :
				      next_rest(c, l, out);
		return ok ? 0 : err_nomem(err);
	}
	return 1;
}
