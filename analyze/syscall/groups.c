#include "analyze/syscall/groups.h"

#include "format/base/intern.h"
#include "format/base/map64.h"
#include "format/base/mem.h"

#include <stdlib.h>

struct sums {
	struct an_sys_groups *to;
	const struct an_sys_view *x;
	const struct an_sys_by *by;
	struct intern keys, stack_keys;
	struct an_lengths lengths;
	struct map64 errors; /* (group, error) → place in `counts` */
	struct count { uint32_t group, error; uint64_t n; } *counts;
	size_t n_counts, counts_cap;
};

static int group_of(struct sums *s, uint32_t call, uint32_t *group,
		    struct err *err)
{
	const struct an_sys_call *c = &s->x->calls.v[call];
	struct an_sys_groups *to = s->to;
	uint64_t key[AN_SYS_KEYS];
	bool is_new;

	for (size_t i = 0; i < s->by->n; i++)
		key[i] = s->by->keys[i]->identity(s->x, c);
	if (!mem_grow(&to->v, &to->cap, to->n + 1, sizeof(*to->v)) ||
	    !intern_put(&s->keys, key, s->by->n * sizeof(*key), group,
			&is_new))
		return err_nomem(err);
	if (is_new)
		to->v[to->n++] = (struct an_sys_group){ .first = call };
	return 0;
}

static int add_error(struct sums *s, uint32_t group, uint32_t error,
		     struct err *err)
{
	uint32_t *at;
	bool is_new;

	if (!error)
		return 0;
	s->to->v[group].errors++;
	if (!mem_grow(&s->counts, &s->counts_cap, s->n_counts + 1,
		      sizeof(*s->counts)))
		return err_nomem(err);
	at = map64_put(&s->errors, map64_pair(group, error),
		       (uint32_t)s->n_counts, &is_new);
	if (!at)
		return err_nomem(err);
	if (is_new)
		s->counts[s->n_counts++] = (struct count){ group, error, 0 };
	s->counts[*at].n++;
	return 0;
}

static int add_stack(struct sums *s, const struct an_sys_call *c, uint32_t group,
		     struct err *err)
{
	const uint32_t key[] = { group, c->ip, c->kstack, c->ustack, c->flags };
	struct an_sys_groups *to = s->to;
	uint32_t id;
	bool is_new;

	if (!c->from || (!c->kstack && !c->ustack))
		return 0;
	if (!mem_grow(&to->stacks, &to->stacks_cap, to->n_stacks + 1,
		      sizeof(*to->stacks)) ||
	    !intern_put(&s->stack_keys, key, sizeof(key), &id, &is_new))
		return err_nomem(err);
	if (is_new)
		to->stacks[to->n_stacks++] = (struct an_sys_stack){
			.group = group,
			.spot = { c->ip, c->kstack, c->ustack, c->flags },
		};
	to->stacks[id].calls++;
	if (an_sys_is_whole(c))
		to->stacks[id].total_ns += c->to - c->from;
	return 0;
}

static int add(struct sums *s, const struct an_sys_call *c, uint32_t group,
	       struct err *err)
{
	struct an_sys_group *g = &s->to->v[group];

	if (!c->from) {
		g->no_begin++;
	} else {
		g->calls++;
		g->whole += c->to != 0;
		g->unfinished += !c->to && c->is_last;
		g->no_end += !c->to && !c->is_last;
	}
	if (!an_sys_is_whole(c))
		return 0;
	g->total_ns += c->to - c->from;
	return an_lengths_add(&s->lengths, group, c->to - c->from, err);
}

static void note_file(struct sums *s, const struct an_sys_call *c)
{
	bool doubt = false;
	const struct an_file_sight *file = an_sys_file(s->x, c, &doubt);

	s->to->doubts += doubt;
	s->to->nameless += !file && c->fd >= 0;
}

static int add_all(struct sums *s, const struct an_selection *sel, bool stacks,
		   struct err *err)
{
	int rc = 0;

	for (uint32_t i = 0; i < s->x->calls.n && !rc; i++) {
		const struct an_sys_call *c = &s->x->calls.v[i];
		uint32_t group = 0;

		if (!an_sys_is_selected(s->x->t, c, sel))
			continue;
		note_file(s, c);
		rc = group_of(s, i, &group, err);
		if (!rc)
			rc = add(s, c, group, err);
		if (!rc)
			rc = add_error(s, group, an_sys_error(c), err);
		if (!rc && stacks)
			rc = add_stack(s, c, group, err);
	}
	return rc;
}

static void put_times(struct sums *s)
{
	struct an_quantiles q;
	uint32_t group;
	size_t at = 0;

	an_lengths_sort(&s->lengths);
	while (an_lengths_next(&s->lengths, &at, &group, &q))
		s->to->v[group].times = q;
}

static void put_errors(struct sums *s)
{
	for (size_t i = 0; i < s->n_counts; i++) {
		const struct count *c = &s->counts[i];
		struct an_sys_group *g = &s->to->v[c->group];

		if (c->n > g->error_calls ||
		    (c->n == g->error_calls && c->error < g->error)) {
			g->error = c->error;
			g->error_calls = c->n;
		}
	}
}

static int by_cost(const void *a, const void *b)
{
	const struct an_sys_stack *x = a, *y = b;

	if (x->group != y->group)
		return CMP(x->group, y->group);
	if (x->total_ns != y->total_ns)
		return CMP(y->total_ns, x->total_ns);
	if (x->calls != y->calls)
		return CMP(y->calls, x->calls);
	if (x->spot.ustack != y->spot.ustack)
		return CMP(x->spot.ustack, y->spot.ustack);
	return CMP(x->spot.kstack, y->spot.kstack);
}

static void put_stacks(struct an_sys_groups *to)
{
	if (to->n_stacks)
		qsort(to->stacks, to->n_stacks, sizeof(*to->stacks), by_cost);
	for (size_t i = 0; i < to->n_stacks; i++) {
		struct an_sys_group *g = &to->v[to->stacks[i].group];

		if (!g->n_stacks++)
			g->stacks = i;
	}
}

static int by_total(const void *a, const void *b)
{
	const struct an_sys_group *x = a, *y = b;

	if (x->total_ns != y->total_ns)
		return CMP(y->total_ns, x->total_ns);
	if (x->calls != y->calls)
		return CMP(y->calls, x->calls);
	return CMP(x->first, y->first);
}

int an_sys_groups_make(struct an_sys_groups *out,
			const struct an_sys_view *x,
			const struct an_sys_by *by,
			const struct an_selection *sel, bool stacks,
			struct err *err)
{
	struct sums s = { .to = out, .x = x, .by = by };
	int rc;

	*out = (struct an_sys_groups){ 0 };
	rc = add_all(&s, sel, stacks, err);
	if (!rc) {
		put_times(&s);
		put_errors(&s);
		put_stacks(out);
		if (out->n)
			qsort(out->v, out->n, sizeof(*out->v), by_total);
	}
	intern_fini(&s.keys);
	intern_fini(&s.stack_keys);
	an_lengths_fini(&s.lengths);
	map64_fini(&s.errors);
	free(s.counts);
	return rc;
}

void an_sys_groups_fini(struct an_sys_groups *g)
{
	free(g->v);
	free(g->stacks);
	*g = (struct an_sys_groups){ 0 };
}
