#include "record/sink/sink.h"

#include "format/base/mem.h"
#include "record/sink/file.h"
#include "tests/support/failalloc.h"
#include "tests/support/faultio.h"
#include "tests/support/rowsback.h"

#include <sched.h>
#include <semaphore.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* A file that takes nothing while its gate is shut. */
struct gate {
	struct tf_sink sink;
	struct tf_sink *to;
	sem_t open;
	atomic_bool shut;
};

static struct gate *gate_of(struct tf_sink *s)
{
	return (struct gate *)(void *)s;
}

static int gate_append(struct tf_sink *s, const struct iovec *v, int n,
		       struct err *err)
{
	struct gate *g = gate_of(s);

	if (atomic_load(&g->shut)) {
		sem_wait(&g->open);
		sem_post(&g->open);
	}
	return g->to->append(g->to, v, n, err);
}

static int gate_cut(struct tf_sink *s, uint64_t size, struct err *err)
{
	return gate_of(s)->to->cut(gate_of(s)->to, size, err);
}

static void gate_open(struct gate *g)
{
	atomic_store(&g->shut, false);
	sem_post(&g->open);
}

struct fixture {
	struct buf file;
	struct tf_sink *memory;
	struct gate gate;
	struct rec_sink *sink;
};

static const struct tf_file_info info = { .start_unix_ns = 1 };

static void begin(struct fixture *f)
{
	*f = (struct fixture){ 0 };
	buf_init(&f->file, 0);
	assert_int_equal(tf_sink_memory(&f->memory, &f->file, NULL), 0);
	f->gate.to = f->memory;
	f->gate.sink = (struct tf_sink){ gate_append, gate_cut, NULL, "gate" };
	sem_init(&f->gate.open, 0, 0);
	assert_int_equal(rec_sink_new(&f->sink, &f->gate.sink, &info, NULL), 0);
}

static void end(struct fixture *f)
{
	rec_sink_free(f->sink);
	tf_sink_close(f->memory, NULL);
	sem_destroy(&f->gate.open);
	buf_fini(&f->file);
}

static void add_sample(struct rec_sink *s, uint64_t time)
{
	struct tf_builder *b = rec_sink_rows(s, TF_TABLE_SAMPLE);

	for (unsigned i = 0; i <= TF_SAMPLE_FLAGS; i++)
		tf_builder_set(b, i, 0);
	tf_builder_set(b, TF_SAMPLE_TIME, time);
	assert_true(tf_builder_commit(b));
}

static void add_string(struct rec_sink *s, const void *p, size_t n)
{
	struct tf_builder *b = rec_sink_rows(s, TF_TABLE_STRING);

	tf_builder_bytes(b, TF_STRING_BYTES, p, n);
	assert_true(tf_builder_commit(b));
}

static void read_back(struct fixture *f, struct rowsback *to, uint32_t table)
{
	rowsback_read(to, span_of(f->file.p, f->file.n), table);
}

static void rows_come_out_in_the_order_they_went_in(void **state)
{
	const uint64_t n = 5 * TF_PART_ROWS / 2;
	struct rowsback rows;
	struct fixture f;

	(void)state;
	begin(&f);
	for (uint64_t i = 0; i < n; i++) {
		assert_true(rec_sink_reserve_wait(f.sink));
		add_sample(f.sink, 1000 + i * 3);
	}
	assert_int_equal(rec_sink_close(f.sink, NULL), 0);
	read_back(&f, &rows, TF_TABLE_SAMPLE);
	assert_true(rows.closed);
	assert_int_equal(rows.n, n);
	for (uint64_t i = 0; i < n; i++)
		assert_true(rows.items[i].v[TF_SAMPLE_TIME] == 1000 + i * 3);
	assert_int_equal(rec_sink_bytes(f.sink) <= f.file.n, 1);
	rowsback_fini(&rows);
	end(&f);
}

static void reserve_says_no_while_the_writer_is_blocked(void **state)
{
	struct rowsback rows;
	struct fixture f;
	uint64_t n = 0;

	(void)state;
	begin(&f);
	atomic_store(&f.gate.shut, true);
	while (rec_sink_reserve(f.sink))
		add_sample(f.sink, ++n);
	assert_true(n >= REC_BATCH_ROWS && n <= 4 * REC_BATCH_ROWS);
	assert_false(rec_sink_reserve(f.sink));
	assert_false(rec_sink_failed(f.sink));
	gate_open(&f.gate);
	assert_true(rec_sink_reserve_wait(f.sink));
	add_sample(f.sink, ++n);
	assert_int_equal(rec_sink_close(f.sink, NULL), 0);
	read_back(&f, &rows, TF_TABLE_SAMPLE);
	assert_int_equal(rows.n, n);
	assert_true(rows.items[n - 1].v[TF_SAMPLE_TIME] == n);
	rowsback_fini(&rows);
	end(&f);
}

static void a_reserve_leaves_room_for_a_records_definitions(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f);
	for (int i = 0; i < 100; i++) {
		const struct tf_builder *b;

		assert_true(rec_sink_reserve_wait(f.sink));
		b = rec_sink_rows(f.sink, TF_TABLE_STRING);
		assert_true(b->max_rows - b->rows >= REC_SINK_ROWS_PER_RECORD);
		for (unsigned k = 0; k < REC_SINK_ROWS_PER_RECORD - 1; k++)
			add_string(f.sink, &k, sizeof(k));
		while (!rec_sink_reserve_more(f.sink, 8192))
			assert_true(rec_sink_reserve_wait(f.sink));
		b = rec_sink_rows(f.sink, TF_TABLE_STRING);
		assert_true(b->max_rows - b->rows >=
			    REC_SINK_ROWS_PER_RECORD + 8192);
	}
	assert_int_equal(rec_sink_close(f.sink, NULL), 0);
	end(&f);
}

static void many_bytes_fill_a_batch_as_many_rows_do(void **state)
{
	static const char text[50000];
	struct rowsback rows;
	struct fixture f;

	(void)state;
	begin(&f);
	for (int i = 0; i < 200; i++) {
		assert_true(rec_sink_reserve_wait(f.sink));
		add_string(f.sink, text, sizeof(text));
	}
	assert_int_equal(rec_sink_close(f.sink, NULL), 0);
	read_back(&f, &rows, TF_TABLE_STRING);
	assert_int_equal(rows.n, 200);
	/* 10 MB, 4 MiB a part. */
	assert_true(rows.items[199].chunk > rows.items[0].chunk);
	rowsback_fini(&rows);
	end(&f);
}

static void ids_count_on_over_batches_and_restart_with_an_epoch(void **state)
{
	static const char *const want[] = { "a", "b", "c", "d" };
	struct rowsback rows;
	struct fixture f;

	(void)state;
	begin(&f);
	assert_int_equal(rec_sink_next_id(f.sink, TF_TABLE_STRING), 0);
	add_string(f.sink, "a", 1);
	rec_sink_flush(f.sink);
	assert_int_equal(rec_sink_next_id(f.sink, TF_TABLE_STRING), 1);
	assert_int_equal(rec_sink_next_id(f.sink, TF_TABLE_IMAGE), 0);
	add_string(f.sink, "b", 1);
	while (!rec_sink_new_epoch(f.sink))
		assert_true(rec_sink_reserve_wait(f.sink));
	assert_int_equal(rec_sink_epoch(f.sink), 1);
	assert_int_equal(rec_sink_next_id(f.sink, TF_TABLE_STRING), 0);
	add_string(f.sink, "c", 1);
	add_string(f.sink, "d", 1);
	assert_int_equal(rec_sink_close(f.sink, NULL), 0);
	read_back(&f, &rows, TF_TABLE_STRING);
	assert_int_equal(rows.n, 4);
	for (size_t i = 0; i < 4; i++) {
		assert_true(rowsback_is(&rows.items[i], want[i]));
		assert_int_equal(rows.items[i].epoch, i / 2);
		assert_int_equal(rows.items[i].id, i % 2);
	}
	assert_true(rows.items[1].chunk > rows.items[0].chunk);
	rowsback_fini(&rows);
	end(&f);
}

/* How many chunks rows of a table lie in, and which is the first. */
static size_t chunks_of(struct fixture *f, uint32_t table, size_t *first)
{
	struct rowsback rows;
	size_t n = 0;

	read_back(f, &rows, table);
	assert_true(rows.closed);
	for (size_t i = 0; i < rows.n; i++) {
		assert_int_equal(rows.items[i].id, i);
		n += !i || rows.items[i].chunk > rows.items[i - 1].chunk;
	}
	*first = rows.n ? rows.items[0].chunk : 0;
	rowsback_fini(&rows);
	return n;
}

static void names_go_ahead_of_rows_that_fill_their_part(void **state)
{
	size_t strings, samples;
	struct fixture f;

	(void)state;
	begin(&f);
	for (uint32_t i = 0; i < 8; i++) {
		assert_true(rec_sink_reserve_wait(f.sink));
		add_sample(f.sink, 1 + i);
		add_string(f.sink, "name", 4);
		rec_sink_flush_names(f.sink);
		while (rec_sink_rows(f.sink, TF_TABLE_STRING)->rows) {
			sched_yield(); /* the queue was full */
			rec_sink_flush_names(f.sink);
		}
		assert_int_equal(rec_sink_next_id(f.sink, TF_TABLE_STRING),
				 1 + i);
		rec_sink_flush_names(f.sink); /* there are none any more */
	}
	assert_int_equal(rec_sink_close(f.sink, NULL), 0);
	assert_int_equal(chunks_of(&f, TF_TABLE_STRING, &strings), 8);
	assert_int_equal(chunks_of(&f, TF_TABLE_SAMPLE, &samples), 1);
	assert_true(samples == strings + 8);
	end(&f);
}

static void names_wait_while_the_writer_is_blocked(void **state)
{
	size_t first;
	struct fixture f;

	(void)state;
	begin(&f);
	atomic_store(&f.gate.shut, true);
	for (uint64_t i = 0; i < 20; i++) {
		assert_true(rec_sink_reserve(f.sink));
		add_sample(f.sink, 1 + i);
		add_string(f.sink, "name", 4);
		rec_sink_flush_names(f.sink);
	}
	gate_open(&f.gate);
	assert_int_equal(rec_sink_close(f.sink, NULL), 0);
	assert_true(chunks_of(&f, TF_TABLE_STRING, &first) <=
		    REC_QUEUE_BATCHES);
	assert_int_equal(chunks_of(&f, TF_TABLE_SAMPLE, &first), 1);
	end(&f);
}

/* Whether a string lies in the chunk of `n` samples of its batch. */
static bool share_a_chunk(uint64_t n)
{
	size_t string, sample;
	struct fixture f;

	begin(&f);
	add_string(f.sink, "name", 4);
	for (uint64_t i = 0; i < n; i++) {
		assert_true(rec_sink_reserve_wait(f.sink));
		add_sample(f.sink, 1 + i);
	}
	assert_int_equal(rec_sink_close(f.sink, NULL), 0);
	assert_int_equal(chunks_of(&f, TF_TABLE_STRING, &string), 1);
	assert_int_equal(chunks_of(&f, TF_TABLE_SAMPLE, &sample), 1);
	assert_true(string <= sample);
	end(&f);
	return string == sample;
}

static void small_tables_have_a_chunk_of_their_own_beside_much(void **state)
{
	(void)state;
	assert_true(share_a_chunk(100));
	assert_false(share_a_chunk(10000));
}

static void an_epoch_does_not_begin_while_the_queue_is_full(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f);
	atomic_store(&f.gate.shut, true);
	for (uint64_t n = 1; rec_sink_reserve(f.sink); n++)
		add_sample(f.sink, n);
	assert_false(rec_sink_new_epoch(f.sink));
	assert_int_equal(rec_sink_epoch(f.sink), 0);
	gate_open(&f.gate);
	assert_int_equal(rec_sink_close(f.sink, NULL), 0);
	end(&f);
}

#define N_ADDED 1300 /* more than a chunk may have parts */

static const struct tf_column added_columns[] = {
	{ .id = 0, .name = "time", .type = TF_U64, .unit = "ns",
	  .role = TF_ROLE_TIME, .privacy = TF_PRIVACY_NUMBER },
	{ .id = 1, .name = "v", .type = TF_U64, .unit = "",
	  .privacy = TF_PRIVACY_NUMBER },
};

struct added {
	struct tf_table tables[N_ADDED];
	const struct tf_table *list[N_ADDED];
	char names[N_ADDED][8];
};

static void name_tables(struct added *a, uint32_t first, uint32_t n)
{
	for (uint32_t i = first; i < first + n; i++) {
		snprintf(a->names[i], sizeof(a->names[i]), "s:%u", i);
		a->tables[i] = (struct tf_table){
			.id = TF_TABLE_DYNAMIC + i, .name = a->names[i],
			.kind = TF_KIND_EVENT, .columns = added_columns,
			.n_columns = ARRAY_LEN(added_columns) };
		a->list[i] = &a->tables[i];
	}
}

static struct added *add_tables(struct fixture *f)
{
	struct added *a = calloc(1, sizeof(*a));

	assert_non_null(a);
	name_tables(a, 0, N_ADDED);
	assert_int_equal(rec_sink_add_tables(f->sink, a->list, N_ADDED, NULL),
			 0);
	return a;
}

static void add_row(struct rec_sink *s, uint32_t table, uint64_t time)
{
	struct tf_builder *b;

	while (!rec_sink_reserve_row(s, table))
		assert_true(rec_sink_reserve_wait(s));
	b = rec_sink_rows(s, table);
	tf_builder_set(b, 0, time);
	tf_builder_set(b, 1, table);
	assert_true(tf_builder_commit(b));
}

static void each_of_many_added_tables_has_its_rows(void **state)
{
	struct rowsback rows;
	struct fixture f;
	struct added *a;

	(void)state;
	begin(&f);
	a = add_tables(&f);
	rec_sink_watermark(f.sink, 7);
	for (uint32_t i = 0; i < N_ADDED; i++)
		add_row(f.sink, TF_TABLE_DYNAMIC + i, 100 + i);
	/* A storm of one of them: over many batches. */
	for (uint64_t i = 0; i < 3 * TF_PART_ROWS; i++)
		add_row(f.sink, TF_TABLE_DYNAMIC + 5, 5000 + i);
	assert_int_equal(rec_sink_close(f.sink, NULL), 0);
	for (uint32_t i = 0; i < N_ADDED; i += 433) {
		read_back(&f, &rows, TF_TABLE_DYNAMIC + i);
		assert_int_equal(rows.n, 1);
		assert_int_equal(rows.items[0].v[0], 100 + i);
		assert_int_equal(rows.items[0].v[1], TF_TABLE_DYNAMIC + i);
		assert_int_equal(rows.items[0].watermark, 7);
		rowsback_fini(&rows);
	}
	read_back(&f, &rows, TF_TABLE_DYNAMIC + 5);
	assert_true(rows.closed);
	assert_int_equal(rows.n, 3 * TF_PART_ROWS + 1);
	assert_int_equal(rows.items[3 * TF_PART_ROWS].v[0],
			 4999 + 3 * TF_PART_ROWS);
	rowsback_fini(&rows);
	end(&f);
	free(a);
}

/* Each time while batches before it are on their way. */
static void tables_may_be_added_among_rows(void **state)
{
	struct added *a = calloc(1, sizeof(*a));
	struct rowsback rows;
	struct fixture f;
	uint64_t time = 0;

	(void)state;
	assert_non_null(a);
	begin(&f);
	for (uint32_t i = 0; i < 20; i++) {
		name_tables(a, i, 1);
		for (uint64_t k = 0; k < TF_PART_ROWS / 2 * 3; k++) {
			assert_true(rec_sink_reserve_wait(f.sink));
			add_sample(f.sink, ++time);
		}
		assert_int_equal(rec_sink_add_tables(f.sink, &a->list[i], 1,
						     NULL), 0);
		for (uint32_t k = 0; k <= i; k++)
			add_row(f.sink, TF_TABLE_DYNAMIC + k, ++time);
	}
	assert_int_equal(rec_sink_close(f.sink, NULL), 0);
	for (uint32_t i = 0; i < 20; i++) {
		read_back(&f, &rows, TF_TABLE_DYNAMIC + i);
		assert_true(rows.closed);
		assert_int_equal(rows.n, 20 - i);
		assert_int_equal(rows.items[0].v[1], TF_TABLE_DYNAMIC + i);
		rowsback_fini(&rows);
	}
	read_back(&f, &rows, TF_TABLE_SAMPLE);
	assert_int_equal(rows.n, 20 * (TF_PART_ROWS / 2 * 3));
	rowsback_fini(&rows);
	end(&f);
	free(a);
}

static void no_table_is_added_when_the_writer_has_failed(void **state)
{
	struct added *a = calloc(1, sizeof(*a));
	struct fixture f;
	struct err err = { 0 };

	(void)state;
	assert_non_null(a);
	begin(&f);
	f.file.max = f.file.n; /* not a byte more */
	for (uint64_t n = 1; rec_sink_reserve_wait(f.sink); n++)
		add_sample(f.sink, n);
	assert_false(rec_sink_flush_wait(f.sink));
	name_tables(a, 0, 1);
	assert_int_equal(rec_sink_add_tables(f.sink, a->list, 1, &err),
			 ERR_NOMEM);
	assert_int_equal(rec_sink_failure(f.sink, NULL), ERR_NOMEM);
	assert_int_equal(rec_sink_close(f.sink, NULL), ERR_NOMEM);
	end(&f);
	free(a);
}

static void a_watermark_only_rises(void **state)
{
	struct rowsback rows;
	struct fixture f;

	(void)state;
	begin(&f);
	rec_sink_watermark(f.sink, 500);
	rec_sink_watermark(f.sink, 400);
	add_sample(f.sink, 600);
	assert_int_equal(rec_sink_close(f.sink, NULL), 0);
	read_back(&f, &rows, TF_TABLE_SAMPLE);
	assert_int_equal(rows.items[0].watermark, 500);
	rowsback_fini(&rows);
	end(&f);
}

static void nothing_recorded_is_a_whole_file(void **state)
{
	struct rowsback rows;
	struct fixture f;

	(void)state;
	begin(&f);
	rec_sink_flush(f.sink);
	assert_int_equal(rec_sink_close(f.sink, NULL), 0);
	read_back(&f, &rows, TF_TABLE_SAMPLE);
	assert_true(rows.closed);
	assert_int_equal(rows.n, 0);
	rowsback_fini(&rows);
	end(&f);
}

/* The n-th append fails: the recording goes on to its end, the first cause is
 * told, and what was written before is a sound file. */
static void a_failure_ends_in_good_order(struct faultio fault)
{
	struct tf_sink *faulty = NULL;
	struct rowsback rows;
	struct err err = { 0 };
	struct fixture f = { 0 };
	uint64_t n = 0;

	buf_init(&f.file, 0);
	assert_int_equal(tf_sink_memory(&f.memory, &f.file, NULL), 0);
	assert_int_equal(faultio_sink(&faulty, f.memory, &fault), 0);
	assert_int_equal(rec_sink_new(&f.sink, faulty, &info, NULL), 0);
	while (rec_sink_reserve_wait(f.sink))
		add_sample(f.sink, ++n);
	assert_true(rec_sink_failed(f.sink));
	/* Batches still come back, so nobody waits for ever. */
	for (uint64_t i = 0; i < 5 * TF_PART_ROWS; i++)
		if (rec_sink_reserve(f.sink))
			add_sample(f.sink, ++n);
	assert_true(rec_sink_close(f.sink, &err) < 0);
	assert_true(fault.hit);
	assert_non_null(strstr(err.text, "on purpose"));
	if (fault.kind == FAULTIO_ERROR || !fault.no_cut) {
		read_back(&f, &rows, TF_TABLE_SAMPLE);
		for (uint64_t i = 0; i < rows.n; i++)
			assert_true(rows.items[i].v[TF_SAMPLE_TIME] == i + 1);
		rowsback_fini(&rows);
	}
	rec_sink_free(f.sink);
	tf_sink_close(faulty, NULL);
	tf_sink_close(f.memory, NULL);
	buf_fini(&f.file);
}

static void a_failing_file_ends_in_good_order(void **state)
{
	(void)state;
	for (long at = 3; at < 6; at++) {
		a_failure_ends_in_good_order((struct faultio){
			.kind = FAULTIO_ERROR, .at = at, .stay = true });
		a_failure_ends_in_good_order((struct faultio){
			.kind = FAULTIO_SHORT, .at = at, .stay = true });
		a_failure_ends_in_good_order((struct faultio){
			.kind = FAULTIO_SHORT, .at = at, .no_cut = true });
	}
}

static void a_file_that_fails_at_once_is_no_sink(void **state)
{
	struct faultio fault = { .kind = FAULTIO_ERROR, .at = 1, .stay = true };
	struct tf_sink *faulty = NULL, *memory = NULL;
	struct rec_sink *sink = NULL;
	struct buf file;

	(void)state;
	buf_init(&file, 0);
	assert_int_equal(tf_sink_memory(&memory, &file, NULL), 0);
	assert_int_equal(faultio_sink(&faulty, memory, &fault), 0);
	assert_true(rec_sink_new(&sink, faulty, &info, NULL) < 0);
	assert_null(sink);
	rec_sink_free(NULL);
	tf_sink_close(faulty, NULL);
	tf_sink_close(memory, NULL);
	buf_fini(&file);
}

static void out_of_memory_is_no_sink(void **state)
{
	struct tf_sink *memory = NULL;
	struct rec_sink *sink = NULL;
	struct err err = { 0 };
	struct buf file;
	int rc = ERR_NOMEM;

	(void)state;
	buf_init(&file, 0);
	assert_int_equal(tf_sink_memory(&memory, &file, NULL), 0);
	/* Hundreds of builders: the first allocations and a spread of others.*/
	for (long n = 1; rc == ERR_NOMEM; n += n < 40 ? 1 : 37) {
		failalloc_at(n);
		rc = rec_sink_new(&sink, memory, &info, &err);
		failalloc_off();
		assert_true(rc == 0 || rc == ERR_NOMEM);
		if (rc)
			assert_null(sink);
	}
	rec_sink_free(sink);
	tf_sink_close(memory, NULL);
	buf_fini(&file);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_come_out_in_the_order_they_went_in),
		cmocka_unit_test(reserve_says_no_while_the_writer_is_blocked),
		cmocka_unit_test(
			a_reserve_leaves_room_for_a_records_definitions),
		cmocka_unit_test(many_bytes_fill_a_batch_as_many_rows_do),
		cmocka_unit_test(names_go_ahead_of_rows_that_fill_their_part),
		cmocka_unit_test(names_wait_while_the_writer_is_blocked),
		cmocka_unit_test(
			small_tables_have_a_chunk_of_their_own_beside_much),
		cmocka_unit_test(
			ids_count_on_over_batches_and_restart_with_an_epoch),
		cmocka_unit_test(
			an_epoch_does_not_begin_while_the_queue_is_full),
		cmocka_unit_test(each_of_many_added_tables_has_its_rows),
		cmocka_unit_test(tables_may_be_added_among_rows),
		cmocka_unit_test(no_table_is_added_when_the_writer_has_failed),
		cmocka_unit_test(a_watermark_only_rises),
		cmocka_unit_test(nothing_recorded_is_a_whole_file),
		cmocka_unit_test(a_failing_file_ends_in_good_order),
		cmocka_unit_test(a_file_that_fails_at_once_is_no_sink),
		cmocka_unit_test(out_of_memory_is_no_sink),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
