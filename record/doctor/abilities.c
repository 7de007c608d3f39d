#include "record/doctor/doctor.h"

#include "format/base/mem.h"
#include "record/doctor/gpu.h"
#include "record/doctor/strangers.h"
#include "record/perf/cpus.h"
#include "record/perf/event.h"
#include "record/proc/procfs.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define ALL_USERS "every program of every user"

static void no(struct rec_finding *f, const char *why)
{
	f->verdict = REC_NO;
	f->why = why;
}

/* The call itself does not come through. */
static bool unreachable(struct rec_doctor *d, struct rec_finding *f)
{
	int errnum = rec_machine_reach(d->m);

	if (!errnum)
		return false;
	if (!d->m->perf.paranoid_known && errnum == ENOSYS) {
		no(f, "this kernel has no perf events, or a sandbox hides "
		      "them");
		return true;
	}
	no(f, rec_doctor_text(d, "perf_event_open is kept from this process "
			      "(%s; %s)", strerror(errnum),
			      d->m->seccomp ? "a seccomp filter, as of a "
					      "container" :
					      "a sandbox"));
	/* Docker's own filter lets the call pass to those who have it. */
	rec_mend(d, f, "root in this container",
		 "docker run --cap-add PERFMON …");
	rec_mend(d, f, "this container, and every other system call",
		 "docker run --security-opt seccomp=unconfined …");
	return true;
}

/* Distributions' kernels refuse everything over 2; Ubuntu's and older ones of
 * Debian ask for CAP_SYS_ADMIN then, where CAP_PERFMON should do. */
static void refused_wholly(struct rec_doctor *d, struct rec_finding *f)
{
	const struct rec_machine *m = d->m;
	bool perfmon = rec_machine_perfmon(m);

	no(f, rec_doctor_text(d, "kernel.perf_event_paranoid is %" PRId64
			      ": this kernel then refuses %s",
			      m->perf.paranoid,
			      perfmon ? "CAP_PERFMON, too" :
					"ordinary users"));
	rec_mend(d, f, "every user, own programs in user space",
		 "sysctl kernel.perf_event_paranoid=2");
	rec_mend_caps(d, f, perfmon ? REC_CAP_BIT(REC_CAP_SYS_ADMIN) :
				      rec_machine_perfmon_bit(m));
}

/* Refused with `errnum` where perf_event_paranoid of `level` or less allows
 * it. */
static void refused(struct rec_doctor *d, struct rec_finding *f, int errnum,
		    int level)
{
	const struct rec_machine *m = d->m;
	int64_t paranoid = m->perf.paranoid;
	bool perfmon = rec_machine_perfmon(m);

	if (errnum != EACCES && errnum != EPERM) {
		no(f, rec_doctor_text(d, "the kernel says: %s",
				      strerror(errnum)));
	} else if (paranoid > 2 && !rec_machine_has(m, REC_CAP_SYS_ADMIN) &&
		   (perfmon || level >= 2)) {
		refused_wholly(d, f);
	} else if (perfmon || paranoid <= level) {
		no(f, rec_doctor_text(d, "%s, though perf_event_paranoid and "
				      "capabilities allow it: a security "
				      "module or a sandbox forbids it",
				      strerror(errnum)));
	} else {
		no(f, rec_doctor_text(d, "kernel.perf_event_paranoid is %"
				      PRId64 ", this needs %d or less, or %s",
				      paranoid, level,
				      rec_machine_perfmon_name(m)));
		rec_mend_caps(d, f, rec_machine_perfmon_bit(m));
		rec_mend(d, f, ALL_USERS, "sysctl "
			 "kernel.perf_event_paranoid=%d", level);
	}
}

static void try_clock(struct rec_doctor *d, struct rec_finding *f, bool kernel,
		      pid_t pid, int cpu, int level)
{
	struct perf_event_attr a = rec_machine_clock(kernel);
	int errnum;

	if (unreachable(d, f))
		return;
	errnum = rec_machine_try(d->m, &a, pid, cpu);
	if (errnum)
		refused(d, f, errnum, level);
}

static void own_user(struct rec_doctor *d, struct rec_finding *f)
{
	int errnum;

	try_clock(d, f, false, 0, -1, 2);
	if (f->verdict != REC_YES)
		return;
	errnum = rec_machine_try_ring(d->m);
	if (!errnum)
		return;
	no(f, rec_doctor_text(d, "not even the smallest ring can be mapped: "
			      "%s", strerror(errnum)));
	rec_mend(d, f, "every user", "sysctl kernel.perf_event_mlock_kb=516");
}

static void own_kernel(struct rec_doctor *d, struct rec_finding *f)
{
	try_clock(d, f, true, 0, -1, 1);
}

static void whole_system(struct rec_doctor *d, struct rec_finding *f)
{
	struct rec_cpus online = { 0 };
	int rc = rec_cpus_online(&online, d->m->root, NULL);

	try_clock(d, f, true, -1, !rc && online.n ? online.items[0] : 0, 0);
	rec_cpus_fini(&online);
}

static void other_users(struct rec_doctor *d, struct rec_finding *f)
{
	const struct rec_machine *m = d->m;
	uint64_t maps = rec_strangers_maps_caps(m);
	struct rec_strangers s;

	if (unreachable(d, f))
		return;
	rec_strangers_meet(&s, m);
	if (!s.tried)
		f->why = "no other user's program runs here: not tried";
	if (s.mapped)
		return;
	if (s.opened) {
		f->verdict = REC_PARTLY;
		f->why = "what such programs have mapped already cannot be "
			 "read: their code stays without names";
		rec_mend_caps(d, f, maps);
	} else if ((s.errnum == EACCES || s.errnum == EPERM) &&
		   !rec_machine_perfmon(m)) {
		maps |= rec_machine_perfmon_bit(m);
		no(f, rec_doctor_text(d, "this needs %s",
				      rec_doctor_cap_names(d, maps)));
		rec_mend_caps(d, f, maps);
	} else {
		refused(d, f, s.errnum, -2);
	}
}

static const char *open_tracefs(struct rec_doctor *d)
{
	const struct rec_machine *m = d->m;

	if (m->tracing != REC_TRACING_UNMOUNTED)
		return rec_doctor_text(d, "mount -o remount,mode=750,gid=%u %s",
				       m->gid, m->tracing_at);
	if (!m->uid)
		return rec_doctor_text(d, "mount -t tracefs nodev %s",
				       m->tracing_at);
	return rec_doctor_text(d, "mount -t tracefs -o mode=750,gid=%u nodev "
			       "%s", m->gid, m->tracing_at);
}

static const char *tracefs_why(struct rec_doctor *d)
{
	const struct rec_machine *m = d->m;

	switch (m->tracing) {
	case REC_TRACING_ABSENT:
		return "this kernel has no tracefs";
	case REC_TRACING_UNMOUNTED:
		return rec_doctor_text(d, "tracefs is not mounted on %s",
				       m->tracing_at);
	default:
		return rec_doctor_text(d, "%s cannot be read by this user",
				       m->tracing_at);
	}
}

/* Two locks on one door: tracefs is to be opened before what perf asks for. */
static void tracefs_closed(struct rec_doctor *d, struct rec_finding *f)
{
	const struct rec_machine *m = d->m;
	const char *open = open_tracefs(d);

	if (!rec_machine_perfmon(m) && m->perf.paranoid > -1)
		refused(d, f, EPERM, -1);
	no(f, rec_doctor_text(d, "%s%s%s", tracefs_why(d), f->why ? "; " : "",
			      f->why ? f->why : ""));
	for (size_t i = 0; i < f->n_mends; i++)
		f->mends[i].command = rec_doctor_text(d, "%s && %s", open,
						      f->mends[i].command);
	if (!f->n_mends)
		rec_mend(d, f, m->uid ? "this user's group" : "root", "%s",
			 open);
}

static void tracepoints(struct rec_doctor *d, struct rec_finding *f)
{
	const struct rec_machine *m = d->m;
	int errnum;

	if (unreachable(d, f))
		return;
	if (m->tracing == REC_TRACING_ABSENT) {
		no(f, tracefs_why(d));
	} else if (m->tracing != REC_TRACING_OPEN) {
		tracefs_closed(d, f);
	} else {
		errnum = rec_machine_try_tracepoint(m);
		if (errnum)
			refused(d, f, errnum, -1);
	}
}

/* The first function tells for all: addresses of data may be 0 in truth. */
static bool kallsyms_shown(const struct rec_machine *m)
{
	char path[PATH_MAX], line[512];
	unsigned long long address = 0;
	char type;
	FILE *file;

	if (snprintf(path, sizeof(path), "%s/proc/kallsyms", m->root) >=
	    PATH_MAX)
		return false;
	file = fopen(path, "re");
	if (!file)
		return false;
	while (!address && fgets(line, sizeof(line), file))
		if (sscanf(line, "%llx %c", &address, &type) == 2 &&
		    (type == 'T' || type == 't'))
			break;
	fclose(file);
	return address;
}

static void kernel_names(struct rec_doctor *d, struct rec_finding *f)
{
	const struct rec_machine *m = d->m;
	uint64_t kptr = 0;
	bool known = rec_procfs_number(&kptr, m->root,
				       "/proc/sys/kernel/kptr_restrict");

	if (kallsyms_shown(m))
		return;
	if (!known) {
		no(f, "/proc/kallsyms shows no addresses");
		return;
	}
	no(f, rec_doctor_text(d, "kernel.kptr_restrict is %" PRIu64 ": "
			      "/proc/kallsyms shows addresses %s", kptr,
			      kptr > 1 ? "to nobody" :
			      kptr ? "with cap_syslog only" :
				     "with cap_syslog, or where "
				     "perf_event_paranoid is 1 or less"));
	if (kptr > 1)
		rec_mend(d, f, "root and whoever has cap_syslog",
			 "sysctl kernel.kptr_restrict=1");
	if (!rec_machine_has(m, REC_CAP_SYSLOG))
		rec_mend_caps(d, f, REC_CAP_BIT(REC_CAP_SYSLOG));
	if (kptr < 2)
		rec_mend(d, f, ALL_USERS, m->perf.paranoid > 1 ?
			 "sysctl kernel.kptr_restrict=0 "
			 "kernel.perf_event_paranoid=1" :
			 "sysctl kernel.kptr_restrict=0");
}

static struct perf_event_attr cycles(bool sampling)
{
	return (struct perf_event_attr){
		.type = PERF_TYPE_HARDWARE,
		.size = sizeof(struct perf_event_attr),
		.config = PERF_COUNT_HW_CPU_CYCLES,
		.sample_period = sampling ? 1000003 : 0,
		.sample_type = sampling ? PERF_SAMPLE_IP : 0,
		.disabled = 1, .exclude_kernel = 1, .exclude_hv = 1,
	};
}

static void hardware(struct rec_doctor *d, struct rec_finding *f)
{
	struct perf_event_attr sampling = cycles(true);
	struct perf_event_attr counting = cycles(false);
	int errnum;

	if (unreachable(d, f))
		return;
	errnum = rec_machine_try(d->m, &sampling, 0, -1);
	if (!errnum)
		return;
	if (errnum == EACCES || errnum == EPERM) {
		refused(d, f, errnum, 2);
	} else if (!rec_machine_try(d->m, &counting, 0, -1)) {
		f->verdict = REC_PARTLY;
		f->why = "they count but cannot interrupt: rec samples "
			 "cpu-clock instead";
	} else {
		no(f, d->m->hypervisor ?
			   "none in this virtual machine, its host keeps them: "
			   "rec samples cpu-clock instead" :
			   "none that this kernel can use: rec samples "
			   "cpu-clock instead");
	}
}

const struct rec_ability rec_abilities[] = {
	{ "own-user", "own programs, in user space", own_user },
	{ "own-kernel", "own programs, in the kernel", own_kernel },
	{ "other-users", "programs of other users", other_users },
	{ "system", "the whole system", whole_system },
	{ "tracepoints", "tracepoints", tracepoints },
	{ "gpu", "what a GPU does (--gpu)", rec_doctor_gpu },
	{ "kernel-names", "names of kernel functions", kernel_names },
	{ "hardware", "hardware counters", hardware },
};

const size_t rec_n_abilities = ARRAY_LEN(rec_abilities);
