#include "record/doctor/doctor.h"

#include "format/base/mem.h"
#include "record/perf/event.h"
#include "record/proc/procfs.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define BIT(cap) ((uint64_t)1 << (cap))
#define ALL_USERS "every program of every user"

static uint64_t perfmon_bit(const struct rec_machine *m)
{
	return !m->major || rec_machine_since(m, 5, 8) ?
		       BIT(REC_CAP_PERFMON) :
		       BIT(REC_CAP_SYS_ADMIN);
}

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
	rec_mend(d, f, "this container",
		 "docker run --cap-add PERFMON --security-opt "
		 "seccomp=unconfined …");
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
	rec_mend_caps(d, f, perfmon ? BIT(REC_CAP_SYS_ADMIN) :
				      perfmon_bit(m));
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
		rec_mend_caps(d, f, perfmon_bit(m));
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
	try_clock(d, f, true, -1, 0, 0);
}

/* A running program of another user: its real uid differs and it has a command
 * line, which kernel threads lack. */
struct stranger {
	const struct rec_machine *m;
	pid_t pid;
};

static bool other_uid(const struct rec_machine *m, pid_t pid)
{
	struct span text, line, key, uid;
	bool other = false;
	struct buf b;
	uint64_t v;

	buf_init(&b, (size_t)64 * 1024);
	(void)rec_procfs_read(&b, NULL, m->root, "/proc/%d/status", pid);
	text = span_of(b.p, b.n);
	while (!other && rec_line(&text, &line))
		other = rec_word(&line, &key) && key.n == 4 &&
			!memcmp(key.p, "Uid:", 4) && rec_word(&line, &uid) &&
			rec_number(uid, 10, &v) && v != m->uid;
	buf_fini(&b);
	return other;
}

static int look_at(void *ctx, pid_t pid)
{
	struct stranger *s = ctx;
	struct buf b;

	if (!other_uid(s->m, pid))
		return 0;
	buf_init(&b, (size_t)4 << 20);
	if (!rec_procfs_read(&b, NULL, s->m->root, "/proc/%d/cmdline", pid) &&
	    b.n)
		s->pid = pid;
	buf_fini(&b);
	return s->pid != 0;
}

/* Whether what a running process has mapped can be read. */
static bool maps_readable(const struct rec_machine *m, pid_t pid)
{
	struct buf b;
	bool ok;

	if (!m->live)
		return rec_machine_has(m, REC_CAP_SYS_PTRACE);
	buf_init(&b, (size_t)64 << 20);
	ok = !rec_procfs_read(&b, NULL, m->root, "/proc/%d/maps", pid);
	buf_fini(&b);
	return ok;
}

static void no_stranger(struct rec_doctor *d, struct rec_finding *f)
{
	bool perfmon = rec_machine_perfmon(d->m);
	bool ptrace = rec_machine_has(d->m, REC_CAP_SYS_PTRACE);

	f->why = "no other user's program runs here: not tried";
	if (perfmon && ptrace)
		return;
	f->verdict = perfmon || ptrace ? REC_PARTLY : REC_NO;
	rec_mend_caps(d, f, perfmon_bit(d->m) | BIT(REC_CAP_SYS_PTRACE));
}

static void other_users(struct rec_doctor *d, struct rec_finding *f)
{
	struct perf_event_attr a = rec_machine_clock(false);
	struct stranger s = { .m = d->m };
	int errnum;

	if (unreachable(d, f))
		return;
	(void)rec_procfs_ids(d->m->root, "/proc", look_at, &s, NULL);
	if (!s.pid) {
		no_stranger(d, f);
		return;
	}
	errnum = rec_machine_try(d->m, &a, s.pid, -1);
	if (!errnum && maps_readable(d->m, s.pid))
		return;
	if (!errnum) {
		f->verdict = REC_PARTLY;
		f->why = "what such a program has mapped already cannot be "
			 "read: its code stays without names";
		rec_mend_caps(d, f, BIT(REC_CAP_SYS_PTRACE));
	} else if ((errnum == EACCES || errnum == EPERM) &&
		   !rec_machine_perfmon(d->m)) {
		no(f, rec_doctor_text(d, "it needs %s, and cap_sys_ptrace to "
				      "name their code",
				      rec_machine_perfmon_name(d->m)));
		rec_mend_caps(d, f, perfmon_bit(d->m) |
					    BIT(REC_CAP_SYS_PTRACE));
	} else {
		refused(d, f, errnum, -2);
	}
}

static void mend_tracefs(struct rec_doctor *d, struct rec_finding *f)
{
	const struct rec_machine *m = d->m;

	if (m->tracing == REC_TRACING_UNMOUNTED)
		rec_mend(d, f, m->uid ? "this user's group" : "root",
			 m->uid ? "mount -t tracefs -o mode=750,gid=%u nodev %s"
				: "mount -t tracefs -o mode=700,gid=%u nodev %s",
			 m->gid, m->tracing_at);
	else
		rec_mend(d, f, "this user's group",
			 "mount -o remount,mode=750,gid=%u %s", m->gid,
			 m->tracing_at);
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

/* An event that fires seldom, for the moment that it is open. */
static bool some_tracepoint(const struct rec_machine *m, uint64_t *id)
{
	static const char *const names[] = {
		"sched/sched_process_exec", "sched/sched_switch",
		"raw_syscalls/sys_enter",
	};

	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		if (rec_procfs_number(id, m->root, "%s/events/%s/id",
				      m->tracing_at, names[i]))
			return true;
	return false;
}

static bool recorded_later(const char *event)
{
	struct rec_events e = { 0 };
	int rc = rec_events_add(&e, event, NULL);

	rec_events_fini(&e);
	return rc == ERR_UNSUPPORTED;
}

static void tracepoints_tried(struct rec_doctor *d, struct rec_finding *f)
{
	struct perf_event_attr a = {
		.type = PERF_TYPE_TRACEPOINT, .size = sizeof(a),
		.sample_period = 1, .sample_type = PERF_SAMPLE_RAW,
		.disabled = 1,
	};
	uint64_t id;
	int errnum;

	if (!some_tracepoint(d->m, &id))
		return;
	a.config = id;
	errnum = rec_machine_try(d->m, &a, 0, -1);
	if (errnum)
		refused(d, f, errnum, -1);
}

/* Two locks on one door: perf and tracefs. */
static void tracepoints(struct rec_doctor *d, struct rec_finding *f)
{
	const struct rec_machine *m = d->m;

	if (unreachable(d, f))
		return;
	if (m->tracing == REC_TRACING_OPEN) {
		tracepoints_tried(d, f);
	} else {
		if (!rec_machine_perfmon(m) && m->perf.paranoid > -1)
			refused(d, f, EPERM, -1);
		no(f, rec_doctor_text(d, "%s%s%s", tracefs_why(d),
				      f->why ? "; " : "",
				      f->why ? f->why : ""));
		if (m->tracing != REC_TRACING_ABSENT)
			mend_tracefs(d, f);
	}
	if (f->verdict == REC_YES && recorded_later("sched:sched_switch")) {
		f->verdict = REC_LATER;
		f->why = "allowed here; a later version of rec records them";
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
		rec_mend_caps(d, f, BIT(REC_CAP_SYSLOG));
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
	{ "kernel-names", "names of kernel functions", kernel_names },
	{ "hardware", "hardware counters", hardware },
};

const size_t rec_n_abilities = ARRAY_LEN(rec_abilities);
