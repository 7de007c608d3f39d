/* From when to when a file has rows of some tables. */
#include "format/audit.h"
#include "format/reader_state.h"

struct bounds {
	const struct tf_reader *reader;
	struct tf_chunk chunk;
	const uint32_t *tables;
	size_t n;
	uint64_t bits; /* of the tables */
	bool timed;    /* chunks state the times of all of them */
	uint64_t t_min, t_max;
};

static bool is_asked(const struct bounds *b, uint32_t table)
{
	size_t low = 0, high = b->n;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (b->tables[mid] < table)
			low = mid + 1;
		else
			high = mid;
	}
	return low < b->n && b->tables[low] == table;
}

/* Nothing in the chunk is outside of what is known. */
static bool says_nothing(const struct bounds *b, const struct tf_chunk_info *c)
{
	if (c->type != TF_CHUNK_DATA || !(c->tables & b->bits))
		return true;
	return b->timed && ((!c->t_min && !c->t_max) ||
			    (c->t_min >= b->t_min && c->t_max <= b->t_max));
}

static int take_parts(struct bounds *b, struct err *err)
{
	struct tf_part p;
	int rc = tf_chunk_begin(&b->chunk, err);

	while (rc == 0 && (rc = tf_chunk_next(&b->chunk, &p, err)) == 0) {
		if (!is_asked(b, p.table) || !(p.flags & TF_PART_TIMES))
			continue;
		b->t_min = p.t_min < b->t_min ? p.t_min : b->t_min;
		b->t_max = p.t_max > b->t_max ? p.t_max : b->t_max;
	}
	return rc;
}

static int take_chunk(struct bounds *b, size_t i, struct err *err)
{
	int rc;

	if (says_nothing(b, &b->reader->scan.chunks.chunks[i]))
		return 0;
	rc = tf_reader_load(b->reader, &b->chunk, i, err);
	if (rc == 0)
		rc = take_parts(b, err);
	return rc > 0 || tf_is_damage(rc) ? 0 : rc;
}

/* The last chunk that tells something comes first: then those in the middle
 * have nothing to add. */
static int take_chunks(struct bounds *b, struct err *err)
{
	size_t n = b->reader->scan.chunks.n;
	int rc = 0;

	for (size_t i = n; i > 0 && !rc && b->t_min > b->t_max; i--)
		rc = take_chunk(b, i - 1, err);
	for (size_t i = 0; i < n && !rc; i++)
		rc = take_chunk(b, i, err);
	return rc;
}

int tf_reader_bounds(const struct tf_reader *r, const uint32_t *tables,
		     size_t n, uint64_t *t_min, uint64_t *t_max,
		     struct err *err)
{
	struct bounds b = { .reader = r, .tables = tables, .n = n,
			    .t_min = UINT64_MAX };
	int rc = tf_chunk_init(&b.chunk, r->source, r->header.file_id, err);

	b.timed = true;
	for (size_t i = 0; i < n; i++) {
		const struct tf_table *t = tf_schema_by_id(&r->schema,
							   tables[i]);

		b.bits |= tf_table_bit(tables[i]);
		b.timed = b.timed && (!t || tf_table_is_timed(t));
	}
	if (rc == 0)
		rc = take_chunks(&b, err);
	tf_chunk_fini(&b.chunk);
	if (rc)
		return rc;
	*t_min = b.t_min;
	*t_max = b.t_max;
	return b.t_min > b.t_max;
}
