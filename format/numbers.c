#include "format/numbers.h"

#include "format/base/mem.h"
#include "format/base/varint.h"
#include "format/planes.h"
#include "format/predict.h"

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

enum { PLANES_MAX = 8 };

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
	int rc = take_width(x, in, PLANES_MAX, err);

	return rc ? rc : claim(x, e, 0, err);
}

/* What has one width only says so, but where there is nothing to say. */
static int plain_take(struct tf_numbers *x, struct span *in,
		      const struct tf_entry *e, struct err *err)
{
	int rc = planes_take(x, in, e, err);
	unsigned w = x->type == TF_F64 ? 8 : 1;

	if (rc || !x->n || x->w == w ||
	    (x->type != TF_F64 && x->type != TF_BOOL))
		return rc;
	return err_set(err, ERR_FORMAT, "%u planes do not fit the type", x->w);
}

/* The streams from x->first on: `beside` of them, then the planes. */
static int take_streams(const struct tf_numbers *x, unsigned beside,
			struct tf_job *j, struct span *out)
{
	return tf_body_streams(j->body, j->entry, x->first, beside + x->w, out,
			       j->err);
}

static void starts(const uint8_t **to, const struct span *planes, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		to[i] = planes[i].p;
}

static void join(const struct tf_numbers *x, const struct span *planes,
		 uint64_t *to)
{
	const uint8_t *at[PLANES_MAX];

	starts(at, planes, x->w);
	tf_planes_join(to, at, x->n, x->w);
}

static int join_all(const struct tf_numbers *x, struct tf_job *j, uint64_t *to)
{
	struct span planes[PLANES_MAX];
	int rc = take_streams(x, 0, j, planes);

	if (rc == 0)
		join(x, planes, to);
	return rc;
}

static int planes_run(const struct tf_numbers *x, struct tf_job *j, uint64_t *to)
{
	int rc = join_all(x, j, to);

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
	int rc = join_all(x, j, to);

	if (rc == 0)
		tf_planes_sum(to, x->n, x->value);
	return rc;
}

static int rise_run(const struct tf_numbers *x, struct tf_job *j, uint64_t *to)
{
	int rc = join_all(x, j, to);

	if (rc == 0)
		tf_planes_rise(to, x->n, x->value);
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

static int bad_index(const struct tf_numbers *x, const uint32_t *of,
		     struct err *err)
{
	size_t i = 0;

	while (of[i] < x->count)
		i++;
	return err_set(err, ERR_FORMAT, "index %" PRIu32 " of %" PRIu32
		       " distinct values", of[i], x->count);
}

/* of[i] becomes the place of value i among the distinct ones. */
static int dict_places(const struct tf_numbers *x, struct tf_job *j,
		       uint32_t *of, const uint64_t **distinct)
{
	uint64_t *values = tf_scratch_take(j->mem, x->count * sizeof(*values));
	struct span in[1 + PLANES_MAX];
	const uint8_t *at[PLANES_MAX];
	int rc = take_streams(x, 1, j, in);

	if (rc)
		return rc;
	rc = take_distinct(values, x->count, in[0], j->err);
	if (rc)
		return err_in(j->err, rc, "stream %u", x->first);
	*distinct = values;
	starts(at, in + 1, x->w);
	return tf_planes_join_below(of, at, x->n, x->w, x->count) ?
		       0 : bad_index(x, of, j->err);
}

static int dict_run(const struct tf_numbers *x, struct tf_job *j, uint64_t *to)
{
	uint32_t *of = tf_scratch_take(j->mem, x->n * sizeof(*of));
	const uint64_t *values;
	int rc = dict_places(x, j, of, &values);

	for (size_t i = 0; i < x->n && rc == 0; i++)
		to[i] = values[of[i]];
	return rc;
}

static int take_key(struct tf_numbers *x, struct span *in, struct err *err)
{
	uint64_t id;

	if (!span_varint(in, &id) || id > UINT32_MAX)
		return bad(err, "bad key");
	x->keys[x->n_keys++] = (uint32_t)id;
	return 0;
}

static int take_keys(struct tf_numbers *x, struct span *in, struct err *err)
{
	uint8_t n;
	int rc = 0;

	if (!span_u8(in, &n) || n < 1 || n > ARRAY_LEN(x->keys))
		return bad(err, "bad number of keys");
	while (x->n_keys < n && rc == 0)
		rc = take_key(x, in, err);
	return rc;
}

static int check_side(const struct tf_numbers *x, const struct tf_entry *e,
		      unsigned stream, struct err *err)
{
	uint32_t raw = e->streams[stream].raw;

	if (raw <= x->n * VARINT_MAX)
		return 0;
	return err_set(err, ERR_FORMAT, "stream %u: %" PRIu32 " bytes for at "
		       "most %zu values", stream, raw, x->n);
}

static int kdelta_take(struct tf_numbers *x, struct span *in,
		       const struct tf_entry *e, struct err *err)
{
	int rc = take_keys(x, in, err);

	if (rc == 0 && !span_varint(in, &x->value))
		return bad(err, "bad base");
	if (rc == 0)
		rc = take_width(x, in, PLANES_MAX, err);
	if (rc == 0)
		rc = claim(x, e, 1, err);
	return rc ? rc : check_side(x, e, x->first, err);
}

static int kdelta_run(const struct tf_numbers *x, struct tf_job *j,
		      uint64_t *to)
{
	const struct tf_key *key = &j->by->key;
	struct tf_last *state = tf_scratch_take(j->mem,
						key->n * sizeof(*state));
	struct span in[1 + PLANES_MAX];
	int rc = take_streams(x, 1, j, in);

	if (rc)
		return rc;
	join(x, in + 1, to);
	rc = tf_predict_sum(to, x->n, x->value, key, state, in[0], j->err);
	return rc ? err_in(j->err, rc, "stream %u", x->first) : 0;
}

/* The guesses are one plane, before the side. */
static int guesses_take(struct tf_numbers *x, const struct tf_entry *e,
			struct err *err)
{
	unsigned end = x->first + 2;

	x->n_streams = 2;
	if (end > e->n_streams)
		return bad(err, "too few streams");
	if (e->streams[x->first].raw != x->n)
		return err_set(err, ERR_FORMAT, "stream %u: %" PRIu32
			       " bytes for %zu values", x->first,
			       e->streams[x->first].raw, x->n);
	return check_side(x, e, x->first + 1, err);
}

static int klast_take(struct tf_numbers *x, struct span *in,
		      const struct tf_entry *e, struct err *err)
{
	int rc = take_keys(x, in, err);

	return rc ? rc : guesses_take(x, e, err);
}

static int link_take(struct tf_numbers *x, struct span *in,
		     const struct tf_entry *e, struct err *err)
{
	int rc = take_key(x, in, err);

	if (rc == 0)
		rc = take_key(x, in, err);
	x->is_link = true;
	return rc ? rc : guesses_take(x, e, err);
}

static int guesses_run(const struct tf_numbers *x, struct tf_job *j,
		       uint64_t *to)
{
	const struct tf_prediction *by = j->by;
	struct tf_last *state = tf_scratch_take(j->mem,
						by->key.n * sizeof(*state));
	struct span in[2]; /* guesses, side */
	int rc = take_streams(x, 2, j, in);

	if (rc)
		return rc;
	tf_predict_begin(state, by->key.n, by->initial, by->n_initial);
	rc = tf_predict_take(to, in[0].p, x->n, &by->key, state, in[1], j->err);
	return rc ? err_in(j->err, rc, "stream %u", x->first + 1) : 0;
}

static const struct tf_decoding decodings[] = {
	{ TF_ENC_PLANES, plain_take, planes_run },
	{ TF_ENC_CONST, const_take, const_run },
	{ TF_ENC_DELTA, delta_take, delta_run },
	{ TF_ENC_KDELTA, kdelta_take, kdelta_run },
	{ TF_ENC_DICT, dict_take, dict_run },
	{ TF_ENC_KLAST, klast_take, guesses_run },
	{ TF_ENC_LINK, link_take, guesses_run },
	{ TF_ENC_RISE, delta_take, rise_run },
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
	bool is_dict = x->how && x->how->id == TF_ENC_DICT;

	return x->n * sizeof(uint64_t) + x->count * sizeof(uint64_t) +
	       (is_dict ? tf_scratch_size(x->n * sizeof(uint32_t)) : 0);
}

size_t tf_numbers_state_size(uint32_t n)
{
	return n * sizeof(struct tf_last);
}

bool tf_numbers_constant(const struct tf_numbers *x)
{
	return x->how && x->how->id == TF_ENC_CONST;
}

uint32_t tf_numbers_distinct(const struct tf_numbers *x)
{
	if (tf_numbers_constant(x))
		return 1;
	return x->how && x->how->id == TF_ENC_DICT ? x->count : 0;
}

size_t tf_numbers_key_size(const struct tf_numbers *x)
{
	if (x->how && x->how->id == TF_ENC_DICT)
		return 0;
	return tf_scratch_size(x->n * sizeof(uint32_t)) + sizeof(uint64_t);
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

static int const_places(const struct tf_numbers *x, struct tf_job *j,
			uint32_t *of, const uint64_t **distinct)
{
	uint64_t *values = tf_scratch_take(j->mem, sizeof(*values));

	*values = x->value;
	*distinct = values;
	memset(of, 0, x->n * sizeof(*of));
	return 0;
}

int tf_numbers_run_key(const struct tf_numbers *x, struct tf_job *j,
		       struct tf_key *key, const uint64_t **distinct,
		       uint64_t **out)
{
	uint64_t *to = tf_scratch_take(j->mem, x->n * sizeof(*to));
	uint32_t *of = tf_scratch_take(j->mem, x->n * sizeof(*of));
	int rc = tf_numbers_constant(x) ? const_places(x, j, of, distinct) :
					  dict_places(x, j, of, distinct);

	if (rc)
		return rc;
	for (size_t i = 0; i < x->n; i++)
		to[i] = (*distinct)[of[i]];
	*key = (struct tf_key){ of, tf_numbers_distinct(x) };
	*out = to;
	return check_bools(x, to, j->err);
}
