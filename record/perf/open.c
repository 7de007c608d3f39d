#include "record/perf/open.h"

#include "format/base/mem.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

int rec_perf_call_at(const struct perf_event_attr *attr,
		     const struct rec_perf_place *at)
{
	struct perf_event_attr copy = *attr; /* E2BIG writes into it */
	long fd = syscall(SYS_perf_event_open, &copy, at->pid, at->cpu,
			  at->group_fd, PERF_FLAG_FD_CLOEXEC | at->flags);

	return fd < 0 ? -errno : (int)fd;
}

int rec_perf_call(const struct perf_event_attr *attr, pid_t pid, int cpu)
{
	return rec_perf_call_at(attr, &(struct rec_perf_place){
		.pid = pid, .cpu = cpu, .group_fd = -1 });
}

struct perf_event_attr rec_perf_dummy(void)
{
	return (struct perf_event_attr){
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(struct perf_event_attr),
		.config = PERF_COUNT_SW_DUMMY,
		.disabled = 1,
		/* Asking for less is what lets an ordinary user have it. */
		.exclude_kernel = 1,
		.exclude_hv = 1,
		.use_clockid = 1,
		.clockid = CLOCK_MONOTONIC,
	};
}

static bool works(const struct perf_event_attr *attr, int *errnum)
{
	int fd = rec_perf_call(attr, 0, -1);

	*errnum = fd < 0 ? -fd : 0;
	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

int rec_perf_features_probe(struct rec_perf_features *f)
{
	struct perf_event_attr plain = rec_perf_dummy(), a;
	int errnum;

	if (!works(&plain, &errnum))
		return -errnum;
	a = plain;
	a.read_format = PERF_FORMAT_LOST;
	f->lost = works(&a, &errnum);
	a = plain;
	a.mmap = a.mmap2 = a.build_id = 1;
	f->build_id = works(&a, &errnum);
	a = plain;
	a.ksymbol = 1;
	f->ksymbol = works(&a, &errnum);
	return 0;
}

bool rec_perf_has_cycles(int *errnum)
{
	struct perf_event_attr a = {
		.type = PERF_TYPE_HARDWARE,
		.size = sizeof(a),
		.config = PERF_COUNT_HW_CPU_CYCLES,
		.disabled = 1,
		.exclude_kernel = 1,
		.exclude_hv = 1,
		/* Counters that cannot interrupt cannot sample. */
		.sample_period = 1000003,
		.sample_type = PERF_SAMPLE_IP,
	};

	return works(&a, errnum);
}

/* The kernel's own events can; of a device's it is the driver that says. */
bool rec_perf_can_sample(const struct rec_event *e)
{
	struct perf_event_attr a = e->attr;
	int errnum;

	if (e->no_tasks || a.type < PERF_TYPE_MAX)
		return !e->no_tasks;
	a.size = sizeof(a);
	a.disabled = 1;
	a.freq = 0;
	a.sample_period = 1000003;
	if (works(&a, &errnum) || (errnum != EINVAL && errnum != EOPNOTSUPP))
		return true;
	a.sample_period = 0;
	return !works(&a, &errnum);
}

static bool denied(int errnum)
{
	return errnum == EACCES || errnum == EPERM;
}

static bool cannot(int errnum)
{
	return errnum == EOPNOTSUPP || errnum == EINVAL;
}

/* One step down, or false. Each step can be taken a few times at most. Without
 * the kernel nothing is left of a tracepoint. */
static bool ask_less(const struct rec_event *e, struct perf_event_attr *a,
		     int errnum)
{
	if (cannot(errnum) && e->precise_max && a->precise_ip) {
		a->precise_ip--;
	} else if (cannot(errnum) && a->exclude_guest && !e->guest_set) {
		a->exclude_guest = 0;
	} else if (denied(errnum) && !a->exclude_kernel && !e->kernel_only &&
		   a->type != PERF_TYPE_TRACEPOINT) {
		a->exclude_kernel = 1;
		a->exclude_hv = 1;
	} else {
		return false;
	}
	return true;
}

static int settle(struct rec_event *e, const struct perf_event_attr *a,
		  const struct log *log)
{
	bool user_only = a->exclude_kernel && !e->attr.exclude_kernel;

	if (user_only) {
		log_info(log, "'%s': kernel samples need perf_event_paranoid "
			 "of 1 or less or CAP_PERFMON: recording user space "
			 "only", e->name);
		if (rec_event_show_modifiers(e, "u", NULL))
			return -ENOMEM;
		e->user_only = true;
	}
	if (a->precise_ip < e->attr.precise_ip)
		log_verbose(log, "'%s': precision %u", e->name,
			    (unsigned int)a->precise_ip);
	e->attr = *a;
	return 0;
}

int rec_perf_open_event(struct rec_event *e, const struct rec_perf_place *at,
			const struct log *log)
{
	struct perf_event_attr a = e->attr;
	int fd, rc;

	do {
		fd = rec_perf_call_at(&a, at);
	} while (fd < 0 && ask_less(e, &a, -fd));
	if (fd < 0)
		return fd;
	rc = settle(e, &a, log);
	if (rc) {
		close(fd);
		return rc;
	}
	return fd;
}
