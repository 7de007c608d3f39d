#include "record/perf/abandon.h"

#include "format/base/mem.h"

#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

static void close_range_of(unsigned int first, unsigned int last)
{
	if (first > last)
		return;
#ifdef SYS_close_range
	if (!syscall(SYS_close_range, first, last, 0))
		return;
#endif
	/* Before 5.9: as far as descriptors can go. */
	if (last == UINT_MAX) {
		long max = sysconf(_SC_OPEN_MAX);

		last = max > 0 ? (unsigned int)max : first;
	}
	for (unsigned int fd = first; fd < last; fd++)
		close((int)fd);
	close((int)last);
}

/* All but the given ones, which rise. */
static void close_others(const int *fds, size_t n)
{
	unsigned int next = 0;

	for (size_t i = 0; i < n; i++) {
		if (fds[i] > 0)
			close_range_of(next, (unsigned int)fds[i] - 1);
		next = (unsigned int)fds[i] + 1;
	}
	close_range_of(next, UINT_MAX);
}

/* What is called here must be safe beside threads that the fork left behind. */
static void keep_until(int *fds, size_t n, int gone)
{
	char byte;

	setsid();
	(void)!chdir("/");
	close_others(fds, n);
	while (read(gone, &byte, 1) > 0)
		;
	_exit(0);
}

static int by_number(const void *a, const void *b)
{
	return CMP(*(const int *)a, *(const int *)b);
}

bool rec_abandon(struct rec_abandoned *a, const int *fds, size_t n)
{
	int *all = calloc(n + 1, sizeof(*all));
	int ends[2];
	pid_t pid = -1;

	if (!all || pipe2(ends, O_CLOEXEC)) {
		free(all);
		return false;
	}
	for (size_t i = 0; i < n; i++)
		all[i] = fds[i];
	all[n] = ends[0];
	qsort(all, n + 1, sizeof(*all), by_number);
	pid = fork();
	if (!pid)
		keep_until(all, n + 1, ends[0]);
	free(all);
	close(ends[0]);
	if (pid < 0)
		close(ends[1]);
	else
		*a = (struct rec_abandoned){ .pid = pid, .fd = ends[1] };
	return pid > 0;
}
