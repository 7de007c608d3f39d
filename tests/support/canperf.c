/* Whether this user may open perf events: canperf [system]. Says why not. */
#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_CPU_CLOCK,
		.sample_period = 1000000,
		.disabled = 1,
		.exclude_kernel = 1,
	};
	int system = argc > 1 && !strcmp(argv[1], "system");

	if (system)
		attr.exclude_kernel = 0;
	if (syscall(SYS_perf_event_open, &attr, system ? -1 : 0,
		    system ? 0 : -1, -1, PERF_FLAG_FD_CLOEXEC) >= 0)
		return 0;
	printf("perf_event_open: %s\n", strerror(errno));
	return 1;
}
