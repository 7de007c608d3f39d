#include "format/decode.h"

#include "format/base/mem.h"
#include "format/base/varint.h"

#include <inttypes.h>
#include <string.h>

static int bad(struct err *err, const char *what)
{
	return err_set(err, ERR_FORMAT, "%s", what);
}

static int take_nested(struct tf_numbers *x, struct span *in,
		       const struct tf_entry *e, struct err *err)
{
	uint8_t id;
	int rc;

	if (!span_u8(in, &id))
		return bad(err, "encoding cut short");
	rc = tf_numbers_take(x, id, in, e, err);
	if (rc == 0 && x->n_keys)
		return err_set(err, ERR_FORMAT,
			       "encoding %u does not fit the type", id);
	return rc;
}

static int take_bytes(struct tf_plan *p, struct span *in,
		      const struct tf_entry *e, struct err *err)
{
	unsigned next;
	int rc = take_nested(&p->rows, in, e, err);

	if (rc || !p->rows.how)
		return rc;
	next = p->rows.n_streams;
	if (next < e->n_streams)
		p->total = e->streams[next++].raw;
	if (next != e->n_streams)
		return bad(err, "too many streams");
	p->size += tf_scratch_size((size_t)p->total);
	p->known = true;
	return 0;
}

static int take_list(struct tf_plan *p, struct span *in,
		     const struct tf_entry *e, struct err *err)
{
	int rc = take_nested(&p->rows, in, e, err);

	if (rc || !p->rows.how)
		return rc;
	if (!span_varint(in, &p->total))
		return bad(err, "bad count of items");
	if (p->total > TF_MAX_LIST_ITEMS)
		return err_set(err, ERR_LIMIT, "%" PRIu64 " items, limit %u",
			       p->total, TF_MAX_LIST_ITEMS);
	p->items.n = (size_t)p->total;
	p->items.first = p->rows.n_streams;
	rc = take_nested(&p->items, in, e, err);
	if (rc || !p->items.how)
		return rc;
	if (p->items.first + p->items.n_streams != e->n_streams)
		return bad(err, "too many streams");
	p->size += tf_numbers_size(&p->items);
	p->known = true;
	return 0;
}

static int take_plain(struct tf_plan *p, uint8_t id, struct span *in,
		      const struct tf_entry *e, struct err *err)
{
	int rc = tf_numbers_take(&p->rows, id, in, e, err);

	if (rc || !p->rows.how)
		return rc;
	if (p->rows.n_streams != e->n_streams)
		return bad(err, "too many streams");
	if (id == TF_ENC_CONST && !p->has_range) {
		p->has_range = true;
		p->min = p->max = p->rows.value;
	}
	p->known = true;
	return 0;
}

static int take_stats(struct tf_plan *p, const struct tf_column *c,
		      struct span *in, struct err *err)
{
	bool ordered = !c->list && (c->type == TF_U64 || c->type == TF_I64 ||
				    c->type == TF_REF);
	uint8_t stats;

	if (!span_u8(in, &stats))
		return bad(err, "statistics cut short");
	if (stats & ~TF_STATS_KNOWN || (stats && !ordered))
		return bad(err, "unknown statistics");
	p->has_range = stats & TF_STATS_RANGE;
	if (!p->has_range)
		return 0;
	if (!span_varint(in, &p->min) || !span_varint(in, &p->max))
		return bad(err, "bad statistics");
	if (c->type == TF_I64) {
		p->min = (uint64_t)zz_to(p->min);
		p->max = (uint64_t)zz_to(p->max);
	}
	return 0;
}

/* Bytes and lists are encodings of their own, and no other fits them. */
static bool fits(const struct tf_column *c, uint8_t id)
{
	if (c->list)
		return c->type != TF_BYTES && id == TF_ENC_LIST;
	if (c->type == TF_BYTES)
		return id == TF_ENC_BYTES;
	return id != TF_ENC_LIST && id != TF_ENC_BYTES;
}

static int take_encoding(struct tf_plan *p, const struct tf_column *c,
			 struct span *in, const struct tf_entry *e,
			 struct err *err)
{
	uint8_t id;

	if (!span_u8(in, &id))
		return bad(err, "encoding cut short");
	p->is_list = c->list;
	p->is_bytes = !c->list && c->type == TF_BYTES;
	if (id != TF_ENC_BYTES && id != TF_ENC_LIST && !tf_numbers_known(id))
		return 0;
	if (!fits(c, id))
		return err_set(err, ERR_FORMAT,
			       "encoding %u does not fit the type", id);
	if (p->is_list || p->is_bytes) {
		p->rows.type = TF_U64;
		p->size += tf_scratch_size((p->rows.n + 1) * sizeof(uint32_t));
		return p->is_list ? take_list(p, in, e, err) :
				    take_bytes(p, in, e, err);
	}
	return take_plain(p, id, in, e, err);
}

static bool codecs_known(const struct tf_entry *e)
{
	for (unsigned i = 0; i < e->n_streams; i++)
		if (e->streams[i].codec != TF_CODEC_RAW &&
		    e->streams[i].codec != TF_CODEC_ZSTD)
			return false;
	return true;
}

int tf_plan_take(struct tf_plan *out, const struct tf_column *c, uint32_t rows,
		 const struct tf_entry *e, struct err *err)
{
	struct tf_plan p = {
		.rows = { .n = rows, .type = c->type },
		.items = { .type = c->type },
	};
	struct span in = e->tail;
	int rc = 0;

	*out = p;
	if (c->type < TF_U64 || c->type > TF_REF || !codecs_known(e))
		return 0;
	rc = take_stats(&p, c, &in, err);
	if (rc == 0)
		rc = take_encoding(&p, c, &in, e, err);
	if (rc)
		return rc;
	if (!p.known)
		return 0;
	if (in.n)
		return err_set(err, ERR_FORMAT, "%zu bytes too many", in.n);
	p.size += tf_numbers_size(&p.rows);
	*out = p;
	return 0;
}

static int sum_lengths(uint32_t *offsets, const uint64_t *lengths, size_t rows,
		       uint64_t total, struct err *err)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < rows; i++) {
		offsets[i] = (uint32_t)sum;
		if (ckd_add(&sum, sum, lengths[i]) || sum > total)
			return bad(err, "lengths sum to more than there is");
	}
	offsets[rows] = (uint32_t)sum;
	return sum == total ? 0 : bad(err, "lengths sum to less than there is");
}

static int run_content(const struct tf_plan *p, struct tf_job *j,
		       struct tf_values *out)
{
	uint8_t *to;
	struct span in;
	int rc;

	if (p->is_list)
		return tf_numbers_run(&p->items, j, &out->items);
	to = tf_scratch_take(j->mem, (size_t)p->total);
	out->bytes = to;
	if (!p->total)
		return 0;
	rc = tf_body_streams(j->body, j->entry, p->rows.n_streams, 1, &in,
			     j->err);
	if (rc == 0)
		memcpy(to, in.p, in.n);
	return rc;
}

int tf_plan_run(const struct tf_plan *p, struct tf_job *j,
		struct tf_values *out)
{
	struct tf_values made = { .present = true };
	uint64_t *v;
	int rc = tf_numbers_run(&p->rows, j, &v);

	if (rc)
		return rc;
	if (!p->is_list && !p->is_bytes) {
		made.v = v;
	} else {
		made.offsets = tf_scratch_take(j->mem, (p->rows.n + 1) *
					       sizeof(*made.offsets));
		rc = sum_lengths(made.offsets, v, p->rows.n, p->total, j->err);
		if (rc == 0)
			rc = run_content(p, j, &made);
	}
	if (rc == 0)
		*out = made;
	return rc;
}
