/* From the ids of each epoch to the ids of the trace. */
#ifndef ANALYZE_EPOCHS_H
#define ANALYZE_EPOCHS_H

#include "analyze/trace.h"

struct an_ids {
	uint32_t *v; /* by the epoch's id; AN_NONE where nothing is known */
	size_t n;
	size_t cap;
};

struct an_epoch {
	uint32_t number;
	struct an_ids ids[AN_N_SPACES];
	uint32_t parts;   /* of frames and stacks that are still to be loaded */
	uint64_t used;    /* when those were asked for last */
	bool dropped;     /* their ids were, to save memory */
};

struct an_epochs {
	struct an_epoch *v;
	size_t n;
	size_t cap;
	size_t last;      /* the one found before: epochs come in runs */
	uint64_t holes_left; /* ids that may still be skipped over */
};

void an_epochs_fini(struct an_epochs *e);

const struct an_epoch *an_epochs_find(const struct an_epochs *e,
				      uint32_t number);
/* Makes it where there is none; NULL: out of memory. Pointers to epochs live
 * until the next call. */
struct an_epoch *an_epochs_get(struct an_epochs *e, uint32_t number);

/* Makes ids at..at+n-1 known as AN_NONE where they are not there yet; refusals
 * as below. */
int an_ids_room(struct an_epochs *e, struct an_ids *ids, uint64_t at,
		uint32_t n, struct err *err);

/* Says that id `at` of the space is the trace's `id`. Ids that are skipped over
 * become AN_NONE; more of those than a damaged file can explain are refused. */
int an_ids_set(struct an_epochs *e, struct an_ids *ids, uint64_t at,
	       uint32_t id, struct err *err);

static inline uint32_t an_ids_get(const struct an_ids *ids, uint64_t at)
{
	return at < ids->n ? ids->v[at] : AN_NONE;
}

#endif
