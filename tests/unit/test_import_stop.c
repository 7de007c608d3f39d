#include "record/import/stop.h"

#include "record/import/import.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

/* More than between two looks. */
#define MANY 20000

struct fixture {
	struct log log;
	struct rec_stop stop;
	char in[64], out[64];
};

static void name_file(char path[64])
{
	snprintf(path, 64, "/tmp/test_stop.XXXXXX");
	close(mkstemp(path));
}

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	assert_non_null(f);
	f->log.to = fopen("/dev/null", "w");
	assert_non_null(f->log.to);
	name_file(f->in);
	name_file(f->out);
	unlink(f->out);
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	rec_stop_release(&f->stop);
	fclose(f->log.to);
	unlink(f->in);
	unlink(f->out);
	free(f);
	return 0;
}

static void without_a_signal_nothing_stops(void **state)
{
	struct rec_stop never = { .by = 0 };
	struct fixture *f = *state;
	int fd = open(f->in, O_RDONLY);

	assert_false(rec_stop_came(NULL));
	assert_false(rec_stop_rows(NULL));
	assert_false(rec_stop_reading(NULL, fd));
	assert_false(rec_stop_came(&never));
	assert_false(rec_stop_reading(&never, fd));
	assert_int_equal(rec_stop_take(&f->stop, NULL), 0);
	assert_false(rec_stop_came(&f->stop));
	assert_false(rec_stop_rows(&f->stop));
	assert_false(rec_stop_reading(&f->stop, fd));
	close(fd);
}

static void it_ends_an_input_that_has_no_end(void **state)
{
	struct fixture *f = *state;
	struct rec_input *in;
	int ends[2], standard = dup(STDIN_FILENO);
	uint8_t byte[64];

	assert_int_equal(pipe(ends), 0);
	assert_true(write(ends[1], "some bytes of it", 16) == 16);
	assert_true(dup2(ends[0], STDIN_FILENO) == STDIN_FILENO);
	assert_int_equal(rec_input_open_until(&in, "-", &f->stop, NULL), 0);
	raise(SIGTERM);
	assert_int_equal(rec_input_read(in, byte, sizeof(byte), NULL), 16);
	assert_int_equal(rec_input_read(in, byte, sizeof(byte), NULL), 0);
	assert_int_equal(f->stop.by, SIGTERM);
	/* What was read becomes rows. */
	assert_false(rec_stop_rows(&f->stop));
	rec_input_close(in);
	assert_true(dup2(standard, STDIN_FILENO) == STDIN_FILENO);
	close(standard);
	close(ends[0]);
	close(ends[1]);
}

static int put_marks(struct rec_intake *to, int *n)
{
	struct rec_ids ids = { .pid = 1, .tid = 1 };
	int rc = 0;

	for (*n = 0; *n < MANY && rc == 0; ++*n) {
		ids.time++;
		rc = rec_intake_mark(to, &ids, span_of("x", 1), NULL);
	}
	return rc;
}

static void it_ends_rows_and_the_trace_is_closed(void **state)
{
	struct fixture *f = *state;
	struct rec_intake_config cfg = { .output = f->out, .input = "x",
					 .log = &f->log, .nameless = true,
					 .stop = &f->stop };
	struct rec_intake *to;
	int n;

	assert_int_equal(rec_stop_take(&f->stop, NULL), 0);
	assert_int_equal(rec_intake_new(&to, &cfg, NULL), 0);
	raise(SIGINT);
	assert_true(put_marks(to, &n) < 0);
	assert_true(n < MANY);
	assert_int_equal(f->stop.by, SIGINT);
	assert_true(f->stop.in_rows);
	assert_int_equal(rec_intake_finish(to, "signal", NULL), 0);
	rec_intake_free(to);
	assert_int_equal(access(f->out, R_OK), 0);
}

static void before_anything_is_read_it_leaves_no_trace(void **state)
{
	struct fixture *f = *state;
	struct rec_import_job job = { .input = f->in, .output = f->out,
				      .log = &f->log, .stop = &f->stop,
				      .options = { .quiet = true } };
	struct err err = { 0 };
	sigset_t set, before;
	FILE *text = fopen(f->in, "w");

	assert_non_null(text);
	fputs("a;b 1\n", text);
	assert_int_equal(fclose(text), 0);
	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigprocmask(SIG_BLOCK, &set, &before);
	raise(SIGINT);
	assert_int_equal(rec_import(&job, &err), REC_IMPORT_STOPPED);
	sigprocmask(SIG_SETMASK, &before, NULL);
	assert_int_equal(f->stop.by, SIGINT);
	assert_int_not_equal(access(f->out, F_OK), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			without_a_signal_nothing_stops, setup, teardown),
		cmocka_unit_test_setup_teardown(
			it_ends_an_input_that_has_no_end, setup, teardown),
		cmocka_unit_test_setup_teardown(
			it_ends_rows_and_the_trace_is_closed, setup, teardown),
		cmocka_unit_test_setup_teardown(
			before_anything_is_read_it_leaves_no_trace, setup,
			teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
