#include "format/numbers.h"

#include "format/base/mem.h"
#include "format/base/varint.h"
#include "format/planes.h"

#include <inttypes.h>
#include <string.h>

/* One row an encoding of numbers: how to read its parameters, how many bytes
 * of scratch it takes beside the values, how to make them. */
struct tf_decoding {
	uint8_t id;
	int (*take)(struct tf_numbers *x, struct span *in,
		    const struct tf_entry *e, struct err *err);
	int (*run)(const struct tf_numbers *x, struct tf_job *j, uint64_t *to);
};

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

static int join(const struct tf_numbers *x, unsigned first, struct tf_job *j,
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

static int planes_run(const struct tf_numbers *x, struct tf_job *j, uint64_t *to)
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

static int const_run(const struct tf_numbers *x, struct tf_job *j, uint64_t *to)
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

static int delta_run(const struct tf_numbers *x, struct tf_job *j, uint64_t *to)
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

static int dict_run(const struct tf_numbers *x, struct tf_job *j, uint64_t *to)
{
	uint64_t *values = tf_scratch_take(j->mem, x->count * sizeof(*values));
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

bool tf_numbers_known(uint8_t encoding)
{
	for (size_t i = 0; i < ARRAY_LEN(decodings); i++)
		if (decodings[i].id == encoding)
			return true;
	return false;
}

int tf_numbers_take(struct tf_numbers *x, uint8_t encoding, struct span *in,
		    const struct tf_entry *e, struct err *err)
{
	for (size_t i = 0; i < ARRAY_LEN(decodings); i++) {
		if (decodings[i].id != encoding)
			continue;
		x->how = &decodings[i];
		return x->how->take(x, in, e, err);
	}
	return 0;
}

size_t tf_numbers_size(const struct tf_numbers *x)
{
	return x->n * sizeof(uint64_t) + x->count * sizeof(uint64_t);
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

int tf_numbers_run(const struct tf_numbers *x, struct tf_job *j,
		   uint64_t **out)
{
	uint64_t *to = tf_scratch_take(j->mem, x->n * sizeof(*to));
	int rc = x->how->run(x, j, to);

	*out = to;
	return rc ? rc : check_bools(x, to, j->err);
}
