#include "format/decode.h"

#include "format/base/mem.h"
#include "format/base/varint.h"
#include "format/planes.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct job { /* a column on its way */
	const struct tf_entry *entry;
	struct tf_body *body;
	struct tf_scratch *mem;
	struct err *err;
};

/* One row an encoding of numbers: how to read its parameters, how many bytes
 * of scratch it takes beside the values, how to make them. */
struct tf_decoding {
	uint8_t id;
	int (*take)(struct tf_numbers *x, struct span *in,
		    const struct tf_entry *e, struct err *err);
	int (*run)(const struct tf_numbers *x, struct job *j, uint64_t *to);
};

void tf_scratch_fini(struct tf_scratch *s)
{
	free(s->p);
	*s = (struct tf_scratch){ 0 };
}

int tf_scratch_reset(struct tf_scratch *s, size_t size, struct err *err)
{
	s->used = 0;
	if (size <= s->cap)
		return 0;
	/* Not realloc: what was there need not be copied. */
	free(s->p);
	s->cap = 0;
	s->p = malloc(size);
	if (!s->p)
		return err_nomem(err);
	s->cap = size;
	return 0;
}

static size_t round8(size_t n)
{
	return (n + 7) / 8 * 8;
}

static void *scratch(struct tf_scratch *s, size_t size)
{
	void *p = s->p + s->used;

	s->used += round8(size);
	return p;
}

static int bad(struct err *err, const char *what)
{
	return err_set(err, ERR_FORMAT, "%s", what);
}

/* Claims the next n streams; each plane of them has one byte a value. */
static int claim(struct tf_numbers *x, const struct tf_entry *e, unsigned dict,
		 struct err *err)
{
	unsigned end;

	x->n_streams = dict + x->w;
	end = x->first + x->n_streams;
	if (end > e->n_streams)
		return bad(err, "too few streams");
	for (unsigned i = x->first + dict; i < end; i++)
		if (e->streams[i].raw != x->n)
			return err_set(err, ERR_FORMAT, "stream %u: %" PRIu32
				       " bytes for %zu values", i,
				       e->streams[i].raw, x->n);
	return 0;
}

static int take_width(struct tf_numbers *x, struct span *in, unsigned limit,
		      struct err *err)
{
	if (!span_u8(in, &x->w))
		return bad(err, "parameters cut short");
	if (x->w > limit)
		return err_set(err, ERR_FORMAT, "%u planes, limit %u", x->w,
			       limit);
	return 0;
}

static int planes_take(struct tf_numbers *x, struct span *in,
		       const struct tf_entry *e, struct err *err)
{
	int rc = take_width(x, in, 8, err);

	return rc ? rc : claim(x, e, 0, err);
}

static int join(const struct tf_numbers *x, unsigned first, struct job *j,
		uint64_t *to)
{
	struct span plane;

	if (!x->w && x->n)
		memset(to, 0, x->n * sizeof(*to));
	for (unsigned b = 0; b < x->w; b++) {
		int rc = tf_body_stream(j->body, j->entry, first + b, &plane,
					j->err);

		if (rc)
			return rc;
		tf_planes_join(to, plane.p, x->n, b);
	}
	return 0;
}

static int planes_run(const struct tf_numbers *x, struct job *j, uint64_t *to)
{
	int rc = join(x, x->first, j, to);

	if (rc == 0 && x->type == TF_I64)
		tf_planes_unzigzag(to, x->n);
	return rc;
}

static int const_take(struct tf_numbers *x, struct span *in,
		      const struct tf_entry *e, struct err *err)
{
	bool ok = x->type == TF_F64 ? span_u64(in, &x->value) :
				      span_varint(in, &x->value);

	(void)e;
	if (!ok)
		return bad(err, "bad constant");
	if (x->type == TF_I64)
		x->value = (uint64_t)zz_to(x->value);
	return 0;
}

static int const_run(const struct tf_numbers *x, struct job *j, uint64_t *to)
{
	(void)j;
	for (size_t i = 0; i < x->n; i++)
		to[i] = x->value;
	return 0;
}

static int delta_take(struct tf_numbers *x, struct span *in,
		      const struct tf_entry *e, struct err *err)
{
	if (!span_varint(in, &x->value))
		return bad(err, "bad base");
	return planes_take(x, in, e, err);
}

static int delta_run(const struct tf_numbers *x, struct job *j, uint64_t *to)
{
	int rc = join(x, x->first, j, to);

	if (rc == 0)
		tf_planes_sum(to, x->n, x->value);
	return rc;
}

static int dict_take(struct tf_numbers *x, struct span *in,
		     const struct tf_entry *e, struct err *err)
{
	int rc = take_width(x, in, 3, err);
	uint64_t count;
	uint32_t raw;

	if (rc)
		return rc;
	if (!span_varint(in, &count) || count > x->n)
		return bad(err, "bad count of distinct values");
	x->count = (uint32_t)count;
	rc = claim(x, e, 1, err);
	if (rc)
		return rc;
	raw = e->streams[x->first].raw;
	if (raw < count || raw > count * VARINT_MAX)
		return err_set(err, ERR_FORMAT, "stream %u: %" PRIu32
			       " bytes for %" PRIu64 " distinct values",
			       x->first, raw, count);
	return 0;
}

static int take_distinct(uint64_t *values, uint32_t count, struct span in,
			 struct err *err)
{
	uint64_t last = 0, step;

	for (uint32_t i = 0; i < count; i++) {
		if (!span_varint(&in, &step) || ckd_add(&last, last, step) ||
		    (i && !step))
			return bad(err, "distinct values do not rise");
		values[i] = last;
	}
	return in.n ? bad(err, "bytes too many") : 0;
}

static int look_up(uint64_t *to, size_t n, const uint64_t *values,
		   uint32_t count, struct err *err)
{
	for (size_t i = 0; i < n; i++) {
		if (to[i] >= count)
			return err_set(err, ERR_FORMAT, "index %" PRIu64
				       " of %" PRIu32 " distinct values",
				       to[i], count);
		to[i] = values[to[i]];
	}
	return 0;
}

static int dict_run(const struct tf_numbers *x, struct job *j, uint64_t *to)
{
	uint64_t *values = scratch(j->mem, x->count * sizeof(*values));
	struct span in;
	int rc = tf_body_stream(j->body, j->entry, x->first, &in, j->err);

	if (rc)
		return rc;
	rc = take_distinct(values, x->count, in, j->err);
	if (rc)
		return err_in(j->err, rc, "stream %u", x->first);
	rc = join(x, x->first + 1, j, to);
	return rc ? rc : look_up(to, x->n, values, x->count, j->err);
}

static const struct tf_decoding decodings[] = {
	{ TF_ENC_PLANES, planes_take, planes_run },
	{ TF_ENC_CONST, const_take, const_run },
	{ TF_ENC_DELTA, delta_take, delta_run },
	{ TF_ENC_DICT, dict_take, dict_run },
};

/* Takes the parameters of the encoding `id`; x->how stays NULL where it is
 * not known. */
static int take_known(struct tf_numbers *x, uint8_t id, struct span *in,
		      const struct tf_entry *e, struct err *err)
{
	for (size_t i = 0; i < ARRAY_LEN(decodings); i++) {
		if (decodings[i].id != id)
			continue;
		x->how = &decodings[i];
		return x->how->take(x, in, e, err);
	}
	return 0;
}

static int take_nested(struct tf_numbers *x, struct span *in,
		       const struct tf_entry *e, struct err *err)
{
	uint8_t id;

	if (!span_u8(in, &id))
		return bad(err, "encoding cut short");
	return take_known(x, id, in, e, err);
}

static size_t numbers_size(const struct tf_numbers *x)
{
	return x->n * sizeof(uint64_t) + x->count * sizeof(uint64_t);
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
	p->size += round8((size_t)p->total);
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
	p->size += numbers_size(&p->items);
	p->known = true;
	return 0;
}

static int take_plain(struct tf_plan *p, uint8_t id, struct span *in,
		      const struct tf_entry *e, struct err *err)
{
	int rc = take_known(&p->rows, id, in, e, err);

	if (rc || !p->rows.how)
		return rc;
	if (p->rows.n_streams != e->n_streams)
		return bad(err, "too many streams");
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

static bool is_known(uint8_t id)
{
	if (id == TF_ENC_BYTES || id == TF_ENC_LIST)
		return true;
	for (size_t i = 0; i < ARRAY_LEN(decodings); i++)
		if (decodings[i].id == id)
			return true;
	return false;
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
	p->size = numbers_size(&p->rows);
	p->is_list = c->list;
	p->is_bytes = !c->list && c->type == TF_BYTES;
	if (!is_known(id))
		return 0;
	if (!fits(c, id))
		return err_set(err, ERR_FORMAT,
			       "encoding %u does not fit the type", id);
	if (p->is_list || p->is_bytes) {
		p->rows.type = TF_U64;
		p->size += round8((p->rows.n + 1) * sizeof(uint32_t));
		return p->is_list ? take_list(p, in, e, err) :
				    take_bytes(p, in, e, err);
	}
	return take_plain(p, id, in, e, err);
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
	if (c->type < TF_U64 || c->type > TF_REF)
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
	p.size += p.rows.count * sizeof(uint64_t);
	*out = p;
	return 0;
}

static int check_bools(const struct tf_numbers *x, const uint64_t *v,
		       struct err *err)
{
	uint64_t bits = 0;

	if (x->type != TF_BOOL)
		return 0;
	for (size_t i = 0; i < x->n; i++)
		bits |= v[i];
	return bits > 1 ? bad(err, "a boolean that is neither 0 nor 1") : 0;
}

static int run_numbers(const struct tf_numbers *x, struct job *j, uint64_t **to)
{
	int rc;

	*to = scratch(j->mem, x->n * sizeof(**to));
	rc = x->how->run(x, j, *to);
	return rc ? rc : check_bools(x, *to, j->err);
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

static int run_content(const struct tf_plan *p, struct job *j,
		       struct tf_values *out)
{
	uint8_t *to;
	struct span in;
	int rc;

	if (p->is_list)
		return run_numbers(&p->items, j, &out->items);
	to = scratch(j->mem, (size_t)p->total);
	out->bytes = to;
	if (!p->total)
		return 0;
	rc = tf_body_stream(j->body, j->entry, p->rows.n_streams, &in, j->err);
	if (rc == 0)
		memcpy(to, in.p, in.n);
	return rc;
}

int tf_plan_run(const struct tf_plan *p, const struct tf_entry *e,
		struct tf_body *body, struct tf_scratch *mem,
		struct tf_values *out, struct err *err)
{
	struct job j = { e, body, mem, err };
	struct tf_values made = { .present = true };
	uint64_t *v;
	int rc = run_numbers(&p->rows, &j, &v);

	if (rc)
		return rc;
	if (!p->is_list && !p->is_bytes) {
		made.v = v;
	} else {
		made.offsets = scratch(mem, (p->rows.n + 1) *
					    sizeof(*made.offsets));
		rc = sum_lengths(made.offsets, v, p->rows.n, p->total, err);
		if (rc == 0)
			rc = run_content(p, &j, &made);
	}
	if (rc == 0)
		*out = made;
	return rc;
}
