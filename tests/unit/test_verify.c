#include "format/base/mem.h"
#include "format/catalog.h"
#include "format/verify.h"
#include "format/writer.h"
#include "tests/support/failalloc.h"
#include "tests/support/goldens.h"
#include "tests/support/refit.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

/* A file that is written chunk by chunk, and what is said about it. */
struct fixture {
	struct buf bytes;
	struct tf_sink *sink;
	struct tf_writer *w;
	struct tf_builder *b; /* of the table that was used last */
	struct err err;
	struct tf_verify_result result;
	char said[1000]; /* the problems, one a line, without their offset */
	uint64_t offset; /* of the last one */
};

static void ok(struct fixture *f, int rc)
{
	if (rc)
		fail_msg("%s", f->err.text);
}

static void set_up(struct fixture *f)
{
	static const struct tf_file_info info = { .file_id = { 9 } };

	memset(f, 0, sizeof(*f));
	ok(f, tf_sink_memory(&f->sink, &f->bytes, &f->err));
	ok(f, tf_writer_new(&f->w, f->sink, &info, &f->err));
}

static void tear_down(struct fixture *f)
{
	tf_builder_free(f->b);
	tf_writer_free(f->w);
	if (f->sink)
		tf_sink_close(f->sink, NULL);
	buf_fini(&f->bytes);
}

static struct tf_builder *table(struct fixture *f, uint32_t id)
{
	tf_builder_free(f->b);
	f->b = NULL;
	ok(f, tf_builder_new(&f->b, tf_catalog_table(id), 5000, &f->err));
	return f->b;
}

static void chunk(struct fixture *f, uint32_t epoch)
{
	ok(f, tf_writer_data(f->w, epoch, &f->b, 1, &f->err));
}

static void stacks(struct fixture *f, uint32_t epoch, const uint64_t *parents,
		   size_t n)
{
	struct tf_builder *b = table(f, TF_TABLE_STACK);

	for (size_t i = 0; i < n; i++) {
		tf_builder_set(b, TF_STACK_PARENT, parents[i]);
		tf_builder_set(b, TF_STACK_FRAME, 0);
		tf_builder_commit(b);
	}
	chunk(f, epoch);
}

/* Of a sample: a definition's time would not be one of its chunk. */
static void sample_row(struct fixture *f, uint64_t t)
{
	struct tf_builder *b = table(f, TF_TABLE_SAMPLE);

	for (unsigned i = 0; i < b->table->n_columns; i++)
		tf_builder_set(b, i, 0);
	tf_builder_set(b, TF_SAMPLE_TIME, t);
	tf_builder_commit(b);
	chunk(f, 0);
}

static void clock_row(struct fixture *f, uint64_t t)
{
	struct tf_builder *b = table(f, TF_TABLE_CLOCK);

	for (uint64_t i = 0; i < 3; i++) {
		tf_builder_set(b, TF_CLOCK_MONOTONIC, t + i);
		tf_builder_set(b, TF_CLOCK_REALTIME, t + 2 * i);
		tf_builder_set(b, TF_CLOCK_BOOTTIME, t + 3 * i);
		tf_builder_commit(b);
	}
	chunk(f, 0);
}

static void say(void *ctx, uint64_t offset, const char *what)
{
	struct fixture *f = ctx;
	size_t n = strlen(f->said);

	snprintf(f->said + n, sizeof(f->said) - n, "%s\n", what);
	f->offset = offset;
}

static void verify(struct fixture *f)
{
	struct tf_source *s;
	struct tf_reader *r;

	f->said[0] = 0;
	ok(f, tf_source_memory(&s, span_of(f->bytes.p, f->bytes.n), &f->err));
	ok(f, tf_reader_open(&r, s, &f->err));
	ok(f, tf_verify(r, say, f, &f->result, &f->err));
	tf_reader_free(r);
	tf_source_close(s);
}

static void says(struct fixture *f, const char *want)
{
	verify(f);
	assert_string_equal(f->said, want);
	assert_int_equal(f->result.problems, *want != 0);
}

static void sound_files_have_no_problems(void **state)
{
	(void)state;
	for (const struct golden *g = goldens; g->name; g++) {
		struct fixture f = { 0 };

		ok(&f, golden_stored(g, &f.bytes, &f.err));
		says(&f, "");
		assert_int_equal(f.result.bytes, f.bytes.n);
		tear_down(&f);
	}
}

static void what_was_seen_is_counted(void **state)
{
	struct fixture f = { 0 };

	(void)state;
	ok(&f, golden_stored(&goldens[1], &f.bytes, &f.err));
	verify(&f);
	assert_int_equal(f.result.chunks, 8);
	assert_int_equal(f.result.parts, 8);
	assert_int_equal(f.result.rows, 6 + 12);
	tear_down(&f);
}

static void references_to_rows_that_are_not_there_are_found(void **state)
{
	struct fixture f;

	(void)state;
	set_up(&f);
	table(&f, TF_TABLE_FACT);
	tf_builder_set(f.b, TF_FACT_KEY, 0);
	tf_builder_set(f.b, TF_FACT_VALUE, 0); /* row 0: none */
	tf_builder_commit(f.b);
	tf_builder_set(f.b, TF_FACT_KEY, 0);
	tf_builder_set(f.b, TF_FACT_VALUE, 3);
	tf_builder_commit(f.b);
	chunk(&f, 0);
	says(&f, "chunk 1: table 'fact': column 'value': row 1 refers to row 3 "
		 "of table 1, which has 0\n");
	tear_down(&f);
}

static void references_do_not_reach_into_the_epoch_before(void **state)
{
	static const uint64_t parents[] = { 0, 0, 1 };
	struct fixture f;

	(void)state;
	set_up(&f);
	stacks(&f, 0, parents, 3);
	stacks(&f, 1, parents, 1);
	table(&f, TF_TABLE_SAMPLE);
	for (unsigned i = 0; i < f.b->table->n_columns; i++)
		tf_builder_set(f.b, i, 0);
	tf_builder_set(f.b, TF_SAMPLE_KSTACK, 2);
	tf_builder_commit(f.b);
	chunk(&f, 1);
	says(&f, "chunk 3: table 'sample': column 'kstack': row 0 refers to "
		 "row 2 of table 8, which has 1\n");
	tear_down(&f);
}

static void a_parent_must_be_lower(void **state)
{
	static const uint64_t parents[] = { 0, 0, 2, 1 };
	struct fixture f;

	(void)state;
	set_up(&f);
	stacks(&f, 0, parents, 4);
	says(&f, "chunk 1: table 'stack': column 'parent': stack 2 has the "
		 "parent 2\n");
	tear_down(&f);
}

static void stacks_may_be_so_deep_and_no_deeper(void **state)
{
	static uint64_t parents[4099];
	struct fixture f;

	(void)state;
	for (size_t i = 1; i < ARRAY_LEN(parents); i++)
		parents[i] = i - 1;
	set_up(&f);
	stacks(&f, 0, parents, 4097);
	says(&f, "");
	tear_down(&f);
	set_up(&f);
	stacks(&f, 0, parents, 4099);
	says(&f, "chunk 1: table 'stack': column 'parent': a stack of more "
		 "than 4096 frames\n");
	tear_down(&f);
}

static void strings_may_be_so_long_and_no_longer(void **state)
{
	static char text[65537];
	struct fixture f;

	(void)state;
	memset(text, 'x', sizeof(text));
	set_up(&f);
	table(&f, TF_TABLE_STRING);
	tf_builder_bytes(f.b, TF_STRING_BYTES, text, 65536);
	tf_builder_commit(f.b);
	chunk(&f, 0);
	says(&f, "");
	tf_builder_bytes(f.b, TF_STRING_BYTES, text, 65537);
	tf_builder_commit(f.b);
	chunk(&f, 0);
	verify(&f);
	assert_non_null(strstr(f.said, "row 1 has 65537 bytes, limit 65536"));
	tear_down(&f);
}

static void stated_times_must_be_those_of_the_rows(void **state)
{
	struct fixture f;

	(void)state;
	set_up(&f);
	clock_row(&f, 100);
	f.b->t_max = 500;
	chunk(&f, 0);
	says(&f, "chunk 2: table 'clock': column 'monotonic': times go from "
		 "100 to 102, stated are 100 to 500\n");
	tear_down(&f);
}

static uint64_t second_chunk(const struct fixture *f)
{
	const uint8_t *p = f->bytes.p + 64;

	/* Sizes of directory and body of the schema fit in two bytes. */
	return 64 + 80 + (uint64_t)((p[52] | p[53] << 8) +
				    (p[56] | p[57] << 8) + 7) / 8 * 8;
}

static void a_changed_header_is_found_behind_its_checksum(void **state)
{
	static const struct {
		size_t at;
		uint8_t value;
		const char *said;
	} changes[] = {
		{ 16, 9, "chunk 1: sequence number is not the next one\n" },
		{ 32, 1, "chunk 1: times are not those of its events\n" },
		{ 48, 2, "chunk 1: directory cut short\n" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(changes); i++) {
		struct fixture f;

		set_up(&f);
		sample_row(&f, 100);
		f.bytes.p[second_chunk(&f) + changes[i].at] = changes[i].value;
		refit(f.bytes.p, f.bytes.n);
		says(&f, changes[i].said);
		assert_int_equal(f.offset, second_chunk(&f));
		tear_down(&f);
	}
}

/* They would count if they were of events. */
static void times_of_definitions_are_not_those_of_a_chunk(void **state)
{
	struct fixture f;
	const uint8_t *head;

	(void)state;
	set_up(&f);
	clock_row(&f, 100);
	says(&f, "");
	head = f.bytes.p + second_chunk(&f);
	for (size_t i = 32; i < 48; i++)
		assert_int_equal(head[i], 0);
	f.bytes.p[second_chunk(&f) + 32] = 100;
	f.bytes.p[second_chunk(&f) + 40] = 102;
	refit(f.bytes.p, f.bytes.n);
	says(&f, "chunk 1: times are not those of its events\n");
	tear_down(&f);
}

/* The last byte of padding of the first chunk from `at` on that has some. */
static uint64_t first_padding(const struct fixture *f, uint64_t at)
{
	for (;;) {
		const uint8_t *p = f->bytes.p + at;
		unsigned used = p[52] + 256u * p[53] + p[56] + 256u * p[57];

		at += 80 + (used + 7) / 8 * 8;
		assert_true(at < f->bytes.n);
		if (used % 8)
			return at - 1;
	}
}

static void padding_must_be_zero(void **state)
{
	struct fixture f = { 0 };

	(void)state;
	ok(&f, golden_stored(&goldens[1], &f.bytes, &f.err));
	f.bytes.p[first_padding(&f, 64)] = 1;
	verify(&f);
	assert_int_equal(f.result.problems, 1);
	assert_non_null(strstr(f.said, ": padding is not zero\n"));
	tear_down(&f);
}

static void epochs_alternate_until_they_are_closed(void **state)
{
	static const uint64_t parents[] = { 0 };
	struct fixture f;

	(void)state;
	set_up(&f);
	for (uint32_t i = 0; i < TF_MAX_OPEN_EPOCHS; i++)
		stacks(&f, 20 - i, parents, 1);
	stacks(&f, 21, parents, 1);
	verify(&f);
	assert_int_equal(f.result.problems, 0);
	/* The last chunk begins 80 bytes and its content before the end. */
	for (size_t at = f.bytes.n - 80;; at -= 8) {
		if (memcmp(f.bytes.p + at, "CHNK", 4) != 0)
			continue;
		f.bytes.p[at + 28] = 3;
		break;
	}
	refit(f.bytes.p, f.bytes.n);
	verify(&f);
	assert_non_null(strstr(f.said, "chunk 17: epoch is older than all "
				       "that may be open\n"));
	tear_down(&f);
}

static void gaps_are_problems_and_forgive_what_they_hide(void **state)
{
	static const uint64_t parents[] = { 0, 0, 1 };
	struct fixture f;

	(void)state;
	set_up(&f);
	stacks(&f, 0, parents, 3);
	table(&f, TF_TABLE_SAMPLE);
	for (unsigned i = 0; i < f.b->table->n_columns; i++)
		tf_builder_set(f.b, i, 0);
	tf_builder_set(f.b, TF_SAMPLE_KSTACK, 2);
	tf_builder_commit(f.b);
	chunk(&f, 0);
	f.bytes.p[second_chunk(&f)] = 'x'; /* the stacks are gone */
	verify(&f);
	assert_int_equal(f.result.problems, 1);
	assert_non_null(strstr(f.said,
			       " bytes are no chunk: no chunk header here\n"));
	assert_int_equal(f.offset, second_chunk(&f));
	tear_down(&f);
}

static void rows_of_a_table_nobody_announced_are_found(void **state)
{
	struct fixture f = { 0 };
	size_t at = 64;

	(void)state;
	ok(&f, golden_stored(&goldens[0], &f.bytes, &f.err));
	/* The second schema, of the dynamic table, becomes unknown. */
	do {
		at += 8;
	} while (memcmp(f.bytes.p + at, "CHNK", 4) != 0);
	f.bytes.p[at + 4] = 77;
	refit(f.bytes.p, f.bytes.n);
	verify(&f);
	assert_non_null(strstr(f.said,
			       "chunk 2: table 256 was not announced\n"));
	tear_down(&f);
}

static void every_failing_allocation_ends_the_walk(void **state)
{
	struct fixture f = { 0 };
	struct tf_source *s;
	struct tf_reader *r;
	bool hit = true;

	(void)state;
	ok(&f, golden_stored(&goldens[0], &f.bytes, &f.err));
	ok(&f, tf_source_memory(&s, span_of(f.bytes.p, f.bytes.n), &f.err));
	ok(&f, tf_reader_open(&r, s, &f.err));
	for (long n = 1; hit; n++) {
		int rc;

		failalloc_at(n);
		rc = tf_verify(r, say, &f, &f.result, NULL);
		failalloc_off();
		hit = failalloc_hit();
		assert_int_equal(rc, hit ? ERR_NOMEM : 0);
		assert_int_equal(f.result.problems, 0);
	}
	tf_reader_free(r);
	tf_source_close(s);
	tear_down(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sound_files_have_no_problems),
		cmocka_unit_test(what_was_seen_is_counted),
		cmocka_unit_test(references_to_rows_that_are_not_there_are_found),
		cmocka_unit_test(references_do_not_reach_into_the_epoch_before),
		cmocka_unit_test(a_parent_must_be_lower),
		cmocka_unit_test(stacks_may_be_so_deep_and_no_deeper),
		cmocka_unit_test(strings_may_be_so_long_and_no_longer),
		cmocka_unit_test(stated_times_must_be_those_of_the_rows),
		cmocka_unit_test(a_changed_header_is_found_behind_its_checksum),
		cmocka_unit_test(times_of_definitions_are_not_those_of_a_chunk),
		cmocka_unit_test(padding_must_be_zero),
		cmocka_unit_test(epochs_alternate_until_they_are_closed),
		cmocka_unit_test(gaps_are_problems_and_forgive_what_they_hide),
		cmocka_unit_test(rows_of_a_table_nobody_announced_are_found),
		cmocka_unit_test(every_failing_allocation_ends_the_walk),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
