/* killat PID SECONDS: kills it by SIGKILL after so long and prints when that
 * was, in ns of CLOCK_MONOTONIC. killat 0 0 only tells the time. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

int main(int argc, char **argv)
{
	struct timespec wait, at;
	double seconds;
	long pid;

	if (argc != 3)
		return 2;
	pid = strtol(argv[1], NULL, 10);
	seconds = strtod(argv[2], NULL);
	wait.tv_sec = (time_t)seconds;
	wait.tv_nsec = (long)((seconds - (double)wait.tv_sec) * 1e9);
	nanosleep(&wait, NULL);
	clock_gettime(CLOCK_MONOTONIC, &at);
	if (pid > 0 && kill((pid_t)pid, SIGKILL)) {
		perror("killat");
		return 1;
	}
	printf("%lld%09ld\n", (long long)at.tv_sec, at.tv_nsec);
	return 0;
}
