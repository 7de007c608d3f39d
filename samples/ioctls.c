/* Makes exactly known numbers of ioctls on known files, and says which, a line
 * each: "FD COUNT CMD ERRNO FILE".
 *
 *   ioctls N [LINGER_MS]
 *
 * N on /dev/null, which has none; 2 N on a pseudo terminal, 3 N on
 * /dev/urandom, 4 N on a pipe. Then it waits, 300 ms if nothing is said, so that
 * somebody may look at its files. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/random.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

static void die(const char *what)
{
	perror(what);
	exit(1);
}

static int open_file(const char *path)
{
	int fd = open(path, O_RDWR | O_NOCTTY);

	if (fd < 0)
		die(path);
	return fd;
}

/* What the descriptor is called by the kernel: of a pipe it has a number. */
static void say(int fd, long n, unsigned long cmd, int error)
{
	char link[64], target[256], line[512];
	ssize_t size;
	int length;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	size = readlink(link, target, sizeof(target) - 1);
	if (size < 0)
		die(link);
	target[size] = 0;
	length = snprintf(line, sizeof(line), "%d %ld %#lx %d %s\n", fd, n, cmd,
			  error, target);
	/* stdio would ask whether it writes to a terminal: one ioctl more. */
	if (write(STDOUT_FILENO, line, (size_t)length) != length)
		die("write");
}

static void ask(int fd, unsigned long cmd, void *to, long n)
{
	int error = 0;

	for (long i = 0; i < n; i++)
		if (ioctl(fd, cmd, to) < 0)
			error = errno;
	say(fd, n, cmd, error);
}

int main(int argc, char **argv)
{
	long n = argc > 1 ? strtol(argv[1], NULL, 10) : 0;
	long linger_ms = argc > 2 ? strtol(argv[2], NULL, 10) : 300;
	struct timespec linger = { linger_ms / 1000,
				   linger_ms % 1000 * 1000000 };
	struct winsize size;
	char settings[256];
	int number, pipes[2];

	if (n < 1) {
		fputs("usage: ioctls N [LINGER_MS]\n", stderr);
		return 2;
	}
	if (pipe(pipes))
		die("pipe");
	ask(open_file("/dev/null"), TCGETS, settings, n);
	ask(open_file("/dev/ptmx"), TIOCGWINSZ, &size, 2 * n);
	ask(open_file("/dev/urandom"), RNDGETENTCNT, &number, 3 * n);
	ask(pipes[0], FIONREAD, &number, 4 * n);
	nanosleep(&linger, NULL);
	return 0;
}
