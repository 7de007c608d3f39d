#include "record/mark/marks.h"

#include "format/base/time.h"
#include "record/mark/send.h"
#include "tests/support/filetree.h"
#include "tests/support/rowsback.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

struct fixture {
	struct filetree tree;
	struct buf file;
	struct tf_sink *memory;
	struct rec_sink *sink;
	struct rec_images images;
	struct rec_defs defs;
	struct log log;
	FILE *talk;
	struct rec_marks marks;
};

static const struct tf_file_info info = { .start_unix_ns = 1 };

static void begin(struct fixture *f, bool trace_marker, const char *regex)
{
	*f = (struct fixture){ 0 };
	filetree_init(&f->tree);
	filetree_text(&f->tree, "/tmp/keep", "");
	buf_init(&f->file, 0);
	f->talk = fopen("/dev/null", "w");
	f->log = (struct log){ f->talk, "test", LOG_QUIET };
	assert_int_equal(tf_sink_memory(&f->memory, &f->file, NULL), 0);
	assert_int_equal(rec_sink_new(&f->sink, f->memory, &info, NULL), 0);
	assert_int_equal(rec_images_init(&f->images, NULL), 0);
	assert_int_equal(rec_defs_init(&f->defs, f->sink, &f->images,
				       f->tree.root, 1, 0, NULL), 0);
	assert_int_equal(rec_marks_init(&f->marks, f->tree.root, trace_marker,
					regex, &f->log, NULL), 0);
}

static struct span closed(struct fixture *f)
{
	assert_int_equal(rec_sink_close(f->sink, NULL), 0);
	rowsback_check_references(span_of(f->file.p, f->file.n));
	return span_of(f->file.p, f->file.n);
}

static void end(struct fixture *f)
{
	rec_marks_fini(&f->marks);
	rec_defs_fini(&f->defs);
	rec_images_fini(&f->images);
	rec_sink_free(f->sink);
	tf_sink_close(f->memory, NULL);
	buf_fini(&f->file);
	fclose(f->talk);
	filetree_fini(&f->tree);
}

static bool say(const struct fixture *f, const char *text)
{
	struct rec_mark m = { .time = time_now_ns(CLOCK_MONOTONIC),
			      .text = span_of(text, strlen(text)) };
	struct rec_mark_sent sent;

	assert_int_equal(rec_mark_send(f->tree.root, geteuid(), 0, &m, &sent,
				       NULL), 0);
	return sent.taken == 1;
}

static void what_is_said_becomes_a_row_with_its_text(void **state)
{
	struct rowsback rows, strings;
	struct fixture f;
	const struct rowsback_row *text;

	(void)state;
	begin(&f, false, NULL);
	assert_int_equal(rec_marks_command_fd(&f.marks), -1);
	assert_int_equal(rec_marks_begin(&f.marks, &f.defs, NULL), 0);
	assert_true(rec_marks_fd(&f.marks) >= 0);
	assert_true(say(&f, "hello"));
	rec_marks_poll(&f.marks, &f.defs);
	assert_true(say(&f, "last"));
	rec_marks_end(&f.marks, &f.defs, true);
	assert_false(say(&f, "late"));
	rowsback_read(&rows, closed(&f), TF_TABLE_MARK);
	rowsback_read(&strings, span_of(f.file.p, f.file.n), TF_TABLE_STRING);
	assert_int_equal(rows.n, 2);
	assert_int_equal(rows.items[0].v[TF_MARK_SOURCE], TF_MARK_COMMAND);
	assert_int_equal(rows.items[0].v[TF_MARK_PID], getpid());
	assert_true(rows.items[0].v[TF_MARK_TIME] <=
		    rows.items[1].v[TF_MARK_TIME]);
	text = rowsback_find(&strings, 0, rows.items[0].v[TF_MARK_TEXT]);
	assert_true(rowsback_is(text, "hello"));
	text = rowsback_find(&strings, 0, rows.items[1].v[TF_MARK_TEXT]);
	assert_true(rowsback_is(text, "last"));
	rowsback_fini(&rows);
	rowsback_fini(&strings);
	end(&f);
}

static void a_mark_is_in_the_epoch_it_was_taken_in(void **state)
{
	struct rowsback rows;
	struct fixture f;

	(void)state;
	begin(&f, false, NULL);
	assert_int_equal(rec_marks_begin(&f.marks, &f.defs, NULL), 0);
	assert_true(say(&f, "same"));
	rec_marks_poll(&f.marks, &f.defs);
	assert_true(rec_defs_new_epoch(&f.defs, 1));
	assert_true(say(&f, "same"));
	rec_marks_end(&f.marks, &f.defs, true);
	rowsback_read(&rows, closed(&f), TF_TABLE_MARK);
	assert_int_equal(rows.n, 2);
	assert_int_equal(rows.items[0].epoch, 0);
	assert_int_equal(rows.items[1].epoch, 1);
	rowsback_fini(&rows);
	end(&f);
}

/* The second round belongs to the same tenth of a second, unless this machine
 * stood still between the two. */
static void whoever_sends_much_is_slowed_down(void **state)
{
	struct fixture f;
	size_t sent = 0;

	(void)state;
	begin(&f, false, NULL);
	assert_int_equal(rec_marks_begin(&f.marks, &f.defs, NULL), 0);
	for (int round = 0; round < 60; round++) {
		for (int i = 0; i < 8; i++)
			sent += say(&f, "flood");
		rec_marks_poll(&f.marks, &f.defs);
		if (f.marks.taken[0] == 100)
			break;
	}
	assert_true(f.marks.n <= sent);
	assert_int_equal(f.marks.taken[0], 100);
	rec_marks_end(&f.marks, &f.defs, true);
	assert_int_equal(f.marks.n, sent);
	end(&f);
}

static void lines_of_the_command_are_rows_too(void **state)
{
	struct rowsback rows;
	struct fixture f;
	int in, out = dup(STDOUT_FILENO), null = open("/dev/null", O_WRONLY);

	(void)state;
	begin(&f, false, "^x");
	in = dup(rec_marks_command_fd(&f.marks));
	rec_marks_command_forked(&f.marks);
	fflush(stdout);
	dup2(null, STDOUT_FILENO);
	assert_int_equal(rec_marks_begin(&f.marks, &f.defs, NULL), 0);
	assert_int_equal(write(in, "x1\ny\nx2", 7), 7);
	close(in);
	rec_marks_end(&f.marks, &f.defs, true);
	dup2(out, STDOUT_FILENO);
	close(out);
	close(null);
	rowsback_read(&rows, closed(&f), TF_TABLE_MARK);
	assert_int_equal(rows.n, 2);
	assert_int_equal(rows.items[0].v[TF_MARK_SOURCE], TF_MARK_STDOUT);
	assert_int_equal(rows.items[0].v[TF_MARK_PID], 0);
	rowsback_fini(&rows);
	end(&f);
}

static void what_cannot_be_had_is_a_fact_and_no_failure(void **state)
{
	struct rowsback facts;
	struct fixture f;

	(void)state;
	begin(&f, true, NULL);
	/* Nor is there a folder for the socket. */
	filetree_remove(&f.tree, "/tmp/keep");
	filetree_remove(&f.tree, "/tmp");
	assert_int_equal(rec_marks_begin(&f.marks, &f.defs, NULL), 0);
	assert_int_equal(rec_marks_fd(&f.marks), -1);
	rec_marks_poll(&f.marks, &f.defs);
	rec_marks_end(&f.marks, &f.defs, true);
	rowsback_read(&facts, closed(&f), TF_TABLE_FACT);
	assert_int_equal(facts.n, 1);
	rowsback_fini(&facts);
	end(&f);
}

static void nothing_can_be_released(void **state)
{
	struct rec_marks zeroed = { 0 };

	(void)state;
	rec_marks_fini(&zeroed);
	assert_true(fcntl(0, F_GETFD) >= 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_said_becomes_a_row_with_its_text),
		cmocka_unit_test(a_mark_is_in_the_epoch_it_was_taken_in),
		cmocka_unit_test(whoever_sends_much_is_slowed_down),
		cmocka_unit_test(lines_of_the_command_are_rows_too),
		cmocka_unit_test(what_cannot_be_had_is_a_fact_and_no_failure),
		cmocka_unit_test(nothing_can_be_released),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
