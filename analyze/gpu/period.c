#include "analyze/gpu/period.h"

#include "format/base/mem.h"

#include <stdlib.h>

/* 4 to 500 Hz. */
#define SHORTEST 2e6
#define LONGEST 250e6

#define AHEAD 8u     /* moments that each is compared with */
#define MAX_STEPS 4u /* counts between two */
#define WIDE 1.01    /* what counts as the same period */
#define APART 1.03   /* what counts as another one */
#define SHARE 0.2    /* of the most frequent one, to be believed */

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return CMP(x, y);
}

static size_t differences(double *to, const struct an_moment *v, size_t n)
{
	size_t count = 0;

	for (size_t i = 0; i < n; i++)
		for (size_t k = i + 1; k < n && k <= i + AHEAD; k++) {
			uint32_t steps = v[k].count - v[i].count;
			double p;

			if (!steps || steps > MAX_STEPS ||
			    v[k].time <= v[i].time)
				continue;
			p = (double)(v[k].time - v[i].time) / steps;
			if (p >= SHORTEST && p <= LONGEST)
				to[count++] = p;
		}
	return count;
}

/* The densest stretch of sorted values, all within WIDE. */
static size_t densest(const double *v, size_t n, size_t *begin)
{
	size_t best = 0, low = 0;

	for (size_t i = 0; i < n; i++) {
		while (v[i] > v[low] * WIDE)
			low++;
		if (i + 1 - low > best) {
			best = i + 1 - low;
			*begin = low;
		}
	}
	return best;
}

static size_t without(double *v, size_t n, double period)
{
	size_t left = 0;

	for (size_t i = 0; i < n; i++)
		if (v[i] > period * APART || v[i] * APART < period)
			v[left++] = v[i];
	return left;
}

int an_periods_find(double periods[AN_MAX_PERIODS], size_t *n,
		    const struct an_moment *v, size_t n_moments,
		    struct err *err)
{
	double *all = calloc(n_moments * AHEAD + 1, sizeof(*all));
	size_t left, most = 0, begin = 0;

	*n = 0;
	if (!all)
		return err_nomem(err);
	left = differences(all, v, n_moments);
	if (left)
		qsort(all, left, sizeof(*all), by_value);
	while (left && *n < AN_MAX_PERIODS) {
		size_t count = densest(all, left, &begin);

		if ((double)count < SHARE * (double)most)
			break;
		if (!most)
			most = count;
		periods[*n] = all[begin + count / 2];
		left = without(all, left, periods[*n]);
		(*n)++;
	}
	free(all);
	return 0;
}
