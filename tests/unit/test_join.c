#include "format/base/mem.h"
#include "format/catalog.h"
#include "format/join.h"
#include "format/verify.h"
#include "format/writer.h"
#include "tests/support/failalloc.h"
#include "tests/support/faultio.h"
#include "tests/support/mutate.h"
#include "tests/support/tracebuild.h"
#include "tests/support/walk.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const struct tb_image images[] = {
	{ "a", TF_IMAGE_ELF, "/bin/a", "build-id-of-a", 0 },
};
static const struct tb_symbol symbols[] = {
	{ "a", "main", 0x100, 0x10, NULL },
	{ "a", "work", 0x110, 0x10, NULL },
};
static const struct tb_thread threads[] = { { 7, 7, "one", 5 } };
static const struct tb_event events[] = {
	{ "cpu-clock", "ns", 1, 0, 99, 0, true },
};
static const struct tb_sample early[] = {
	{ 1000, 0, 0, 0, 1, "main;work", NULL, 0, 5 },
};
static const struct tb_sample late[] = {
	{ 2000, 0, 0, 0, 1, "main", NULL, 0, 3 },
};
/* Two epochs each, 8 and 11 samples. */
static const struct tb_epoch two[] = { { early, 1 }, { late, 1 } };
static const struct tb_epoch three[] = { { early, 1 }, { late, 1 },
					 { late, 1 } };

#define TRACE(eps)                                                             \
	.images = images, .n_images = ARRAY_LEN(images), .symbols = symbols,   \
	.n_symbols = ARRAY_LEN(symbols), .threads = threads,                   \
	.n_threads = ARRAY_LEN(threads), .events = events,                     \
	.n_events = ARRAY_LEN(events), .epochs = eps, .n_epochs = ARRAY_LEN(eps)

static const struct tb_trace first = { TRACE(two), .start_unix_ns = 5 };
static const struct tb_trace second = { TRACE(three), .start_unix_ns = 9 };
static const struct tb_trace open_end = { TRACE(two), .unclosed = true };

/* Files, what they are joined to, and a reader of that. */
struct fixture {
	struct tf_source *sources[4];
	struct tf_reader *readers[4];
	size_t n;
	struct tf_source *joined;
	struct tf_reader *all;
	struct err err;
};

static void build(const struct tb_trace *t, struct buf *to)
{
	buf_init(to, 0);
	assert_int_equal(tb_build(t, to, NULL), 0);
}

/* false: it is refused by itself already. */
static bool add(struct fixture *f, struct span bytes)
{
	assert_int_equal(tf_source_memory(&f->sources[f->n], bytes, NULL), 0);
	if (tf_reader_open(&f->readers[f->n], f->sources[f->n], NULL)) {
		tf_source_close(f->sources[f->n]);
		return false;
	}
	f->n++;
	return true;
}

static int join(struct fixture *f)
{
	int rc = tf_join(&f->joined, f->readers, f->n, "all", &f->err);

	return rc ? rc : tf_reader_open(&f->all, f->joined, &f->err);
}

static void must_join(struct fixture *f)
{
	if (join(f))
		fail_msg("%s", f->err.text);
}

static void fini(struct fixture *f)
{
	tf_reader_free(f->all);
	for (size_t i = 0; i < f->n; i++) {
		tf_reader_free(f->readers[i]);
		if (!f->joined)
			tf_source_close(f->sources[i]);
	}
	tf_source_close(f->joined);
	*f = (struct fixture){ 0 };
}

static void no_problem(void *ctx, uint64_t offset, const char *what)
{
	(void)ctx;
	fail_msg("at %lu: %s", (unsigned long)offset, what);
}

static void count_problem(void *ctx, uint64_t offset, const char *what)
{
	(void)offset, (void)what;
	++*(size_t *)ctx;
}

static void assert_sound(const struct tf_reader *r, enum tf_ending ending)
{
	struct tf_verify_result v;

	assert_int_equal(tf_verify(r, no_problem, NULL, &v, NULL), 0);
	assert_int_equal(tf_reader_ending(r), ending);
	assert_int_equal(v.problems, 0);
}

struct seen {
	uint64_t times[64];
	uint32_t epochs[64];
	size_t n;
};

static void see_samples(struct seen *s, const struct tf_reader *r)
{
	struct tf_query q = { .table = TF_TABLE_SAMPLE,
			      .columns = UINT64_MAX };
	const struct tf_view *v;
	struct tf_cursor *c;

	s->n = 0;
	assert_int_equal(tf_cursor_new(&c, r, &q, NULL), 0);
	while (tf_cursor_next(c, &v, NULL) == 0)
		for (uint32_t i = 0; i < v->rows; i++, s->n++) {
			assert_true(s->n < ARRAY_LEN(s->times));
			s->times[s->n] = v->columns[TF_SAMPLE_TIME].v[i];
			s->epochs[s->n] = v->epoch;
		}
	tf_cursor_free(c);
}

static void a_joined_file_has_the_rows_of_each_in_order(void **state)
{
	/* Two files: 5 and 3 samples, then 5, 3 and 3, each an epoch. */
	static const struct { uint64_t time; size_t n; } want[] = {
		{ 1000, 5 }, { 2000, 3 }, { 1000, 5 }, { 2000, 3 }, { 2000, 3 },
	};
	struct fixture f = { 0 };
	struct buf a, b;
	struct seen s;
	size_t at = 0;

	(void)state;
	build(&first, &a);
	build(&second, &b);
	assert_true(add(&f, span_of(a.p, a.n)));
	assert_true(add(&f, span_of(b.p, b.n)));
	must_join(&f);
	assert_sound(f.all, TF_CLOSED);
	assert_int_equal(tf_reader_header(f.all)->start_unix_ns, 5);
	see_samples(&s, f.all);
	assert_int_equal(s.n, 19);
	for (size_t e = 0; e < ARRAY_LEN(want); e++)
		for (size_t i = 0; i < want[e].n; i++, at++) {
			assert_int_equal(s.epochs[at], e);
			assert_int_equal(s.times[at], want[e].time + i);
		}
	fini(&f);
	buf_fini(&a);
	buf_fini(&b);
}

static void one_file_joined_reads_as_it_does_alone(void **state)
{
	struct fixture f = { 0 };
	struct walk alone, joined;
	struct buf a;

	(void)state;
	build(&first, &a);
	assert_true(add(&f, span_of(a.p, a.n)));
	walk_all(&alone, f.readers[0]);
	must_join(&f);
	walk_all(&joined, f.all);
	assert_int_equal(alone.n, joined.n);
	assert_memory_equal(alone.sums, joined.sums,
			    alone.n * sizeof(alone.sums[0]));
	fini(&f);
	buf_fini(&a);
}

static void a_file_that_was_not_closed_leaves_the_joined_one_open(void **state)
{
	struct fixture f = { 0 };
	struct buf a, b;

	(void)state;
	build(&open_end, &a);
	build(&second, &b);
	assert_true(add(&f, span_of(a.p, a.n)));
	assert_true(add(&f, span_of(b.p, b.n)));
	must_join(&f);
	assert_sound(f.all, TF_UNCLOSED);
	fini(&f);
	buf_fini(&a);
	buf_fini(&b);
}

static void reading_at_any_offset_gives_the_same_bytes(void **state)
{
	struct fixture f = { 0 };
	struct buf a, b;
	uint8_t *whole, part[200];
	size_t n;

	(void)state;
	build(&first, &a);
	build(&second, &b);
	assert_true(add(&f, span_of(a.p, a.n)));
	assert_true(add(&f, span_of(b.p, b.n)));
	must_join(&f);
	n = (size_t)f.joined->size;
	whole = malloc(n);
	assert_non_null(whole);
	assert_int_equal(f.joined->read(f.joined, whole, n, 0, NULL), 0);
	for (size_t at = 0; at + sizeof(part) <= n; at++) {
		assert_int_equal(f.joined->read(f.joined, part, sizeof(part),
						at, NULL), 0);
		assert_memory_equal(part, whole + at, sizeof(part));
	}
	assert_int_equal(f.joined->read(f.joined, part, 1, n, NULL), 1);
	assert_int_equal(f.joined->read(f.joined, part, 2, n - 1, NULL), 1);
	assert_int_equal(f.joined->read(f.joined, part, 0, n, NULL), 0);
	free(whole);
	fini(&f);
	buf_fini(&a);
	buf_fini(&b);
}

/* A good file before and one behind, whose 8 and 11 samples must always be
 * there, around one that was spoiled: its rows are those it has alone. */
struct between {
	struct buf a, b;
	struct span bad; /* of the one that is flipped, in place */
};

static void assert_others_are_whole(const struct between *good, struct span bad)
{
	struct fixture f = { 0 };
	struct walk alone, joined, ends[2];
	struct tf_verify_result v;
	size_t problems = 0;

	assert_true(add(&f, span_of(good->a.p, good->a.n)));
	if (!add(&f, bad)) {
		fini(&f);
		return;
	}
	assert_true(add(&f, span_of(good->b.p, good->b.n)));
	walk_all(&ends[0], f.readers[0]);
	walk_all(&alone, f.readers[1]);
	walk_all(&ends[1], f.readers[2]);
	if (join(&f)) { /* a spoiled table: the files do not agree */
		assert_true(f.err.code == ERR_USAGE || f.err.code == ERR_LIMIT);
		fini(&f);
		return;
	}
	walk_all(&joined, f.all);
	assert_int_equal(joined.failed, 0);
	assert_int_equal(joined.rows, ends[0].rows + alone.rows + ends[1].rows);
	assert_int_equal(tf_verify(f.all, count_problem, &problems, &v, NULL),
			 0);
	fini(&f);
}

/* Everything begins at a multiple of 8: there, and one byte further. */
static void see_prefix(void *ctx, struct span in)
{
	if (in.n % TF_ALIGN < 2)
		assert_others_are_whole(ctx, in);
}

static void any_prefix_between_good_files_costs_only_its_own_rows(void **state)
{
	struct between good;
	struct buf bad;

	(void)state;
	build(&first, &good.a);
	build(&second, &good.b);
	build(&first, &bad);
	mutate_prefixes(span_of(bad.p, bad.n), see_prefix, &good);
	buf_fini(&good.a);
	buf_fini(&good.b);
	buf_fini(&bad);
}

static void see_flip(void *ctx, struct span in, size_t bit)
{
	const struct between *good = ctx;

	(void)in, (void)bit;
	assert_others_are_whole(good, good->bad);
}

/* Of the headers, which are all that joining looks at. */
static void any_flipped_bit_between_good_files_costs_only_its_rows(void **st)
{
	struct fixture f = { 0 };
	struct between good;
	struct buf bad;

	(void)st;
	build(&first, &good.a);
	build(&second, &good.b);
	build(&open_end, &bad);
	good.bad = span_of(bad.p, bad.n);
	assert_true(add(&f, good.bad));
	mutate_bits(bad.p, TF_FILE_HEADER_SIZE, see_flip, &good);
	for (size_t i = 0; i < tf_reader_chunks(f.readers[0]); i++)
		mutate_bits(bad.p + tf_reader_chunk(f.readers[0], i)->offset,
			    TF_CHUNK_HEADER_SIZE, see_flip, &good);
	fini(&f);
	buf_fini(&good.a);
	buf_fini(&good.b);
	buf_fini(&bad);
}

static void build_with_table(struct buf *to, const struct tf_table *t)
{
	static const struct tf_file_info info = { .file_id = { 3 } };
	struct tf_writer *w;
	struct tf_sink *sink;

	buf_init(to, 0);
	assert_int_equal(tf_sink_memory(&sink, to, NULL), 0);
	assert_int_equal(tf_writer_new(&w, sink, &info, NULL), 0);
	assert_int_equal(tf_writer_add_tables(w, &t, 1, NULL), 0);
	assert_int_equal(tf_writer_end(w, NULL), 0);
	tf_writer_free(w);
	tf_sink_close(sink, NULL);
}

static void files_that_disagree_on_a_table_are_refused(void **state)
{
	static const struct tf_column time[] = {
		{ 0, "time", TF_U64, false, "ns", 0, TF_ROLE_TIME,
		  TF_PRIVACY_NUMBER, 0, 0, 0 },
	};
	static const struct tf_column other_name[] = {
		{ 0, "when", TF_U64, false, "ns", 0, TF_ROLE_TIME,
		  TF_PRIVACY_NUMBER, 0, 0, 0 },
	};
	static const struct tf_column other_type[] = {
		{ 0, "time", TF_I64, false, "ns", 0, TF_ROLE_TIME,
		  TF_PRIVACY_NUMBER, 0, 0, 0 },
	};
	static const struct {
		struct tf_table table;
		int want;
	} cases[] = {
		{ { 256, "a:x", TF_KIND_EVENT, time, 1 }, 0 },
		{ { 257, "a:y", TF_KIND_EVENT, time, 1 }, 0 },
		{ { 256, "a:y", TF_KIND_EVENT, time, 1 }, ERR_USAGE },
		{ { 257, "a:x", TF_KIND_EVENT, time, 1 }, ERR_USAGE },
		{ { 256, "a:x", TF_KIND_EVENT, other_name, 1 }, ERR_USAGE },
		{ { 256, "a:x", TF_KIND_EVENT, other_type, 1 }, ERR_USAGE },
	};
	struct buf a, b;

	(void)state;
	build_with_table(&a, &cases[0].table);
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct fixture f = { 0 };

		build_with_table(&b, &cases[i].table);
		assert_true(add(&f, span_of(a.p, a.n)));
		assert_true(add(&f, span_of(b.p, b.n)));
		assert_int_equal(join(&f), cases[i].want);
		fini(&f);
		buf_fini(&b);
	}
	buf_fini(&a);
}

static void without_files_nothing_is_joined(void **state)
{
	struct tf_source *s = NULL;

	(void)state;
	assert_int_equal(tf_join(&s, NULL, 0, "none", NULL), ERR_USAGE);
	assert_null(s);
}

static void every_allocation_may_fail_and_nothing_is_lost(void **state)
{
	struct fixture f = { 0 };
	struct buf a, b;
	int rc = ERR_NOMEM;

	(void)state;
	build(&first, &a);
	build(&second, &b);
	assert_true(add(&f, span_of(a.p, a.n)));
	assert_true(add(&f, span_of(b.p, b.n)));
	for (long i = 1; rc; i++) {
		failalloc_at(i);
		rc = tf_join(&f.joined, f.readers, f.n, "all", &f.err);
		failalloc_off();
		assert_true(rc == 0 || rc == ERR_NOMEM);
	}
	assert_int_equal(tf_reader_open(&f.all, f.joined, NULL), 0);
	assert_sound(f.all, TF_CLOSED);
	fini(&f);
	buf_fini(&a);
	buf_fini(&b);
}

static void a_read_that_fails_is_a_failure_and_one_too_short_a_gap(void **st)
{
	struct faultio fault = { .kind = FAULTIO_ERROR };
	struct tf_source *file, *joined = NULL;
	struct tf_reader *r, *all;
	const struct tf_gap *gaps;
	struct buf a;

	(void)st;
	build(&first, &a);
	assert_int_equal(tf_source_memory(&file, span_of(a.p, a.n), NULL), 0);
	assert_int_equal(faultio_source(&joined, file, &fault), 0);
	assert_int_equal(tf_reader_open(&r, joined, NULL), 0);
	fault.at = fault.calls + 1;
	assert_int_equal(tf_join(&joined, &r, 1, "all", NULL), ERR_IO);
	fault = (struct faultio){ .kind = FAULTIO_SHORT, .at = 1 };
	assert_int_equal(tf_join(&joined, &r, 1, "all", NULL), 0);
	assert_int_equal(tf_reader_open(&all, joined, NULL), 0);
	assert_int_equal(tf_reader_gaps(all, &gaps), 1);
	tf_reader_free(all);
	tf_reader_free(r);
	tf_source_close(joined);
	tf_source_close(file);
	buf_fini(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_joined_file_has_the_rows_of_each_in_order),
		cmocka_unit_test(one_file_joined_reads_as_it_does_alone),
		cmocka_unit_test(
			a_file_that_was_not_closed_leaves_the_joined_one_open),
		cmocka_unit_test(reading_at_any_offset_gives_the_same_bytes),
		cmocka_unit_test(
			any_prefix_between_good_files_costs_only_its_own_rows),
		cmocka_unit_test(
			any_flipped_bit_between_good_files_costs_only_its_rows),
		cmocka_unit_test(files_that_disagree_on_a_table_are_refused),
		cmocka_unit_test(without_files_nothing_is_joined),
		cmocka_unit_test(every_allocation_may_fail_and_nothing_is_lost),
		cmocka_unit_test(
			a_read_that_fails_is_a_failure_and_one_too_short_a_gap),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
