#include "record/proc/procfs.h"

#include "format/base/mem.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define READ_STEP ((size_t)16 * 1024)

static bool path_of(char path[PATH_MAX], const char *root, const char *fmt,
		    va_list ap) __attribute__((format(printf, 3, 0)));

static bool path_of(char path[PATH_MAX], const char *root, const char *fmt,
		    va_list ap)
{
	int n = snprintf(path, PATH_MAX, "%s", root);
	int m;

	if (n < 0 || n >= PATH_MAX)
		return false;
	m = vsnprintf(path + n, (size_t)(PATH_MAX - n), fmt, ap);
	return m >= 0 && m < PATH_MAX - n;
}

static int read_all(struct buf *to, int fd, const char *path, struct err *err)
{
	for (;;) {
		uint8_t *at = buf_room(to, READ_STEP);
		ssize_t n;

		if (!at)
			return err_set(err, ERR_LIMIT, "'%s' is too large",
				       path);
		n = read(fd, at, READ_STEP);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return err_sys(err, errno, "cannot read '%s'", path);
		if (n == 0)
			return 0;
		to->n += (size_t)n;
	}
}

static int read_path(struct buf *to, const char *path, struct err *err)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	int rc;

	if (fd < 0)
		return err_sys(err, errno, "cannot open '%s'", path);
	rc = read_all(to, fd, path, err);
	close(fd);
	return rc;
}

int rec_procfs_read(struct buf *to, struct err *err, const char *root,
		    const char *fmt, ...)
{
	char path[PATH_MAX];
	va_list ap;
	bool fits;

	va_start(ap, fmt);
	fits = path_of(path, root, fmt, ap);
	va_end(ap);
	if (!fits)
		return err_set(err, ERR_LIMIT, "'%s…': path too long", root);
	return read_path(to, path, err);
}

bool rec_procfs_number(uint64_t *out, const char *root, const char *fmt, ...)
{
	char path[PATH_MAX];
	struct span text, line, word;
	struct buf b;
	va_list ap;
	bool ok;

	va_start(ap, fmt);
	ok = path_of(path, root, fmt, ap);
	va_end(ap);
	buf_init(&b, READ_STEP * 4);
	ok = ok && read_path(&b, path, NULL) == 0;
	text = span_of(b.p, b.n);
	ok = ok && rec_line(&text, &line) && rec_word(&line, &word) &&
	     rec_number(word, 10, out);
	buf_fini(&b);
	return ok;
}

bool rec_line(struct span *text, struct span *line)
{
	const uint8_t *end;

	if (!text->n)
		return false;
	end = memchr(text->p, '\n', text->n);
	if (!end)
		return span_take(text, text->n, line);
	(void)span_take(text, (size_t)(end - text->p), line);
	return span_skip(text, 1);
}

static bool blank(uint8_t c)
{
	return c == ' ' || c == '\t' || c == '\n';
}

bool rec_word(struct span *line, struct span *word)
{
	size_t n = 0;

	while (line->n && blank(line->p[0]))
		(void)span_skip(line, 1);
	while (n < line->n && !blank(line->p[n]))
		n++;
	return n && span_take(line, n, word);
}

static int digit(uint8_t c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return 99;
}

bool rec_number(struct span word, unsigned base, uint64_t *out)
{
	uint64_t v = 0;

	if (base == 16 && word.n > 2 && word.p[0] == '0' && word.p[1] == 'x')
		(void)span_skip(&word, 2);
	if (!word.n)
		return false;
	for (size_t i = 0; i < word.n; i++) {
		int d = digit(word.p[i]);

		if (d >= (int)base || ckd_mul(&v, v, (uint64_t)base) ||
		    ckd_add(&v, v, (uint64_t)d))
			return false;
	}
	*out = v;
	return true;
}

int rec_procfs_ids(const char *root, const char *path,
		   int (*each)(void *ctx, pid_t id), void *ctx, struct err *err)
{
	char full[PATH_MAX];
	struct dirent *e;
	int rc = 0;
	DIR *d;

	if (snprintf(full, sizeof(full), "%s%s", root, path) >=
	    (int)sizeof(full))
		return err_set(err, ERR_LIMIT, "'%s…': path too long", root);
	d = opendir(full);
	if (!d)
		return err_sys(err, errno, "cannot list '%s'", full);
	while (!rc && (e = readdir(d))) {
		uint64_t id;

		if (rec_number(span_of(e->d_name, strlen(e->d_name)), 10,
			       &id) && id <= INT_MAX)
			rc = each(ctx, (pid_t)id);
	}
	closedir(d);
	return rc;
}
