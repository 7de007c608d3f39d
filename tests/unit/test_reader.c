#include "format/base/mem.h"
#include "format/catalog.h"
#include "format/reader.h"
#include "format/verify.h"
#include "tests/support/failalloc.h"
#include "tests/support/faultio.h"
#include "tests/support/goldens.h"
#include "tests/support/mutate.h"
#include "tests/support/refit.h"
#include "tests/support/walk.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

enum { SMALL, EPOCHS, BIG };

struct file { /* a trace in memory and its reader */
	struct buf bytes;
	struct tf_source *source;
	struct tf_reader *r;
	struct err err;
};

static int open_span(struct file *f, struct span in)
{
	assert_int_equal(tf_source_memory(&f->source, in, NULL), 0);
	f->r = NULL;
	return tf_reader_open(&f->r, f->source, &f->err);
}

static void close_file(struct file *f)
{
	tf_reader_free(f->r);
	tf_source_close(f->source);
	f->r = NULL;
	f->source = NULL;
}

static void load(struct file *f, int which)
{
	*f = (struct file){ 0 };
	assert_int_equal(golden_stored(&goldens[which], &f->bytes, &f->err),
			 0);
}

static int reopen(struct file *f)
{
	close_file(f);
	return open_span(f, span_of(f->bytes.p, f->bytes.n));
}

static void unload(struct file *f)
{
	close_file(f);
	buf_fini(&f->bytes);
}

static void count_problem(void *ctx, uint64_t offset, const char *what)
{
	(void)ctx;
	(void)offset;
	assert_true(strlen(what) > 0);
}

static uint64_t problems(const struct tf_reader *r)
{
	struct tf_verify_result result;

	assert_int_equal(tf_verify(r, count_problem, NULL, &result, NULL), 0);
	return result.problems;
}

/* Offsets of chunk i as a sound file has it. */
static uint64_t chunk_at(const struct file *f, size_t i)
{
	return tf_reader_chunk(f->r, i)->offset;
}

static void a_closed_file_is_read_by_its_index(void **state)
{
	struct faultio io = { 0 };
	struct tf_source *counted;
	const struct tf_gap *gaps;
	struct tf_reader *r;
	struct file f;

	(void)state;
	load(&f, EPOCHS);
	assert_int_equal(reopen(&f), 0);
	assert_int_equal(tf_reader_ending(f.r), TF_CLOSED);
	assert_int_equal(tf_reader_gaps(f.r, &gaps), 0);
	/* schema, schema, 4 of data, index, end */
	assert_int_equal(tf_reader_chunks(f.r), 8);
	assert_int_equal(tf_reader_size(f.r), f.bytes.n);
	assert_int_equal(tf_reader_chunk(f.r, 0)->offset, 64);
	assert_int_equal(tf_reader_chunk(f.r, 2)->type, TF_CHUNK_DATA);
	assert_int_equal(tf_reader_chunk(f.r, 5)->epoch, 5);
	assert_int_equal(tf_reader_chunk(f.r, 6)->type, TF_CHUNK_INDEX);
	assert_int_equal(tf_reader_chunk(f.r, 7)->seq, 7);
	assert_int_equal(faultio_source(&counted, f.source, &io), 0);
	assert_int_equal(tf_reader_open(&r, counted, NULL), 0);
	/* header, END, INDEX and its body, two schemas and their bodies */
	assert_true(io.calls <= 8);
	tf_reader_free(r);
	tf_source_close(counted);
	unload(&f);
}

static void the_header_says_what_was_put_in(void **state)
{
	const struct tf_file_header *h;
	struct file f;

	(void)state;
	load(&f, SMALL);
	assert_int_equal(reopen(&f), 0);
	h = tf_reader_header(f.r);
	assert_int_equal(h->major, 0);
	assert_int_equal(h->minor, 1);
	assert_int_equal(h->file_id[15], 0xaf);
	assert_true(h->start_unix_ns == 1700000000123456789u);
	unload(&f);
}

/* Chunks of the whole file that end at or before `n`. */
static size_t whole_chunks(const struct tf_reader *whole, uint64_t n)
{
	size_t count = 0;

	for (size_t i = 0; i < tf_reader_chunks(whole); i++) {
		const struct tf_chunk_info *c = tf_reader_chunk(whole, i);

		count += c->offset + c->size <= n;
	}
	return count;
}

static void see_prefix(void *ctx, struct span in)
{
	const struct file *whole = ctx;
	const struct tf_gap *gaps;
	struct file f = { 0 };
	size_t want;

	if (open_span(&f, in)) {
		assert_true(in.n < 64);
		assert_true(strncmp(f.err.text, "(memory): ", 10) == 0);
		close_file(&f);
		return;
	}
	want = whole_chunks(whole->r, in.n);
	assert_int_equal(tf_reader_chunks(f.r), want);
	assert_int_equal(tf_reader_gaps(f.r, &gaps), 0);
	assert_int_equal(problems(f.r), 0);
	if (in.n == whole->bytes.n)
		assert_int_equal(tf_reader_ending(f.r), TF_CLOSED);
	else if (in.n == 64 || in.n == chunk_at(whole, want))
		assert_int_equal(tf_reader_ending(f.r), TF_UNCLOSED);
	else
		assert_int_equal(tf_reader_ending(f.r), TF_CUT);
	close_file(&f);
}

static void every_prefix_is_read_as_far_as_whole_chunks_go(void **state)
{
	(void)state;
	for (int which = SMALL; which <= BIG; which++) {
		struct file f;

		load(&f, which);
		assert_int_equal(reopen(&f), 0);
		mutate_prefixes(span_of(f.bytes.p, f.bytes.n), see_prefix, &f);
		unload(&f);
	}
}

static bool is_one_of(uint64_t sum, const struct walk *w)
{
	for (size_t i = 0; i < w->n; i++)
		if (w->sums[i] == sum)
			return true;
	return false;
}

static void see_flip(void *ctx, struct span in, size_t bit)
{
	const struct walk *good = ctx;
	struct file f = { 0 };
	struct walk w;

	if (open_span(&f, in) == 0) {
		if (!problems(f.r))
			fail_msg("flipped bit %zu was not noticed", bit);
		walk_all(&w, f.r);
		for (size_t i = 0; i < w.n; i++)
			if (!is_one_of(w.sums[i], good))
				fail_msg("flipped bit %zu: other values", bit);
		assert_int_equal(w.failed, 0);
	}
	close_file(&f);
}

static void every_flipped_bit_is_noticed_and_changes_no_value(void **state)
{
	(void)state;
	for (int which = SMALL; which <= EPOCHS; which++) {
		struct walk good;
		struct file f;

		load(&f, which);
		assert_int_equal(reopen(&f), 0);
		assert_int_equal(problems(f.r), 0);
		walk_all(&good, f.r);
		assert_int_equal(good.damaged, 0);
		close_file(&f);
		mutate_bits(f.bytes.p, f.bytes.n, see_flip, &good);
		unload(&f);
	}
}

static void a_damaged_header_is_a_gap_and_the_rest_is_read(void **state)
{
	static const struct {
		size_t at;
		uint8_t value;
		const char *why;
	} damage[] = {
		{ 0, 'x', "no chunk header here" },
		{ 16, 0xff, "chunk header: checksum differs" },
	};
	const struct tf_gap *gaps;
	struct file f;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(damage); i++) {
		uint64_t at, size;

		load(&f, EPOCHS);
		assert_int_equal(reopen(&f), 0);
		at = chunk_at(&f, 1); /* a schema: the index is not believed */
		size = tf_reader_chunk(f.r, 1)->size;
		f.bytes.p[at + damage[i].at] = damage[i].value;
		assert_int_equal(reopen(&f), 0);
		assert_int_equal(tf_reader_gaps(f.r, &gaps), 1);
		assert_int_equal(gaps[0].offset, at);
		assert_int_equal(gaps[0].size, size);
		assert_string_equal(gaps[0].why, damage[i].why);
		assert_int_equal(tf_reader_chunks(f.r), 7);
		assert_int_equal(tf_reader_ending(f.r), TF_CLOSED);
		unload(&f);
	}
}

static void bytes_of_another_file_are_a_gap(void **state)
{
	const struct tf_gap *gaps;
	uint8_t copy[200];
	struct file f;
	uint64_t at;

	(void)state;
	load(&f, EPOCHS);
	assert_int_equal(reopen(&f), 0);
	at = chunk_at(&f, 7);
	close_file(&f);
	/* Instead of the END: a chunk from the front, whole but elsewhere. */
	f.bytes.n = at;
	memcpy(copy, f.bytes.p + 64, sizeof(copy));
	buf_put(&f.bytes, copy, sizeof(copy));
	buf_zero(&f.bytes, 8);
	assert_int_equal(reopen(&f), 0);
	assert_int_equal(tf_reader_gaps(f.r, &gaps), 1);
	assert_int_equal(gaps[0].offset, at);
	assert_int_equal(gaps[0].size, 208);
	assert_string_equal(gaps[0].why, "chunk header of another offset");
	assert_int_equal(tf_reader_ending(f.r), TF_UNCLOSED);
	unload(&f);
}

static void a_short_tail_that_begins_no_chunk_is_a_gap(void **state)
{
	const struct tf_gap *gaps;
	struct file f;

	(void)state;
	load(&f, SMALL);
	buf_put(&f.bytes, "CHNK", 4);
	assert_int_equal(reopen(&f), 0);
	assert_int_equal(tf_reader_ending(f.r), TF_CUT);
	assert_int_equal(tf_reader_gaps(f.r, &gaps), 0);
	f.bytes.p[f.bytes.n - 1] = 'X';
	f.bytes.p[chunk_at(&f, tf_reader_chunks(f.r) - 1)] = 'X'; /* no END */
	assert_int_equal(reopen(&f), 0);
	assert_int_equal(tf_reader_ending(f.r), TF_UNCLOSED);
	assert_int_equal(tf_reader_gaps(f.r, &gaps), 1);
	assert_int_equal(gaps[0].size, TF_CHUNK_HEADER_SIZE + 4);
	unload(&f);
}

static void an_unfinished_chunk_is_found_behind_damage(void **state)
{
	const struct tf_gap *gaps;
	struct file f;

	(void)state;
	load(&f, SMALL);
	assert_int_equal(reopen(&f), 0);
	f.bytes.p[chunk_at(&f, tf_reader_chunks(f.r) - 1)] = 'X'; /* no END */
	buf_put(&f.bytes, "CHNK", 4);
	assert_int_equal(reopen(&f), 0);
	assert_int_equal(tf_reader_ending(f.r), TF_CUT);
	assert_int_equal(tf_reader_gaps(f.r, &gaps), 1);
	assert_int_equal(gaps[0].size, TF_CHUNK_HEADER_SIZE);
	unload(&f);
}

/* What stands behind an END and is no chunk of the file harms nothing. */
static void bytes_behind_an_end_are_not_of_the_file(void **state)
{
	static const struct {
		const char *bytes;
		size_t n;
		bool trace;
	} tails[] = {
		{ "\n", 1, false },
		{ "CHNX", 4, false },
		{ "C", 1, false }, /* too little to be a chunk's beginning */
		{ "CHN", 3, false },
		{ TF_MAGIC, TF_MAGIC_SIZE, true },
		{ "0123456789012345678901234567890123456789"
		  "0123456789012345678901234567890123456789x", 81, false },
	};
	const struct tf_gap *gaps;
	struct file f;
	size_t end;

	(void)state;
	load(&f, EPOCHS);
	end = f.bytes.n;
	assert_int_equal(reopen(&f), 0);
	assert_int_equal(tf_reader_end(f.r), end);
	for (size_t i = 0; i < ARRAY_LEN(tails); i++) {
		f.bytes.n = end;
		buf_put(&f.bytes, tails[i].bytes, tails[i].n);
		assert_int_equal(reopen(&f), 0);
		assert_int_equal(tf_reader_ending(f.r), TF_FOLLOWED);
		assert_int_equal(tf_reader_end(f.r), end);
		assert_int_equal(tf_reader_size(f.r), end + tails[i].n);
		assert_int_equal(tf_reader_another_follows(f.r),
				 tails[i].trace);
		assert_int_equal(tf_reader_chunks(f.r), 8);
		assert_int_equal(tf_reader_gaps(f.r, &gaps), 0);
		assert_int_equal(problems(f.r), 0);
	}
	unload(&f);
}

static void a_whole_trace_behind_another_is_told(void **state)
{
	const struct tf_gap *gaps;
	struct file f, other;
	size_t end;

	(void)state;
	load(&f, SMALL);
	load(&other, BIG);
	end = f.bytes.n;
	buf_put(&f.bytes, other.bytes.p, other.bytes.n);
	assert_int_equal(reopen(&f), 0);
	assert_int_equal(tf_reader_ending(f.r), TF_FOLLOWED);
	assert_int_equal(tf_reader_end(f.r), end);
	assert_true(tf_reader_another_follows(f.r));
	assert_int_equal(tf_reader_gaps(f.r, &gaps), 0);
	unload(&other);
	unload(&f);
}

static void chunks_behind_an_end_are_read(void **state)
{
	uint64_t at, size, old;
	struct file f;

	(void)state;
	load(&f, SMALL);
	assert_int_equal(reopen(&f), 0);
	at = chunk_at(&f, 2);
	size = tf_reader_chunk(f.r, 2)->size;
	old = f.bytes.n;
	assert_non_null(buf_room(&f.bytes, (size_t)size));
	memcpy(f.bytes.p + old, f.bytes.p + at, (size_t)size);
	f.bytes.n += (size_t)size;
	f.bytes.p[old + 16] = 5; /* sequence number */
	f.bytes.p[old + 28] = 1; /* epoch */
	refit(f.bytes.p, f.bytes.n);
	assert_int_equal(reopen(&f), 0);
	assert_int_equal(tf_reader_chunks(f.r), 6);
	assert_int_equal(tf_reader_ending(f.r), TF_UNCLOSED);
	assert_int_equal(problems(f.r), 0);
	unload(&f);
}

static void refused(struct span in, int code, const char *text)
{
	struct file f = { 0 };

	assert_int_equal(open_span(&f, in), code);
	assert_string_equal(f.err.text, text);
	close_file(&f);
}

static void what_is_no_trace_is_refused(void **state)
{
	struct file f;

	(void)state;
	refused(span_of(NULL, 0), ERR_FORMAT, "(memory): the file is empty");
	refused(span_of("PERFILE2", 8), ERR_FORMAT,
		"(memory): not a coltrace file");
	load(&f, SMALL);
	refused(span_of(f.bytes.p, 63), ERR_FORMAT,
		"(memory): file header cut short");
	f.bytes.p[48] ^= 1;
	refused(span_of(f.bytes.p, 64), ERR_FORMAT,
		"(memory): file header: checksum differs");
	f.bytes.p[48] ^= 1;
	f.bytes.p[12] = 72;
	refit(f.bytes.p, 64);
	refused(span_of(f.bytes.p, 64), ERR_FORMAT,
		"(memory): file header cut short");
	f.bytes.p[12] = 68;
	refit(f.bytes.p, 64);
	refused(span_of(f.bytes.p, f.bytes.n), ERR_FORMAT,
		"(memory): file header: length 68, reserved bytes 0");
	f.bytes.p[12] = 8;
	f.bytes.p[14] = 1;
	refit(f.bytes.p, 64);
	refused(span_of(f.bytes.p, f.bytes.n), ERR_FORMAT,
		"(memory): file header: length 65544, reserved bytes 0");
	unload(&f);
}

static void newer_files_are_refused_with_both_versions(void **state)
{
	struct file f;

	(void)state;
	load(&f, SMALL);
	f.bytes.p[8] = 3;
	f.bytes.p[10] = 7;
	refit(f.bytes.p, f.bytes.n);
	refused(span_of(f.bytes.p, f.bytes.n), ERR_NEWER,
		"(memory): format version 3.7, this reader knows 1.0");
	f.bytes.p[8] = 0;
	f.bytes.p[17] = 0x10;
	refit(f.bytes.p, f.bytes.n);
	refused(span_of(f.bytes.p, f.bytes.n), ERR_NEWER,
		"(memory): format version 0.7 with features 0x1000 that this "
		"reader of 1.0 does not know");
	/* A newer minor version and compatible features do not matter. */
	f.bytes.p[17] = 0;
	f.bytes.p[24] = 0xff;
	refit(f.bytes.p, f.bytes.n);
	assert_int_equal(reopen(&f), 0);
	assert_true(tf_reader_header(f.r)->compatible == 0xff);
	assert_int_equal(problems(f.r), 0);
	unload(&f);
}

static void unknown_chunks_are_skipped_unless_critical(void **state)
{
	struct walk w;
	struct file f;
	uint64_t at;

	(void)state;
	load(&f, EPOCHS);
	assert_int_equal(reopen(&f), 0);
	at = chunk_at(&f, 4); /* the first of the second epoch */
	f.bytes.p[at + 4] = 99;
	refit(f.bytes.p, f.bytes.n);
	f.bytes.n = (size_t)chunk_at(&f, 6); /* without index and end */
	assert_int_equal(reopen(&f), 0);
	walk_all(&w, f.r);
	assert_int_equal(w.damaged, 0);
	assert_int_equal(w.n, 6);
	f.bytes.p[at + 6] |= TF_CHUNK_CRITICAL;
	refit(f.bytes.p, f.bytes.n);
	assert_int_equal(reopen(&f), ERR_NEWER);
	assert_non_null(strstr(f.err.text, "of type 99 is needed and not known "
			       "here: the file is of version 0.1"));
	unload(&f);
}

static void an_index_that_lies_is_not_believed(void **state)
{
	const struct tf_gap *gaps;
	struct file f;
	uint64_t at;

	(void)state;
	load(&f, EPOCHS);
	assert_int_equal(reopen(&f), 0);
	/* Its body: the checksum does not hold any more. */
	at = chunk_at(&f, 7) - 16;
	f.bytes.p[at] ^= 1;
	assert_int_equal(reopen(&f), 0);
	assert_int_equal(tf_reader_chunks(f.r), 8);
	assert_int_equal(tf_reader_ending(f.r), TF_CLOSED);
	assert_int_equal(tf_reader_gaps(f.r, &gaps), 0);
	assert_int_equal(problems(f.r), 1);
	f.bytes.p[at] ^= 1;
	/* END names a chunk that is no index. */
	f.bytes.p[chunk_at(&f, 7) + 64] = 64;
	f.bytes.p[chunk_at(&f, 7) + 65] = 0;
	refit(f.bytes.p, f.bytes.n);
	assert_int_equal(reopen(&f), 0);
	assert_int_equal(tf_reader_chunks(f.r), 8);
	assert_int_equal(tf_reader_ending(f.r), TF_CLOSED);
	assert_int_equal(problems(f.r), 1);
	unload(&f);
}

static void a_chunk_that_differs_from_the_index_is_damage(void **state)
{
	struct walk w;
	struct file f;

	(void)state;
	load(&f, EPOCHS);
	assert_int_equal(reopen(&f), 0);
	f.bytes.p[chunk_at(&f, 3) + 16] = 77; /* its sequence number */
	refit(f.bytes.p, f.bytes.n);
	assert_int_equal(reopen(&f), 0);
	walk_all(&w, f.r);
	assert_true(w.damaged > 0);
	assert_int_equal(w.n, 6); /* two tables, three chunks */
	assert_non_null(strstr(w.err.text, "chunk 3 at offset "));
	assert_non_null(strstr(w.err.text,
			       ": chunk header differs from the index"));
	unload(&f);
}

static void known_tables_need_no_schema(void **state)
{
	struct walk w;
	struct file f;

	(void)state;
	load(&f, BIG);
	assert_int_equal(reopen(&f), 0);
	f.bytes.p[chunk_at(&f, 0)] = 'x';
	f.bytes.p[chunk_at(&f, 1)] = 'x';
	assert_int_equal(reopen(&f), 0);
	walk_all(&w, f.r);
	assert_int_equal(w.rows, GOLDEN_BIG_ROWS + 3);
	assert_null(tf_schema_by_id(tf_reader_schema(f.r), GOLDEN_TABLE));
	unload(&f);
}

static void the_schema_of_the_file_is_the_readers(void **state)
{
	const struct tf_table *t;
	struct file f;

	(void)state;
	load(&f, SMALL);
	assert_int_equal(reopen(&f), 0);
	t = tf_schema_by_name(tf_reader_schema(f.r), "test:all");
	assert_non_null(t);
	assert_int_equal(t->id, GOLDEN_TABLE);
	assert_int_equal(t->n_columns, golden_table.n_columns);
	assert_int_equal(tf_reader_schema(f.r)->n, tf_catalog_size + 1);
	unload(&f);
}

static void every_failing_allocation_is_reported(void **state)
{
	struct file f;
	int rc = ERR_NOMEM;
	bool hit = true;

	(void)state;
	load(&f, SMALL);
	for (long n = 1; hit; n++) {
		close_file(&f);
		assert_int_equal(tf_source_memory(&f.source,
						  span_of(f.bytes.p, f.bytes.n),
						  NULL), 0);
		failalloc_at(n);
		rc = tf_reader_open(&f.r, f.source, &f.err);
		failalloc_off();
		hit = failalloc_hit();
		/* Without memory for the index the file is walked. */
		assert_true(rc == 0 || (hit && rc == ERR_NOMEM));
	}
	assert_int_equal(rc, 0);
	for (long n = 1; n < 200; n++) {
		struct walk w;

		failalloc_at(n);
		walk_all(&w, f.r);
		failalloc_off();
		assert_true(w.failed == 0 || w.failed == ERR_NOMEM);
		assert_int_equal(w.failed == ERR_NOMEM, failalloc_hit());
	}
	unload(&f);
}

static void every_failing_read_is_reported(void **state)
{
	struct faultio io = { .hit = true };
	struct file f;

	(void)state;
	load(&f, EPOCHS);
	assert_int_equal(tf_source_memory(&f.source,
					  span_of(f.bytes.p, f.bytes.n), NULL),
			 0);
	for (io.at = 1; io.hit; io.at++) {
		struct tf_verify_result result;
		struct tf_source *bad;
		struct tf_reader *r = NULL;
		int rc;

		io.calls = 0;
		io.hit = false;
		assert_int_equal(faultio_source(&bad, f.source, &io), 0);
		rc = tf_reader_open(&r, bad, NULL);
		if (rc == 0)
			rc = tf_verify(r, count_problem, NULL, &result, NULL);
		/* Where only the index could not be read, the file is
		 * walked. */
		assert_true(rc == 0 || rc == ERR_IO);
		assert_true(rc == 0 || io.hit);
		tf_reader_free(r);
		tf_source_close(bad);
	}
	unload(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_closed_file_is_read_by_its_index),
		cmocka_unit_test(the_header_says_what_was_put_in),
		cmocka_unit_test(every_prefix_is_read_as_far_as_whole_chunks_go),
		cmocka_unit_test(
			every_flipped_bit_is_noticed_and_changes_no_value),
		cmocka_unit_test(a_damaged_header_is_a_gap_and_the_rest_is_read),
		cmocka_unit_test(bytes_of_another_file_are_a_gap),
		cmocka_unit_test(a_short_tail_that_begins_no_chunk_is_a_gap),
		cmocka_unit_test(an_unfinished_chunk_is_found_behind_damage),
		cmocka_unit_test(bytes_behind_an_end_are_not_of_the_file),
		cmocka_unit_test(a_whole_trace_behind_another_is_told),
		cmocka_unit_test(chunks_behind_an_end_are_read),
		cmocka_unit_test(what_is_no_trace_is_refused),
		cmocka_unit_test(newer_files_are_refused_with_both_versions),
		cmocka_unit_test(unknown_chunks_are_skipped_unless_critical),
		cmocka_unit_test(an_index_that_lies_is_not_believed),
		cmocka_unit_test(a_chunk_that_differs_from_the_index_is_damage),
		cmocka_unit_test(known_tables_need_no_schema),
		cmocka_unit_test(the_schema_of_the_file_is_the_readers),
		cmocka_unit_test(every_failing_allocation_is_reported),
		cmocka_unit_test(every_failing_read_is_reported),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
