#include "lib/store.h"

#include "format/audit.h"
#include "format/base/mem.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

void ct_store_fini(struct ct_store *s)
{
	arena_fini(&s->memory);
	free(s->parts);
	*s = (struct ct_store){ 0 };
}

/* Bytes that the columns of a view take when kept. */
static size_t size_of(const struct tf_view *v)
{
	size_t n = v->table->n_columns * sizeof(struct ct_kept);

	for (uint32_t i = 0; i < v->table->n_columns; i++) {
		const struct tf_values *c = &v->columns[i];

		if (c->present && c->v)
			n += v->rows * sizeof(*c->v);
		else if (c->present && c->bytes)
			n += (v->rows + 1) * sizeof(*c->offsets) +
			     c->offsets[v->rows] + v->rows;
	}
	return n;
}

static bool keep_numbers(struct ct_kept *to, struct arena *memory,
			 const uint64_t *v, uint32_t n)
{
	uint64_t *own = arena_alloc(memory, n * sizeof(*own));

	if (own)
		memcpy(own, v, n * sizeof(*own));
	to->v = own;
	return own;
}

static bool keep_bytes(struct ct_kept *to, struct arena *memory,
		       const struct tf_values *c, uint32_t n)
{
	uint32_t *offsets = arena_alloc(memory, (n + 1) * sizeof(*offsets));
	char *bytes = arena_alloc(memory, (size_t)c->offsets[n] + n);

	if (!offsets || !bytes)
		return false;
	for (uint32_t i = 0; i < n; i++) {
		offsets[i] = c->offsets[i] + i;
		memcpy(bytes + offsets[i], c->bytes + c->offsets[i],
		       c->offsets[i + 1] - c->offsets[i]);
	}
	offsets[n] = c->offsets[n] + n;
	to->offsets = offsets;
	to->bytes = bytes;
	return true;
}

static bool keep_columns(struct ct_kept *to, struct arena *memory,
			 const struct tf_view *v)
{
	bool good = true;

	for (uint32_t i = 0; i < v->table->n_columns && good; i++) {
		const struct tf_values *c = &v->columns[i];

		if (c->present && c->v)
			good = keep_numbers(&to[i], memory, c->v, v->rows);
		else if (c->present && c->bytes)
			good = keep_bytes(&to[i], memory, c, v->rows);
	}
	return good;
}

static bool in_use(const struct ct_store *s, const struct tf_view *v)
{
	const struct ct_rows *last = s->n ? &s->parts[s->n - 1] : NULL;

	return v->base_row > UINT64_MAX - v->rows ||
	       (last && v->base_row < last->base + last->n);
}

static int keep(struct ct_store *s, const struct tf_view *v, size_t limit,
		struct err *err)
{
	struct ct_kept *columns;
	uint32_t n = v->table->n_columns;

	if (in_use(s, v))
		return 0;
	if (s->memory.used > limit || size_of(v) > limit - s->memory.used)
		return err_set(err, ERR_LIMIT, "definitions of epoch %" PRIu32
			       " in table '%s': more than %zu bytes",
			       v->epoch, v->table->name, limit);
	columns = arena_alloc(&s->memory, n * sizeof(*columns));
	if (!columns || !keep_columns(columns, &s->memory, v) ||
	    !mem_grow(&s->parts, &s->cap, s->n + 1, sizeof(*s->parts)))
		return err_nomem(err);
	s->parts[s->n++] = (struct ct_rows){ .base = v->base_row,
					     .n = v->rows,
					     .columns = columns };
	return 0;
}

static int take_all(struct ct_store *s, struct tf_cursor *c, size_t limit,
		    struct err *err)
{
	for (;;) {
		const struct tf_view *v;
		int rc = tf_cursor_next(c, &v, err);

		if (rc == 1)
			return 0;
		if (rc < 0 && tf_is_damage(rc))
			continue;
		if (rc == 0)
			rc = keep(s, v, limit, err);
		if (rc)
			return rc;
	}
}

static bool is_of_epoch(const void *ctx, size_t i,
			const struct tf_chunk_info *c)
{
	(void)i;
	return c->epoch == *(const uint32_t *)ctx;
}

int ct_store_load(struct ct_store *s, const struct tf_reader *r,
		  const struct tf_table *t, uint32_t epoch, size_t limit,
		  struct err *err)
{
	struct tf_query q = { .table = t->id,
			      .columns = UINT64_MAX,
			      .chunk = is_of_epoch,
			      .chunk_ctx = &epoch };
	struct tf_cursor *c;
	int rc = tf_cursor_new(&c, r, &q, err);

	*s = (struct ct_store){ .table = t };
	if (rc)
		return rc;
	rc = take_all(s, c, limit, err);
	tf_cursor_free(c);
	if (rc)
		ct_store_fini(s);
	return rc;
}

const struct ct_kept *ct_store_find(const struct ct_store *s, uint64_t id,
				    size_t position, uint32_t *row)
{
	size_t low = 0, high = s->n;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (s->parts[mid].base <= id)
			low = mid + 1;
		else
			high = mid;
	}
	if (!low || id - s->parts[low - 1].base >= s->parts[low - 1].n)
		return NULL;
	*row = (uint32_t)(id - s->parts[low - 1].base);
	return &s->parts[low - 1].columns[position];
}
