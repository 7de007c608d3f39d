#include "format/ledger.h"

#include "format/base/mem.h"
#include "format/layout.h"

#include <stdlib.h>
#include <string.h>

void tf_ledger_fini(struct tf_ledger *l)
{
	map64_fini(&l->numbers);
	free(l->rows);
	free(l->depth);
	*l = (struct tf_ledger){ 0 };
}

void tf_ledger_begin_epoch(struct tf_ledger *l)
{
	if (l->n)
		memset(l->rows, 0, l->n * sizeof(*l->rows));
	l->n_depth = 0;
	l->lost = false;
}

void tf_ledgers_fini(struct tf_ledgers *l)
{
	for (size_t i = 0; i < TF_MAX_OPEN_EPOCHS; i++)
		tf_ledger_fini(&l->items[i].ledger);
	l->n = 0;
}

struct tf_ledger *tf_ledgers_of(struct tf_ledgers *l, uint32_t epoch)
{
	size_t oldest = 0;

	for (size_t i = 0; i < l->n; i++) {
		if (l->items[i].epoch == epoch)
			return &l->items[i].ledger;
		if (l->items[i].epoch < l->items[oldest].epoch)
			oldest = i;
	}
	if (l->n < TF_MAX_OPEN_EPOCHS)
		oldest = l->n++;
	else if (epoch < l->items[oldest].epoch)
		return NULL;
	l->items[oldest].epoch = epoch;
	tf_ledger_begin_epoch(&l->items[oldest].ledger);
	return &l->items[oldest].ledger;
}

void tf_ledgers_lose(struct tf_ledgers *l)
{
	for (size_t i = 0; i < l->n; i++)
		l->items[i].ledger.lost = true;
}

uint64_t tf_ledger_rows(const struct tf_ledger *l, uint32_t table)
{
	uint32_t at;

	return map64_get(&l->numbers, table, &at) ? l->rows[at] : 0;
}

/* Checks the numbers, then counts the rows in any case: what follows is judged
 * by what is there. */
static int count(uint64_t *rows, uint64_t base, uint32_t n, bool lost,
		 struct err *err)
{
	uint64_t before = *rows, end;

	if (ckd_add(&end, base, (uint64_t)n))
		return err_set(err, ERR_FORMAT, "row numbers overflow");
	*rows = end > before ? end : before;
	if (base < before)
		return err_set(err, ERR_FORMAT, "rows from %llu on, but %llu "
			       "are there already", (unsigned long long)base,
			       (unsigned long long)before);
	if (base > before && !lost)
		return err_set(err, ERR_FORMAT, "rows from %llu on, but only "
			       "%llu are there", (unsigned long long)base,
			       (unsigned long long)before);
	return 0;
}

int tf_ledger_add(struct tf_ledger *l, uint32_t table, uint64_t base,
		  uint32_t n, struct err *err)
{
	bool is_new;
	uint32_t *at;

	if (!mem_grow(&l->rows, &l->cap, l->n + 1, sizeof(*l->rows)))
		return err_nomem(err);
	at = map64_put(&l->numbers, table, (uint32_t)l->n, &is_new);
	if (!at)
		return err_nomem(err);
	if (is_new)
		l->rows[l->n++] = 0;
	return count(&l->rows[*at], base, n, l->lost, err);
}

int tf_ledger_stacks(struct tf_ledger *l, uint64_t base,
		     const uint64_t *parents, uint32_t n, unsigned *deepest,
		     struct err *err)
{
	size_t end = (size_t)base + n;

	*deepest = 0;
	if (base > TF_MAX_DEFINITIONS)
		return 0; /* reported as too many rows */
	if (!mem_grow(&l->depth, &l->depth_cap, end, sizeof(*l->depth)))
		return err_nomem(err);
	if (end > l->n_depth) /* what was lost counts as flat */
		memset(l->depth + l->n_depth, 0,
		       (end - l->n_depth) * sizeof(*l->depth));
	l->n_depth = end > l->n_depth ? end : l->n_depth;
	for (uint32_t i = 0; i < n; i++) {
		size_t id = (size_t)base + i;
		unsigned d = parents[i] < id ? l->depth[parents[i]] + 1u : 0;

		if (d > *deepest)
			*deepest = d;
		l->depth[id] = (uint16_t)(d > TF_MAX_STACK_DEPTH ?
						  TF_MAX_STACK_DEPTH : d);
	}
	return 0;
}
