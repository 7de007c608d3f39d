#include "analyze/rewrite/out.h"

#include "analyze/out/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <unistd.h>

static int watch_signals(struct an_out *o, struct err *err)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGHUP);
	if (sigprocmask(SIG_BLOCK, &set, &o->before))
		return err_sys(err, errno, "cannot block signals");
	o->signals = signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
	if (o->signals < 0) {
		sigprocmask(SIG_SETMASK, &o->before, NULL);
		return err_sys(err, errno, "cannot wait for signals");
	}
	return 0;
}

static int check_path(const char *path, const char *const *inputs, size_t n,
		      struct err *err)
{
	if (strcmp(path, "-") != 0)
		return an_out_file_check(path, inputs, n, err);
	if (isatty(STDOUT_FILENO))
		return err_set(err, ERR_USAGE, "a trace is nothing for a "
			       "terminal (try: -o FILE)");
	return an_out_file_check("/dev/stdout", inputs, n, err);
}

/* false: it is written as it stands. */
static bool is_file(const char *path, bool *is_there)
{
	struct stat st;

	*is_there = stat(path, &st) == 0;
	return strcmp(path, "-") != 0 && (!*is_there || S_ISREG(st.st_mode));
}

static int name_files(struct an_out *o, const char *path, struct err *err)
{
	bool is_there;

	if (!is_file(path, &is_there))
		return 0;
	if (is_there && access(path, W_OK))
		return err_sys(err, errno, "cannot create '%s'", path);
	o->path = is_there ? realpath(path, NULL) : strdup(path);
	if (!o->path)
		return err_sys(err, errno, "cannot create '%s'", path);
	if (asprintf(&o->temporary, "%s.%ld.tmp", o->path,
		     (long)getpid()) >= 0)
		return 0;
	o->temporary = NULL; /* asprintf leaves anything there */
	return err_nomem(err);
}

/* New, so that nobody else had a hand in it; the sink only opens it again. */
static int make_temporary(struct an_out *o, struct err *err)
{
	int fd, rc;

	if (!o->temporary)
		return 0;
	fd = open(o->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd >= 0) {
		close(fd);
		return 0;
	}
	rc = err_sys(err, errno, "cannot create '%s'", o->path);
	free(o->temporary); /* it is not ours to remove */
	o->temporary = NULL;
	return rc;
}

int an_out_open(struct an_out *o, const char *path, const char *const *inputs,
		size_t n, struct err *err)
{
	int rc = check_path(path, inputs, n, err);

	*o = (struct an_out){ .signals = -1, .name = path };
	if (!rc)
		rc = name_files(o, path, err);
	if (!rc)
		rc = watch_signals(o, err);
	if (!rc)
		rc = make_temporary(o, err);
	if (!rc)
		rc = tf_sink_open(&o->sink, o->temporary ? o->temporary : path,
				  err);
	if (rc)
		an_out_fini(o);
	return rc;
}

int an_out_go_on(void *ctx, struct err *err)
{
	struct an_out *o = ctx;
	struct signalfd_siginfo info;

	if (read(o->signals, &info, sizeof(info)) != (ssize_t)sizeof(info))
		return 0;
	return err_set(err, ERR_IO, "interrupted (%s): '%s' %s",
		       strsignal((int)info.ssi_signo), o->name,
		       o->temporary ? "is not written" : "is not closed");
}

int an_out_keep(struct an_out *o, struct err *err)
{
	struct tf_sink *sink = o->sink;
	int rc;

	o->sink = NULL;
	rc = tf_sink_close(sink, err);
	if (rc || !o->temporary)
		return rc;
	if (rename(o->temporary, o->path))
		return err_sys(err, errno, "cannot create '%s'", o->path);
	free(o->temporary);
	o->temporary = NULL;
	return 0;
}

void an_out_fini(struct an_out *o)
{
	(void)tf_sink_close(o->sink, NULL);
	if (o->temporary)
		unlink(o->temporary);
	free(o->temporary);
	free(o->path);
	if (o->signals >= 0) {
		close(o->signals);
		sigprocmask(SIG_SETMASK, &o->before, NULL);
	}
	*o = (struct an_out){ .signals = -1 };
}
