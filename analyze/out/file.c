#include "analyze/out/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool is_input(const struct stat *st, const char *input)
{
	struct stat in;
	int rc = strcmp(input, "-") ? stat(input, &in) :
				      fstat(STDIN_FILENO, &in);

	return rc == 0 && in.st_dev == st->st_dev && in.st_ino == st->st_ino;
}

/* `old` NULL: there is no such file yet. */
static int name_files(struct an_out_file *f, const char *path,
		      const struct stat *old, struct err *err)
{
	f->path = old ? realpath(path, NULL) : strdup(path);
	if (!f->path)
		return err_sys(err, errno, "cannot create '%s'", path);
	if (asprintf(&f->temporary, "%s.%ld.tmp", f->path,
		     (long)getpid()) >= 0)
		return 0;
	f->temporary = NULL; /* asprintf leaves anything there */
	return err_nomem(err);
}

static int open_temporary(struct an_out_file *f, const struct stat *old,
			  struct err *err)
{
	int fd = open(f->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC,
		      0666);

	if (fd < 0) {
		int rc = err_sys(err, errno, "cannot create '%s'", f->path);

		free(f->temporary); /* it is not ours to remove */
		f->temporary = NULL;
		return rc;
	}
	if (old)
		(void)fchmod(fd, old->st_mode & 0777);
	f->to = fdopen(fd, "w");
	if (f->to)
		return 0;
	close(fd);
	return err_nomem(err);
}

static int begin(struct an_out_file *f, const char *path,
		 const struct stat *old, struct err *err)
{
	int rc = name_files(f, path, old, err);

	if (!rc)
		rc = open_temporary(f, old, err);
	if (rc)
		an_out_file_fini(f);
	return rc;
}

int an_out_file_check(const char *path, const char *const *inputs, size_t n,
		      struct err *err)
{
	struct stat st;

	if (stat(path, &st) || !S_ISREG(st.st_mode))
		return 0;
	for (size_t i = 0; i < n; i++)
		if (is_input(&st, inputs[i]))
			return err_set(err, ERR_USAGE, "cannot write '%s': it "
				       "is the trace itself", path);
	return 0;
}

int an_out_file_open(struct an_out_file *f, const char *path,
		     const char *input, struct err *err)
{
	struct stat st;
	bool there = stat(path, &st) == 0;
	int rc;

	*f = (struct an_out_file){ .to = NULL };
	rc = an_out_file_check(path, &input, 1, err);
	if (rc)
		return rc;
	if (there && access(path, W_OK))
		return err_sys(err, errno, "cannot create '%s'", path);
	if (!there || S_ISREG(st.st_mode))
		return begin(f, path, there ? &st : NULL, err);
	f->path = strdup(path);
	if (!f->path)
		return err_nomem(err);
	f->to = fopen(path, "we");
	if (f->to)
		return 0;
	rc = err_sys(err, errno, "cannot create '%s'", path);
	an_out_file_fini(f);
	return rc;
}

int an_out_file_keep(struct an_out_file *f, struct err *err)
{
	int failed = ferror(f->to);
	failed |= fclose(f->to);
	f->to = NULL;
	if (failed)
		return err_sys(err, errno, "cannot write '%s'", f->path);
	if (!f->temporary)
		return 0;
	if (rename(f->temporary, f->path))
		return err_sys(err, errno, "cannot create '%s'", f->path);
	free(f->temporary);
	f->temporary = NULL;
	return 0;
}

void an_out_file_fini(struct an_out_file *f)
{
	if (f->to)
		fclose(f->to);
	if (f->temporary)
		unlink(f->temporary);
	free(f->temporary);
	free(f->path);
	*f = (struct an_out_file){ .to = NULL };
}
