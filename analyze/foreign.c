#include "analyze/foreign.h"

#include "format/layout.h"
#include "format/reader.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* How `rec import` ends. */
enum { REC_DONE = 0, REC_UNKNOWN = 1, REC_DAMAGED = 6 };

static bool is_foreign(struct tf_source *s)
{
	uint8_t head[TF_MAGIC_SIZE];
	size_t n = s->size < sizeof(head) ? (size_t)s->size : sizeof(head);

	/* Of a trace that is cut within its magic the rest is that of one. */
	return n && s->read(s, head, n, 0, NULL) == 0 &&
	       memcmp(head, TF_MAGIC, n) != 0;
}

/* The one that was installed with this program, by whatever prefix; else that in
 * PATH. */
static const char *find_rec(char path[PATH_MAX])
{
	static const char own[] = "analyze", other[] = "rec";
	const size_t end = sizeof(own) - 1;
	ssize_t n = readlink("/proc/self/exe", path, PATH_MAX - 1);

	if (n < (ssize_t)end)
		return other;
	path[n] = '\0';
	if (strcmp(path + n - end, own) != 0)
		return other;
	memcpy(path + n - end, other, sizeof(other));
	return access(path, X_OK) ? other : path;
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
	const char *rec = find_rec(exe);
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

static int failed(const char *path, int status, struct err *err)
{
	if (status == REC_DAMAGED)
		return err_set(err, ERR_FORMAT, "'%s' cannot be used", path);
	return err_set(err, ERR_IO, "'%s' could not be imported", path);
}

/* 1: rec does not know what it is. */
static int import(struct tf_source **out, const char *path, bool quiet,
		  struct err *err)
{
	int status = 0;
	int fd = tf_temporary_file(err);
	int rc = fd < 0 ? fd : run_rec(path, quiet, fd, &status, err);

	if (rc == 0 && status == REC_DONE)
		rc = tf_source_open_fd(out, fd, path, tf_reader_check_front,
				       err);
	else if (rc == 0)
		rc = status == REC_UNKNOWN ? 1 : failed(path, status, err);
	if (fd >= 0)
		close(fd);
	return rc;
}

int an_source_open(struct tf_source **out, const char *path,
		   const struct log *log, struct err *err)
{
	struct tf_source *trace = NULL;
	int rc = tf_source_open(out, path, tf_reader_check_front, err);

	if (rc || !log || strcmp(path, "-") == 0 || !is_foreign(*out))
		return rc;
	rc = import(&trace, path, log->level == LOG_QUIET, err);
	if (rc == 1)
		return 0;
	tf_source_close(*out);
	if (rc == 0)
		*out = trace;
	return rc;
}
