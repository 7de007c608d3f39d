#include "format/dict.h"

#include "format/base/err.h"
#include "format/base/mem.h"

#include <stdlib.h>
#include <string.h>

/* Small, so that a column of few values stays in the first cache level. */
#define FIRST_CAP 1024
#define NUMBER_BITS 16u

void tf_dict_fini(struct tf_dict *d)
{
	free(d->values);
	free(d->spare);
	free(d->rank);
	free(d->slots);
	*d = (struct tf_dict){ 0 };
}

static size_t hash(uint64_t v)
{
	v *= 0x9e3779b97f4a7c15u;
	return (size_t)(v ^ v >> 32);
}

static size_t find(const struct tf_dict *d, uint64_t v)
{
	size_t i = hash(v) & (d->cap - 1);

	while (d->slots[i] && d->values[d->slots[i] - 1] != v)
		i = (i + 1) & (d->cap - 1);
	return i;
}

static bool rehash(struct tf_dict *d, size_t cap)
{
	if (!mem_grow(&d->slots, &d->slots_cap, cap, sizeof(*d->slots)))
		return false;
	d->cap = cap;
	memset(d->slots, 0, cap * sizeof(*d->slots));
	for (size_t i = 0; i < d->n; i++)
		d->slots[find(d, d->values[i])] = (uint32_t)i + 1;
	return true;
}

static bool add(struct tf_dict *d, size_t slot, uint64_t v)
{
	if (!mem_grow(&d->values, &d->values_cap, d->n + 1,
		      sizeof(*d->values)))
		return false;
	d->values[d->n++] = v;
	d->slots[slot] = (uint32_t)d->n;
	return d->n * 2 <= d->cap || rehash(d, d->cap * 2);
}

static int collect(struct tf_dict *d, uint64_t *index, const uint64_t *v,
		   size_t n, size_t limit)
{
	for (size_t i = 0; i < n; i++) {
		size_t slot;

		if (i && v[i] == v[i - 1]) {
			index[i] = index[i - 1];
			continue;
		}
		slot = find(d, v[i]);
		if (d->slots[slot]) {
			index[i] = d->slots[slot] - 1;
			continue;
		}
		if (d->n == limit)
			return 1;
		index[i] = d->n;
		if (!add(d, slot, v[i]))
			return ERR_NOMEM;
	}
	return 0;
}

/* Sorts `from` by one byte into `to`, stably. */
static void sort_byte(uint64_t *to, const uint64_t *from, size_t n,
		      unsigned shift)
{
	size_t at[256] = { 0 }, sum = 0;

	for (size_t i = 0; i < n; i++)
		at[from[i] >> shift & 0xff]++;
	for (size_t b = 0; b < 256; b++) {
		size_t count = at[b];

		at[b] = sum;
		sum += count;
	}
	for (size_t i = 0; i < n; i++)
		to[at[from[i] >> shift & 0xff]++] = from[i];
}

/* Radix sort: qsort costs 60 ns a row when a quarter of 16,384 rows are
 * distinct, this a few. Bytes that do not differ need no pass. Returns where the
 * sorted ones are: n of `a` or of `b`. */
static uint64_t *sort_values(uint64_t *a, uint64_t *b, size_t n,
			     unsigned from_bit)
{
	uint64_t differ = 0;

	for (size_t i = 1; i < n; i++)
		differ |= a[i] ^ a[0];
	for (unsigned shift = from_bit; shift < 64; shift += 8) {
		uint64_t *swap = a;

		if (!(differ >> shift & 0xff))
			continue;
		sort_byte(b, a, n, shift);
		a = b;
		b = swap;
	}
	return a;
}

/* Values that leave room for it take their number along. */
static bool sort_with_numbers(struct tf_dict *d)
{
	uint64_t bits = 0, *sorted;

	for (size_t i = 0; i < d->n; i++)
		bits |= d->values[i];
	if (bits >> (64 - NUMBER_BITS))
		return false;
	for (size_t i = 0; i < d->n; i++)
		d->spare[i] = d->values[i] << NUMBER_BITS | i;
	sorted = sort_values(d->spare, d->spare + d->n, d->n, NUMBER_BITS);
	for (size_t i = 0; i < d->n; i++) {
		d->rank[sorted[i] & ((1u << NUMBER_BITS) - 1)] = (uint32_t)i;
		d->values[i] = sorted[i] >> NUMBER_BITS;
	}
	return true;
}

/* The numbers of others are found again: the hash keeps the old order, so it must
 * be asked before d->values is replaced. */
static void sort_alone(struct tf_dict *d)
{
	uint64_t *sorted;

	memcpy(d->spare, d->values, d->n * sizeof(*d->spare));
	sorted = sort_values(d->spare, d->spare + d->n, d->n, 0);
	for (size_t i = 0; i < d->n; i++)
		d->rank[d->slots[find(d, sorted[i])] - 1] = (uint32_t)i;
	memcpy(d->values, sorted, d->n * sizeof(*sorted));
}

static bool sort(struct tf_dict *d)
{
	if (!mem_grow(&d->spare, &d->spare_cap, 2 * d->n, sizeof(*d->spare)) ||
	    !mem_grow(&d->rank, &d->rank_cap, d->n, sizeof(*d->rank)))
		return false;
	if (d->n > (size_t)1 << NUMBER_BITS || !sort_with_numbers(d))
		sort_alone(d);
	return true;
}

int tf_dict_build(struct tf_dict *d, uint64_t *index, const uint64_t *v,
		  size_t n, size_t limit)
{
	int rc;

	d->n = 0;
	if (!rehash(d, FIRST_CAP))
		return ERR_NOMEM;
	rc = collect(d, index, v, n, limit);
	if (rc)
		return rc;
	if (d->n && !sort(d))
		return ERR_NOMEM;
	for (size_t i = 0; i < n; i++)
		index[i] = d->rank[index[i]];
	return 0;
}
