#include "format/io.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define COPY_SIZE ((size_t)64 << 10)

struct file_source {
	struct tf_source base;
	int fd;
	char *name;
};

struct memory_source {
	struct tf_source base;
	struct span bytes;
};

struct file_sink {
	struct tf_sink base;
	int fd;
	off_t start; /* where our bytes begin; -1: cannot be cut */
	char *name;
};

struct memory_sink {
	struct tf_sink base;
	struct buf *to;
};

static int past_the_end(const struct tf_source *s, struct err *err)
{
	err_set(err, ERR_FORMAT, "cannot read '%s': past its end", s->name);
	return 1;
}

static bool inside(const struct tf_source *s, size_t n, uint64_t at)
{
	return at <= s->size && n <= s->size - at;
}

static int file_read(struct tf_source *s, void *to, size_t n, uint64_t at,
		     struct err *err)
{
	struct file_source *f = (struct file_source *)s;
	uint8_t *p = to;

	if (!inside(s, n, at))
		return past_the_end(s, err);
	while (n) {
		ssize_t got = pread(f->fd, p, n, (off_t)at);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return err_sys(err, errno, "cannot read '%s'", s->name);
		if (got == 0)
			return past_the_end(s, err); /* cut since opened */
		p += got;
		at += (uint64_t)got;
		n -= (size_t)got;
	}
	return 0;
}

static void file_source_close(struct tf_source *s)
{
	struct file_source *f = (struct file_source *)s;

	if (f->fd >= 0)
		close(f->fd);
	free(f->name);
	free(f);
}

static int write_all(int fd, const uint8_t *p, size_t n)
{
	while (n) {
		ssize_t put = write(fd, p, n);

		if (put < 0 && errno == EINTR)
			continue;
		if (put < 0)
			return -1;
		p += put;
		n -= (size_t)put;
	}
	return 0;
}

/* Reads n bytes, fewer only at the end; -1: errno tells. */
static ssize_t read_all(int fd, uint8_t *to, size_t n)
{
	size_t have = 0;

	while (have < n) {
		ssize_t got = read(fd, to + have, n - have);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return -1;
		if (got == 0)
			break;
		have += (size_t)got;
	}
	return (ssize_t)have;
}

static int copy_block(const struct file_source *f, int to, uint8_t *block,
		      size_t n, tf_front_check *check, struct err *err)
{
	ssize_t got = read_all(f->fd, block, n);
	int rc = 0;

	if (got < 0)
		return err_sys(err, errno, "cannot read '%s'", f->name);
	if (check)
		rc = check(span_of(block, (size_t)got), err);
	if (rc)
		return err_in(err, rc, "%s", f->name);
	if (write_all(to, block, (size_t)got))
		return err_sys(err, errno,
			       "cannot copy '%s' to a temporary file", f->name);
	return (size_t)got < n;
}

static int copy(const struct file_source *f, int to, tf_front_check *check,
		struct err *err)
{
	uint8_t *block = malloc(COPY_SIZE);
	int rc;

	if (!block)
		return err_nomem(err);
	rc = copy_block(f, to, block, TF_FRONT_SIZE, check, err);
	while (rc == 0)
		rc = copy_block(f, to, block, COPY_SIZE, NULL, err);
	free(block);
	return rc < 0 ? rc : 0;
}

/* Some file systems have no files without a name. */
static int make_and_unlink(const char *dir)
{
	char path[PATH_MAX];
	int fd;

	if (snprintf(path, sizeof(path), "%s/coltrace-XXXXXX", dir) >=
	    (int)sizeof(path)) {
		errno = ENAMETOOLONG;
		return -1;
	}
	fd = mkostemp(path, O_CLOEXEC);
	if (fd >= 0)
		unlink(path);
	return fd;
}

int tf_temporary_file(struct err *err)
{
	const char *dir = getenv("TMPDIR");
	int fd;

	if (!dir || !*dir)
		dir = "/var/tmp";
	fd = open(dir, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	if (fd < 0 && (errno == EOPNOTSUPP || errno == EISDIR))
		fd = make_and_unlink(dir);
	if (fd < 0)
		return err_sys(err, errno,
			       "cannot make a temporary file in '%s'", dir);
	return fd;
}

/* Replaces what cannot be read at any offset by a copy that can. */
static int make_seekable(struct file_source *f, struct stat *st,
			 tf_front_check *check, struct err *err)
{
	int fd, rc;

	if (S_ISREG(st->st_mode))
		return 0;
	if (!S_ISFIFO(st->st_mode) && !S_ISSOCK(st->st_mode))
		return err_set(err, ERR_IO, "cannot open '%s': it is neither a "
			       "file nor a pipe", f->name);
	fd = tf_temporary_file(err);
	if (fd < 0)
		return fd;
	rc = copy(f, fd, check, err);
	if (rc == 0 && fstat(fd, st))
		rc = err_sys(err, errno, "cannot read the copy of '%s'",
			     f->name);
	if (rc) {
		close(fd);
		return rc;
	}
	close(f->fd);
	f->fd = fd;
	return 0;
}

/* The descriptor is there, or errno says why not. */
static int look_at(struct file_source *f, tf_front_check *check,
		   struct err *err)
{
	struct stat st;
	int rc;

	if (f->fd < 0 || fstat(f->fd, &st))
		return err_sys(err, errno, "cannot open '%s'", f->name);
	if (S_ISDIR(st.st_mode))
		return err_sys(err, EISDIR, "cannot open '%s'", f->name);
	rc = make_seekable(f, &st, check, err);
	if (rc == 0)
		f->base.size = (uint64_t)st.st_size;
	return rc;
}

static struct file_source *source_named(const char *name)
{
	struct file_source *f = calloc(1, sizeof(*f));

	if (!f)
		return NULL;
	f->fd = -1;
	f->name = strdup(name);
	f->base = (struct tf_source){ .read = file_read,
				      .close = file_source_close,
				      .name = f->name };
	if (f->name)
		return f;
	file_source_close(&f->base);
	return NULL;
}

static int look_or_close(struct tf_source **out, struct file_source *f,
			 tf_front_check *check, struct err *err)
{
	int rc = look_at(f, check, err);

	if (rc)
		file_source_close(&f->base);
	else
		*out = &f->base;
	return rc;
}

int tf_source_open(struct tf_source **out, const char *path,
		   tf_front_check *check, struct err *err)
{
	bool standard = strcmp(path, "-") == 0;
	struct file_source *f =
		source_named(standard ? "(standard input)" : path);

	if (!f)
		return err_nomem(err);
	f->fd = standard ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3) :
			   open(path, O_RDONLY | O_CLOEXEC);
	return look_or_close(out, f, check, err);
}

int tf_source_open_fd(struct tf_source **out, int fd, const char *name,
		      tf_front_check *check, struct err *err)
{
	struct file_source *f = source_named(name);

	if (!f)
		return err_nomem(err);
	f->fd = fcntl(fd, F_DUPFD_CLOEXEC, 3);
	return look_or_close(out, f, check, err);
}

static int memory_read(struct tf_source *s, void *to, size_t n, uint64_t at,
		       struct err *err)
{
	struct memory_source *m = (struct memory_source *)s;

	if (!inside(s, n, at))
		return past_the_end(s, err);
	if (n)
		memcpy(to, m->bytes.p + at, n);
	return 0;
}

static void memory_source_close(struct tf_source *s)
{
	free(s);
}

int tf_source_memory(struct tf_source **out, struct span bytes, struct err *err)
{
	struct memory_source *m = calloc(1, sizeof(*m));

	if (!m)
		return err_nomem(err);
	m->base = (struct tf_source){ .read = memory_read,
				      .close = memory_source_close,
				      .size = bytes.n,
				      .name = "(memory)" };
	m->bytes = bytes;
	*out = &m->base;
	return 0;
}

void tf_source_close(struct tf_source *s)
{
	if (s)
		s->close(s);
}

/* Steps over the n bytes that were written. */
static void advance(struct iovec **v, int *n_v, size_t n)
{
	while (*n_v && n >= (*v)->iov_len) {
		n -= (*v)->iov_len;
		++*v;
		--*n_v;
	}
	if (*n_v) {
		(*v)->iov_base = (uint8_t *)(*v)->iov_base + n;
		(*v)->iov_len -= n;
	}
}

/* A descriptor that we were given may be non-blocking. */
static bool wait_writable(int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLOUT };

	return poll(&p, 1, -1) >= 0 || errno == EINTR;
}

#define MAX_PIECES 8

static int file_append(struct tf_sink *s, const struct iovec *v, int n,
		       struct err *err)
{
	struct file_sink *f = (struct file_sink *)s;
	struct iovec left[MAX_PIECES], *at = left;

	if (n < 0 || n > MAX_PIECES)
		return err_set(err, ERR_USAGE, "%d pieces at once", n);
	memcpy(left, v, (size_t)n * sizeof(*v));
	advance(&at, &n, 0);
	while (n) {
		ssize_t put = writev(f->fd, at, n);

		if (put >= 0)
			advance(&at, &n, (size_t)put);
		else if (errno == EAGAIN && wait_writable(f->fd))
			continue;
		else if (errno != EINTR)
			return err_sys(err, errno, "cannot write '%s'",
				       s->name);
	}
	return 0;
}

static int file_cut(struct tf_sink *s, uint64_t size, struct err *err)
{
	struct file_sink *f = (struct file_sink *)s;

	if (f->start < 0)
		return err_set(err, ERR_UNSUPPORTED,
			       "'%s' cannot be cut: it is not a file", s->name);
	if (ftruncate(f->fd, f->start + (off_t)size) ||
	    lseek(f->fd, f->start + (off_t)size, SEEK_SET) < 0)
		return err_sys(err, errno, "cannot cut '%s'", s->name);
	return 0;
}

static int file_sink_close(struct tf_sink *s, struct err *err)
{
	struct file_sink *f = (struct file_sink *)s;
	int rc = 0;

	/* The descriptor is gone even when close() says EINTR. */
	if (f->fd >= 0 && close(f->fd) && errno != EINTR)
		rc = err_sys(err, errno, "cannot close '%s'", s->name);
	free(f->name);
	free(f);
	return rc;
}

static int open_sink_fd(struct file_sink *f, const char *path, struct err *err)
{
	struct stat st;

	if (strcmp(path, "-") == 0)
		f->fd = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
	else
		f->fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC,
			     0600);
	if (f->fd < 0 || fstat(f->fd, &st))
		return err_sys(err, errno, "cannot create '%s'", f->name);
	f->start = S_ISREG(st.st_mode) ? lseek(f->fd, 0, SEEK_CUR) : -1;
	return 0;
}

int tf_sink_open(struct tf_sink **out, const char *path, struct err *err)
{
	struct file_sink *f = calloc(1, sizeof(*f));
	int rc;

	if (!f)
		return err_nomem(err);
	f->fd = -1;
	f->name = strdup(strcmp(path, "-") ? path : "(standard output)");
	f->base = (struct tf_sink){ .append = file_append,
				    .cut = file_cut,
				    .close = file_sink_close,
				    .name = f->name };
	rc = f->name ? open_sink_fd(f, path, err) : err_nomem(err);
	if (rc) {
		file_sink_close(&f->base, NULL);
		return rc;
	}
	*out = &f->base;
	return 0;
}

static int memory_append(struct tf_sink *s, const struct iovec *v, int n,
			 struct err *err)
{
	struct memory_sink *m = (struct memory_sink *)s;

	for (int i = 0; i < n; i++)
		buf_put(m->to, v[i].iov_base, v[i].iov_len);
	return buf_failed(m->to) ? err_nomem(err) : 0;
}

static int memory_cut(struct tf_sink *s, uint64_t size, struct err *err)
{
	struct memory_sink *m = (struct memory_sink *)s;

	if (size > m->to->n)
		return err_set(err, ERR_USAGE, "cannot cut to more than it is");
	buf_clear(m->to); /* forgets the failure, too */
	m->to->n = (size_t)size;
	return 0;
}

static int memory_sink_close(struct tf_sink *s, struct err *err)
{
	(void)err;
	free(s);
	return 0;
}

int tf_sink_memory(struct tf_sink **out, struct buf *to, struct err *err)
{
	struct memory_sink *m = calloc(1, sizeof(*m));

	if (!m)
		return err_nomem(err);
	m->base = (struct tf_sink){ .append = memory_append,
				    .cut = memory_cut,
				    .close = memory_sink_close,
				    .name = "(memory)" };
	m->to = to;
	*out = &m->base;
	return 0;
}

int tf_sink_close(struct tf_sink *s, struct err *err)
{
	return s ? s->close(s, err) : 0;
}
