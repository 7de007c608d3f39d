#include "format/io.h"
#include "tests/support/failalloc.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct place {
	char dir[64];
	char path[100];
};

static void set_up(struct place *p)
{
	strcpy(p->dir, "/tmp/test_io.XXXXXX");
	assert_non_null(mkdtemp(p->dir));
	snprintf(p->path, sizeof(p->path), "%s/x.ctr", p->dir);
}

static void tear_down(struct place *p)
{
	unlink(p->path);
	rmdir(p->dir);
}

static int append(struct tf_sink *s, const char *a, const char *b,
		  struct err *err)
{
	struct iovec v[3] = { { (void *)(uintptr_t)a, strlen(a) },
			      { NULL, 0 },
			      { (void *)(uintptr_t)b, strlen(b) } };

	return s->append(s, v, 3, err);
}

static void what_was_appended_is_read_at_any_offset(void **state)
{
	struct place p;
	struct tf_sink *to;
	struct tf_source *from;
	struct err err = { 0 };
	char got[8] = "";

	(void)state;
	set_up(&p);
	assert_int_equal(tf_sink_open(&to, p.path, &err), 0);
	assert_string_equal(to->name, p.path);
	assert_int_equal(append(to, "abc", "de", &err), 0);
	assert_int_equal(append(to, "", "f", &err), 0);
	assert_int_equal(tf_sink_close(to, &err), 0);
	assert_int_equal(tf_source_open(&from, p.path, NULL, &err), 0);
	assert_int_equal(from->size, 6);
	assert_int_equal(from->read(from, got, 4, 2, &err), 0);
	assert_memory_equal(got, "cdef", 4);
	assert_int_equal(from->read(from, got, 0, 6, &err), 0);
	assert_int_equal(from->read(from, got, 1, 6, &err), 1);
	assert_int_equal(from->read(from, got, 2, 5, &err), 1);
	assert_int_equal(from->read(from, got, 1, UINT64_MAX, &err), 1);
	assert_int_equal(from->read(from, got, SIZE_MAX, 1, &err), 1);
	tf_source_close(from);
	tear_down(&p);
}

static void files_are_for_their_owner_only(void **state)
{
	struct place p;
	struct tf_sink *to;
	struct stat st;
	struct err err = { 0 };

	(void)state;
	set_up(&p);
	assert_int_equal(tf_sink_open(&to, p.path, &err), 0);
	assert_int_equal(stat(p.path, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
	tf_sink_close(to, NULL);
	tear_down(&p);
}

static void a_cut_file_goes_on_where_it_was_cut(void **state)
{
	struct place p;
	struct tf_sink *to;
	struct tf_source *from;
	struct err err = { 0 };
	char got[5];

	(void)state;
	set_up(&p);
	assert_int_equal(tf_sink_open(&to, p.path, &err), 0);
	assert_int_equal(append(to, "abc", "def", &err), 0);
	assert_int_equal(to->cut(to, 3, &err), 0);
	assert_int_equal(append(to, "x", "y", &err), 0);
	assert_int_equal(tf_sink_close(to, &err), 0);
	assert_int_equal(tf_source_open(&from, p.path, NULL, &err), 0);
	assert_int_equal(from->size, 5);
	assert_int_equal(from->read(from, got, 5, 0, &err), 0);
	assert_memory_equal(got, "abcxy", 5);
	tf_source_close(from);
	tear_down(&p);
}

static void what_cannot_be_opened_is_named(void **state)
{
	struct tf_source *from = NULL;
	struct tf_sink *to = NULL;
	struct err err = { 0 };

	(void)state;
	assert_int_equal(tf_source_open(&from, "/no/such", NULL, &err), ERR_IO);
	assert_string_equal(err.text, "cannot open '/no/such': No such file or "
			    "directory");
	assert_int_equal(tf_source_open(&from, "/tmp", NULL, &err), ERR_IO);
	assert_string_equal(err.text, "cannot open '/tmp': Is a directory");
	assert_int_equal(tf_sink_open(&to, "/no/such", &err), ERR_IO);
	assert_string_equal(err.text, "cannot create '/no/such': No such file "
			    "or directory");
	assert_int_equal(tf_sink_open(&to, "/tmp", &err), ERR_IO);
	assert_null(from);
	assert_null(to);
	tf_source_close(NULL);
	assert_int_equal(tf_sink_close(NULL, &err), 0);
}

static void no_room_is_said(void **state)
{
	struct tf_sink *to;
	struct err err = { 0 };

	(void)state;
	assert_int_equal(tf_sink_open(&to, "/dev/full", &err), 0);
	assert_int_equal(append(to, "a", "b", &err), ERR_FULL);
	assert_string_equal(err.text, "cannot write '/dev/full': No space left "
			    "on device");
	assert_int_equal(to->cut(to, 0, &err), ERR_UNSUPPORTED);
	assert_string_equal(err.text,
			    "'/dev/full' cannot be cut: it is not a file");
	tf_sink_close(to, NULL);
}

static void *write_to_pipe(void *path)
{
	struct tf_sink *to;
	char block[1000];

	memset(block, 'x', sizeof(block));
	block[sizeof(block) - 1] = 0;
	if (tf_sink_open(&to, path, NULL))
		return NULL;
	for (int i = 0; i < 300; i++)
		if (append(to, block, "", NULL))
			break;
	append(to, "end", "", NULL);
	tf_sink_close(to, NULL);
	return path;
}

static void a_pipe_is_read_whole_before_it_is_used(void **state)
{
	struct place p;
	struct tf_source *from;
	struct err err = { 0 };
	pthread_t thread;
	void *done;
	char got[4];

	(void)state;
	set_up(&p);
	assert_int_equal(mkfifo(p.path, 0600), 0);
	assert_int_equal(pthread_create(&thread, NULL, write_to_pipe, p.path),
			 0);
	assert_int_equal(tf_source_open(&from, p.path, NULL, &err), 0);
	pthread_join(thread, &done);
	assert_non_null(done);
	assert_int_equal(from->size, 300 * 999 + 3);
	assert_int_equal(from->read(from, got, 4, 300 * 999 - 1, &err), 0);
	assert_memory_equal(got, "xend", 4);
	assert_int_equal(from->read(from, got, 4, 0, &err), 0);
	tf_source_close(from);
	tear_down(&p);
}

static int wants_an_x(struct span front, struct err *err)
{
	if (front.n != TF_FRONT_SIZE)
		return err_set(err, ERR_FORMAT, "%zu bytes", front.n);
	return front.p[0] == 'x' ? 0 : err_set(err, ERR_FORMAT, "no x");
}

static void *write_for_ever(void *path)
{
	static const char block[4096] = "yyyy";
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	size_t n = 0;

	while (write(fd, block, sizeof(block)) > 0)
		n += sizeof(block);
	close(fd);
	return n < (size_t)64 << 20 ? path : NULL;
}

static void *write_one_line(void *path)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	bool ok = write(fd, "xxx\n", 4) == 4;

	close(fd);
	return ok ? path : NULL;
}

static void a_stream_is_judged_by_its_front_before_it_is_copied(void **state)
{
	static const struct {
		void *(*write)(void *path);
		int rc;
		const char *text;
	} streams[] = {
		{ write_to_pipe, 0, "" },
		{ write_for_ever, ERR_FORMAT, "no x" },
		{ write_one_line, ERR_FORMAT, "4 bytes" },
	};

	(void)state;
	signal(SIGPIPE, SIG_IGN);
	for (size_t i = 0; i < sizeof(streams) / sizeof(streams[0]); i++) {
		struct tf_source *from = NULL;
		struct err err = { 0 };
		char want[200] = "";
		struct place p;
		pthread_t thread;
		void *done;

		set_up(&p);
		assert_int_equal(mkfifo(p.path, 0600), 0);
		assert_int_equal(pthread_create(&thread, NULL,
						streams[i].write, p.path), 0);
		assert_int_equal(tf_source_open(&from, p.path, wants_an_x,
						&err), streams[i].rc);
		pthread_join(thread, &done);
		assert_non_null(done);
		if (streams[i].rc)
			snprintf(want, sizeof(want), "%s: %s", p.path,
				 streams[i].text);
		assert_string_equal(err.text, want);
		tf_source_close(from);
		tear_down(&p);
	}
}

static void a_device_is_refused(void **state)
{
	struct tf_source *from = NULL;
	struct err err = { 0 };

	(void)state;
	assert_int_equal(tf_source_open(&from, "/dev/zero", NULL, &err),
			 ERR_IO);
	assert_string_equal(err.text, "cannot open '/dev/zero': it is neither "
			    "a file nor a pipe");
	assert_null(from);
}

static void a_file_that_shrinks_is_at_its_end(void **state)
{
	struct place p;
	struct tf_sink *to;
	struct tf_source *from;
	struct err err = { 0 };
	char got[6];

	(void)state;
	set_up(&p);
	assert_int_equal(tf_sink_open(&to, p.path, &err), 0);
	assert_int_equal(append(to, "abc", "def", &err), 0);
	assert_int_equal(tf_source_open(&from, p.path, NULL, &err), 0);
	assert_int_equal(to->cut(to, 2, &err), 0);
	assert_int_equal(from->read(from, got, 6, 0, &err), 1);
	tf_source_close(from);
	tf_sink_close(to, NULL);
	tear_down(&p);
}

static void memory_is_a_source_and_a_sink(void **state)
{
	struct tf_sink *to;
	struct tf_source *from;
	struct err err = { 0 };
	struct buf b;
	char got[3];

	(void)state;
	buf_init(&b, 5);
	assert_int_equal(tf_sink_memory(&to, &b, &err), 0);
	assert_int_equal(append(to, "ab", "c", &err), 0);
	assert_int_equal(append(to, "de", "fgh", &err), ERR_NOMEM);
	assert_int_equal(to->cut(to, 3, &err), 0);
	assert_int_equal(to->cut(to, 4, &err), ERR_USAGE);
	assert_int_equal(append(to, "x", "", &err), 0);
	tf_sink_close(to, NULL);
	assert_int_equal(tf_source_memory(&from, span_of(b.p, b.n), &err), 0);
	assert_int_equal(from->size, 4);
	assert_int_equal(from->read(from, got, 3, 1, &err), 0);
	assert_memory_equal(got, "bcx", 3);
	assert_int_equal(from->read(from, got, 3, 2, &err), 1);
	tf_source_close(from);
	buf_fini(&b);
}

static void every_failing_allocation_is_reported(void **state)
{
	struct place p;
	struct tf_source *from;
	struct tf_sink *to;
	int rc = ERR_NOMEM;

	(void)state;
	set_up(&p);
	for (long n = 1; rc == ERR_NOMEM; n++) {
		failalloc_at(n);
		rc = tf_sink_open(&to, p.path, NULL);
		failalloc_off();
	}
	assert_int_equal(rc, 0);
	tf_sink_close(to, NULL);
	rc = ERR_NOMEM;
	for (long n = 1; rc == ERR_NOMEM; n++) {
		failalloc_at(n);
		rc = tf_source_open(&from, p.path, NULL, NULL);
		failalloc_off();
	}
	assert_int_equal(rc, 0);
	tf_source_close(from);
	tear_down(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_was_appended_is_read_at_any_offset),
		cmocka_unit_test(files_are_for_their_owner_only),
		cmocka_unit_test(a_cut_file_goes_on_where_it_was_cut),
		cmocka_unit_test(what_cannot_be_opened_is_named),
		cmocka_unit_test(no_room_is_said),
		cmocka_unit_test(a_pipe_is_read_whole_before_it_is_used),
		cmocka_unit_test(
			a_stream_is_judged_by_its_front_before_it_is_copied),
		cmocka_unit_test(a_device_is_refused),
		cmocka_unit_test(a_file_that_shrinks_is_at_its_end),
		cmocka_unit_test(memory_is_a_source_and_a_sink),
		cmocka_unit_test(every_failing_allocation_is_reported),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
