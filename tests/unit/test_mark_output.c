#include "record/mark/output.h"

#include "format/base/mem.h"
#include "format/base/time.h"
#include "tests/support/failalloc.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define PATIENCE_NS (10 * (uint64_t)NSEC_PER_SEC)

struct fixture {
	struct rec_mark_output *o;
	int in;       /* what is the command's standard output */
	int out;      /* where its output comes out again */
	int out_end;
};

static void begin(struct fixture *f, const char *regex)
{
	int ends[2];

	assert_int_equal(rec_mark_output_new(&f->o, regex, NULL), 0);
	assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
	f->out = ends[0];
	f->out_end = ends[1];
	f->in = dup(rec_mark_output_fd(f->o));
	rec_mark_output_close_fd(f->o);
	assert_int_equal(rec_mark_output_fd(f->o), -1);
	assert_int_equal(rec_mark_output_start(f->o, f->out_end, NULL), 0);
}

static void put(struct fixture *f, const void *p, size_t n)
{
	assert_int_equal(write(f->in, p, n), n);
}

static void text(struct fixture *f, const char *s)
{
	put(f, s, strlen(s));
}

static void finish(struct fixture *f)
{
	close(f->in);
	assert_true(rec_mark_output_finish(f->o, PATIENCE_NS));
}

static void end(struct fixture *f)
{
	rec_mark_output_free(f->o);
	close(f->out);
	close(f->out_end);
}

static void passed_on(struct fixture *f, const char *want)
{
	char got[256];
	size_t n = 0;

	while (n < strlen(want)) {
		ssize_t m = read(f->out, got + n, strlen(want) - n);

		assert_true(m > 0);
		n += (size_t)m;
	}
	assert_memory_equal(got, want, n);
}

static void check(struct fixture *f, const char *want, size_t n)
{
	struct rec_mark m;

	assert_int_equal(rec_mark_output_take(f->o, &m), 0);
	assert_int_equal(m.text.n, n);
	assert_memory_equal(m.text.p, want, n);
	assert_int_equal(m.source, TF_MARK_STDOUT);
}

static void no_more(struct fixture *f)
{
	struct rec_mark m;

	assert_int_equal(rec_mark_output_take(f->o, &m), 1);
}

static void lines_that_match_are_marks_and_all_is_passed_on(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f, "^phase [0-9]+$");
	text(&f, "begin\nphase 1\nphase x\nphase 22\nend\n");
	finish(&f);
	passed_on(&f, "begin\nphase 1\nphase x\nphase 22\nend\n");
	check(&f, "phase 1", 7);
	check(&f, "phase 22", 8);
	no_more(&f);
	end(&f);
}

static void part_of_a_line_is_passed_on_at_once(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f, "done");
	text(&f, "wait...");
	passed_on(&f, "wait...");
	no_more(&f);
	text(&f, " done");
	passed_on(&f, " done");
	no_more(&f);
	text(&f, "\nx");
	finish(&f);
	passed_on(&f, "\nx");
	check(&f, "wait... done", 12);
	no_more(&f);
	end(&f);
}

static void a_last_line_without_an_end_is_one(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f, "last");
	text(&f, "first\nlast");
	finish(&f);
	check(&f, "last", 4);
	end(&f);
}

static void a_line_may_hold_any_byte(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f, "b$");
	put(&f, "a\0b\r\n\xff\xfe" "b\n\0\n", 12);
	finish(&f);
	check(&f, "a\0b", 3);
	check(&f, "\xff\xfe" "b", 3);
	no_more(&f);
	end(&f);
}

static void a_long_line_is_matched_and_kept_by_its_beginning(void **state)
{
	static char big[3 * REC_MARK_TEXT_MAX];
	struct fixture f;
	struct rec_mark m;
	char sink[sizeof(big)];

	(void)state;
	memset(big, 'x', sizeof(big));
	big[0] = 'a';
	big[sizeof(big) - 1] = '\n';
	begin(&f, "^a");
	put(&f, big, sizeof(big));
	text(&f, "axe\n");
	finish(&f);
	assert_true(read(f.out, sink, sizeof(sink)) > 0);
	assert_int_equal(rec_mark_output_take(f.o, &m), 0);
	assert_int_equal(m.text.n, REC_MARK_TEXT_MAX);
	check(&f, "axe", 3);
	no_more(&f);
	end(&f);
}

static void the_time_is_when_the_line_was_read(void **state)
{
	uint64_t before = time_now_ns(CLOCK_MONOTONIC), after;
	struct fixture f;
	struct rec_mark m;

	(void)state;
	begin(&f, ".");
	text(&f, "x\n");
	passed_on(&f, "x\n");
	after = time_now_ns(CLOCK_MONOTONIC);
	usleep(20000);
	finish(&f);
	assert_int_equal(rec_mark_output_take(f.o, &m), 0);
	assert_true(m.time >= before && m.time <= after);
	end(&f);
}

static void a_reader_that_left_is_passed_on_to_the_command(void **state)
{
	struct sigaction ignore = { .sa_handler = SIG_IGN }, old;
	struct fixture f;
	bool broken = false;

	(void)state;
	sigaction(SIGPIPE, &ignore, &old);
	begin(&f, "x");
	close(f.out);
	for (int i = 0; i < 500 && !broken; i++) {
		broken = write(f.in, "y\n", 2) < 0 && errno == EPIPE;
		usleep(10000);
	}
	assert_true(broken);
	f.out = open("/dev/null", O_RDONLY);
	finish(&f);
	end(&f);
	sigaction(SIGPIPE, &old, NULL);
}

static void it_ends_though_somebody_keeps_the_pipe_open(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f, "x");
	text(&f, "x\n");
	assert_true(rec_mark_output_finish(f.o, PATIENCE_NS));
	passed_on(&f, "x\n");
	check(&f, "x", 1);
	close(f.in);
	end(&f);
}

static void a_slow_reader_does_not_hold_the_recorder_up(void **state)
{
	static char big[200000];
	uint64_t before;
	struct fixture f;
	char sink[4096];
	size_t left = sizeof(big);

	(void)state;
	memset(big, '\n', sizeof(big));
	big[0] = 'x';
	begin(&f, "x");
	fcntl(f.in, F_SETPIPE_SZ, 1 << 20);
	put(&f, big, sizeof(big)); /* more than the pipe behind it holds */
	close(f.in);
	before = time_now_ns(CLOCK_MONOTONIC);
	assert_false(rec_mark_output_finish(f.o, 50000000));
	assert_true(time_now_ns(CLOCK_MONOTONIC) - before < 5000000000ull);
	while (left) {
		ssize_t n = read(f.out, sink, sizeof(sink));

		assert_true(n > 0);
		left -= (size_t)n;
	}
	assert_true(rec_mark_output_finish(f.o, PATIENCE_NS));
	check(&f, "x", 1);
	end(&f);
}

static void what_is_not_taken_is_counted_when_it_is_too_much(void **state)
{
	static char line[2001];
	struct fixture f;
	struct rec_mark m;
	size_t taken = 0;
	char sink[sizeof(line)];

	(void)state;
	memset(line, 'x', sizeof(line) - 1);
	line[sizeof(line) - 1] = '\n';
	begin(&f, "x");
	for (int i = 0; i < 1000; i++) {
		size_t n = 0;

		put(&f, line, sizeof(line));
		while (n < sizeof(line))
			n += (size_t)read(f.out, sink, sizeof(line) - n);
	}
	finish(&f);
	while (rec_mark_output_take(f.o, &m) == 0)
		taken++;
	assert_true(taken >= 500 && taken < 1000);
	assert_int_equal(rec_mark_output_missed(f.o), 1000 - taken);
	end(&f);
}

static void a_bad_expression_is_named(void **state)
{
	struct rec_mark_output *o;
	struct err err = { 0 };

	(void)state;
	assert_int_equal(rec_mark_output_new(&o, "a(b", &err), ERR_USAGE);
	assert_non_null(strstr(err.text, "'a(b'"));
}

static void nothing_is_left_where_memory_ends(void **state)
{
	struct rec_mark_output *o;

	(void)state;
	for (long n = 1; n < 40; n++) {
		int rc;

		failalloc_at(n);
		rc = rec_mark_output_new(&o, "x+", NULL);
		if (rc == 0)
			rec_mark_output_free(o);
		if (!failalloc_hit())
			break;
		failalloc_off();
	}
	failalloc_off();
	rec_mark_output_free(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			lines_that_match_are_marks_and_all_is_passed_on),
		cmocka_unit_test(part_of_a_line_is_passed_on_at_once),
		cmocka_unit_test(a_last_line_without_an_end_is_one),
		cmocka_unit_test(a_line_may_hold_any_byte),
		cmocka_unit_test(
			a_long_line_is_matched_and_kept_by_its_beginning),
		cmocka_unit_test(the_time_is_when_the_line_was_read),
		cmocka_unit_test(
			a_reader_that_left_is_passed_on_to_the_command),
		cmocka_unit_test(it_ends_though_somebody_keeps_the_pipe_open),
		cmocka_unit_test(a_slow_reader_does_not_hold_the_recorder_up),
		cmocka_unit_test(
			what_is_not_taken_is_counted_when_it_is_too_much),
		cmocka_unit_test(a_bad_expression_is_named),
		cmocka_unit_test(nothing_is_left_where_memory_ends),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
