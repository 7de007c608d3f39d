/* libcoltrace with files that lie and memory that runs out: everything that the
 * public header offers is asked of each. */
#include "format/base/mem.h"
#include "lib/coltrace.h"
#include "tests/support/failalloc.h"
#include "tests/support/goldens.h"
#include "tests/support/mutate.h"
#include "tests/support/points.h"
#include "tests/support/refit.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

/* What a reading came to. */
struct reading {
	uint64_t rows, sum;
	bool range;    /* ask for a range of time */
	bool no_memory; /* a call said that it had none */
};

static void judge(struct reading *r, int rc, const struct ct_error *error)
{
	if (rc >= 0)
		return;
	assert_int_equal(error->code, rc);
	assert_true(strlen(error->text) > 0 &&
		    strlen(error->text) < sizeof(error->text));
	r->no_memory |= rc == CT_ERR_NOMEM;
}

static void add_bytes(struct reading *r, const uint8_t *p, size_t n)
{
	for (size_t i = 0; i < n; i++)
		r->sum += p[i];
}

/* References are followed, text is taken. */
static void use_definition(struct reading *r, struct ct_lookup *l,
			   const struct ct_trace *t, const struct ct_column *c,
			   uint32_t epoch, uint64_t id)
{
	const struct ct_table *to = ct_table_by_id(t, c->ref_table);
	struct ct_error error;
	const char *text;
	uint64_t v;
	size_t n;
	int rc;

	if (!to || to->kind != CT_DEFINITION)
		return;
	r->sum += strlen(ct_lookup_name(l, epoch, id));
	rc = ct_lookup_text(l, to, epoch, id, 0, &text, &n, &error);
	judge(r, rc, &error);
	if (rc == 0)
		add_bytes(r, (const uint8_t *)text, n + 1);
	rc = ct_lookup_u64(l, to, epoch, id, 0, &v, &error);
	judge(r, rc, &error);
	if (rc == 0)
		r->sum += v;
}

static void use_column(struct reading *r, struct ct_lookup *l,
		       const struct ct_trace *t, const struct ct_column *c,
		       const struct ct_batch *b, size_t i)
{
	const uint32_t *offsets = ct_batch_offsets(b, i);
	size_t n = offsets ? offsets[ct_batch_rows(b)] : ct_batch_rows(b);
	const uint64_t *u = ct_batch_u64(b, i);
	const int64_t *s = ct_batch_i64(b, i);
	const double *f = ct_batch_f64(b, i);
	const uint8_t *bytes = ct_batch_bytes(b, i);

	for (uint32_t k = 0; offsets && k < ct_batch_rows(b); k++)
		assert_true(offsets[k] <= offsets[k + 1]);
	for (size_t k = 0; k < n; k++) {
		if (u)
			r->sum += u[k];
		if (u && c->type == CT_REF && k < 3)
			use_definition(r, l, t, c, ct_batch_epoch(b), u[k]);
		if (s)
			r->sum += (uint64_t)s[k];
		if (f)
			r->sum += f[k] > 0;
	}
	if (bytes)
		add_bytes(r, bytes, n);
}

static void use_table(struct reading *r, struct ct_lookup *l,
		      const struct ct_trace *trace, const struct ct_table *t)
{
	uint64_t min = 0, max = CT_TIME_MAX;
	struct ct_error error;
	struct ct_cursor *c;
	int rc = ct_table_times(trace, t, &min, &max, &error);

	judge(r, rc, &error);
	if (rc == 0 && r->range)
		max = min + (max - min) / 2;
	rc = ct_cursor_new(&c, trace, t, NULL, min, max, &error);
	judge(r, rc, &error);
	while (rc == 0) {
		const struct ct_batch *b;
		int step = ct_cursor_next(c, &b, &error);

		judge(r, step, &error);
		if (step == 1)
			break;
		if (step)
			continue;
		r->rows += ct_batch_rows(b);
		for (size_t i = 0; i < t->n_columns; i++)
			use_column(r, l, trace, ct_table_column(t, i), b, i);
	}
	if (rc == 0)
		ct_cursor_free(c);
}

static void use_facts(struct reading *r, struct ct_lookup *l)
{
	struct ct_error error;
	const char *key, *value;
	int rc;

	for (size_t i = 0;; i++) {
		rc = ct_fact_at(l, i, &key, &value, &error);
		judge(r, rc, &error);
		if (rc)
			break;
		r->sum += strlen(key) + strlen(value);
	}
	judge(r, ct_fact(l, "kernel", &value, &error), &error);
}

static void use_trace(struct reading *r, const struct ct_trace *t)
{
	struct ct_lookup *l;
	struct ct_error error;
	int rc = ct_lookup_new(&l, t, &error);

	judge(r, rc, &error);
	if (rc)
		return;
	for (size_t i = 0; i < ct_trace_tables(t); i++)
		use_table(r, l, t, ct_trace_table(t, i));
	use_facts(r, l);
	judge(r, ct_lookup_failure(l, &error), &error);
	ct_lookup_free(l);
}

/* false: it was not opened. */
static bool read_all(struct reading *r, struct span in)
{
	struct ct_verify_result result;
	struct ct_error error;
	struct ct_trace *t = NULL;
	int rc = ct_open_memory(&t, in.p, in.n, &error);

	judge(r, rc, &error);
	if (rc) {
		assert_null(t);
		return false;
	}
	for (size_t i = 0; i < ct_trace_gaps(t); i++)
		r->sum += strlen(ct_trace_gap(t, i)->why);
	use_trace(r, t);
	judge(r, ct_verify(t, NULL, NULL, &result, &error), &error);
	ct_close(t);
	return true;
}

static void see_prefix(void *ctx, struct span in)
{
	struct reading *last = ctx;
	struct reading r = { .range = in.n % 2 };

	if (!read_all(&r, in))
		assert_true(in.n < 64);
	else if (!r.range)
		assert_true(r.rows >= last->rows);
	if (!r.range)
		*last = r;
}

static void a_prefix_has_no_more_than_the_whole(void **state)
{
	(void)state;
	for (const struct golden *g = goldens; g->name; g++) {
		struct reading last = { .rows = 0 };
		struct buf b = { 0 };

		buf_init(&b, 0);
		assert_int_equal(golden_stored(g, &b, NULL), 0);
		mutate_prefixes(span_of(b.p, b.n), see_prefix, &last);
		buf_fini(&b);
	}
}

/* All bits would take a minute under a sanitizer. */
#define EVERY 7

struct flips {
	struct buf copy;
	size_t opened;
};

static void see_flip(void *ctx, struct span in, size_t bit)
{
	struct flips *f = ctx;
	struct reading r = { .range = bit % 2 };

	if (bit % EVERY)
		return;
	buf_clear(&f->copy);
	buf_put(&f->copy, in.p, in.n);
	assert_false(buf_failed(&f->copy));
	refit(f->copy.p, f->copy.n);
	f->opened += read_all(&r, span_of(f->copy.p, f->copy.n));
}

static void flip_all(const struct buf *good)
{
	struct flips f = { .opened = 0 };

	buf_init(&f.copy, 0);
	mutate_bits(good->p, good->n, see_flip, &f);
	assert_true(f.opened > good->n / 2);
	buf_fini(&f.copy);
}

static void flipped_bits_behind_right_checksums_do_no_harm(void **state)
{
	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct buf stored = { 0 }, raw = { 0 };

		buf_init(&stored, 0);
		buf_init(&raw, 0);
		assert_int_equal(golden_stored(&goldens[i], &stored, NULL), 0);
		refit_raw(&raw, span_of(stored.p, stored.n));
		flip_all(&raw);
		buf_fini(&stored);
		buf_fini(&raw);
	}
}

static void a_refused_allocation_is_told_or_does_not_matter(void **state)
{
	struct reading whole = { .range = true };
	struct buf b;
	long n = 0, told = 0;

	(void)state;
	buf_init(&b, 0);
	assert_int_equal(tp_build(&points_trace, &b, NULL), 0);
	assert_true(read_all(&whole, span_of(b.p, b.n)));
	assert_false(whole.no_memory);
	for (bool hit = true; hit; ) {
		struct reading r = { .range = true };

		failalloc_at(++n);
		read_all(&r, span_of(b.p, b.n));
		hit = failalloc_hit();
		failalloc_off();
		/* Without memory for the index, the file is walked. */
		assert_true(hit ? r.no_memory || r.sum == whole.sum :
				  !r.no_memory && r.sum == whole.sum);
		told += r.no_memory;
	}
	assert_true(told > 100);
	buf_fini(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_prefix_has_no_more_than_the_whole),
		cmocka_unit_test(flipped_bits_behind_right_checksums_do_no_harm),
		cmocka_unit_test(a_refused_allocation_is_told_or_does_not_matter),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
