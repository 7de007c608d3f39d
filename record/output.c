#include "record/output.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool is_stdout(const char *path)
{
	return strcmp(path, "-") == 0;
}

/* Devices, pipes and links to them are written to, never moved. */
static int keep_old(struct rec_output *o, struct err *err)
{
	struct stat st;
	int n;

	if (lstat(o->path, &st) || !S_ISREG(st.st_mode) || !st.st_size)
		return 0;
	n = snprintf(o->old, sizeof(o->old), "%s.old", o->path);
	if (n < 0 || (size_t)n >= sizeof(o->old)) {
		o->old[0] = '\0';
		return err_set(err, ERR_USAGE, "'%s': path too long", o->path);
	}
	if (rename(o->path, o->old)) {
		int cause = errno;

		o->old[0] = '\0';
		return err_sys(err, cause, "cannot keep the older '%s'",
			       o->path);
	}
	return 0;
}

int rec_output_begin(struct rec_output *o, const char *path, struct err *err)
{
	int rc;

	*o = (struct rec_output){ .path = path };
	if (!is_stdout(path))
		return 0;
	if (isatty(STDOUT_FILENO))
		return err_set(err, ERR_USAGE,
			       "a trace does not go to a terminal: use -o FILE "
			       "or a pipe");
	rc = tf_sink_open(&o->sink, path, err); /* has its own descriptor */
	if (rc == 0 && dup2(STDERR_FILENO, STDOUT_FILENO) < 0)
		rc = err_sys(err, errno, "cannot keep the command's output out "
			     "of the trace");
	return rc;
}

int rec_output_open(struct rec_output *o, struct err *err)
{
	int rc;

	if (o->sink)
		return 0;
	rc = keep_old(o, err);
	if (rc == 0)
		rc = tf_sink_open(&o->sink, o->path, err);
	if (rc < 0 && o->old[0])
		(void)rename(o->old, o->path);
	return rc;
}

static void put_back(const struct rec_output *o)
{
	struct stat st;

	if (o->old[0])
		(void)rename(o->old, o->path);
	else if (!lstat(o->path, &st) && S_ISREG(st.st_mode))
		(void)unlink(o->path);
}

int rec_output_close(struct rec_output *o, bool recorded, struct err *err)
{
	int rc;

	if (!o->sink)
		return 0;
	rc = tf_sink_close(o->sink, err);
	if (!recorded && !is_stdout(o->path))
		put_back(o);
	o->sink = NULL;
	return rc;
}
