#include "format/base/mem.h"
#include "format/catalog.h"
#include "format/reader.h"
#include "format/verify.h"
#include "tests/support/goldens.h"
#include "tests/support/oddgoldens.h"
#include "tests/support/rowsback.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

struct file {
	struct buf bytes;
	struct tf_source *source;
	struct tf_reader *r;
	struct err err;
};

static void load(struct file *f, const char *name)
{
	struct golden g = { .folder = GOLDEN_FOLDER, .name = name };

	*f = (struct file){ 0 };
	if (golden_stored(&g, &f->bytes, &f->err))
		fail_msg("%s: %s", name, f->err.text);
}

static int open_file(struct file *f, const char *name)
{
	int rc;

	load(f, name);
	rc = tf_source_memory(&f->source, span_of(f->bytes.p, f->bytes.n),
			      &f->err);
	return rc ? rc : tf_reader_open(&f->r, f->source, &f->err);
}

static void close_file(struct file *f)
{
	tf_reader_free(f->r);
	if (f->source)
		tf_source_close(f->source);
	buf_fini(&f->bytes);
}

static void odd_files_are_what_is_made_of_the_sound_ones(void **state)
{
	(void)state;
	for (const struct oddgolden *o = oddgoldens; o->name; o++) {
		struct buf made = { 0 };
		struct file f;

		load(&f, o->name);
		if (oddgolden_make(o, &made, &f.err))
			fail_msg("%s: %s", o->name, f.err.text);
		assert_int_equal(made.n, f.bytes.n);
		assert_memory_equal(made.p, f.bytes.p, made.n);
		buf_fini(&made);
		close_file(&f);
	}
}

static void add_problem(void *ctx, uint64_t offset, const char *what)
{
	fail_msg("%s: offset %zu: %s", (const char *)ctx, (size_t)offset, what);
}

static void is_sound(const char *name, struct span bytes)
{
	struct tf_verify_result v;
	struct tf_source *s;
	struct tf_reader *r;
	char who[100];

	snprintf(who, sizeof(who), "%s", name);
	assert_int_equal(tf_source_memory(&s, bytes, NULL), 0);
	assert_int_equal(tf_reader_open(&r, s, NULL), 0);
	assert_int_equal(tf_reader_ending(r), TF_CLOSED);
	assert_int_equal(tf_verify(r, add_problem, who, &v, NULL), 0);
	assert_int_equal(v.problems, 0);
	tf_reader_free(r);
	tf_source_close(s);
}

/* Other versions of zstd may make other frames, so bytes are not compared. */
static void sound_files_are_sound_as_stored_and_as_made(void **state)
{
	(void)state;
	for (const struct golden *g = moregoldens; g->name; g++) {
		struct buf made = { 0 }, stored = { 0 };
		struct err err = { 0 };

		if (golden_bytes(g, &made, &err) ||
		    golden_stored(g, &stored, &err))
			fail_msg("%s: %s", g->name, err.text);
		is_sound(g->name, span_of(made.p, made.n));
		is_sound(g->name, span_of(stored.p, stored.n));
		buf_fini(&made);
		buf_fini(&stored);
	}
}

static uint64_t rows_of(const struct tf_reader *r, uint32_t table)
{
	struct tf_query q = { .table = table, .columns = UINT64_MAX };
	struct tf_cursor *c = NULL;
	const struct tf_view *v;
	struct err err = { 0 };
	uint64_t n = 0;
	int rc;

	assert_int_equal(tf_cursor_new(&c, r, &q, &err), 0);
	while ((rc = tf_cursor_next(c, &v, &err)) != 1)
		n += rc == 0 ? v->rows : 0;
	tf_cursor_free(c);
	return n;
}

/* Two strings and two clocks a data chunk. */
static void a_killed_recording_keeps_every_whole_chunk(void **state)
{
	static const struct {
		const char *name;
		size_t chunks;
		uint64_t rows;
		enum tf_ending ending;
	} cases[] = {
		{ "killed/header.ctr", 0, 0, TF_UNCLOSED },
		{ "killed/header_more.ctr", 0, 0, TF_CUT },
		{ "killed/schema_less.ctr", 0, 0, TF_CUT },
		{ "killed/schema.ctr", 1, 0, TF_UNCLOSED },
		{ "killed/schema_more.ctr", 1, 0, TF_CUT },
		{ "killed/data1_less.ctr", 1, 0, TF_CUT },
		{ "killed/data1.ctr", 2, 2, TF_UNCLOSED },
		{ "killed/data1_more.ctr", 2, 2, TF_CUT },
		{ "killed/data2_less.ctr", 2, 2, TF_CUT },
		{ "killed/data2.ctr", 3, 4, TF_UNCLOSED },
		{ "killed/data2_more.ctr", 3, 4, TF_CUT },
		{ "killed/index_less.ctr", 3, 4, TF_CUT },
		{ "killed/index.ctr", 4, 4, TF_UNCLOSED },
		{ "killed/index_more.ctr", 4, 4, TF_CUT },
		{ "killed/end_less.ctr", 4, 4, TF_CUT },
		{ "clean.ctr", 5, 4, TF_CLOSED },
		{ "damaged/followed.ctr", 5, 4, TF_FOLLOWED },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		const struct tf_gap *gaps;
		struct file f;

		if (open_file(&f, cases[i].name))
			fail_msg("%s: %s", cases[i].name, f.err.text);
		assert_int_equal(tf_reader_chunks(f.r), cases[i].chunks);
		assert_int_equal(tf_reader_ending(f.r), cases[i].ending);
		assert_int_equal(rows_of(f.r, TF_TABLE_STRING), cases[i].rows);
		assert_int_equal(rows_of(f.r, TF_TABLE_CLOCK), cases[i].rows);
		assert_int_equal(tf_reader_gaps(f.r, &gaps), 0);
		close_file(&f);
	}
}

/* Where the damage is met, and nowhere else. */
static void damage_takes_what_it_meets(void **state)
{
	static const struct {
		const char *name;
		uint64_t strings, clocks;
		size_t gaps;
	} cases[] = {
		{ "damaged/schema.ctr", 4, 4, 0 },
		{ "damaged/header_unclosed.ctr", 2, 2, 1 },
		{ "damaged/header.ctr", 2, 2, 0 },
		{ "damaged/directory.ctr", 2, 2, 0 },
		{ "damaged/body.ctr", 2, 2, 0 },
		{ "damaged/index.ctr", 4, 4, 0 },
		{ "damaged/end.ctr", 4, 4, 1 },
		/* The other columns of that chunk are there. */
		{ "damaged/stream.ctr", 0, 1, 0 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		const struct tf_gap *gaps;
		struct file f;

		if (open_file(&f, cases[i].name))
			fail_msg("%s: %s", cases[i].name, f.err.text);
		assert_int_equal(rows_of(f.r, TF_TABLE_STRING),
				 cases[i].strings);
		assert_int_equal(rows_of(f.r, TF_TABLE_CLOCK),
				 cases[i].clocks);
		assert_int_equal(tf_reader_gaps(f.r, &gaps), cases[i].gaps);
		close_file(&f);
	}
}

static void what_cannot_be_read_is_refused(void **state)
{
	static const struct {
		const char *name;
		int rc;
	} cases[] = {
		{ "killed/header_less.ctr", ERR_FORMAT },
		{ "damaged/file_header.ctr", ERR_FORMAT },
		{ "unknown/major.ctr", ERR_NEWER },
		{ "unknown/incompatible.ctr", ERR_NEWER },
		{ "unknown/critical.ctr", ERR_NEWER },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct file f;

		assert_int_equal(open_file(&f, cases[i].name), cases[i].rc);
		close_file(&f);
	}
}

static void has_columns(const struct file *f, const char *name, bool time,
			bool v)
{
	static const uint64_t times[] = { 1000, 1010 }, values[] = { 5, 6 };
	struct tf_query q = { .table = 300, .columns = UINT64_MAX };
	struct tf_cursor *c = NULL;
	const struct tf_view *view;
	struct err err = { 0 };

	assert_int_equal(tf_cursor_new(&c, f->r, &q, &err), 0);
	if (tf_cursor_next(c, &view, &err))
		fail_msg("%s: %s", name, err.text);
	assert_int_equal(view->rows, 2);
	assert_int_equal(view->columns[0].present, time);
	assert_int_equal(view->columns[1].present, v);
	if (time)
		assert_memory_equal(view->columns[0].v, times, sizeof(times));
	if (v)
		assert_memory_equal(view->columns[1].v, values,
				    sizeof(values));
	assert_int_equal(tf_cursor_next(c, &view, &err), 1);
	tf_cursor_free(c);
}

static void the_unknown_is_absent_and_takes_nothing_else_along(void **state)
{
	static const struct {
		const char *name;
		bool time, v;
	} cases[] = {
		{ "unknown/nothing.ctr", true, true },
		{ "unknown/column.ctr", true, true },
		{ "unknown/type.ctr", true, false },
		{ "unknown/encoding.ctr", true, false },
		{ "unknown/codec.ctr", true, false },
		{ "unknown/key.ctr", false, false },
		{ "unknown/schema_fields.ctr", true, true },
		{ "unknown/chunk.ctr", true, true },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct file f;

		if (open_file(&f, cases[i].name))
			fail_msg("%s: %s", cases[i].name, f.err.text);
		has_columns(&f, cases[i].name, cases[i].time, cases[i].v);
		assert_int_equal(rows_of(f.r, TF_TABLE_STRING), 4);
		close_file(&f);
	}
}

static void an_unknown_table_or_header_disturbs_nothing(void **state)
{
	static const char *const names[] = { "unknown/table.ctr",
					     "unknown/minor.ctr",
					     "unknown/compatible.ctr",
					     "unknown/long_header.ctr",
					     "unknown/body_codec.ctr" };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		struct file f;

		if (open_file(&f, names[i]))
			fail_msg("%s: %s", names[i], f.err.text);
		assert_int_equal(tf_reader_ending(f.r), TF_CLOSED);
		assert_int_equal(rows_of(f.r, TF_TABLE_STRING), 4);
		assert_int_equal(rows_of(f.r, TF_TABLE_CLOCK), 4);
		close_file(&f);
	}
}

static void is_string(const struct rowsback *r, uint32_t epoch, uint64_t id,
		      const char *text)
{
	assert_true(rowsback_is(rowsback_find(r, epoch, id), text));
}

static void epochs_that_take_turns_count_their_own_rows(void **state)
{
	struct rowsback r;
	struct file f;

	(void)state;
	load(&f, "alternating.ctr");
	rowsback_read(&r, span_of(f.bytes.p, f.bytes.n), TF_TABLE_STRING);
	assert_true(r.closed);
	assert_int_equal(r.n, 9);
	is_string(&r, 0, 1, "e0");
	is_string(&r, 0, 2, "e0 again");
	is_string(&r, 0, 3, "e0 last");
	is_string(&r, 1, 1, "e1");
	is_string(&r, 1, 2, "e1 again");
	is_string(&r, 3, 0, "");
	is_string(&r, 3, 1, "e3");
	rowsback_fini(&r);
	rowsback_read(&r, span_of(f.bytes.p, f.bytes.n), TF_TABLE_STACK);
	assert_int_equal(rowsback_find(&r, 0, 3)->v[TF_STACK_PARENT], 2);
	assert_int_equal(rowsback_find(&r, 0, 5)->v[TF_STACK_PARENT], 3);
	assert_int_equal(rowsback_find(&r, 1, 3)->v[TF_STACK_PARENT], 1);
	rowsback_fini(&r);
	close_file(&f);
}

static void the_longest_string_comes_back(void **state)
{
	const struct rowsback_row *row;
	struct rowsback r;
	struct file f;

	(void)state;
	load(&f, "extremes.ctr");
	rowsback_read(&r, span_of(f.bytes.p, f.bytes.n), TF_TABLE_STRING);
	assert_int_equal(r.n, 3);
	is_string(&r, 0, 0, "");
	is_string(&r, 0, 2, "");
	row = rowsback_find(&r, 0, 1);
	assert_int_equal(row->n_bytes, 65536);
	for (size_t i = 0; i < row->n_bytes; i++)
		assert_int_equal(row->bytes[i], '0' + i % 10);
	rowsback_fini(&r);
	close_file(&f);
}

static void extreme_numbers_come_back(void **state)
{
	static const uint64_t numbers[] = { 0x0000000000000000,
					    0xffffffffffffffff,
					    0x7fffffffffffffff,
					    0x8000000000000000,
					    0x0000000000000001,
					    0xfffffffffffffffe };
	/* NaN, +inf, -inf, -0.0, the smallest above 0, the largest */
	static const uint64_t doubles[] = { 0x7ff8000000000123,
					    0x7ff0000000000000,
					    0xfff0000000000000,
					    0x8000000000000000,
					    0x0000000000000001,
					    0x7fefffffffffffff };
	struct tf_query q = { .table = GOLDEN_TABLE, .columns = UINT64_MAX };
	struct tf_cursor *c = NULL;
	const struct tf_view *v;
	struct file f;

	(void)state;
	assert_int_equal(open_file(&f, "extremes.ctr"), 0);
	assert_int_equal(tf_cursor_new(&c, f.r, &q, &f.err), 0);
	assert_int_equal(tf_cursor_next(c, &v, &f.err), 0);
	assert_int_equal(v->rows, 6);
	assert_memory_equal(v->columns[GOLDEN_TIME].v, numbers, 48);
	assert_memory_equal(v->columns[GOLDEN_U64].v, numbers, 48);
	assert_memory_equal(v->columns[GOLDEN_I64].v, numbers, 48);
	assert_memory_equal(v->columns[GOLDEN_F64].v, doubles, 48);
	assert_int_equal(v->t_min, 0);
	assert_int_equal(v->t_max, UINT64_MAX);
	tf_cursor_free(c);
	close_file(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sound_files_are_sound_as_stored_and_as_made),
		cmocka_unit_test(odd_files_are_what_is_made_of_the_sound_ones),
		cmocka_unit_test(a_killed_recording_keeps_every_whole_chunk),
		cmocka_unit_test(damage_takes_what_it_meets),
		cmocka_unit_test(what_cannot_be_read_is_refused),
		cmocka_unit_test(
			the_unknown_is_absent_and_takes_nothing_else_along),
		cmocka_unit_test(an_unknown_table_or_header_disturbs_nothing),
		cmocka_unit_test(epochs_that_take_turns_count_their_own_rows),
		cmocka_unit_test(the_longest_string_comes_back),
		cmocka_unit_test(extreme_numbers_come_back),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
