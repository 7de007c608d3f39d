/* Trying on the live machine, and the kernel's rules where that cannot be. */
#include "record/doctor/machine.h"

#include "format/base/mem.h"
#include "record/perf/open.h"
#include "record/proc/procfs.h"

#include <errno.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

static bool is_hardware(const struct perf_event_attr *a)
{
	return a->type == PERF_TYPE_HARDWARE ||
	       a->type == PERF_TYPE_HW_CACHE || a->type == PERF_TYPE_RAW;
}

/* The order of the checks is the kernel's. Values over 2 mean something only
 * where a distribution gave them one, which the tree is taken to have. */
static int by_rules(const struct rec_machine *m,
		    const struct perf_event_attr *a, pid_t pid)
{
	bool perfmon = rec_machine_perfmon(m);
	int64_t paranoid = m->perf.paranoid;

	if (!m->perf.paranoid_known)
		return ENOSYS;
	if (!perfmon && (paranoid > 2 || (paranoid > 1 && !a->exclude_kernel) ||
			 (paranoid > 0 && pid == -1)))
		return EACCES;
	if (is_hardware(a) && !m->cpu_pmu)
		return ENOENT;
	if (!perfmon && pid > 0 && !rec_machine_has(m, REC_CAP_SYS_PTRACE))
		return EACCES;
	if (!perfmon && paranoid > -1 && a->type == PERF_TYPE_TRACEPOINT &&
	    a->sample_type & PERF_SAMPLE_RAW)
		return EPERM;
	return 0;
}

int rec_machine_try(const struct rec_machine *m,
		    const struct perf_event_attr *attr, pid_t pid, int cpu)
{
	int fd;

	if (!m->live)
		return by_rules(m, attr, pid);
	fd = rec_perf_call(attr, pid, cpu);
	if (fd < 0)
		return -fd;
	close(fd);
	return 0;
}

/* Flags that cannot be are the first thing the kernel looks at, before any
 * permission: EINVAL comes from it, all else from a filter in front. */
int rec_machine_reach(const struct rec_machine *m)
{
	if (!m->live)
		return m->perf.paranoid_known ? 0 : ENOSYS;
	if (syscall(SYS_perf_event_open, NULL, 0, -1, -1, ~0ul) >= 0 ||
	    errno == EINVAL)
		return 0;
	return errno;
}

struct perf_event_attr rec_machine_clock(bool kernel)
{
	struct perf_event_attr a = rec_perf_dummy();

	a.config = PERF_COUNT_SW_CPU_CLOCK;
	a.sample_period = 1000000;
	a.sample_type = PERF_SAMPLE_IP;
	a.exclude_kernel = a.exclude_hv = !kernel;
	return a;
}

/* An event that fires seldom, for the moment that it is open. */
static bool some_tracepoint(const struct rec_machine *m, uint64_t *id)
{
	static const char *const names[] = {
		"sched/sched_process_exec", "sched/sched_switch",
		"raw_syscalls/sys_enter", "dma_fence/dma_fence_init",
	};

	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		if (rec_procfs_number(id, m->root, "%s/events/%s/id",
				      m->tracing_at, names[i]))
			return true;
	return false;
}

int rec_machine_try_tracepoint(const struct rec_machine *m)
{
	struct perf_event_attr a = {
		.type = PERF_TYPE_TRACEPOINT, .size = sizeof(a),
		.sample_period = 1, .sample_type = PERF_SAMPLE_RAW,
		.disabled = 1,
	};
	uint64_t id;

	if (!some_tracepoint(m, &id))
		return ENOENT;
	a.config = id;
	return rec_machine_try(m, &a, 0, -1);
}

int rec_machine_try_ring(const struct rec_machine *m)
{
	struct perf_event_attr a = rec_perf_dummy();
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	int fd, errnum = 0;
	void *ring;

	if (!m->live)
		return 0;
	fd = rec_perf_call(&a, 0, -1);
	if (fd < 0)
		return -fd;
	ring = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (ring == MAP_FAILED)
		errnum = errno;
	else
		munmap(ring, 2 * page);
	close(fd);
	return errnum;
}
