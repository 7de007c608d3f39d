#include "lib/epochs.h"

#include "format/base/mem.h"

#include <stdlib.h>
#include <string.h>

static void epoch_fini(struct ct_epoch *e)
{
	for (size_t i = 0; i < e->n; i++)
		ct_store_fini(&e->tables[i]);
	free(e->tables);
	*e = (struct ct_epoch){ 0 };
}

void ct_epochs_fini(struct ct_epochs *e)
{
	while (e->n)
		epoch_fini(&e->items[--e->n]);
}

static size_t memory_of(const struct ct_epoch *e)
{
	size_t n = 0;

	for (size_t i = 0; i < e->n; i++)
		n += e->tables[i].memory.used;
	return n;
}

/* Makes it the first one. */
static struct ct_epoch *choose(struct ct_epochs *e, uint32_t number)
{
	struct ct_epoch it = { .number = number };
	size_t i = 0;

	while (i < e->n && e->items[i].number != number)
		i++;
	if (i < e->n)
		it = e->items[i];
	else if (e->n == CT_EPOCHS)
		epoch_fini(&e->items[--i]);
	else
		e->n++;
	memmove(e->items + 1, e->items, i * sizeof(e->items[0]));
	e->items[0] = it;
	return &e->items[0];
}

/* What the epoch may still take, after others made way for it. */
static size_t make_way(struct ct_epochs *e)
{
	size_t used = 0, i = 0;

	/* At most half for those that are not asked for now. */
	for (i = 1; i < e->n; i++) {
		used += memory_of(&e->items[i]);
		if (used > CT_EPOCHS_MEMORY / 2)
			break;
	}
	while (e->n > i && e->n > 1)
		epoch_fini(&e->items[--e->n]);
	used = memory_of(&e->items[0]);
	return used < CT_EPOCHS_MEMORY / 2 ? CT_EPOCHS_MEMORY / 2 - used : 0;
}

static const struct ct_store *find(const struct ct_epoch *e,
				   const struct tf_table *t)
{
	for (size_t i = 0; i < e->n; i++)
		if (e->tables[i].table == t)
			return &e->tables[i];
	return NULL;
}

int ct_epochs_table(struct ct_epochs *e, uint32_t epoch,
		    const struct tf_table *t, const struct ct_store **out,
		    struct err *err)
{
	struct ct_epoch *it = e->n && e->items[0].number == epoch ?
				      &e->items[0] : choose(e, epoch);
	const struct ct_store *known = find(it, t);
	int rc;

	if (!known) {
		if (!mem_grow(&it->tables, &it->cap, it->n + 1,
			      sizeof(*it->tables)))
			return err_nomem(err);
		rc = ct_store_load(&it->tables[it->n], e->reader, t, epoch,
				   make_way(e), err);
		if (rc)
			return rc;
		known = &it->tables[it->n++];
	}
	*out = known;
	return 0;
}
