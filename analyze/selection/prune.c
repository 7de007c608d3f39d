#include "analyze/selection/prune.h"

#include "analyze/trace.h"

#include "format/base/mem.h"
#include "format/catalog.h"

/* Ids of a part that are further apart than this are not looked through: a
 * selection hardly misses all of them, and a file could keep us busy. */
#define MAX_APART 4096u

static bool any_cpu(const void *ctx, uint32_t epoch, uint64_t min,
		    uint64_t max)
{
	const struct an_selection *sel = ctx;

	(void)epoch;
	for (uint64_t w = min / 64; w < sel->n_cpu_words && w <= max / 64;
	     w++) {
		uint64_t bits = sel->cpu_bits[w];

		if (w == min / 64)
			bits &= UINT64_MAX << (min % 64);
		if (w == max / 64)
			bits &= UINT64_MAX >> (63 - max % 64);
		if (bits)
			return true;
	}
	return false;
}

static bool any_id(const struct an_selection *sel, uint32_t epoch,
		   enum an_space space, const bool *marks, size_t n,
		   uint64_t min, uint64_t max)
{
	size_t n_ids;
	const uint32_t *ids = an_trace_ids(sel->t, epoch, space, &n_ids);

	if (min < n_ids && max - min > MAX_APART)
		return true;
	for (uint64_t i = min; i < n_ids && i <= max; i++)
		if (ids[i] < n && marks[ids[i]])
			return true;
	return false;
}

static bool any_thread(const void *ctx, uint32_t epoch, uint64_t min,
		       uint64_t max)
{
	const struct an_selection *sel = ctx;

	return any_id(sel, epoch, AN_SPACE_THREAD, sel->thread, sel->n_threads,
		      min, max);
}

static bool any_event(const void *ctx, uint32_t epoch, uint64_t min,
		      uint64_t max)
{
	const struct an_selection *sel = ctx;

	return any_id(sel, epoch, AN_SPACE_EVENT, sel->event_rows,
		      sel->n_events, min, max);
}

void an_selection_only(const struct an_selection *sel,
		       const struct an_columns *c,
		       struct tf_only only[TF_MAX_ONLY])
{
	size_t n = 0;
	const struct {
		bool asked;
		unsigned column;
		bool (*any)(const void *ctx, uint32_t epoch, uint64_t min,
			    uint64_t max);
	} kinds[] = {
		{ sel && sel->cpu_bits, TF_SAMPLE_CPU, any_cpu },
		{ sel && sel->thread, TF_SAMPLE_THREAD, any_thread },
		{ sel && sel->event, TF_SAMPLE_EVENT, any_event },
	};

	for (size_t i = 0; i < ARRAY_LEN(kinds); i++)
		if (kinds[i].asked && c->at[kinds[i].column] >= 0)
			only[n++] = (struct tf_only){
				.column = (unsigned)c->at[kinds[i].column],
				.any = kinds[i].any,
				.ctx = sel,
			};
}
