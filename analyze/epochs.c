#include "analyze/epochs.h"

#include "format/base/mem.h"

#include <inttypes.h>
#include <stdlib.h>

void an_epochs_fini(struct an_epochs *e)
{
	for (size_t i = 0; i < e->n; i++)
		for (int s = 0; s < AN_N_SPACES; s++)
			free(e->v[i].ids[s].v);
	free(e->v);
	*e = (struct an_epochs){ 0 };
}

/* Where `number` is or would be: they are kept in ascending order. */
static size_t place_of(const struct an_epochs *e, uint32_t number)
{
	size_t low = 0, high = e->n;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (e->v[mid].number < number)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

const struct an_epoch *an_epochs_find(const struct an_epochs *e,
				      uint32_t number)
{
	size_t i = place_of(e, number);

	return i < e->n && e->v[i].number == number ? &e->v[i] : NULL;
}

struct an_epoch *an_epochs_get(struct an_epochs *e, uint32_t number)
{
	size_t i;

	if (e->last < e->n && e->v[e->last].number == number)
		return &e->v[e->last];
	i = place_of(e, number);
	if (i == e->n || e->v[i].number != number) {
		if (!mem_grow(&e->v, &e->cap, e->n + 1, sizeof(*e->v)))
			return NULL;
		for (size_t k = e->n; k > i; k--)
			e->v[k] = e->v[k - 1];
		e->v[i] = (struct an_epoch){ .number = number };
		e->n++;
	}
	e->last = i;
	return &e->v[i];
}

int an_ids_room(struct an_epochs *e, struct an_ids *ids, uint64_t at,
		uint32_t n, struct err *err)
{
	uint64_t holes = at >= ids->n ? at - ids->n : 0, end;

	if (ckd_add(&end, at, (uint64_t)n) || end > TF_MAX_DEFINITIONS)
		return err_set(err, ERR_LIMIT, "row %" PRIu64 ", limit %u", at,
			       TF_MAX_DEFINITIONS);
	if (holes > e->holes_left)
		return err_set(err, ERR_LIMIT, "row %" PRIu64 " follows row "
			       "%zu: more is missing than the file can hold",
			       at, ids->n);
	if (!mem_grow(&ids->v, &ids->cap, (size_t)end, sizeof(*ids->v)))
		return err_nomem(err);
	while (ids->n < end)
		ids->v[ids->n++] = AN_NONE;
	e->holes_left -= holes;
	return 0;
}

int an_ids_set(struct an_epochs *e, struct an_ids *ids, uint64_t at,
	       uint32_t id, struct err *err)
{
	int rc = an_ids_room(e, ids, at, 1, err);

	if (rc == 0)
		ids->v[at] = id;
	return rc;
}
