#include "analyze/gpu/head_data.h"

#include "format/base/mem.h"

#include <stdlib.h>
#include <string.h>

/* How far the punctual vblanks of a fixed period stray from their grid, in
 * periods, of so many parts of a run. Those of a variable one walk away. */
#define ON_GRID 0.5
#define PARTS 8u
/* A head that has a fixed period has most neighbours so near to it. */
#define NEAR 0.02
#define MOST 0.6

struct extent {
	uint64_t from, to;
	size_t n;
	uint32_t into;       /* the head that it becomes part of */
};

static void measure_extents(const struct an_split *s, struct extent *v,
			    size_t n)
{
	for (size_t i = 0; i < n; i++)
		v[i] = (struct extent){ UINT64_MAX, 0, 0, (uint32_t)i };
	for (size_t i = 0; i < s->h->n; i++) {
		const struct an_vblank *b = &s->h->v[i];
		struct extent *e;

		if (b->head == AN_NONE || b->head < s->first_head)
			continue;
		e = &v[b->head - s->first_head];
		e->n++;
		if (b->time < e->from)
			e->from = b->time;
		if (b->time > e->to)
			e->to = b->time;
	}
}

static void join(struct an_split *s, struct extent *v, size_t i, size_t into)
{
	v[i].into = (uint32_t)into;
	if (v[i].to > v[into].to)
		v[into].to = v[i].to;
	v[into].n += v[i].n;
	s->h->heads[s->first_head + into].restarts++;
}

/* Heads are in the order of their first vblank. */
static void choose_joins(struct an_split *s, struct extent *v, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		size_t best = n;

		for (size_t k = 0; k < n; k++) {
			if (k == i || v[k].into != k)
				continue;
			if (v[i].n == 1 && v[k].n > 2 &&
			    v[k].from < v[i].from && v[i].to < v[k].to) {
				v[i].into = AN_NONE;
				s->h->heads[s->first_head + k].strays++;
				break;
			}
			if (k < i && v[k].to < v[i].from &&
			    (best == n || v[k].to > v[best].to))
				best = k;
		}
		if (v[i].into == i && best < n)
			join(s, v, i, best);
	}
}

static void compact(struct an_split *s, const struct extent *v, size_t n,
		    uint32_t *now)
{
	struct an_heads *h = s->h;
	uint32_t kept = s->first_head;

	for (size_t i = 0; i < n; i++) {
		now[i] = AN_NONE;
		if (v[i].into != i)
			continue;
		now[i] = kept;
		h->heads[kept++] = h->heads[s->first_head + i];
	}
	for (size_t i = 0; i < n; i++)
		if (v[i].into != i && v[i].into != AN_NONE)
			now[i] = now[v[i].into];
	for (size_t i = 0; i < h->n; i++)
		if (h->v[i].head != AN_NONE && h->v[i].head >= s->first_head)
			h->v[i].head = now[h->v[i].head - s->first_head];
	h->n_heads = kept;
}

int an_split_mend(struct an_split *s, struct err *err)
{
	size_t n = s->h->n_heads - s->first_head;
	struct extent *v = calloc(n + 1, sizeof(*v));
	uint32_t *now = calloc(n + 1, sizeof(*now));
	int rc = v && now ? 0 : err_nomem(err);

	if (!rc) {
		measure_extents(s, v, n);
		choose_joins(s, v, n);
		compact(s, v, n, now);
	}
	free(v);
	free(now);
	return rc;
}

static int by_head(const void *a, const void *b, void *ctx)
{
	const struct an_vblank *v = ctx;
	const struct an_vblank *x = &v[*(const uint32_t *)a];
	const struct an_vblank *y = &v[*(const uint32_t *)b];

	if (x->head != y->head)
		return CMP(x->head, y->head);
	return x->time != y->time ? CMP(x->time, y->time) : CMP(x, y);
}

static int by_seq(const void *a, const void *b, void *ctx)
{
	const struct an_vblank *v = ctx;
	const struct an_vblank *x = &v[*(const uint32_t *)a];
	const struct an_vblank *y = &v[*(const uint32_t *)b];

	if (x->crtc != y->crtc)
		return CMP(x->crtc, y->crtc);
	if (x->seq != y->seq)
		return CMP(x->seq, y->seq);
	return x->told != y->told ? CMP(x->told, y->told) : CMP(x, y);
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return CMP(x, y);
}

static void put_ranges(struct an_heads *h)
{
	for (size_t i = 0; i < h->n; i++) {
		uint32_t head = h->v[h->by_head[i]].head;

		if (head == AN_NONE)
			break;
		if (!h->heads[head].end)
			h->heads[head].first = i;
		h->heads[head].end = i + 1;
	}
}

void an_heads_number(struct an_heads *h)
{
	for (uint32_t i = 0; i < h->n_heads; i++) {
		uint32_t all = 0;

		for (uint32_t k = 0; k < h->n_heads; k++) {
			if (h->heads[k].crtc != h->heads[i].crtc ||
			    strcmp(h->heads[k].device, h->heads[i].device))
				continue;
			all++;
			if (k == i)
				h->heads[i].number = all;
		}
		h->heads[i].alone = all == 1;
	}
}

/* Does the count of b go on where a was? A jump of both that does not fit the
 * period is a count that began anew. */
static bool goes_on(const struct an_vblank *a, const struct an_vblank *b,
		    double period)
{
	uint32_t steps = b->seq - a->seq;
	double each = (double)(b->time - a->time) / (steps ? steps : 1);

	if (!steps || steps > INT32_MAX)
		return false;
	return steps == 1 || !(period > 0) ||
	       (each > period * 0.5 && each < period * 2);
}

/* Lengths of the neighbours, each for one vblank; `period` is 0 while it is not
 * known. */
static size_t lengths(const struct an_heads *h, struct an_head *d,
		      double period, double *to)
{
	size_t n = 0;

	d->not_seen = 0;
	d->shortest_ns = d->longest_ns = 0;
	for (size_t i = d->first + 1; i < d->end; i++) {
		const struct an_vblank *a = an_head_vblank(h, i - 1);
		const struct an_vblank *b = an_head_vblank(h, i);
		uint32_t steps = b->seq - a->seq;
		uint64_t ns = b->time - a->time;

		if (!goes_on(a, b, period))
			continue;
		to[n++] = (double)ns / steps;
		d->not_seen += steps - 1;
		if (steps > 1)
			continue;
		if (!d->shortest_ns || ns < d->shortest_ns)
			d->shortest_ns = ns;
		if (ns > d->longest_ns)
			d->longest_ns = ns;
	}
	if (n)
		qsort(to, n, sizeof(*to), by_value);
	return n;
}

static double share_near(const double *sorted, size_t n, double period)
{
	size_t near = 0;

	for (size_t i = 0; i < n; i++)
		near += sorted[i] > period * (1 - NEAR) &&
			sorted[i] < period * (1 + NEAR);
	return (double)near / (double)n;
}

/* The longest run of vblanks whose count goes on. */
static void longest_run(const struct an_heads *h, const struct an_head *d,
			double period, size_t *from, size_t *to)
{
	size_t begin = d->first;

	*from = *to = d->first;
	for (size_t i = d->first + 1; i <= d->end; i++) {
		if (i < d->end && goes_on(an_head_vblank(h, i - 1),
					  an_head_vblank(h, i), period))
			continue;
		if (i - 1 - begin > *to - *from) {
			*from = begin;
			*to = i - 1;
		}
		begin = i;
	}
}

/* The period of a run: the median of what vblanks half of it apart tell. Single
 * ones that are late do not move it. */
static double slope(const struct an_heads *h, size_t from, size_t to,
		    double *work)
{
	size_t half = (to - from + 1) / 2, n = 0;

	for (size_t i = from; i + half <= to; i++) {
		const struct an_vblank *a = an_head_vblank(h, i);
		const struct an_vblank *b = an_head_vblank(h, i + half);

		if (b->seq != a->seq)
			work[n++] = (double)(b->time - a->time) /
				    (double)(uint32_t)(b->seq - a->seq);
	}
	if (!n)
		return 0;
	qsort(work, n, sizeof(*work), by_value);
	return work[n / 2];
}

/* By how much it is later than a grid through another one. */
static double off_grid(const struct an_vblank *a, const struct an_vblank *b,
		       double period)
{
	return (double)(b->time - a->time) -
	       (double)(uint32_t)(b->seq - a->seq) * period;
}

/* Is the second of three vblanks not earlier than the others let expect? */
static bool is_late(const struct an_vblank *a, const struct an_vblank *b,
		    const struct an_vblank *c)
{
	double first = (double)(uint32_t)(b->seq - a->seq);
	double all = (double)(uint32_t)(c->seq - a->seq);

	return (double)(b->time - a->time) * all >=
	       (double)(c->time - a->time) * first;
}

/* Vblanks are told late but never early. Those that no others prove late lie on
 * a line below all of them, which bends upwards: how steep it is half way is the
 * median of that, whatever was late at the begin or the end (measured in a
 * virtual machine: within 0.005 %, where the median of all was 0.1 % off). */
static double punctual_slope(const struct an_heads *h, size_t from, size_t to,
			     double *work)
{
	const struct an_vblank *first = an_head_vblank(h, from);
	uint32_t half = (an_head_vblank(h, to)->seq - first->seq) / 2;
	const struct an_vblank *a, *b;
	size_t n = 0, i;

	for (i = from; i <= to; i++) {
		while (n > 1 && is_late(an_head_vblank(h, (size_t)work[n - 2]),
					an_head_vblank(h, (size_t)work[n - 1]),
					an_head_vblank(h, i)))
			n--;
		work[n++] = (double)i;
	}
	for (i = 1; i + 1 < n; i++)
		if (an_head_vblank(h, (size_t)work[i])->seq - first->seq > half)
			break;
	a = an_head_vblank(h, (size_t)work[i - 1]);
	b = an_head_vblank(h, (size_t)work[i]);
	return (double)(b->time - a->time) / (double)(uint32_t)(b->seq - a->seq);
}

/* How far the most punctual vblank of each part of a run strays from the grid, in
 * periods. Late ones, of which there may be many, do not count. */
static double spread(const struct an_heads *h, size_t from, size_t to,
		     double period)
{
	const struct an_vblank *a = an_head_vblank(h, from);
	size_t n = to - from + 1, parts = n < 2 * PARTS ? 2 : PARTS;
	double low = 0, high = 0;

	for (size_t k = 0; k < parts; k++) {
		double first = 0;

		for (size_t i = n * k / parts; i < n * (k + 1) / parts; i++) {
			const struct an_vblank *b = an_head_vblank(h, from + i);
			double off = off_grid(a, b, period) / period;

			if (i == n * k / parts || off < first)
				first = off;
		}
		low = !k || first < low ? first : low;
		high = !k || first > high ? first : high;
	}
	return high - low;
}

static void measure_jitter(struct an_head *d, double *lengths, size_t n)
{
	d->jitter_ns = 0;
	if (!n)
		return;
	for (size_t i = 0; i < n; i++)
		lengths[i] = lengths[i] > d->period_ns ?
				     lengths[i] - d->period_ns :
				     d->period_ns - lengths[i];
	qsort(lengths, n, sizeof(*lengths), by_value);
	d->jitter_ns = (uint64_t)lengths[(n * 95 + 99) / 100 - 1];
}

static void measure(struct an_heads *h, struct an_head *d, double *work)
{
	size_t n = lengths(h, d, 0, work), from, to;
	double median, near;

	if (!n)
		return;
	median = work[n / 2];
	near = share_near(work, n, median);
	longest_run(h, d, median, &from, &to);
	d->period_ns = median;
	if (to > from) {
		double period = slope(h, from, to, work);

		if (period > 0)
			period = punctual_slope(h, from, to, work);
		d->vrr = near < MOST && (!(period > 0) ||
			 spread(h, from, to, period) > ON_GRID);
		if (!d->vrr && period > 0)
			d->period_ns = period;
	}
	measure_jitter(d, work, lengths(h, d, median, work));
}

int an_heads_order(struct an_heads *h, struct err *err)
{
	double *work = calloc(h->n + 1, sizeof(*work));

	h->by_head = calloc(h->n + 1, sizeof(*h->by_head));
	h->by_seq = calloc(h->n + 1, sizeof(*h->by_seq));
	if (!work || !h->by_head || !h->by_seq) {
		free(work);
		return err_nomem(err);
	}
	for (uint32_t i = 0; i < h->n; i++) {
		h->by_head[i] = i;
		if (h->v[i].head != AN_NONE)
			h->by_seq[h->n_by_seq++] = i;
	}
	if (h->n) {
		qsort_r(h->by_head, h->n, sizeof(*h->by_head), by_head, h->v);
		qsort_r(h->by_seq, h->n_by_seq, sizeof(*h->by_seq), by_seq,
			h->v);
	}
	put_ranges(h);
	an_heads_number(h);
	for (size_t i = 0; i < h->n_heads; i++)
		measure(h, &h->heads[i], work);
	free(work);
	return 0;
}

int an_head_within(struct an_head *out, const struct an_heads *h, uint32_t head,
		   uint64_t from, uint64_t to, struct err *err)
{
	double *work;

	*out = h->heads[head];
	out->first = from ? an_head_after(h, head, from - 1) : out->first;
	out->end = an_head_after(h, head, to);
	if (out->end < out->first)
		out->end = out->first;
	work = calloc(out->end - out->first + 1, sizeof(*work));
	if (!work)
		return err_nomem(err);
	measure_jitter(out, work, lengths(h, out, out->period_ns, work));
	free(work);
	return 0;
}

static uint64_t apart(uint64_t a, uint64_t b)
{
	return a > b ? a - b : b - a;
}

/* Deliveries come right before the row of their vblank. */
#define NEAR_NS 500000000u

static bool is_near(const struct an_vblank *v, uint32_t crtc, uint32_t seq,
		    uint64_t told)
{
	return v->crtc == crtc && v->seq == seq &&
	       apart(v->told, told) <= NEAR_NS;
}

uint32_t an_heads_find(const struct an_heads *h, uint32_t crtc, uint32_t seq,
		       uint64_t told)
{
	size_t low = 0, high = h->n_by_seq;
	uint32_t after = AN_NONE, before = AN_NONE;

	while (low < high) {
		size_t mid = low + (high - low) / 2;
		const struct an_vblank *v = &h->v[h->by_seq[mid]];

		if (v->crtc != crtc ? v->crtc < crtc :
		    v->seq != seq ? v->seq < seq : v->told < told)
			low = mid + 1;
		else
			high = mid;
	}
	if (low < h->n_by_seq &&
	    is_near(&h->v[h->by_seq[low]], crtc, seq, told))
		after = h->by_seq[low];
	if (low > 0 && is_near(&h->v[h->by_seq[low - 1]], crtc, seq, told))
		before = h->by_seq[low - 1];
	if (after == AN_NONE || before == AN_NONE)
		return after == AN_NONE ? before : after;
	return apart(h->v[before].told, told) < apart(h->v[after].told, told) ?
		       before : after;
}

size_t an_head_after(const struct an_heads *h, uint32_t head, uint64_t time)
{
	size_t low = h->heads[head].first, high = h->heads[head].end;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (an_head_vblank(h, mid)->time <= time)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}
