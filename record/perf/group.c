#include "record/perf/group.h"

#include "record/perf/words.h"

#include <linux/perf_event.h>

/* PERF_FORMAT_LOST, 6.0, which not all headers know. */
#define FORMAT_LOST ((uint64_t)1 << 4)

static uint64_t words_a_value(const struct rec_group_reading *g)
{
	return g->has_lost ? 3 : 2;
}

bool rec_group_begin(struct rec_group_reading *g, uint64_t read_format,
		     struct span read)
{
	uint64_t unused;

	*g = (struct rec_group_reading){ .rest = read,
					 .has_lost = read_format & FORMAT_LOST };
	if (!word_take(&g->rest, &g->left))
		return false;
	if (read_format & PERF_FORMAT_TOTAL_TIME_ENABLED &&
	    !word_take(&g->rest, &unused))
		return false;
	if (read_format & PERF_FORMAT_TOTAL_TIME_RUNNING &&
	    !word_take(&g->rest, &unused))
		return false;
	return g->left <= g->rest.n / WORD / words_a_value(g);
}

bool rec_group_next(struct rec_group_reading *g, struct rec_group_value *v)
{
	if (!g->left)
		return false;
	g->left--;
	v->lost = 0;
	return word_take(&g->rest, &v->value) && word_take(&g->rest, &v->id) &&
	       (!g->has_lost || word_take(&g->rest, &v->lost));
}
