/* Calls functions on which a uprobe can stand in for the tracepoints of a GPU:
 *
 *   gpusim N MS    N waits for fences, of MS milliseconds each
 *
 * Then it says how often it left a CPU, as the kernel counted it, and how long
 * its waits took together in ns: "PID SWITCHES WAITED". */
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

/* Their arguments are where a probe looks for them. */
__attribute__((noinline, used)) void sim_wait_start(const char *driver,
						    const char *timeline,
						    unsigned context,
						    unsigned seqno);
__attribute__((noinline, used)) void sim_wait_end(const char *driver,
						  const char *timeline,
						  unsigned context,
						  unsigned seqno);

void sim_wait_start(const char *driver, const char *timeline, unsigned context,
		    unsigned seqno)
{
	__asm__ volatile(""
			 :
			 : "r"(driver), "r"(timeline), "r"(context),
			   "r"(seqno));
}

void sim_wait_end(const char *driver, const char *timeline, unsigned context,
		  unsigned seqno)
{
	__asm__ volatile(""
			 :
			 : "r"(driver), "r"(timeline), "r"(context),
			   "r"(seqno));
}

static long long now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ll + t.tv_nsec;
}

/* How often this thread left a CPU. */
static long switches(void)
{
	struct rusage u;

	getrusage(RUSAGE_SELF, &u);
	return u.ru_nvcsw + u.ru_nivcsw;
}

int main(int argc, char **argv)
{
	unsigned n = argc > 1 ? (unsigned)atoi(argv[1]) : 10;
	long ms = argc > 2 ? atol(argv[2]) : 10;
	struct timespec t = { ms / 1000, ms % 1000 * 1000000 };
	long before = switches(); /* this program began */
	long long waited = 0;

	for (unsigned i = 1; i <= n; i++) {
		long long begin = now();

		sim_wait_start("sim", "ring0", 7, i);
		nanosleep(&t, NULL);
		sim_wait_end("sim", "ring0", 7, i);
		waited += now() - begin;
	}
	printf("%d %ld %lld\n", getpid(), switches() - before, waited);
	return 0;
}
