#include "analyze/counter/told.h"

#include "format/base/mem.h"

#include <stdlib.h>
#include <string.h>

static int make_room(struct an_told *t, uint32_t n_series, struct err *err)
{
	size_t before = t->cap;

	if (!mem_grow(&t->until, &t->cap, n_series, sizeof(*t->until)))
		return err_nomem(err);
	for (size_t i = before; i < t->cap; i++)
		t->until[i] = 0;
	return 0;
}

int an_told_see(struct an_told *t, const struct an_ticks *ticks,
		uint32_t n_series, bool ended, struct err *err)
{
	int rc = make_room(t, n_series, err);
	uint32_t n = ticks->n_ticks;
	uint64_t begins;
	size_t rows;

	t->n_ticks = n;
	t->more = !ended;
	if (rc || !n || ended)
		return rc;
	rows = ticks->first[n] - ticks->first[n - 1];
	begins = ticks->v[ticks->first[n - 1]].i.end_ns;
	if (rows == t->last_rows && begins == t->last_ns)
		return 0;
	t->last_rows = rows;
	t->last_ns = begins;
	t->n_ticks--;
	return 1;
}

void an_told_fini(struct an_told *t)
{
	free(t->until);
	*t = (struct an_told){ 0 };
}

bool an_told_take(struct an_told *t, const struct an_tick_row *r)
{
	if (r->tick >= t->n_ticks || r->i.end_ns <= t->until[r->series])
		return false;
	t->until[r->series] = r->i.end_ns;
	return true;
}
