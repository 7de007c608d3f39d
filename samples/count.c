/* Does a counted thing an exact number of times, and says what it did, a line a
 * thread: "TID COUNT".
 *
 *   count getppid N    N calls of getppid(2) in one thread, 2 N in another
 *   count switch N     two threads on one CPU hand a byte to and fro N times
 *   count apart N      the same on two CPUs
 *   count fork N       N children, one after another
 *
 * With a third argument it first says its process id and waits for a line. The
 * switches of a thread are those that the kernel counted (getrusage(2)) between
 * its last getppid(2) and its last getsid(2). */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

struct work {
	long n;
	int from, to; /* descriptors of pipes */
	int cpu;
	int first;    /* hands the byte over first */
	int tid;
	long count;
};

static void die(const char *what)
{
	perror(what);
	exit(1);
}

static long switches(void)
{
	struct rusage u;

	if (getrusage(RUSAGE_THREAD, &u))
		die("getrusage");
	return u.ru_nvcsw + u.ru_nivcsw;
}

/* Makes the call while no switch comes between it and the count. */
static long quiet(pid_t (*call)(void))
{
	long before, after;

	do {
		before = switches();
		(void)call();
		after = switches();
	} while (before != after);
	return after;
}

static pid_t own_session(void)
{
	return getsid(0);
}

static void *call(void *arg)
{
	struct work *w = arg;

	w->tid = gettid();
	for (w->count = 0; w->count < w->n; w->count++)
		(void)getppid();
	return NULL;
}

static void *hand_over(void *arg)
{
	struct work *w = arg;
	cpu_set_t set;
	char byte = 0;
	long began;

	w->tid = gettid();
	CPU_ZERO(&set);
	CPU_SET((size_t)w->cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		die("sched_setaffinity");
	began = quiet(getppid);
	if (w->first && write(w->to, &byte, 1) != 1)
		die("write");
	for (long i = 0; i < w->n; i++) {
		if (read(w->from, &byte, 1) != 1)
			die("read");
		if (!(w->first && i == w->n - 1) && write(w->to, &byte, 1) != 1)
			die("write");
	}
	w->count = quiet(own_session) - began;
	return NULL;
}

static void two_threads(void *(*job)(void *), struct work w[2])
{
	pthread_t t[2];

	for (int i = 0; i < 2; i++)
		if (pthread_create(&t[i], NULL, job, &w[i]))
			die("pthread_create");
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	for (int i = 0; i < 2; i++)
		printf("%d %ld\n", w[i].tid, w[i].count);
}

static void hand_overs(long n, int apart)
{
	struct work w[2] = { { .n = n, .first = 1 }, { .n = n, .cpu = apart } };
	int to[2], back[2];

	if (pipe(to) || pipe(back))
		die("pipe");
	w[0].to = to[1];
	w[1].from = to[0];
	w[1].to = back[1];
	w[0].from = back[0];
	two_threads(hand_over, w);
}

static void forks(long n)
{
	for (long i = 0; i < n; i++) {
		pid_t pid = fork();

		if (pid < 0)
			die("fork");
		if (pid == 0)
			_exit(0);
		if (waitpid(pid, NULL, 0) != pid)
			die("waitpid");
	}
	printf("%d %ld\n", getpid(), n);
}

int main(int argc, char **argv)
{
	struct work w[2] = { { 0 } };
	long n = argc > 2 ? strtol(argv[2], NULL, 10) : 0;
	char line[8];

	if (n < 1) {
		fputs("usage: count getppid|switch|apart|fork N [wait]\n",
		      stderr);
		return 2;
	}
	if (argc > 3) {
		printf("%d\n", getpid());
		fflush(stdout);
		if (!fgets(line, sizeof(line), stdin))
			return 1;
	}
	w[0].n = n;
	w[1].n = 2 * n;
	if (!strcmp(argv[1], "getppid"))
		two_threads(call, w);
	else if (!strcmp(argv[1], "switch"))
		hand_overs(n, 0);
	else if (!strcmp(argv[1], "apart"))
		hand_overs(n, 1);
	else if (!strcmp(argv[1], "fork"))
		forks(n);
	else
		return 2;
	return 0;
}
