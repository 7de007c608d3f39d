#include "analyze/report/groups.h"

#include "format/base/map64.h"

#include <stdlib.h>

void an_groups_fini(struct an_groups *g)
{
	free(g->of);
	free(g->shown);
	*g = (struct an_groups){ 0 };
}

/* The dense number of a key, new numbers rising from 0. */
static bool number_of(struct map64 *m, uint64_t key, uint32_t *out)
{
	bool is_new;
	uint32_t *at = map64_put(m, key, (uint32_t)m->n, &is_new);

	if (at)
		*out = *at;
	return at;
}

/* Splits the groups so far by one more key: a group is now told by the old
 * group and what the key says. */
static bool split(struct an_groups *g, const struct an_trace *t,
		  const struct an_key *key)
{
	struct map64 values = { 0 }, pairs = { 0 };
	bool ok = true;

	for (size_t i = 0; i < g->n_ids && ok; i++) {
		uint32_t id = i + 1 < g->n_ids ? (uint32_t)i : AN_NONE;
		uint32_t value;

		ok = number_of(&values, key->identity(t, id), &value) &&
		     number_of(&pairs, map64_pair(g->of[i], value), &g->of[i]);
	}
	g->n = (uint32_t)pairs.n;
	map64_fini(&values);
	map64_fini(&pairs);
	return ok;
}

static bool better(const struct an_trace *t, const struct an_sort *sort,
		   enum an_side side, uint32_t id, uint32_t than)
{
	for (size_t i = 0; i < sort->n; i++) {
		const struct an_key *k = sort->keys[i];

		if (k->side == side && k->better && k->better(t, id, than))
			return true;
	}
	return false;
}

static bool choose_shown(struct an_groups *g, const struct an_trace *t,
			 enum an_side side, const struct an_sort *sort)
{
	bool *has = calloc(g->n, sizeof(*has));

	g->shown = calloc(g->n, sizeof(*g->shown));
	for (size_t i = 0; i < g->n_ids && has && g->shown; i++) {
		uint32_t id = i + 1 < g->n_ids ? (uint32_t)i : AN_NONE;
		uint32_t *shown = &g->shown[g->of[i]];

		if (!has[g->of[i]] || better(t, sort, side, id, *shown))
			*shown = id;
		has[g->of[i]] = true;
	}
	free(has);
	return has && g->shown;
}

int an_groups_make(struct an_groups *out, const struct an_trace *t,
		   enum an_side side, const struct an_sort *sort,
		   struct err *err)
{
	struct an_groups g = { .n = 1 };
	bool ok;

	g.n_ids = 1 + (side == AN_SIDE_THREAD ? an_n_threads(t) :
						an_n_frames(t));
	g.of = calloc(g.n_ids, sizeof(*g.of));
	ok = g.of;
	for (size_t i = 0; i < sort->n && ok; i++)
		if (sort->keys[i]->side == side)
			ok = split(&g, t, sort->keys[i]);
	if (!ok || !choose_shown(&g, t, side, sort)) {
		an_groups_fini(&g);
		return err_nomem(err);
	}
	*out = g;
	return 0;
}
