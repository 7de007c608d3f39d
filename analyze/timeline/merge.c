/* Level of detail: neighbours too narrow to be told apart become one block. */
#include "analyze/timeline/merge.h"

#include "format/base/mem.h"

#include <math.h>
#include <string.h>

static bool is_narrow(const struct an_span *s, uint64_t width)
{
	return s->to - s->from < width;
}

void an_block_add(struct an_span *block, const struct an_span *s,
		  uint64_t *longest)
{
	if (s->busy > *longest) {
		*longest = s->busy;
		block->name = s->name;
		block->class = s->class;
	}
	if (s->to > block->to)
		block->to = s->to;
	if (ckd_add(&block->busy, block->busy, s->busy))
		block->busy = UINT64_MAX;
	if (ckd_add(&block->count, block->count, s->count))
		block->count = UINT32_MAX;
	block->detail = 0;
}

/* Of one row, while its spans pass in the order of their beginning. */
struct row {
	struct an_span *block; /* the last one, if it can grow; else NULL */
	uint64_t longest;
};

/* Only counts where `keep` is false: the blocks are then kept in `scratch`. */
struct merging {
	struct row rows[AN_MAX_ROWS];
	struct an_span scratch[AN_MAX_ROWS];
	uint64_t width;
	size_t n; /* spans that are left */
};

/* Blocks stay short, so that where there is more and where less is still seen
 * in a row of them. */
static bool can_join(const struct row *r, const struct an_span *s,
		     uint64_t width)
{
	uint64_t longest;

	if (!r->block || ckd_mul(&longest, width, (uint64_t)AN_BLOCK_WIDTHS))
		longest = UINT64_MAX;
	return r->block && s->to - r->block->from <= longest &&
	       (s->from <= r->block->to || s->from - r->block->to < width);
}

/* The span begins a block or is one of its own; where it then lies is `at`. */
static void begin(struct merging *m, const struct an_span *s,
		  struct an_span *at)
{
	struct row *r = &m->rows[s->row];

	*at = *s;
	m->n++;
	r->block = is_narrow(s, m->width) ? at : NULL;
	r->longest = s->busy;
}

static size_t count_spans(const struct an_lane *l, uint64_t width)
{
	struct merging m = { .width = width };

	for (size_t i = 0; i < l->n_spans; i++) {
		const struct an_span *s = &l->spans[i];
		struct row *r = &m.rows[s->row];

		if (is_narrow(s, width) && can_join(r, s, width))
			an_block_add(r->block, s, &r->longest);
		else
			begin(&m, s, &m.scratch[s->row]);
	}
	return m.n;
}

static void merge_spans(struct an_lane *l, uint64_t width)
{
	struct merging m = { .width = width };

	for (size_t i = 0; i < l->n_spans; i++) {
		const struct an_span s = l->spans[i];
		struct row *r = &m.rows[s.row];

		if (is_narrow(&s, width) && can_join(r, &s, width))
			an_block_add(r->block, &s, &r->longest);
		else
			begin(&m, &s, &l->spans[m.n]);
	}
	l->n_spans = m.n;
}

static void count_merged(struct an_lane *l)
{
	l->merged = 0;
	for (size_t i = 0; i < l->n_spans; i++)
		if (l->spans[i].count > 1)
			l->merged += l->spans[i].count;
}

/* The steps of one stretch of time: at most three are put to `out`, in the order
 * of time; NULL: they are only counted. A gap stays that is its end, others are
 * too narrow to be seen, beside a value. */
static size_t put_extremes(const struct an_step *v, size_t n,
			   struct an_step *out)
{
	struct an_step last = v[n - 1]; /* `out` may lie over it */
	size_t low = n, high = n, left;

	for (size_t i = 0; i < n; i++) {
		if (isnan(v[i].value))
			continue;
		if (low == n || v[i].value < v[low].value)
			low = i;
		if (high == n || v[i].value > v[high].value)
			high = i;
	}
	if (low == n) {
		if (out)
			out[0] = v[0];
		return 1;
	}
	left = low == high ? 1 : 2;
	if (out) {
		struct an_step first = v[low < high ? low : high];
		struct an_step second = v[low < high ? high : low];

		out[0] = first;
		if (low != high)
			out[1] = second;
		if (isnan(last.value))
			out[left] = last;
	}
	return isnan(last.value) ? left + 1 : left;
}

static size_t thin_steps(struct an_step *v, size_t n, uint64_t width, bool keep)
{
	size_t left = 0;

	for (size_t i = 0; i < n;) {
		size_t k = i + 1;

		while (k < n && v[k].time - v[i].time < width)
			k++;
		left += put_extremes(v + i, k - i, keep ? v + left : NULL);
		i = k;
	}
	return left;
}

void an_timeline_merge(struct an_timeline *tl, uint64_t width)
{
	for (size_t i = 0; i < tl->n; i++) {
		struct an_lane *l = &tl->lanes[i];
		size_t n = l->n_steps;

		merge_spans(l, width);
		l->n_steps = thin_steps(l->steps, n, width, true);
		if (l->kind == AN_LANE_COUNTER)
			l->merged += n - l->n_steps;
		else
			count_merged(l);
	}
}

static size_t count(const struct an_timeline *tl, uint64_t width)
{
	size_t n = 0;

	for (size_t i = 0; i < tl->n; i++) {
		const struct an_lane *l = &tl->lanes[i];

		n += count_spans(l, width) +
		     thin_steps(l->steps, l->n_steps, width, false);
	}
	return n;
}

void an_timeline_fit(struct an_timeline *tl, size_t max)
{
	unsigned low = 0, high = 63; /* the width is 1 << high in the end */

	if (an_timeline_spans(tl) <= max)
		return;
	while (low < high) {
		unsigned mid = (low + high) / 2;

		if (count(tl, (uint64_t)1 << mid) <= max)
			high = mid;
		else
			low = mid + 1;
	}
	an_timeline_merge(tl, (uint64_t)1 << high);
}
