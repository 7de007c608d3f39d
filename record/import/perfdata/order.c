#include "record/import/perfdata/order.h"

#include "format/base/mem.h"

#include <stdlib.h>
#include <string.h>

#define BLOCKS 32u
#define ENTRIES ((size_t)512 << 10)

#define PLACE sizeof(uint64_t) /* in the input, in front of a record */

/* Records ahead that are fetched: they were written a round ago. */
#define AHEAD 4u
#define FETCHED 256u /* bytes of each, at most */
#define CACHE_LINE 64u

int rec_pd_order_init(struct rec_pd_order *o,
		      const struct rec_pd_order_config *cfg, struct err *err)
{
	*o = (struct rec_pd_order){ .cfg = *cfg };
	if (!o->cfg.blocks)
		o->cfg.blocks = BLOCKS;
	if (!o->cfg.entries)
		o->cfg.entries = ENTRIES;
	o->blocks = calloc(o->cfg.blocks, sizeof(*o->blocks));
	return o->blocks ? 0 : err_nomem(err);
}

void rec_pd_order_fini(struct rec_pd_order *o)
{
	for (size_t i = 0; o->blocks && i < o->cfg.blocks; i++)
		free(o->blocks[i].bytes);
	free(o->blocks);
	free(o->entries);
	free(o->scratch);
	rec_pd_runs_fini(&o->runs);
	*o = (struct rec_pd_order){ 0 };
}

/* -- Sorting: a merge of what is ascending already, which is most of it: the
 * records of each CPU are, and what is left of the round before. ----------- */

/* Behind the ascending stretch that begins at `at`. */
static size_t ascending(const struct rec_pd_entry *e, size_t at, size_t n)
{
	if (at < n)
		at++;
	while (at < n && e[at - 1].time <= e[at].time)
		at++;
	return at;
}

static void merge_two(struct rec_pd_entry *to, const struct rec_pd_entry *from,
		      size_t a, size_t b, size_t end)
{
	size_t a_end = b, i = a;

	while (a < a_end && b < end)
		to[i++] = from[b].time < from[a].time ? from[b++] : from[a++];
	while (a < a_end)
		to[i++] = from[a++];
	while (b < end)
		to[i++] = from[b++];
}

/* One pass over all stretches. Returns how many there are after it. */
static size_t merge_pass(struct rec_pd_entry *to,
			 const struct rec_pd_entry *from, size_t at, size_t n)
{
	size_t stretches = 0;

	while (at < n) {
		size_t b = ascending(from, at, n);
		size_t end = ascending(from, b, n);

		merge_two(to, from, at, b, end);
		at = end;
		stretches++;
	}
	return stretches;
}

/* n entries, by way of as many others. */
static void sort_all(struct rec_pd_entry *e, struct rec_pd_entry *scratch,
		     size_t n)
{
	struct rec_pd_entry *from = e, *to = scratch;

	if (ascending(e, 0, n) == n)
		return;
	for (size_t stretches = 2; stretches > 1;) {
		struct rec_pd_entry *swap = from;

		stretches = merge_pass(to, from, 0, n);
		from = to;
		to = swap;
	}
	if (from != e)
		memcpy(e, from, n * sizeof(*e));
}

/* What came before has its turn before what came now, most of it. */
static void join_sorted(struct rec_pd_order *o)
{
	struct rec_pd_entry *e = o->entries;
	size_t b = o->sorted, at = b, a = 0, n;

	while (at > o->first && e[at - 1].time > e[b].time)
		at--;
	n = b - at;
	memcpy(o->scratch, e + at, n * sizeof(*e));
	while (a < n && b < o->n)
		e[at++] = e[b].time < o->scratch[a].time ? e[b++] :
							   o->scratch[a++];
	while (a < n)
		e[at++] = o->scratch[a++];
}

static int sort(struct rec_pd_order *o, struct err *err)
{
	if (o->sorted < o->first)
		o->sorted = o->first;
	if (o->sorted == o->n)
		return 0;
	if (!mem_grow(&o->scratch, &o->scratch_cap, o->n, sizeof(*o->scratch)))
		return err_nomem(err);
	sort_all(o->entries + o->sorted, o->scratch, o->n - o->sorted);
	join_sorted(o);
	o->sorted = o->n;
	return 0;
}

/* -- Room -------------------------------------------------------------------*/

static struct span record_of(const struct rec_pd_entry *e)
{
	return span_of(e->record, e->size);
}

static uint64_t at_of(const struct rec_pd_entry *e)
{
	uint64_t at;

	memcpy(&at, e->record - PLACE, sizeof(at));
	return at;
}

static void reset(struct rec_pd_order *o)
{
	o->first = o->n = o->sorted = 0;
	o->block = o->used = 0;
	for (size_t i = 0; i < o->cfg.blocks; i++)
		o->blocks[i].live = 0;
}

static int spill(struct rec_pd_order *o, struct err *err)
{
	int rc = sort(o, err);

	if (!rc)
		rc = rec_pd_runs_begin(&o->runs, err);
	for (size_t i = o->first; !rc && i < o->n; i++) {
		const struct rec_pd_entry *e = &o->entries[i];

		rc = rec_pd_runs_put(&o->runs, e->time, at_of(e), record_of(e),
				     err);
		o->spilled += e->size;
	}
	if (!rc)
		rc = rec_pd_runs_end(&o->runs, err);
	reset(o);
	return rc;
}

/* false: there is none. */
static bool next_block(struct rec_pd_order *o)
{
	for (size_t i = 0; i < o->cfg.blocks; i++) {
		if (o->blocks[i].live)
			continue;
		o->block = i;
		o->used = 0;
		return true;
	}
	return false;
}

/* Forgets the entries in front that are gone. */
static void move_up(struct rec_pd_order *o)
{
	if (!o->first || o->first < o->n - o->first)
		return;
	memmove(o->entries, o->entries + o->first,
		(o->n - o->first) * sizeof(*o->entries));
	o->n -= o->first;
	o->first = 0;
	o->sorted = o->n;
}

static int entry_room(struct rec_pd_order *o, struct err *err)
{
	if (o->n >= o->cfg.entries)
		return spill(o, err);
	if (o->n == o->cap &&
	    !mem_grow(&o->entries, &o->cap, o->n + 1, sizeof(*o->entries)))
		return err_nomem(err);
	return 0;
}

static int byte_room(struct rec_pd_order *o, size_t size, struct err *err)
{
	struct rec_pd_block *b;
	int rc = 0;

	if (REC_PD_BLOCK - o->used < size && !next_block(o))
		rc = spill(o, err);
	b = &o->blocks[o->block];
	if (!rc && !b->bytes)
		b->bytes = malloc(REC_PD_BLOCK);
	return rc || b->bytes ? rc : err_nomem(err);
}

int rec_pd_order_push(struct rec_pd_order *o, uint64_t time, uint64_t at,
		      struct span record, struct err *err)
{
	size_t size = PLACE + record.n;
	uint8_t *to;
	int rc = entry_room(o, err);

	if (!rc)
		rc = byte_room(o, size, err);
	if (rc)
		return rc;
	to = o->blocks[o->block].bytes + o->used;
	memcpy(to, &at, sizeof(at));
	memcpy(to + PLACE, record.p, record.n);
	o->used += size;
	o->blocks[o->block].live++;
	o->entries[o->n++] = (struct rec_pd_entry){
		.time = time,
		.record = to + PLACE,
		.block = (uint32_t)o->block,
		.size = (uint32_t)record.n,
	};
	return 0;
}

/* -- Giving out -------------------------------------------------------------*/

static void release(struct rec_pd_order *o, const struct rec_pd_entry *e)
{
	o->blocks[e->block].live--;
	o->first++;
}

static void fetch(const struct rec_pd_order *o)
{
	const struct rec_pd_entry *e;

	if (o->n - o->first <= AHEAD)
		return;
	e = &o->entries[o->first + AHEAD];
	for (size_t at = 0; at < e->size && at < FETCHED; at += CACHE_LINE)
		__builtin_prefetch(e->record + at);
}

/* What is in memory, up to and without `before` of the file's records. */
static int emit_own(struct rec_pd_order *o, uint64_t until, bool limited,
		    uint64_t before, rec_pd_emit_fn *emit, void *ctx,
		    struct err *err)
{
	while (o->first < o->n) {
		const struct rec_pd_entry *e = &o->entries[o->first];
		int rc;

		if (e->time > until || (limited && e->time >= before))
			return 0;
		fetch(o);
		rc = emit(ctx, e->time, at_of(e), record_of(e), err);
		release(o, e);
		if (rc < 0)
			return rc;
	}
	return 0;
}

int rec_pd_order_flush(struct rec_pd_order *o, uint64_t until,
		       rec_pd_emit_fn *emit, void *ctx, struct err *err)
{
	struct rec_pd_head h;
	int rc = sort(o, err);

	while (!rc && o->runs.n && !(rc = rec_pd_runs_peek(&o->runs, &h, err)) &&
	       h.time <= until) {
		rc = emit_own(o, until, true, h.time, emit, ctx, err);
		if (!rc)
			rc = emit(ctx, h.time, h.at, h.record, err);
		if (rc < 0)
			return rc;
		rec_pd_runs_next(&o->runs, &h);
	}
	if (rc < 0)
		return rc;
	rc = emit_own(o, until, false, 0, emit, ctx, err);
	move_up(o);
	return rc;
}
