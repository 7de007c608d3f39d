/* What this user may do on this machine: facts out of /proc and /sys, and the
 * means to try. Under a root that is a tree of files nothing can be tried; the
 * kernel's rules are applied to the facts instead. */
#ifndef RECORD_DOCTOR_MACHINE_H
#define RECORD_DOCTOR_MACHINE_H

#include "record/perf/event.h"
#include "record/perf/facts.h"

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* linux/capability.h of old systems lacks the newest. */
enum rec_cap {
	REC_CAP_DAC_READ_SEARCH = 2,
	REC_CAP_IPC_LOCK = 14,
	REC_CAP_SYS_PTRACE = 19,
	REC_CAP_SYS_ADMIN = 21,
	REC_CAP_SYSLOG = 34,
	REC_CAP_PERFMON = 38,
	REC_CAP_CHECKPOINT_RESTORE = 40,
};

#define REC_CAP_BIT(cap) ((uint64_t)1 << (cap))

enum rec_tracing {
	REC_TRACING_ABSENT,  /* no tracefs in this kernel */
	REC_TRACING_UNMOUNTED,
	REC_TRACING_CLOSED,  /* mounted, not readable by this user */
	REC_TRACING_NO_IDS,  /* names can be listed, events not opened */
	REC_TRACING_OPEN,
};

struct rec_machine {
	const char *root; /* "": live */
	bool live;
	struct rec_perf_facts perf; /* of a tree: uid and limits are not live */
	uint32_t uid, gid;
	uint64_t caps;    /* effective, and honoured by the kernel: none in a
			   * user namespace */
	uint64_t bound;   /* what a file capability could give */
	bool user_ns, no_new_privs;
	unsigned int seccomp; /* 0 none, 1 strict, 2 filter */
	char release[80];
	unsigned int major, minor;
	bool hypervisor;  /* a virtual machine */
	bool cpu_pmu;     /* the kernel has a driver for the CPU's counters */
	enum rec_tracing tracing;
	const char *tracing_at; /* "/sys/kernel/tracing", also when absent */
	char exe[PATH_MAX]; /* this program, for commands to type */
	bool nomem;         /* while reading */
};

/* Missing files leave "unknown" or the stricter case behind; ERR_NOMEM is the
 * only failure. */
int rec_machine_read(struct rec_machine *m, const char *root, struct err *err);

bool rec_machine_has(const struct rec_machine *m, enum rec_cap cap);

/* CAP_PERFMON, or CAP_SYS_ADMIN that stands for it. */
bool rec_machine_perfmon(const struct rec_machine *m);

/* CAP_PERFMON, or what came before it (5.8), and its name. */
uint64_t rec_machine_perfmon_bit(const struct rec_machine *m);
const char *rec_machine_perfmon_name(const struct rec_machine *m);

bool rec_machine_since(const struct rec_machine *m, unsigned int major,
		       unsigned int minor);

/* Whether perf_event_open would accept this event: 0 or the errno. It is opened
 * disabled and closed again. */
int rec_machine_try(const struct rec_machine *m,
		    const struct perf_event_attr *attr, pid_t pid, int cpu);

/* Whether the system call gets as far as the kernel: 0 or the errno of a filter
 * or of a kernel without it. */
int rec_machine_reach(const struct rec_machine *m);

/* Whether a tracepoint can be recorded with its payload: 0 or the errno; ENOENT:
 * there is none to try. Closing it takes the kernel a while (measured: 50 ms).*/
int rec_machine_try_tracepoint(const struct rec_machine *m);

/* Whether the smallest ring can be mapped: 0 or the errno. */
int rec_machine_try_ring(const struct rec_machine *m);

/* cpu-clock, sampling, of user space only unless `kernel`. */
struct perf_event_attr rec_machine_clock(bool kernel);

#endif
