#include "record/mark/send.h"
#include "record/mark/place.h"
#include "record/mark/socket.h"

#include "format/base/time.h"
#include "tests/support/filetree.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#define STRANGER 65534

struct fixture {
	struct filetree tree;
	struct rec_mark_socket s;
};

static void begin(struct fixture *f)
{
	filetree_init(&f->tree);
	chmod(f->tree.root, 0755);
	filetree_text(&f->tree, "/tmp/keep", "");
	assert_int_equal(rec_mark_socket_open(&f->s, f->tree.root, NULL), 0);
}

static void end(struct fixture *f)
{
	rec_mark_socket_fini(&f->s);
	filetree_fini(&f->tree);
}

static struct rec_mark saying(const char *text)
{
	return (struct rec_mark){ .time = time_now_ns(CLOCK_MONOTONIC),
				  .text = span_of(text, strlen(text)) };
}

static struct rec_mark_sent say(const struct fixture *f, const char *text,
				pid_t pid)
{
	struct rec_mark m = saying(text);
	struct rec_mark_sent sent;

	assert_int_equal(rec_mark_send(f->tree.root, geteuid(), pid, &m, &sent,
				       NULL), 0);
	return sent;
}

static void check_taken(struct rec_mark_socket *s, const char *want)
{
	struct rec_mark m;

	assert_int_equal(rec_mark_socket_take(s, &m), 0);
	assert_int_equal(m.text.n, strlen(want));
	assert_memory_equal(m.text.p, want, m.text.n);
	assert_int_equal(m.pid, getpid());
	assert_int_equal(m.source, TF_MARK_COMMAND);
}

static void check_nothing(struct rec_mark_socket *s)
{
	struct rec_mark m;

	assert_int_equal(rec_mark_socket_take(s, &m), 1);
}

/* A datagram from this process, as it is. */
static void send_raw(const struct fixture *f, const void *p, size_t n)
{
	int fd = rec_mark_connect(f->s.folder, f->s.name, f->s.uid);

	assert_true(fd >= 0);
	assert_int_equal(send(fd, p, n, 0), n);
	close(fd);
}

static void a_mark_is_taken_with_its_time_and_its_sender(void **state)
{
	uint64_t before = time_now_ns(CLOCK_MONOTONIC);
	struct fixture f;
	struct rec_mark m;

	(void)state;
	begin(&f);
	check_nothing(&f.s);
	assert_int_equal(say(&f, "hello", 0).taken, 1);
	usleep(20000);
	assert_int_equal(rec_mark_socket_take(&f.s, &m), 0);
	assert_true(m.time >= before);
	assert_true(time_now_ns(CLOCK_MONOTONIC) - m.time >= 20000000);
	assert_int_equal(m.pid, getpid());
	check_nothing(&f.s);
	end(&f);
}

static void each_of_two_recordings_takes_it(void **state)
{
	struct rec_mark_socket second;
	struct fixture f;

	(void)state;
	begin(&f);
	assert_int_equal(rec_mark_socket_open(&second, f.tree.root, NULL), 0);
	assert_int_equal(say(&f, "both", 0).taken, 2);
	check_taken(&f.s, "both");
	check_taken(&second, "both");
	rec_mark_socket_fini(&second);
	end(&f);
}

static void only_the_recorder_that_was_named_takes_it(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f);
	assert_int_equal(say(&f, "me", getpid()).taken, 1);
	assert_int_equal(say(&f, "other", getpid() + 1).taken, 0);
	check_taken(&f.s, "me");
	check_nothing(&f.s);
	end(&f);
}

static void nobody_takes_it_where_nothing_runs(void **state)
{
	struct rec_mark_sent sent;
	struct fixture f;

	(void)state;
	begin(&f);
	rec_mark_socket_fini(&f.s);
	sent = say(&f, "hello", 0);
	assert_int_equal(sent.taken + sent.busy + sent.refused, 0);
	end(&f);
}

static void what_came_before_the_end_can_still_be_taken(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f);
	assert_int_equal(say(&f, "last", 0).taken, 1);
	rec_mark_socket_hide(&f.s);
	assert_int_equal(say(&f, "late", 0).taken, 0);
	check_taken(&f.s, "last");
	check_nothing(&f.s);
	end(&f);
}

static void malformed_datagrams_are_counted_and_do_no_harm(void **state)
{
	static uint8_t big[REC_MARK_DATAGRAM_MAX + 1] = "ctr mark";
	struct fixture f;
	struct rec_mark m;

	(void)state;
	begin(&f);
	send_raw(&f, "", 0);
	send_raw(&f, "ctr mark", 8);
	send_raw(&f, "MAINPID=1 0123456789", 20);
	send_raw(&f, big, sizeof(big));
	assert_int_equal(say(&f, "good", 0).taken, 1);
	for (int i = 0; i < 4; i++)
		assert_int_equal(rec_mark_socket_take(&f.s, &m), ERR_FORMAT);
	check_taken(&f.s, "good");
	assert_int_equal(f.s.refused, 4);
	end(&f);
}

static size_t open_files(void)
{
	size_t n = 0;

	for (int fd = 0; fd < 256; fd++)
		n += fcntl(fd, F_GETFD) >= 0;
	return n;
}

static void descriptors_that_are_sent_along_are_not_kept(void **state)
{
	union {
		struct cmsghdr align;
		uint8_t bytes[CMSG_SPACE(sizeof(int))];
	} control = { 0 };
	struct iovec io = { "ctr mark01234567x", 17 };
	struct msghdr m = { .msg_iov = &io, .msg_iovlen = 1,
			    .msg_control = control.bytes,
			    .msg_controllen = sizeof(control.bytes) };
	struct cmsghdr *c = CMSG_FIRSTHDR(&m);
	struct rec_mark got;
	struct fixture f;
	size_t before;
	int fd, zero = 0;

	(void)state;
	begin(&f);
	before = open_files();
	fd = rec_mark_connect(f.s.folder, f.s.name, f.s.uid);
	c->cmsg_level = SOL_SOCKET;
	c->cmsg_type = SCM_RIGHTS;
	c->cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(c), &zero, sizeof(zero));
	assert_int_equal(sendmsg(fd, &m, 0), 17);
	close(fd);
	(void)rec_mark_socket_take(&f.s, &got);
	assert_int_equal(open_files(), before);
	end(&f);
}

static void a_time_that_cannot_be_becomes_that_of_the_arrival(void **state)
{
	uint64_t now = time_now_ns(CLOCK_MONOTONIC);
	uint64_t bad[] = { 0, now + 3600 * (uint64_t)NSEC_PER_SEC, UINT64_MAX };
	struct fixture f;

	(void)state;
	begin(&f);
	for (size_t i = 0; i < 3; i++) {
		struct rec_mark m = saying("x"), got;
		struct rec_mark_sent sent;

		/* 0 is old only where the machine runs that long. */
		if (!bad[i] && now < 601 * (uint64_t)NSEC_PER_SEC)
			continue;
		m.time = bad[i];
		assert_int_equal(rec_mark_send(f.tree.root, geteuid(), 0, &m,
					       &sent, NULL), 0);
		assert_int_equal(rec_mark_socket_take(&f.s, &got), 0);
		assert_true(got.time >= now);
		assert_true(got.time <= time_now_ns(CLOCK_MONOTONIC));
	}
	end(&f);
}

static void a_full_queue_is_reported_and_not_waited_for_for_long(void **state)
{
	struct rec_mark_sent sent = { 0 };
	struct fixture f;
	struct rec_mark m;
	size_t n = 0, got = 0;

	(void)state;
	begin(&f);
	while (n < 5000 && !sent.busy) {
		sent = say(&f, "flood", 0);
		n += sent.taken;
	}
	assert_int_equal(sent.busy, 1);
	while (rec_mark_socket_take(&f.s, &m) == 0)
		got++;
	assert_int_equal(got, n);
	assert_int_equal(say(&f, "again", 0).taken, 1);
	end(&f);
}

static void what_a_killed_recorder_left_is_removed(void **state)
{
	struct fixture f;
	char path[256];

	(void)state;
	begin(&f);
	snprintf(path, sizeof(path), "/proc/self/fd/%d/%s", f.s.folder,
		 f.s.name);
	/* As a kill leaves it: the file without its socket. */
	close(f.s.fd);
	f.s.fd = -1;
	assert_int_equal(say(&f, "x", 0).taken, 0);
	assert_int_equal(access(path, F_OK), 0);
	{
		struct rec_mark_socket next;

		assert_int_equal(rec_mark_socket_open(&next, f.tree.root,
						      NULL), 0);
		assert_int_equal(access(path, F_OK), -1);
		rec_mark_socket_fini(&next);
	}
	end(&f);
}

static void a_folder_that_others_may_write_to_is_not_used(void **state)
{
	struct filetree t;
	char path[128];
	int fd;

	(void)state;
	filetree_init(&t);
	filetree_text(&t, "/tmp/keep", "");
	snprintf(path, sizeof(path), "%s/tmp/coltrace-%u", t.root, geteuid());
	assert_int_equal(mkdir(path, 0700), 0);
	chmod(path, 0777);
	fd = rec_mark_folder(t.root, geteuid(), NULL);
	assert_true(fd < 0);
	chmod(path, 0755);
	fd = rec_mark_folder(t.root, geteuid(), NULL);
	assert_true(fd >= 0);
	close(fd);
	filetree_fini(&t);
}

static void a_link_in_the_place_of_the_folder_is_not_followed(void **state)
{
	struct filetree t;
	char path[128], to[128];

	(void)state;
	filetree_init(&t);
	filetree_text(&t, "/tmp/elsewhere/keep", "");
	snprintf(path, sizeof(path), "%s/tmp/coltrace-%u", t.root, geteuid());
	snprintf(to, sizeof(to), "%s/tmp/elsewhere", t.root);
	assert_int_equal(symlink(to, path), 0);
	assert_true(rec_mark_folder(t.root, geteuid(), NULL) < 0);
	filetree_fini(&t);
}

static void a_link_in_the_place_of_a_socket_is_not_followed(void **state)
{
	struct fixture f;
	struct rec_mark_sent sent;

	(void)state;
	begin(&f);
	assert_int_equal(symlinkat(f.s.name, f.s.folder, "1-link"), 0);
	sent = say(&f, "once", 0);
	assert_int_equal(sent.taken, 1);
	check_taken(&f.s, "once");
	check_nothing(&f.s);
	unlinkat(f.s.folder, "1-link", 0);
	end(&f);
}

/* In a child that became another user; its exit status. */
static int as_stranger(struct fixture *f, int (*what)(struct fixture *f))
{
	int status;
	pid_t pid = fork();

	if (!pid) {
		if (setresgid(STRANGER, STRANGER, STRANGER) ||
		    setresuid(STRANGER, STRANGER, STRANGER))
			_exit(99);
		_exit(what(f));
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

static int stranger_sends(struct fixture *f)
{
	struct rec_mark m = saying("intruder");
	struct rec_mark_sent sent;

	if (rec_mark_send(f->tree.root, STRANGER, 0, &m, &sent, NULL))
		return 98;
	/* Nor by way of a descriptor that it was given. */
	return (int)sent.taken +
	       (rec_mark_connect(f->s.folder, f->s.name, f->s.uid) >= 0);
}

static void a_stranger_cannot_send(void **state)
{
	struct fixture f;

	(void)state;
	if (geteuid())
		skip();
	begin(&f);
	assert_int_equal(as_stranger(&f, stranger_sends), 0);
	check_nothing(&f.s);
	end(&f);
}

static int sends_there(struct fixture *f)
{
	struct rec_mark m = saying("intruder");
	int fd = rec_mark_connect(f->s.folder, f->s.name, f->s.uid);
	struct buf b;

	if (fd < 0)
		return 97;
	buf_init(&b, 0);
	rec_mark_encode(&m, &b);
	return send(fd, b.p, b.n, 0) == (ssize_t)b.n ? 0 : 96;
}

/* The socket opened up on purpose: whom its mode does not keep out, its reader
 * does. */
static void a_stranger_that_can_send_is_not_listened_to(void **state)
{
	struct fixture f;
	struct rec_mark m;
	char path[256];

	(void)state;
	if (geteuid())
		skip();
	begin(&f);
	snprintf(path, sizeof(path), "/proc/self/fd/%d/%s", f.s.folder,
		 f.s.name);
	assert_int_equal(fchmod(f.s.folder, 0755), 0);
	assert_int_equal(chmod(path, 0666), 0);
	assert_int_equal(as_stranger(&f, sends_there), 0);
	assert_int_equal(rec_mark_socket_take(&f.s, &m), ERR_FORMAT);
	check_nothing(&f.s);
	end(&f);
}

static int opens_own(struct fixture *f)
{
	struct rec_mark_socket own;
	int rc = rec_mark_socket_open(&own, f->tree.root, NULL);
	struct rec_mark m;

	if (rc < 0)
		return 95;
	for (int i = 0; i < 200; i++) {
		if (rec_mark_socket_take(&own, &m) == 0)
			return m.text.n == 4 ? 0 : 93;
		usleep(20000);
	}
	return 92;
}

static void root_reaches_the_recordings_of_all_users(void **state)
{
	struct fixture f;
	char path[128];
	int status;
	size_t taken = 0;
	pid_t pid;

	(void)state;
	if (geteuid())
		skip();
	begin(&f);
	snprintf(path, sizeof(path), "%s/tmp", f.tree.root);
	assert_int_equal(chmod(path, 01777), 0);
	pid = fork();
	if (!pid)
		_exit(as_stranger(&f, opens_own));
	for (int i = 0; i < 200 && taken < 2; i++) {
		taken = say(&f, "root", 0).taken;
		usleep(20000);
	}
	assert_int_equal(taken, 2);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	end(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_mark_is_taken_with_its_time_and_its_sender),
		cmocka_unit_test(each_of_two_recordings_takes_it),
		cmocka_unit_test(only_the_recorder_that_was_named_takes_it),
		cmocka_unit_test(nobody_takes_it_where_nothing_runs),
		cmocka_unit_test(what_came_before_the_end_can_still_be_taken),
		cmocka_unit_test(
			malformed_datagrams_are_counted_and_do_no_harm),
		cmocka_unit_test(descriptors_that_are_sent_along_are_not_kept),
		cmocka_unit_test(
			a_time_that_cannot_be_becomes_that_of_the_arrival),
		cmocka_unit_test(
			a_full_queue_is_reported_and_not_waited_for_for_long),
		cmocka_unit_test(what_a_killed_recorder_left_is_removed),
		cmocka_unit_test(a_folder_that_others_may_write_to_is_not_used),
		cmocka_unit_test(
			a_link_in_the_place_of_the_folder_is_not_followed),
		cmocka_unit_test(
			a_link_in_the_place_of_a_socket_is_not_followed),
		cmocka_unit_test(a_stranger_cannot_send),
		cmocka_unit_test(a_stranger_that_can_send_is_not_listened_to),
		cmocka_unit_test(root_reaches_the_recordings_of_all_users),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
