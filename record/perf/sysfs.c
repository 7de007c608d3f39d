#include "record/perf/sysfs.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool line_of(char *to, size_t size, const char *root, const char *fmt,
		    va_list ap) __attribute__((format(printf, 4, 0)));

static bool line_of(char *to, size_t size, const char *root, const char *fmt,
		    va_list ap)
{
	char path[PATH_MAX];
	int n = snprintf(path, sizeof(path), "%s", root), m, fd;
	ssize_t got;

	if (n < 0 || n >= PATH_MAX)
		return false;
	m = vsnprintf(path + n, (size_t)(PATH_MAX - n), fmt, ap);
	if (m < 0 || m >= PATH_MAX - n)
		return false;
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	do {
		got = read(fd, to, size);
	} while (got < 0 && errno == EINTR);
	close(fd);
	if (got < 0 || (size_t)got == size)
		return false;
	to[got] = 0;
	to[strcspn(to, "\n")] = 0;
	return true;
}

bool rec_sysfs_line(char *to, size_t size, const char *root, const char *fmt,
		    ...)
{
	va_list ap;
	bool ok;

	va_start(ap, fmt);
	ok = line_of(to, size, root, fmt, ap);
	va_end(ap);
	return ok;
}

bool rec_sysfs_number(uint64_t *to, const char *root, const char *fmt, ...)
{
	char text[64], *end;
	va_list ap;
	bool ok;

	va_start(ap, fmt);
	ok = line_of(text, sizeof(text), root, fmt, ap);
	va_end(ap);
	if (!ok || *text < '0' || *text > '9')
		return false;
	errno = 0;
	*to = strtoull(text, &end, 10);
	return !errno && !*end;
}
