#include "record/symbol/symtab.h"

#include "format/base/mem.h"

#include <stdlib.h>
#include <string.h>

#define ROW_BYTES (8 + 8 + 4 + 4)

void rec_symtab_fini(struct rec_symtab *t)
{
	free(t->rows);
	buf_fini(&t->names);
	*t = (struct rec_symtab){ 0 };
}

int rec_symtab_add(struct rec_symtab *t, uint64_t start, uint64_t end,
		   uint32_t name, unsigned rank, struct err *err)
{
	if (end <= start)
		return 0;
	if (t->n >= REC_SYMTAB_MAX_ROWS)
		return err_set(err, ERR_LIMIT, "more than %u symbols",
			       REC_SYMTAB_MAX_ROWS);
	if (!mem_grow(&t->rows, &t->cap, t->n + 1, sizeof(*t->rows)))
		return err_nomem(err);
	t->rows[t->n++] = (struct rec_symtab_row){
		.start = start,
		.end = end,
		.name = name,
		.rank = (uint8_t)rank,
	};
	return 0;
}

const char *rec_symtab_name(const struct rec_symtab *t, size_t row)
{
	return (const char *)t->names.p + t->rows[row].name;
}

static int by_start(const void *a, const void *b)
{
	const struct rec_symtab_row *x = a, *y = b;
	int order = CMP(x->start, y->start);

	return order ? order : CMP(x->name, y->name);
}

static bool is_sorted(const struct rec_symtab *t)
{
	for (size_t i = 1; i < t->n; i++)
		if (t->rows[i].start < t->rows[i - 1].start)
			return false;
	return true;
}

/* perf's order (choose_best_symbol): a size, not weak, global, fewer leading
 * underscores, the longer name; of those without a size, as all of the kernel's
 * are, the last one. */
static bool is_better(const struct rec_symtab *t, size_t a, size_t b)
{
	const char *x = rec_symtab_name(t, a), *y = rec_symtab_name(t, b);
	size_t x_bars, y_bars;

	if (t->rows[a].rank != t->rows[b].rank)
		return t->rows[a].rank < t->rows[b].rank;
	x_bars = strspn(x, "_");
	y_bars = strspn(y, "_");
	if (x_bars != y_bars)
		return x_bars < y_bars;
	if (t->rows[a].rank & REC_SYM_SIZELESS)
		return t->rows[a].name > t->rows[b].name;
	return strlen(x) > strlen(y);
}

static void keep_one_per_address(struct rec_symtab *t)
{
	size_t kept = 0;

	for (size_t i = 0; i < t->n;) {
		size_t best = i, next = i + 1;

		for (; next < t->n && t->rows[next].start == t->rows[i].start;
		     next++)
			if (is_better(t, next, best))
				best = next;
		t->rows[kept++] = t->rows[best];
		i = next;
	}
	t->n = kept;
}

/* The innermost of the first n rows that goes on past `address`, plus one. */
static uint32_t enclosing(const struct rec_symtab *t, size_t n,
			  uint64_t address)
{
	uint32_t at = (uint32_t)n;

	while (at && t->rows[at - 1].end <= address)
		at = t->rows[at - 1].outer;
	return at;
}

/* A label inside a sized function is a place in it, not a function. */
static void close_ranges(struct rec_symtab *t)
{
	size_t kept = 0;

	for (size_t i = 0; i < t->n; i++) {
		struct rec_symtab_row row = t->rows[i];

		row.outer = enclosing(t, kept, row.start);
		if (row.rank & REC_SYM_SIZELESS) {
			if (row.outer)
				continue;
			if (i + 1 < t->n && t->rows[i + 1].start < row.end)
				row.end = t->rows[i + 1].start;
		}
		t->rows[kept++] = row;
	}
	t->n = kept;
}

void rec_symtab_finish(struct rec_symtab *t)
{
	if (!is_sorted(t))
		qsort(t->rows, t->n, sizeof(*t->rows), by_start);
	keep_one_per_address(t);
	close_ranges(t);
}

/* The number of rows that begin at or before `address`. No branch depends on it:
 * each would be guessed wrong every other time. */
static size_t rows_up_to(const struct rec_symtab *t, uint64_t address)
{
	size_t low = 0, n = t->n;

	while (n > 1) {
		size_t half = n / 2;

		low += t->rows[low + half - 1].start <= address ? half : 0;
		n -= half;
	}
	return low + (n && t->rows[low].start <= address);
}

bool rec_symtab_find(const struct rec_symtab *t, uint64_t address,
		     struct rec_symtab_hit *out)
{
	size_t n = rows_up_to(t, address), at = n;
	uint64_t start = n ? t->rows[n - 1].start : 0, end = UINT64_MAX;

	while (at && t->rows[at - 1].end <= address) {
		if (t->rows[at - 1].end > start)
			start = t->rows[at - 1].end;
		at = t->rows[at - 1].outer;
	}
	if (at)
		end = t->rows[at - 1].end;
	if (at != n && n < t->n && t->rows[n].start < end)
		end = t->rows[n].start;
	if (!n && t->n)
		end = t->rows[0].start;
	*out = (struct rec_symtab_hit){ at ? at - 1 : 0, start,
					end > start ? end - start : 1 };
	return at && *rec_symtab_name(t, at - 1) != '\0';
}

void rec_symtab_put_head(struct buf *out, const struct rec_symtab *t)
{
	buf_u32(out, (uint32_t)t->n);
	buf_u32(out, (uint32_t)t->names.n);
}

size_t rec_symtab_put_rows(struct buf *out, const struct rec_symtab *t,
			   size_t from, size_t most)
{
	size_t to = t->n - from < most ? t->n : from + most;

	for (size_t i = from; i < to; i++) {
		buf_u64(out, t->rows[i].start);
		buf_u64(out, t->rows[i].end);
		buf_u32(out, t->rows[i].name);
		buf_u32(out, t->rows[i].outer);
	}
	return to;
}

void rec_symtab_put(struct buf *out, const struct rec_symtab *t)
{
	rec_symtab_put_head(out, t);
	buf_put(out, t->names.p, t->names.n);
	(void)rec_symtab_put_rows(out, t, 0, t->n);
}

static bool take_row(struct rec_symtab *t, struct span *in)
{
	struct rec_symtab_row row = { 0 };
	uint64_t before = t->n ? t->rows[t->n - 1].start : 0;

	if (!span_u64(in, &row.start) || !span_u64(in, &row.end) ||
	    !span_u32(in, &row.name) || !span_u32(in, &row.outer))
		return false;
	if (row.end <= row.start || row.name >= t->names.n ||
	    row.outer > t->n || (t->n && row.start <= before))
		return false;
	t->rows[t->n++] = row;
	return true;
}

static int take_table(struct rec_symtab *t, struct span *in, struct err *err)
{
	uint32_t n, names_size;
	struct span names;

	if (!span_u32(in, &n) || !span_u32(in, &names_size) ||
	    !span_take(in, names_size, &names))
		return err_set(err, ERR_FORMAT, "symbol table cut short");
	if (n > REC_SYMTAB_MAX_ROWS || n > in->n / ROW_BYTES)
		return err_set(err, ERR_FORMAT, "%u symbols in %zu bytes", n,
			       in->n);
	if (n && (!names.n || names.p[names.n - 1]))
		return err_set(err, ERR_FORMAT, "symbol names without an end");
	buf_put(&t->names, names.p, names.n);
	if (buf_failed(&t->names) ||
	    !mem_grow(&t->rows, &t->cap, n, sizeof(*t->rows)))
		return err_nomem(err);
	for (uint32_t i = 0; i < n; i++)
		if (!take_row(t, in))
			return err_set(err, ERR_FORMAT, "bad symbol %u", i);
	return 0;
}

int rec_symtab_take(struct rec_symtab *t, struct span *in, struct err *err)
{
	int rc;

	*t = (struct rec_symtab){ 0 };
	rc = take_table(t, in, err);
	if (rc < 0)
		rec_symtab_fini(t);
	return rc;
}
