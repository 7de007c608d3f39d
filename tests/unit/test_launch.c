#include "record/target/launch.h"

#include "format/base/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#define PATIENCE_MS 10000

static void wait_for_end(struct rec_launch *l)
{
	struct pollfd p = { .fd = l->pidfd, .events = POLLIN };
	struct err err = { 0 };

	assert_int_equal(poll(&p, 1, PATIENCE_MS), 1);
	assert_int_equal(rec_launch_ended(l, &err), 0);
}

static int run(char *const argv[])
{
	struct rec_launch l;
	struct err err = { 0 };
	int status;

	assert_int_equal(rec_launch_fork(&l, argv, NULL, -1, &err), 0);
	assert_int_equal(rec_launch_go(&l, argv, &err), 0);
	wait_for_end(&l);
	status = l.status;
	rec_launch_fini(&l);
	return status;
}

#define SH(script) ((char *const[]){ "sh", "-c", script, NULL })

static void the_status_is_the_commands_own(void **state)
{
	(void)state;
	assert_int_equal(run(SH("exit 0")), 0);
	assert_int_equal(run(SH("exit 42")), 42);
	assert_int_equal(run(SH("exit 255")), 255);
}

static void a_signal_gives_128_and_its_number(void **state)
{
	(void)state;
	assert_int_equal(run(SH("kill -TERM $$")), 128 + 15);
	assert_int_equal(run(SH("kill -KILL $$")), 128 + 9);
}

static void nothing_runs_before_go(void **state)
{
	char path[] = "/tmp/launchXXXXXX";
	struct rec_launch l;
	struct err err = { 0 };
	char script[64];
	int fd = mkstemp(path);

	(void)state;
	assert_true(fd >= 0);
	close(fd);
	snprintf(script, sizeof(script), "rm %s", path);
	assert_int_equal(rec_launch_fork(&l, SH(script), NULL, -1, &err), 0);
	usleep(50000);
	assert_int_equal(rec_launch_ended(&l, &err), 1);
	assert_int_equal(access(path, F_OK), 0);
	assert_int_equal(rec_launch_go(&l, SH(script), &err), 0);
	wait_for_end(&l);
	assert_int_equal(access(path, F_OK), -1);
	rec_launch_fini(&l);
}

static int refused(char *command, int *status, struct err *err)
{
	char *argv[] = { command, NULL };
	struct rec_launch l;
	int rc;

	assert_int_equal(rec_launch_fork(&l, argv, NULL, -1, err), 0);
	rc = rec_launch_go(&l, argv, err);
	*status = l.status;
	assert_int_equal(rec_launch_ended(&l, err), 0);
	rec_launch_fini(&l);
	return rc;
}

static void a_missing_command_is_named_with_status_127(void **state)
{
	struct err err = { 0 };
	int status;

	(void)state;
	assert_int_equal(refused("/no/such/command", &status, &err), ERR_IO);
	assert_int_equal(status, 127);
	assert_string_equal(err.text, "cannot execute '/no/such/command': "
			    "No such file or directory");
	assert_true(refused("no-such-command-in-path", &status, &err) < 0);
	assert_int_equal(status, 127);
}

static void what_is_not_executable_gives_status_126(void **state)
{
	struct err err = { 0 };
	int status;

	(void)state;
	assert_int_equal(refused("/etc/passwd", &status, &err), ERR_DENIED);
	assert_int_equal(status, 126);
	assert_true(refused("/etc/passwd/x", &status, &err) < 0);
	assert_int_equal(status, 126);
}

static void a_child_that_is_given_up_leaves_no_trace(void **state)
{
	struct rec_launch l;
	struct err err = { 0 };
	pid_t pid;

	(void)state;
	assert_int_equal(rec_launch_fork(&l, SH("exit 1"), NULL, -1, &err), 0);
	pid = l.pid;
	rec_launch_fini(&l);
	assert_int_equal(waitpid(pid, NULL, WNOHANG), -1);
	assert_int_equal(errno, ECHILD);
}

static void the_command_gets_the_mask_that_was_asked_for(void **state)
{
	/* SIGUSR1 is signal 10: bit 9. No shell: dash clears its mask. */
	char *const argv[] = { "grep", "-q",
			       "^SigBlk:.*[^0-9a-f]0000000000000200$",
			       "/proc/self/status", NULL };
	sigset_t mask, blocked, before;
	struct rec_launch l;
	struct err err = { 0 };

	(void)state;
	sigemptyset(&mask);
	sigaddset(&mask, SIGUSR1);
	sigfillset(&blocked);
	sigprocmask(SIG_SETMASK, &blocked, &before);
	assert_int_equal(rec_launch_fork(&l, argv, &mask, -1, &err), 0);
	assert_int_equal(rec_launch_go(&l, argv, &err), 0);
	sigprocmask(SIG_SETMASK, &before, NULL);
	wait_for_end(&l);
	assert_int_equal(l.status, 0);
	rec_launch_fini(&l);
}

static void a_child_that_was_killed_while_waiting_is_an_error(void **state)
{
	struct rec_launch l;
	struct err err = { 0 };
	struct pollfd p;

	(void)state;
	assert_int_equal(rec_launch_fork(&l, SH("exit 0"), NULL, -1, &err), 0);
	kill(l.pid, SIGKILL);
	p = (struct pollfd){ .fd = l.pidfd, .events = POLLIN };
	assert_int_equal(poll(&p, 1, PATIENCE_MS), 1);
	assert_true(rec_launch_go(&l, SH("exit 0"), &err) < 0);
	assert_int_equal(rec_launch_ended(&l, &err), 0);
	assert_int_equal(l.status, 128 + 9);
	rec_launch_fini(&l);
}

static void the_command_inherits_no_descriptor(void **state)
{
	char *const *argv = SH("exit $(ls /proc/self/fd | wc -l)");
	int without = system(argv[2]);

	(void)state;
	assert_true(WIFEXITED(without));
	assert_int_equal(run(argv), WEXITSTATUS(without));
}

static void nothing_can_be_released(void **state)
{
	struct rec_launch zeroed = { 0 };

	(void)state;
	rec_launch_fini(&zeroed);
	assert_true(fcntl(0, F_GETFD) >= 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_status_is_the_commands_own),
		cmocka_unit_test(a_signal_gives_128_and_its_number),
		cmocka_unit_test(nothing_runs_before_go),
		cmocka_unit_test(a_missing_command_is_named_with_status_127),
		cmocka_unit_test(what_is_not_executable_gives_status_126),
		cmocka_unit_test(a_child_that_is_given_up_leaves_no_trace),
		cmocka_unit_test(the_command_gets_the_mask_that_was_asked_for),
		cmocka_unit_test(
			a_child_that_was_killed_while_waiting_is_an_error),
		cmocka_unit_test(the_command_inherits_no_descriptor),
		cmocka_unit_test(nothing_can_be_released),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
