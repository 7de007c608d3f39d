#include "format/base/mem.h"
#include "format/catalog.h"
#include "format/reader.h"
#include "format/verify.h"
#include "format/writer.h"
#include "tests/support/failalloc.h"
#include "tests/support/faultio.h"
#include "tests/support/goldens.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

static const struct tf_file_info info = { .file_id = { 1, 2, 3 },
					  .start_unix_ns = 5 };

struct fixture {
	struct buf bytes;
	struct tf_sink *sink;
	struct tf_writer *w;
	struct tf_builder *clock;
	struct err err;
};

static void set_up(struct fixture *f)
{
	memset(f, 0, sizeof(*f));
	assert_int_equal(tf_sink_memory(&f->sink, &f->bytes, &f->err), 0);
	assert_int_equal(tf_writer_new(&f->w, f->sink, &info, &f->err), 0);
	assert_int_equal(tf_builder_new(&f->clock,
					tf_catalog_table(TF_TABLE_CLOCK), 4,
					&f->err), 0);
}

static void tear_down(struct fixture *f)
{
	tf_builder_free(f->clock);
	tf_writer_free(f->w);
	tf_sink_close(f->sink, NULL);
	buf_fini(&f->bytes);
}

static void put_clock(struct tf_builder *b, uint64_t t)
{
	tf_builder_set(b, TF_CLOCK_MONOTONIC, t);
	tf_builder_set(b, TF_CLOCK_REALTIME, t + 1);
	tf_builder_set(b, TF_CLOCK_BOOTTIME, t + 2);
	tf_builder_commit(b);
}

static struct tf_reader *open_bytes(struct tf_source **s, const struct buf *b)
{
	struct tf_reader *r = NULL;
	struct err err = { 0 };

	assert_int_equal(tf_source_memory(s, span_of(b->p, b->n), &err), 0);
	if (tf_reader_open(&r, *s, &err))
		fail_msg("%s", err.text);
	return r;
}

static void print_problem(void *ctx, uint64_t offset, const char *what)
{
	(void)ctx;
	print_message("at %llu: %s\n", (unsigned long long)offset, what);
}

static uint64_t problems(const struct tf_reader *r)
{
	struct tf_verify_result result;

	assert_int_equal(tf_verify(r, print_problem, NULL, &result, NULL), 0);
	return result.problems;
}

/* Whatever happened while it was written: what is in the file is sound. */
static void is_a_sound_prefix(const struct buf *b, bool closed)
{
	struct tf_source *s;
	struct tf_reader *r;
	const struct tf_gap *gaps;

	if (!b->n)
		return;
	r = open_bytes(&s, b);
	assert_int_equal(tf_reader_gaps(r, &gaps), 0);
	assert_int_equal(problems(r), 0);
	if (closed)
		assert_int_equal(tf_reader_ending(r), TF_CLOSED);
	else
		assert_int_not_equal(tf_reader_ending(r), TF_CUT);
	tf_reader_free(r);
	tf_source_close(s);
}

static void a_file_begins_with_its_header_as_specified(void **state)
{
	static const uint8_t want[60] = {
		0x89, 'C', 'T', 'R', '\r', '\n', 0x1a, '\n', 1, 0, 0, 0,
		64, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
		1, 2, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 5,
	};
	struct fixture f;

	(void)state;
	set_up(&f);
	assert_true(f.bytes.n > 64 && f.bytes.n % 8 == 0);
	assert_memory_equal(f.bytes.p, want, sizeof(want));
	assert_memory_equal(f.bytes.p + 64, "CHNK\x01\x00\x02\x00\x40", 9);
	assert_int_equal(tf_writer_size(f.w), f.bytes.n);
	tear_down(&f);
}

static void a_new_file_is_readable_at_once(void **state)
{
	struct tf_source *s;
	struct tf_reader *r;
	struct fixture f;

	(void)state;
	set_up(&f);
	r = open_bytes(&s, &f.bytes);
	assert_int_equal(tf_reader_ending(r), TF_UNCLOSED);
	assert_int_equal(tf_reader_chunks(r), 1);
	assert_int_equal(problems(r), 0);
	tf_reader_free(r);
	tf_source_close(s);
	tear_down(&f);
}

/* Base rows of the parts of the clock table, in file order. */
static void base_rows_are(const struct buf *b, const uint64_t *want, size_t n)
{
	struct tf_query q = { .table = TF_TABLE_CLOCK, .t_max = UINT64_MAX };
	const struct tf_view *v;
	struct tf_cursor *c;
	struct tf_source *s;
	struct tf_reader *r = open_bytes(&s, b);

	assert_int_equal(tf_cursor_new(&c, r, &q, NULL), 0);
	for (size_t i = 0; i < n; i++) {
		assert_int_equal(tf_cursor_next(c, &v, NULL), 0);
		assert_int_equal(v->base_row, want[i]);
	}
	assert_int_equal(tf_cursor_next(c, &v, NULL), 1);
	tf_cursor_free(c);
	tf_reader_free(r);
	tf_source_close(s);
}

static void rows_are_numbered_by_table_and_epoch(void **state)
{
	static const uint64_t want[] = { 0, 2, 4, 0, 2 };
	static const uint32_t epochs[] = { 0, 0, 0, 3, 3 };
	struct fixture f;

	(void)state;
	set_up(&f);
	put_clock(f.clock, 100);
	put_clock(f.clock, 200);
	for (size_t i = 0; i < 5; i++)
		assert_int_equal(tf_writer_data(f.w, epochs[i], &f.clock, 1,
						&f.err), 0);
	base_rows_are(&f.bytes, want, 5);
	tear_down(&f);
}

static void chunks_of_several_epochs_may_alternate(void **state)
{
	static const uint64_t want[] = { 0, 0, 2, 2, 0, 4 };
	static const uint32_t epochs[] = { 1, 0, 1, 0, 2, 0 };
	struct fixture f;

	(void)state;
	set_up(&f);
	put_clock(f.clock, 100);
	put_clock(f.clock, 200);
	for (size_t i = 0; i < 6; i++)
		assert_int_equal(tf_writer_data(f.w, epochs[i], &f.clock, 1,
						&f.err), 0);
	base_rows_are(&f.bytes, want, 6);
	/* 1 and 0 are closed for 17 and 18 others. */
	for (uint32_t i = 3; i < 19; i++)
		assert_int_equal(tf_writer_data(f.w, i, &f.clock, 1, &f.err),
				 0);
	assert_int_equal(tf_writer_data(f.w, 3, &f.clock, 1, &f.err), 0);
	assert_int_equal(tf_writer_data(f.w, 2, &f.clock, 1, &f.err),
			 ERR_USAGE);
	tear_down(&f);
}

static void one_chunk_may_hold_a_table_twice(void **state)
{
	static const uint64_t want[] = { 0, 1 };
	struct tf_builder *both[2];
	struct fixture f;

	(void)state;
	set_up(&f);
	put_clock(f.clock, 100);
	both[0] = both[1] = f.clock;
	assert_int_equal(tf_writer_data(f.w, 0, both, 2, &f.err), 0);
	base_rows_are(&f.bytes, want, 2);
	tear_down(&f);
}

static void empty_builders_make_no_chunk(void **state)
{
	uint64_t before;
	struct fixture f;

	(void)state;
	set_up(&f);
	before = tf_writer_size(f.w);
	assert_int_equal(tf_writer_data(f.w, 0, &f.clock, 1, &f.err), 0);
	assert_int_equal(tf_writer_data(f.w, 0, NULL, 0, &f.err), 0);
	assert_int_equal(tf_writer_size(f.w), before);
	tear_down(&f);
}

static void misuse_is_refused_and_writes_nothing(void **state)
{
	static const struct tf_table *const again[] = { &golden_table,
							&golden_table };
	struct tf_builder *b;
	uint64_t before;
	struct fixture f;

	(void)state;
	set_up(&f);
	put_clock(f.clock, 1);
	for (uint32_t i = 2; i < 2 + TF_MAX_OPEN_EPOCHS; i++)
		assert_int_equal(tf_writer_data(f.w, i, &f.clock, 1, &f.err),
				 0);
	before = tf_writer_size(f.w);
	assert_int_equal(tf_writer_data(f.w, 1, &f.clock, 1, &f.err),
			 ERR_USAGE);
	assert_string_equal(f.err.text, "epoch 1 after 16 newer ones");
	assert_int_equal(tf_builder_new(&b, &golden_table, 1, &f.err), 0);
	tf_builder_commit(b);
	assert_int_equal(tf_writer_data(f.w, 2, &b, 1, &f.err), ERR_USAGE);
	assert_string_equal(f.err.text, "table 'test:all' was not announced");
	assert_int_equal(tf_writer_add_tables(f.w, again, 2, &f.err),
			 ERR_USAGE);
	assert_int_equal(tf_writer_size(f.w), before);
	/* The first of the two was taken, and is announced before its rows. */
	assert_int_equal(tf_writer_data(f.w, 2, &b, 1, &f.err), 0);
	is_a_sound_prefix(&f.bytes, false);
	tf_builder_free(b);
	tear_down(&f);
}

static void nothing_follows_the_end(void **state)
{
	struct fixture f;

	(void)state;
	set_up(&f);
	assert_int_equal(tf_writer_end(f.w, &f.err), 0);
	assert_int_equal(tf_writer_end(f.w, &f.err), ERR_USAGE);
	put_clock(f.clock, 1);
	assert_int_equal(tf_writer_data(f.w, 0, &f.clock, 1, &f.err),
			 ERR_USAGE);
	assert_string_equal(f.err.text, "'(memory)' has its end already");
	tear_down(&f);
}

static void same_rows(const struct golden *g)
{
	struct buf made = { 0 }, stored = { 0 };
	struct err err = { 0 };

	if (golden_bytes(g, &made, &err) || golden_stored(g, &stored, &err))
		fail_msg("%s: %s", g->name, err.text);
	/* Other versions of zstd may make other frames of the same rows, so
	 * only what does not depend on it is compared here; and they were
	 * stored by a draft of version 1.0. */
	assert_memory_equal(made.p + 12, stored.p + 12, 48);
	for (size_t i = 0; i < 2; i++) {
		struct buf *b = i ? &stored : &made;
		struct tf_source *s;
		struct tf_reader *r = open_bytes(&s, b);

		assert_int_equal(tf_reader_ending(r), TF_CLOSED);
		assert_int_equal(problems(r), 0);
		tf_reader_free(r);
		tf_source_close(s);
	}
	buf_fini(&made);
	buf_fini(&stored);
}

static void stored_files_are_still_what_is_written(void **state)
{
	(void)state;
	for (const struct golden *g = goldens; g->name; g++)
		same_rows(g);
}

static void every_failing_write_leaves_a_sound_prefix(void **state)
{
	(void)state;
	for (int kind = 0; kind < 4; kind++)
		for (const struct golden *g = goldens; g->name; g++) {
			struct faultio f = { .kind = kind & 1, .at = 1,
					     .stay = kind & 2 };

			do {
				struct buf b = { 0 };
				struct tf_sink *to, *bad;
				struct err err = { 0 };
				int rc;

				f.calls = 0;
				f.hit = false;
				assert_int_equal(tf_sink_memory(&to, &b, NULL),
						 0);
				assert_int_equal(faultio_sink(&bad, to, &f),
						 0);
				rc = g->make(bad, &err);
				/* An index that did not fit is no failure. */
				assert_true(rc == ERR_FULL || rc == 0);
				is_a_sound_prefix(&b, b.n > 64 && !f.stay &&
						      f.calls != f.at);
				tf_sink_close(bad, NULL);
				tf_sink_close(to, NULL);
				buf_fini(&b);
				f.at++;
			} while (f.hit);
		}
}

static void a_pipe_that_breaks_leaves_a_readable_beginning(void **state)
{
	struct faultio io = { .kind = FAULTIO_SHORT, .at = 4,
			      .no_cut = true };
	struct buf b = { 0 };
	struct tf_sink *to, *bad;
	struct tf_source *s;
	struct tf_reader *r;
	struct err err = { 0 };

	(void)state;
	assert_int_equal(tf_sink_memory(&to, &b, NULL), 0);
	assert_int_equal(faultio_sink(&bad, to, &io), 0);
	assert_int_equal(golden_epochs(bad, &err), ERR_FULL);
	assert_string_equal(err.text, "the last chunk is unfinished: no room "
			    "(on purpose)");
	/* No END was put behind the unfinished chunk. */
	assert_int_equal(io.calls, 4);
	r = open_bytes(&s, &b);
	assert_int_equal(tf_reader_ending(r), TF_CUT);
	assert_int_equal(tf_reader_chunks(r), 2);
	assert_int_equal(problems(r), 0);
	tf_reader_free(r);
	tf_source_close(s);
	tf_sink_close(bad, NULL);
	tf_sink_close(to, NULL);
	buf_fini(&b);
}

static void after_a_failed_write_only_the_end_is_accepted(void **state)
{
	struct faultio io = { .at = 3 };
	struct fixture f = { 0 };
	struct tf_sink *bad;

	(void)state;
	assert_int_equal(tf_sink_memory(&f.sink, &f.bytes, NULL), 0);
	assert_int_equal(faultio_sink(&bad, f.sink, &io), 0);
	assert_int_equal(tf_writer_new(&f.w, bad, &info, &f.err), 0);
	assert_int_equal(tf_builder_new(&f.clock,
					tf_catalog_table(TF_TABLE_CLOCK), 4,
					&f.err), 0);
	put_clock(f.clock, 1);
	assert_int_equal(tf_writer_data(f.w, 0, &f.clock, 1, &f.err),
			 ERR_FULL);
	assert_int_equal(tf_writer_data(f.w, 0, &f.clock, 1, &f.err),
			 ERR_FULL);
	assert_string_equal(f.err.text, "writing '(memory)' failed before: "
			    "only its end can be written");
	assert_int_equal(tf_writer_end(f.w, &f.err), 0);
	is_a_sound_prefix(&f.bytes, true);
	tf_sink_close(bad, NULL);
	tear_down(&f);
}

static void every_failing_allocation_leaves_a_sound_prefix(void **state)
{
	(void)state;
	for (const struct golden *g = goldens; g->name; g++) {
		bool hit = true;

		for (long n = 1; hit; n++) {
			struct buf b = { 0 };
			struct tf_sink *to;
			int rc;

			assert_int_equal(tf_sink_memory(&to, &b, NULL), 0);
			failalloc_at(n);
			rc = g->make(to, NULL);
			failalloc_off();
			hit = failalloc_hit();
			/* Failures of the index are no failure of the file. */
			assert_true(rc == 0 || (rc == ERR_NOMEM && hit));
			is_a_sound_prefix(&b, false);
			tf_sink_close(to, NULL);
			buf_fini(&b);
		}
	}
}

static void the_schema_is_repeated_far_from_the_last_one(void **state)
{
	struct tf_column columns[] = {
		{ .name = "raw", .type = TF_BYTES, .unit = "",
		  .role = TF_ROLE_BLOB },
	};
	struct tf_table t = { .id = 300, .name = "t:blob",
			      .kind = TF_KIND_EVENT, .columns = columns,
			      .n_columns = 1 };
	const struct tf_table *const tables[] = { &t };
	static uint8_t noise[4 << 20];
	struct tf_builder *b;
	struct tf_source *s;
	struct tf_reader *r;
	uint64_t x = 88172645463325252u;
	size_t schemas = 0;
	struct fixture f;

	(void)state;
	set_up(&f);
	for (size_t i = 0; i < sizeof(noise); i++) {
		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
		noise[i] = (uint8_t)x;
	}
	assert_int_equal(tf_writer_add_tables(f.w, tables, 1, &f.err), 0);
	assert_int_equal(tf_builder_new(&b, &t, 1, &f.err), 0);
	tf_builder_bytes(b, 0, noise, sizeof(noise));
	tf_builder_commit(b);
	for (int i = 0; i < 18; i++)
		assert_int_equal(tf_writer_data(f.w, 0, &b, 1, &f.err), 0);
	assert_int_equal(tf_writer_end(f.w, &f.err), 0);
	r = open_bytes(&s, &f.bytes);
	for (size_t i = 0; i < tf_reader_chunks(r); i++)
		schemas += tf_reader_chunk(r, i)->type == TF_CHUNK_SCHEMA;
	/* At the start, for the new table, and once after 64 MiB. */
	assert_int_equal(schemas, 3);
	assert_int_equal(tf_reader_ending(r), TF_CLOSED);
	tf_reader_free(r);
	tf_source_close(s);
	tf_builder_free(b);
	tear_down(&f);
}

static void a_chunk_takes_no_more_than_its_limit_of_parts(void **state)
{
	static struct tf_builder *many[TF_MAX_PARTS + 1];
	uint64_t before;
	struct fixture f;

	(void)state;
	set_up(&f);
	put_clock(f.clock, 1);
	for (size_t i = 0; i < ARRAY_LEN(many); i++)
		many[i] = f.clock;
	before = tf_writer_size(f.w);
	assert_int_equal(tf_writer_data(f.w, 0, many, TF_MAX_PARTS + 1,
					&f.err), ERR_USAGE);
	assert_int_equal(tf_writer_size(f.w), before);
	assert_int_equal(tf_writer_data(f.w, 0, many, TF_MAX_PARTS, &f.err),
			 0);
	is_a_sound_prefix(&f.bytes, false);
	tear_down(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_file_begins_with_its_header_as_specified),
		cmocka_unit_test(a_new_file_is_readable_at_once),
		cmocka_unit_test(rows_are_numbered_by_table_and_epoch),
		cmocka_unit_test(chunks_of_several_epochs_may_alternate),
		cmocka_unit_test(one_chunk_may_hold_a_table_twice),
		cmocka_unit_test(empty_builders_make_no_chunk),
		cmocka_unit_test(misuse_is_refused_and_writes_nothing),
		cmocka_unit_test(nothing_follows_the_end),
		cmocka_unit_test(stored_files_are_still_what_is_written),
		cmocka_unit_test(every_failing_write_leaves_a_sound_prefix),
		cmocka_unit_test(a_pipe_that_breaks_leaves_a_readable_beginning),
		cmocka_unit_test(after_a_failed_write_only_the_end_is_accepted),
		cmocka_unit_test(every_failing_allocation_leaves_a_sound_prefix),
		cmocka_unit_test(the_schema_is_repeated_far_from_the_last_one),
		cmocka_unit_test(a_chunk_takes_no_more_than_its_limit_of_parts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
