/* Load: `spin [THREADS] [SECONDS]` keeps so many threads busy for so long, in
 * functions three calls deep. THREADS 0: one per online CPU. */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { MAX_THREADS = 1024, TURNS = 20000 };

struct spinner {
	double seconds;
	uint64_t sum;
};

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

__attribute__((noinline)) static uint64_t spin_inner(uint64_t x)
{
	for (int i = 0; i < TURNS; i++)
		x = (x ^ x >> 29) * 0x9e3779b97f4a7c15u;
	return x;
}

__attribute__((noinline)) static uint64_t spin_outer(uint64_t x)
{
	return spin_inner(x + 1) + 1;
}

static void *spin(void *arg)
{
	struct spinner *s = arg;
	double end = now() + s->seconds;

	while (now() < end)
		s->sum = spin_outer(s->sum);
	return NULL;
}

int main(int argc, char **argv)
{
	long n = argc > 1 ? strtol(argv[1], NULL, 10) : 0;
	double seconds = argc > 2 ? strtod(argv[2], NULL) : 1;
	struct spinner s[MAX_THREADS];
	pthread_t t[MAX_THREADS];

	if (n <= 0)
		n = sysconf(_SC_NPROCESSORS_ONLN);
	if (n > MAX_THREADS)
		n = MAX_THREADS;
	for (long i = 0; i < n; i++) {
		s[i] = (struct spinner){ seconds, (uint64_t)i };
		if (pthread_create(&t[i], NULL, spin, &s[i])) {
			fputs("spin: no thread\n", stderr);
			return 1;
		}
	}
	for (long i = 0; i < n; i++)
		pthread_join(t[i], NULL);
	return 0;
}
