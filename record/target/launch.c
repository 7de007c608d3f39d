#include "record/target/launch.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/wait.h>
#include <unistd.h>

#define EXIT_UNUSED 125 /* of a child that was not let go: nobody looks */

static void close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

static ssize_t read_all(int fd, void *p, size_t n)
{
	ssize_t got;

	do {
		got = read(fd, p, n);
	} while (got < 0 && errno == EINTR);
	return got;
}

/* Whether a folder of PATH holds `name`, executable or not. */
static bool in_path(const char *name)
{
	const char *at = getenv("PATH");
	char file[PATH_MAX];

	while (at && *at) {
		size_t n = strcspn(at, ":");

		snprintf(file, sizeof(file), "%.*s/%s", (int)n, at, name);
		if (!access(file, F_OK))
			return true;
		at += n + (at[n] == ':');
	}
	return false;
}

/* execvp() gives EACCES also where it merely may not look into a folder of
 * PATH; to the shell the command is then not found. */
static int why_not(const char *name, int errnum)
{
	if (errnum == EACCES && !strchr(name, '/') && !in_path(name))
		return ENOENT;
	return errnum;
}

/* End of file instead of a byte: the recorder ended. */
static void wait_then_exec(int go, int fail, char *const argv[],
			   const sigset_t *mask, int out)
{
	char byte;
	int errnum;

	if (read_all(go, &byte, 1) != 1 ||
	    (out >= 0 && dup2(out, STDOUT_FILENO) < 0))
		_exit(EXIT_UNUSED);
	if (mask)
		(void)sigprocmask(SIG_SETMASK, mask, NULL);
	execvp(argv[0], argv);
	errnum = why_not(argv[0], errno);
	if (write(fail, &errnum, sizeof(errnum)) < 0)
		_exit(REC_EXIT_NOT_EXECUTABLE);
	_exit(errnum == ENOENT ? REC_EXIT_NOT_FOUND :
				 REC_EXIT_NOT_EXECUTABLE);
}

int rec_launch_fork(struct rec_launch *l, char *const argv[],
		    const sigset_t *mask, int out, struct err *err)
{
	int go[2] = { -1, -1 }, fail[2] = { -1, -1 };
	int rc = 0;

	*l = (struct rec_launch){ .pidfd = -1, .go_fd = -1, .fail_fd = -1 };
	if (pipe2(go, O_CLOEXEC) || pipe2(fail, O_CLOEXEC)) {
		rc = err_sys(err, errno, "cannot create a pipe");
		goto out;
	}
	l->pid = fork();
	if (l->pid < 0) {
		rc = err_sys(err, errno, "cannot fork");
		l->pid = 0;
		goto out;
	}
	if (!l->pid) {
		/* Held open here, it would never see the other side close. */
		close(go[1]);
		wait_then_exec(go[0], fail[1], argv, mask, out);
	}
	l->go_fd = go[1];
	l->fail_fd = fail[0];
	go[1] = fail[0] = -1;
	l->pidfd = pidfd_open(l->pid, 0);
out:
	close_fd(&go[0]);
	close_fd(&go[1]);
	close_fd(&fail[0]);
	close_fd(&fail[1]);
	return rc;
}

static int exec_failed(struct rec_launch *l, int errnum, const char *command,
		       struct err *err)
{
	(void)waitpid(l->pid, NULL, 0);
	l->pid = 0;
	l->status = errnum == ENOENT ? REC_EXIT_NOT_FOUND :
				       REC_EXIT_NOT_EXECUTABLE;
	return err_sys(err, errnum, "cannot execute '%s'", command);
}

static int read_exec_result(struct rec_launch *l, const char *command,
			    struct err *err)
{
	int errnum;
	ssize_t n = read_all(l->fail_fd, &errnum, sizeof(errnum));

	if (n < 0)
		return err_sys(err, errno, "cannot hear of '%s'", command);
	close_fd(&l->fail_fd);
	if (n == (ssize_t)sizeof(errnum))
		return exec_failed(l, errnum, command, err);
	return 0;
}

int rec_launch_go(struct rec_launch *l, char *const argv[], struct err *err)
{
	/* A child that was killed meanwhile must not cost us a SIGPIPE. */
	struct sigaction ignore = { .sa_handler = SIG_IGN }, before;
	ssize_t n;
	int errnum;

	sigaction(SIGPIPE, &ignore, &before);
	n = write(l->go_fd, "", 1);
	errnum = errno;
	sigaction(SIGPIPE, &before, NULL);
	close_fd(&l->go_fd);
	if (n != 1)
		return err_sys(err, errnum, "cannot start '%s'", argv[0]);
	return read_exec_result(l, argv[0], err);
}

static int status_of(int raw)
{
	if (WIFSIGNALED(raw))
		return REC_EXIT_SIGNAL + WTERMSIG(raw);
	return WEXITSTATUS(raw);
}

static int take_end(struct rec_launch *l, int flags, struct err *err)
{
	int raw;
	pid_t pid;

	if (!l->pid)
		return 0;
	do {
		pid = waitpid(l->pid, &raw, flags);
	} while (pid < 0 && errno == EINTR);
	if (pid < 0)
		return err_sys(err, errno, "cannot wait for process %d",
			       l->pid);
	if (!pid)
		return 1;
	l->pid = 0;
	l->status = status_of(raw);
	return 0;
}

int rec_launch_ended(struct rec_launch *l, struct err *err)
{
	return take_end(l, WNOHANG, err);
}

int rec_launch_wait(struct rec_launch *l, int signal, struct err *err)
{
	if (l->pid && signal)
		(void)kill(l->pid, signal);
	return take_end(l, 0, err);
}

void rec_launch_fini(struct rec_launch *l)
{
	bool waits = l->pid > 0 && l->go_fd >= 0;

	if (!l->pid && !l->go_fd)
		return; /* zeroed: 0 is nobody's descriptor */
	close_fd(&l->go_fd);
	close_fd(&l->fail_fd);
	close_fd(&l->pidfd);
	if (waits)
		while (waitpid(l->pid, NULL, 0) < 0 && errno == EINTR)
			;
	*l = (struct rec_launch){ .pidfd = -1, .go_fd = -1, .fail_fd = -1 };
}
