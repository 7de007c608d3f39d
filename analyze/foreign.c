#include "analyze/foreign.h"

#include "format/base/beside.h"
#include "format/layout.h"
#include "format/reader.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define STANDARD_INPUT "(standard input)"

/* How `rec import` ends. */
enum { REC_DONE = 0, REC_UNKNOWN = 1, REC_DAMAGED = 6 };

/* Of a trace that is cut within its magic the rest is that of one. */
static bool is_foreign(const uint8_t *front, size_t n)
{
	return n && memcmp(front, TF_MAGIC, n) != 0;
}

static bool is_foreign_source(struct tf_source *s)
{
	uint8_t front[TF_MAGIC_SIZE];
	size_t n = s->size < sizeof(front) ? (size_t)s->size : sizeof(front);

	return s->read(s, front, n, 0, NULL) == 0 && is_foreign(front, n);
}

static ssize_t peek_pipe(int fd, void *to, size_t n)
{
	int copy[2];
	ssize_t got;

	if (pipe2(copy, O_CLOEXEC))
		return -1;
	do {
		got = tee(fd, copy[1], n, 0);
	} while (got < 0 && errno == EINTR);
	if (got > 0)
		got = read(copy[0], to, (size_t)got);
	close(copy[0]);
	close(copy[1]);
	return got;
}

/* The first bytes of what comes there, which stay there for others to read; as
 * many as there are at once. 0: there are none, or they cannot be had. */
static size_t peek(int fd, void *to, size_t n)
{
	struct stat st;
	ssize_t got = 0;

	if (fstat(fd, &st))
		return 0;
	if (S_ISREG(st.st_mode))
		got = pread(fd, to, n, lseek(fd, 0, SEEK_CUR));
	else if (S_ISFIFO(st.st_mode))
		got = peek_pipe(fd, to, n);
	else if (S_ISSOCK(st.st_mode))
		got = recv(fd, to, n, MSG_PEEK);
	return got > 0 ? (size_t)got : 0;
}

static int wait_for(pid_t pid, int *status, struct err *err)
{
	while (waitpid(pid, status, 0) < 0)
		if (errno != EINTR)
			return err_sys(err, errno, "cannot wait for rec");
	*status = WIFEXITED(*status) ? WEXITSTATUS(*status) : -1;
	return 0;
}

/* *status is its exit status; -1: a signal ended it. */
static int run_rec(const char *path, bool quiet, int to, int *status,
		   struct err *err)
{
	char exe[PATH_MAX];
	const char *rec = beside_program(exe, "analyze", "rec");
	const char *argv[] = { rec, "import", "--if-known", "-o", "-",
			       quiet ? "-q" : "--", quiet ? "--" : path,
			       quiet ? path : NULL, NULL };
	posix_spawn_file_actions_t files;
	pid_t pid;
	int rc = posix_spawn_file_actions_init(&files);

	if (rc)
		return err_sys(err, rc, "cannot start rec");
	rc = posix_spawn_file_actions_adddup2(&files, to, STDOUT_FILENO);
	if (rc == 0)
		rc = posix_spawnp(&pid, rec, &files, NULL,
				  (char *const *)(uintptr_t)argv, environ);
	posix_spawn_file_actions_destroy(&files);
	if (rc == ENOENT) { /* then nobody knows what it is */
		*status = REC_UNKNOWN;
		return 0;
	}
	return rc ? err_sys(err, rc, "cannot start rec") :
		    wait_for(pid, status, err);
}

static int failed(const char *name, int status, struct err *err)
{
	if (status == REC_DAMAGED)
		return err_set(err, ERR_FORMAT, "'%s' cannot be used", name);
	return err_set(err, ERR_IO, "'%s' could not be imported", name);
}

/* 1: rec does not know what it is. */
static int import(struct tf_source **out, const char *path, bool quiet,
		  struct err *err)
{
	const char *name = strcmp(path, "-") ? path : STANDARD_INPUT;
	int status = 0;
	int fd = tf_temporary_file(err);
	int rc = fd < 0 ? fd : run_rec(path, quiet, fd, &status, err);

	if (rc == 0 && status == REC_DONE)
		rc = tf_source_open_fd(out, fd, name, tf_reader_check_front,
				       err);
	else if (rc == 0)
		rc = status == REC_UNKNOWN ? 1 : failed(name, status, err);
	if (fd >= 0)
		close(fd);
	return rc;
}

/* perf record --threads makes a folder, whose first file is "data". */
static bool is_folder(const char *path)
{
	char first[PATH_MAX];
	struct stat st;
	int n = snprintf(first, sizeof(first), "%s/data", path);

	return n > 0 && (size_t)n < sizeof(first) && stat(first, &st) == 0 &&
	       S_ISREG(st.st_mode);
}

static int open_folder(struct tf_source **out, const char *path,
		       const struct log *log, struct err *err)
{
	int rc = import(out, path, log->level == LOG_QUIET, err);

	return rc == 1 ? tf_source_open(out, path, tf_reader_check_front, err) :
			 rc;
}

/* rec reads from there itself. */
static int open_standard_input(struct tf_source **out, const struct log *log,
			       struct err *err)
{
	uint8_t front[TF_MAGIC_SIZE];
	size_t n = peek(STDIN_FILENO, front, sizeof(front));
	int rc;

	if (!is_foreign(front, n))
		return tf_source_open(out, "-", tf_reader_check_front, err);
	rc = import(out, "-", log->level == LOG_QUIET, err);
	if (rc != 1)
		return rc;
	rc = tf_reader_check_front(span_of(front, n), err);
	return rc ? err_in(err, rc, STANDARD_INPUT) : 0;
}

int an_source_open(struct tf_source **out, const char *path,
		   const struct log *log, struct err *err)
{
	struct tf_source *trace = NULL;
	int rc;

	if (log && strcmp(path, "-") == 0)
		return open_standard_input(out, log, err);
	if (log && is_folder(path))
		return open_folder(out, path, log, err);
	rc = tf_source_open(out, path, tf_reader_check_front, err);
	if (rc || !log || !is_foreign_source(*out))
		return rc;
	rc = import(&trace, path, log->level == LOG_QUIET, err);
	if (rc == 1)
		return 0;
	tf_source_close(*out);
	if (rc == 0)
		*out = trace;
	return rc;
}
