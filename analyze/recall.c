#include "analyze/recall.h"

#include "analyze/load.h"

#include <stdlib.h>

static size_t ids_of(const struct an_epoch *e)
{
	return e->ids[AN_SPACE_FRAME].n + e->ids[AN_SPACE_STACK].n;
}

/* Of few epochs the stacks are not joined: there is no way back to them. */
void an_recall_plan(struct an_trace *t, uint64_t rows)
{
	t->recalls = t->joins_stacks && rows > t->ids_bound;
}

static void drop(struct an_trace *t, struct an_epoch *e)
{
	static const enum an_space spaces[] = { AN_SPACE_FRAME,
						AN_SPACE_STACK };

	t->ids_held -= ids_of(e);
	for (size_t i = 0; i < sizeof(spaces) / sizeof(spaces[0]); i++) {
		free(e->ids[spaces[i]].v);
		e->ids[spaces[i]] = (struct an_ids){ 0 };
	}
	e->dropped = true;
}

/* Those first that were not used for longest. */
static void keep_bound(struct an_trace *t, const struct an_epoch *in_use)
{
	while (t->ids_held > t->ids_bound) {
		struct an_epoch *oldest = NULL;

		for (size_t i = 0; i < t->epochs.n; i++) {
			struct an_epoch *e = &t->epochs.v[i];

			if (e != in_use && !e->parts && !e->dropped &&
			    ids_of(e) && (!oldest || e->used < oldest->used))
				oldest = e;
		}
		if (!oldest)
			return;
		drop(t, oldest);
	}
}

void an_recall_note(struct an_trace *t, uint32_t epoch)
{
	struct an_epoch *e = an_epochs_get(&t->epochs, epoch);

	if (!e || !e->parts || --e->parts)
		return;
	e->used = ++t->recall_clock;
	t->ids_held += ids_of(e);
	keep_bound(t, e);
}

int an_recall(struct an_trace *t, uint32_t epoch, struct err *err)
{
	struct an_epoch *e;
	uint64_t holes = t->epochs.holes_left;
	int rc = 0;

	if (!t->recalls || !an_epochs_find(&t->epochs, epoch))
		return 0;
	e = an_epochs_get(&t->epochs, epoch);
	e->used = ++t->recall_clock;
	if (!e->dropped)
		return 0;
	rc = an_load_again(t, e, err);
	t->epochs.holes_left = holes;
	e->dropped = false;
	t->ids_held += ids_of(e);
	keep_bound(t, e);
	return rc;
}
