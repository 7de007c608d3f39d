#include "record/sink/sink.h"

#include "format/base/mem.h"
#include "record/segment/segments.h"
#include "tests/support/failalloc.h"
#include "tests/support/rowsback.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define MAX_FILES 64
#define SECOND 1000000000ull

/* Files in memory, one after another. */
struct fixture {
	struct buf files[MAX_FILES];
	struct tf_sink *sinks[MAX_FILES];
	size_t n;
	int refuse; /* the next file, with this code; 0: not */
	struct rec_sink *sink;
	struct rec_images images;
	struct rec_defs defs;
	struct rec_names names; /* of nobody */
	struct rec_segments segments;
	size_t n_ended, n_begun;
};

static int open_next(void *ctx, struct tf_sink **out, struct tf_file_info *info,
		     struct err *err)
{
	struct fixture *f = ctx;

	if (f->refuse)
		return err_set(err, f->refuse, "no more files");
	assert_true(f->n < MAX_FILES);
	buf_init(&f->files[f->n], 0);
	assert_int_equal(tf_sink_memory(&f->sinks[f->n], &f->files[f->n],
					NULL), 0);
	info->file_id[0] = (uint8_t)(f->n + 1);
	info->start_unix_ns = 1;
	*out = f->sinks[f->n++];
	return 0;
}

static const struct tf_column row_columns[] = {
	{ TF_SAMPLE_TIME, "time", TF_U64, false, "ns", 0, TF_ROLE_TIME,
	  TF_PRIVACY_NUMBER, 0, 0, 0 },
};
static const struct tf_table added = { TF_TABLE_DYNAMIC, "a:b", TF_KIND_EVENT,
				       row_columns, 1 };

static void begin(struct fixture *f)
{
	const struct rec_sink_next next = { open_next, f };
	const struct tf_table *const tables[] = { &added };
	struct tf_file_info info = { .start_unix_ns = 0 };
	struct tf_sink *to;

	*f = (struct fixture){ 0 };
	assert_int_equal(open_next(f, &to, &info, NULL), 0);
	assert_int_equal(rec_sink_new(&f->sink, to, &info, NULL), 0);
	assert_int_equal(rec_sink_add_tables(f->sink, tables, 1, NULL), 0);
	rec_sink_set_next(f->sink, &next);
	assert_int_equal(rec_images_init(&f->images, NULL), 0);
	assert_int_equal(rec_defs_init(&f->defs, f->sink, &f->images, "", 0, 0,
				       NULL), 0);
}

static void end(struct fixture *f)
{
	rec_defs_fini(&f->defs);
	rec_images_fini(&f->images);
	rec_sink_free(f->sink);
	for (size_t i = 0; i < f->n; i++) {
		tf_sink_close(f->sinks[i], NULL);
		buf_fini(&f->files[i]);
	}
}

static void add_row(struct fixture *f, uint64_t time)
{
	struct tf_builder *b;

	assert_true(rec_sink_reserve_wait(f->sink));
	while (!rec_sink_reserve_row(f->sink, added.id))
		assert_true(rec_sink_reserve_wait(f->sink));
	b = rec_sink_rows(f->sink, added.id);
	tf_builder_set(b, 0, time);
	assert_true(tf_builder_commit(b));
}

static void new_segment(struct fixture *f)
{
	while (!rec_defs_new_segment(&f->defs, 0))
		usleep(1000);
}

static void each_row_is_in_one_file_and_each_file_is_whole(void **state)
{
	static const size_t rows[] = { 5, 0, 40000, 1 };
	struct fixture f;
	uint64_t time = 0;

	(void)state;
	begin(&f);
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		if (i)
			new_segment(&f);
		(void)rec_defs_string(&f.defs, "text", 4);
		for (size_t k = 0; k < rows[i]; k++)
			add_row(&f, ++time);
	}
	assert_int_equal(rec_sink_close(f.sink, NULL), 0);
	assert_int_equal(f.n, ARRAY_LEN(rows));
	time = 0;
	for (size_t i = 0; i < f.n; i++) {
		struct span file = span_of(f.files[i].p, f.files[i].n);
		struct rowsback back;

		rowsback_check_references(file);
		rowsback_read(&back, file, added.id);
		assert_true(back.closed);
		assert_int_equal(back.n, rows[i]);
		for (size_t k = 0; k < back.n; k++)
			assert_int_equal(back.items[k].v[0], ++time);
		rowsback_fini(&back);
		/* Its own definitions, from number 0 on. */
		rowsback_read(&back, file, TF_TABLE_STRING);
		assert_int_equal(back.n, 2);
		assert_int_equal(back.items[1].id, 1);
		assert_true(rowsback_is(&back.items[1], "text"));
		rowsback_fini(&back);
	}
	end(&f);
}

static void bytes_are_those_of_all_files_and_of_the_one(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f);
	add_row(&f, 1);
	new_segment(&f);
	add_row(&f, 2);
	assert_int_equal(rec_sink_close(f.sink, NULL), 0);
	assert_true(rec_sink_segment_begun(f.sink));
	assert_int_equal(rec_sink_segment_bytes(f.sink), f.files[1].n);
	assert_int_equal(rec_sink_bytes(f.sink),
			 f.files[0].n + f.files[1].n);
	end(&f);
}

static void a_file_that_cannot_be_had_ends_it_and_leaves_the_others(void **st)
{
	struct rowsback back;
	struct err err = { 0 };
	struct fixture f;

	(void)st;
	begin(&f);
	add_row(&f, 1);
	f.refuse = ERR_FULL;
	new_segment(&f);
	while (!rec_sink_failed(f.sink))
		usleep(1000);
	assert_int_equal(rec_sink_close(f.sink, &err), ERR_FULL);
	assert_string_equal(err.text, "no more files");
	rowsback_read(&back, span_of(f.files[0].p, f.files[0].n), added.id);
	assert_true(back.closed);
	assert_int_equal(back.n, 1);
	rowsback_fini(&back);
	end(&f);
}

static void on_end(void *ctx, uint64_t unnamed)
{
	struct fixture *f = ctx;

	assert_int_equal(unnamed, 0);
	assert_int_equal(f->n_ended, f->n_begun);
	f->n_ended++;
}

static void on_begin(void *ctx)
{
	struct fixture *f = ctx;

	f->n_begun++;
	assert_int_equal(f->n_ended, f->n_begun);
}

static void start_segments(struct fixture *f, uint64_t every_ns,
			   uint64_t every_bytes)
{
	f->names = (struct rec_names){ .defs = &f->defs };
	f->segments = (struct rec_segments){
		.on = true,
		.every_ns = every_ns,
		.every_bytes = every_bytes,
		.defs = &f->defs,
		.names = &f->names,
		.end = on_end,
		.begin = on_begin,
		.ctx = f,
	};
	assert_int_equal(rec_segments_take(&f->segments, NULL), 0);
	rec_segments_begin(&f->segments, SECOND);
}

/* Once the writer has caught up. */
static void tick(struct fixture *f, uint64_t now)
{
	while (!rec_sink_segment_begun(f->sink))
		usleep(1000);
	rec_segments_tick(&f->segments, now);
}

static void files_are_begun_by_the_clock(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f);
	start_segments(&f, 2 * SECOND, 0);
	/* 1 s, 1.1 s … 8 s: at 3, 5 and 7 s. */
	for (uint64_t t = 10; t <= 80; t++) {
		tick(&f, t * SECOND / 10);
		assert_int_equal(f.segments.number, (uint64_t)(1 + (t - 10) / 20));
	}
	assert_int_equal(f.n_begun, 3);
	rec_segments_fini(&f.segments);
	assert_int_equal(rec_sink_close(f.sink, NULL), 0);
	assert_int_equal(f.n, 4);
	end(&f);
}

static void files_are_begun_by_their_size(void **state)
{
	struct fixture f;
	uint64_t x = 1;

	(void)state;
	begin(&f);
	start_segments(&f, 0, 40000);
	for (uint64_t i = 0; i < 100000; i++) {
		x = x * 6364136223846793005u + 1442695040888963407u;
		add_row(&f, x >> 40); /* three bytes of noise each */
		if (i % 1000 == 0) {
			rec_sink_flush(f.sink);
			usleep(2000); /* the writer's turn */
			tick(&f, i * SECOND);
		}
	}
	rec_segments_fini(&f.segments);
	assert_int_equal(rec_sink_close(f.sink, NULL), 0);
	assert_true(f.n > 3);
	for (size_t i = 0; i + 1 < f.n; i++)
		assert_true(f.files[i].n >= 40000);
	end(&f);
}

static void a_burst_of_signals_is_one(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f);
	start_segments(&f, 0, 0);
	for (uint64_t i = 0; i < 1000; i++) { /* 1 µs long */
		assert_int_equal(raise(SIGUSR2), 0);
		tick(&f, 2 * SECOND + i);
	}
	/* One at once; another, asked for meanwhile, a tenth later. */
	assert_int_equal(f.segments.number, 2);
	tick(&f, 2 * SECOND + SECOND / 20);
	assert_int_equal(f.segments.number, 2);
	tick(&f, 2 * SECOND + SECOND / 5);
	assert_int_equal(f.segments.number, 3);
	tick(&f, 3 * SECOND);
	assert_int_equal(f.segments.number, 3);
	rec_segments_fini(&f.segments);
	assert_int_equal(rec_sink_close(f.sink, NULL), 0);
	end(&f);
}

static void without_a_split_nothing_is_switched(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f);
	f.segments = (struct rec_segments){ .every_ns = 1, .defs = &f.defs };
	assert_int_equal(rec_segments_take(&f.segments, NULL), 0);
	assert_int_equal(rec_segments_fd(&f.segments), -1);
	rec_segments_tick(&f.segments, 5 * SECOND);
	assert_int_equal(rec_sink_close(f.sink, NULL), 0);
	assert_int_equal(f.n, 1);
	end(&f);
}

static void what_was_told_in_one_file_is_not_told_in_the_next(void **state)
{
	struct rec_names names = { .unasked = 7 };
	struct rec_segments s = { .names = &names };

	(void)state;
	assert_int_equal(rec_segments_unnamed(&s, 7), 7);
	assert_int_equal(rec_segments_unnamed(&s, 7), 0);
	assert_int_equal(rec_segments_unnamed(&s, 10), 3);
	assert_int_equal(rec_segments_unnamed(&s, 8), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_row_is_in_one_file_and_each_file_is_whole),
		cmocka_unit_test(bytes_are_those_of_all_files_and_of_the_one),
		cmocka_unit_test(
			a_file_that_cannot_be_had_ends_it_and_leaves_the_others),
		cmocka_unit_test(files_are_begun_by_the_clock),
		cmocka_unit_test(files_are_begun_by_their_size),
		cmocka_unit_test(a_burst_of_signals_is_one),
		cmocka_unit_test(without_a_split_nothing_is_switched),
		cmocka_unit_test(
			what_was_told_in_one_file_is_not_told_in_the_next),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
