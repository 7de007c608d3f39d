#include "record/output.h"

#include "tests/support/filetree.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

struct fixture {
	struct filetree tree;
	char path[128], old[128];
	struct rec_output out;
};

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	assert_non_null(f);
	filetree_init(&f->tree);
	snprintf(f->path, sizeof(f->path), "%s/t.ctr", f->tree.root);
	snprintf(f->old, sizeof(f->old), "%s/t.ctr.old", f->tree.root);
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	filetree_fini(&f->tree);
	free(f);
	return 0;
}

static void start(struct fixture *f)
{
	assert_int_equal(rec_output_begin(&f->out, f->path, NULL), 0);
	assert_int_equal(rec_output_open(&f->out, NULL), 0);
}

static void say(struct tf_sink *sink, const char *text)
{
	struct iovec v = { (void *)(uintptr_t)text, strlen(text) };

	assert_int_equal(sink->append(sink, &v, 1, NULL), 0);
}

static bool holds(const char *path, const char *want)
{
	char text[64] = "";
	FILE *f = fopen(path, "r");

	if (!f)
		return false;
	text[fread(text, 1, sizeof(text) - 1, f)] = '\0';
	fclose(f);
	return strcmp(text, want) == 0;
}

static bool exists(const char *path)
{
	struct stat st;

	return lstat(path, &st) == 0;
}

static void an_older_file_is_kept(void **state)
{
	struct fixture *f = *state;

	filetree_text(&f->tree, "/t.ctr", "older");
	start(f);
	say(f->out.sink, "newer");
	assert_int_equal(rec_output_close(&f->out, true, NULL), 0);
	assert_true(holds(f->path, "newer"));
	assert_true(holds(f->old, "older"));
}

static void a_file_is_for_its_owner_alone(void **state)
{
	struct fixture *f = *state;
	struct stat st;

	start(f);
	assert_int_equal(rec_output_close(&f->out, true, NULL), 0);
	assert_int_equal(stat(f->path, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
	assert_false(exists(f->old));
}

static void where_nothing_was_recorded_all_is_as_before(void **state)
{
	struct fixture *f = *state;

	start(f);
	say(f->out.sink, "head");
	assert_int_equal(rec_output_close(&f->out, false, NULL), 0);
	assert_false(exists(f->path));
	filetree_text(&f->tree, "/t.ctr", "older");
	start(f);
	say(f->out.sink, "head");
	assert_int_equal(rec_output_close(&f->out, false, NULL), 0);
	assert_true(holds(f->path, "older"));
	assert_false(exists(f->old));
}

static void before_it_is_opened_nothing_is_touched(void **state)
{
	struct fixture *f = *state;

	filetree_text(&f->tree, "/t.ctr", "older");
	assert_int_equal(rec_output_begin(&f->out, f->path, NULL), 0);
	assert_int_equal(rec_output_close(&f->out, false, NULL), 0);
	assert_true(holds(f->path, "older"));
	assert_false(exists(f->old));
}

static void a_file_that_cannot_be_made_is_named(void **state)
{
	struct fixture *f = *state;
	struct err err = { 0 };
	char path[160];

	snprintf(path, sizeof(path), "%s/no/t.ctr", f->tree.root);
	assert_int_equal(rec_output_begin(&f->out, path, &err), 0);
	assert_true(rec_output_open(&f->out, &err) < 0);
	assert_non_null(strstr(err.text, "/no/t.ctr"));
	assert_int_equal(rec_output_close(&f->out, false, NULL), 0);
}

/* In a process of its own, whose standard output and error are files. */
static _Noreturn void speak(const struct fixture *f)
{
	struct rec_output out;
	int to = open(f->path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	int talk = open(f->old, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	if (dup2(to, STDOUT_FILENO) < 0 || dup2(talk, STDERR_FILENO) < 0 ||
	    rec_output_begin(&out, "-", NULL) < 0 ||
	    write(STDOUT_FILENO, "talk", 4) != 4 ||
	    rec_output_open(&out, NULL) < 0)
		_exit(1);
	say(out.sink, "trace");
	_exit(rec_output_close(&out, true, NULL) < 0);
}

static void what_a_command_says_stays_out_of_the_trace(void **state)
{
	struct fixture *f = *state;
	pid_t pid = fork();
	int status;

	if (!pid)
		speak(f);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	assert_true(holds(f->path, "trace"));
	assert_true(holds(f->old, "talk"));
}

static void start_split(struct fixture *f, size_t max_files)
{
	assert_int_equal(rec_output_begin(&f->out, f->path, NULL), 0);
	rec_output_split(&f->out, max_files);
	assert_int_equal(rec_output_open(&f->out, NULL), 0);
}

/* Goes on in the next file, and says which one was left. */
static void go_on(struct fixture *f, char left[PATH_MAX])
{
	struct tf_sink *sink = NULL;

	memcpy(left, f->out.now, PATH_MAX);
	assert_int_equal(rec_output_next(&f->out, &sink, NULL), 0);
	assert_ptr_equal(sink, f->out.sink);
}

static void a_split_recording_leaves_its_files_and_all_others(void **state)
{
	struct fixture *f = *state;
	char first[PATH_MAX];

	filetree_text(&f->tree, "/t.ctr", "older");
	start_split(f, 0);
	say(f->out.sink, "one");
	go_on(f, first);
	say(f->out.sink, "two");
	assert_int_equal(rec_output_close(&f->out, true, NULL), 0);
	assert_int_equal(f->out.n_files, 2);
	assert_true(holds(f->path, "older"));
	assert_false(exists(f->old));
	assert_true(holds(first, "one"));
	assert_true(holds(f->out.now, "two"));
	assert_string_not_equal(first, f->out.now);
}

static void of_a_split_recording_the_newest_files_are_kept(void **state)
{
	struct fixture *f = *state;
	char left[5][PATH_MAX];

	start_split(f, 3);
	for (size_t i = 0; i < 5; i++) {
		say(f->out.sink, "x");
		go_on(f, left[i]);
	}
	/* Six were begun: the last one and the two before it are there. */
	for (size_t i = 0; i < 5; i++)
		assert_int_equal(exists(left[i]), i >= 3);
	say(f->out.sink, "last");
	assert_int_equal(rec_output_close(&f->out, true, NULL), 0);
	assert_true(holds(f->out.now, "last"));
	assert_int_equal(f->out.n_files, 6);
	assert_int_equal(f->out.n_stayed, 0);
}

static void where_nothing_was_recorded_no_segment_stays(void **state)
{
	struct fixture *f = *state;

	start_split(f, 2);
	say(f->out.sink, "head");
	assert_int_equal(rec_output_close(&f->out, false, NULL), 0);
	assert_false(exists(f->out.now));
}

static void a_segment_that_got_no_byte_goes(void **state)
{
	struct fixture *f = *state;
	char left[PATH_MAX];

	start_split(f, 0);
	say(f->out.sink, "one");
	go_on(f, left);
	assert_int_equal(rec_output_close(&f->out, true, NULL), 0);
	assert_true(holds(left, "one"));
	assert_false(exists(f->out.now));
}

static void what_is_no_file_is_not_split(void **state)
{
	struct fixture *f = *state;
	struct err err = { 0 };

	assert_int_equal(rec_output_begin(&f->out, "/dev/null", NULL), 0);
	rec_output_split(&f->out, 0);
	assert_int_equal(rec_output_open(&f->out, &err), ERR_USAGE);
	assert_non_null(strstr(err.text, "/dev/null"));
	assert_int_equal(rec_output_close(&f->out, false, NULL), 0);
}

#define WITH_FIXTURE(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH_FIXTURE(an_older_file_is_kept),
		WITH_FIXTURE(a_file_is_for_its_owner_alone),
		WITH_FIXTURE(where_nothing_was_recorded_all_is_as_before),
		WITH_FIXTURE(before_it_is_opened_nothing_is_touched),
		WITH_FIXTURE(a_file_that_cannot_be_made_is_named),
		WITH_FIXTURE(what_a_command_says_stays_out_of_the_trace),
		WITH_FIXTURE(a_split_recording_leaves_its_files_and_all_others),
		WITH_FIXTURE(of_a_split_recording_the_newest_files_are_kept),
		WITH_FIXTURE(where_nothing_was_recorded_no_segment_stays),
		WITH_FIXTURE(a_segment_that_got_no_byte_goes),
		WITH_FIXTURE(what_is_no_file_is_not_split),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
