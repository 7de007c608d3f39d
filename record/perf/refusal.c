#include "record/perf/refusal.h"

#include "format/base/mem.h"
#include "record/perf/open.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *event_name(const struct rec_refusal *r)
{
	return r->event ? r->event->name : "dummy";
}

/* The uid that owns a task; it is root's when the task changed its own. */
static bool owner_of(const struct rec_refusal *r, uid_t *uid)
{
	char path[PATH_MAX];
	struct stat st;

	snprintf(path, sizeof(path), "%s/proc/%d", r->root, r->tid);
	if (stat(path, &st))
		return false;
	*uid = st.st_uid;
	return true;
}

static void comm_of(const struct rec_refusal *r, char *to, size_t size)
{
	char path[PATH_MAX];
	FILE *f;

	snprintf(path, sizeof(path), "%s/proc/%d/comm", r->root, r->tid);
	to[0] = 0;
	f = fopen(path, "re");
	if (!f)
		return;
	if (!fgets(to, (int)size, f))
		to[0] = 0;
	fclose(f);
	to[strcspn(to, "\n")] = 0;
}

static int denied_at_all(const struct rec_refusal *r, struct err *err)
{
	const struct rec_perf_facts *f = r->facts;

	if (f->paranoid_known && f->paranoid > 2 && !f->perfmon)
		return err_set(err, ERR_DENIED, "cannot open perf events: "
			       "perf_event_paranoid is %" PRId64 ", which "
			       "refuses them to ordinary users (try: sysctl "
			       "kernel.perf_event_paranoid=2, or run as root, "
			       "or setcap cap_perfmon=ep on this program)",
			       f->paranoid);
	return err_set(err, ERR_DENIED, "cannot open perf events: %s "
		       "(a container's seccomp filter or a security module "
		       "forbids perf_event_open; in docker try "
		       "--cap-add PERFMON --security-opt seccomp=unconfined)",
		       strerror(r->errnum));
}

static int denied_system_wide(const struct rec_refusal *r, struct err *err)
{
	if (r->facts->perfmon)
		return err_set(err, ERR_DENIED, "cannot record system-wide: "
			       "%s, though this user is privileged (a "
			       "container or a security module forbids it)",
			       strerror(r->errnum));
	return err_set(err, ERR_DENIED, "cannot record system-wide: "
		       "perf_event_paranoid is %" PRId64 " (needs 0 or less, "
		       "CAP_PERFMON or root; your own processes can be "
		       "recorded without -a)", r->facts->paranoid);
}

static int denied_task(const struct rec_refusal *r, struct err *err)
{
	char comm[64];
	uid_t owner;

	if (owner_of(r, &owner) && owner != r->facts->uid) {
		comm_of(r, comm, sizeof(comm));
		return err_set(err, ERR_DENIED, "cannot record process %d "
			       "'%s': it belongs to user %u, you are user %u "
			       "(try: as root)", r->tid, comm, owner,
			       r->facts->uid);
	}
	if (r->event && r->event->kernel_only && !r->facts->perfmon)
		return err_set(err, ERR_DENIED, "cannot record '%s': kernel "
			       "samples need perf_event_paranoid of 1 or less "
			       "or CAP_PERFMON, it is %" PRId64,
			       event_name(r), r->facts->paranoid);
	return err_set(err, ERR_DENIED, "cannot open event '%s' on process %d:"
		       " %s (perf_event_paranoid is %" PRId64 ")",
		       event_name(r), r->tid, strerror(r->errnum),
		       r->facts->paranoid);
}

static bool is_tracepoint(const struct rec_event *e)
{
	return e && e->attr.type == PERF_TYPE_TRACEPOINT;
}

static int denied_tracepoint(const struct rec_refusal *r, struct err *err)
{
	if (r->facts->perfmon)
		return err_set(err, ERR_DENIED, "cannot record tracepoint '%s':"
			       " the kernel does not let it be sampled, or a "
			       "security module forbids it", event_name(r));
	return err_set(err, ERR_DENIED, "cannot record tracepoint '%s': "
		       "perf_event_paranoid is %" PRId64 " (needs -1, "
		       "CAP_PERFMON or root; system calls of your own "
		       "processes need 1 or less)", event_name(r),
		       r->facts->paranoid);
}

static int denied(const struct rec_refusal *r, struct err *err)
{
	if (!r->tid)
		return denied_at_all(r, err);
	if (is_tracepoint(r->event))
		return denied_tracepoint(r, err);
	if (r->tid == -1)
		return denied_system_wide(r, err);
	return denied_task(r, err);
}

static bool is_hardware(const struct rec_event *e)
{
	return e && (e->attr.type == PERF_TYPE_HARDWARE ||
		     e->attr.type == PERF_TYPE_HW_CACHE ||
		     e->attr.type == PERF_TYPE_RAW);
}

/* Whether it could be opened that way, on its own. */
static bool opens(const struct rec_refusal *r, struct perf_event_attr a)
{
	int fd;

	a.disabled = 1;
	if (!r->event->guest_set)
		a.exclude_guest = 0; /* as opening does without it */
	fd = rec_perf_call(&a, r->tid, r->cpu);
	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

/* Whether it would be counted, though not sampled. */
static bool counts(const struct rec_refusal *r)
{
	struct perf_event_attr a = r->event->attr;

	a.sample_period = 0;
	a.freq = 0;
	a.sample_type = 0;
	a.read_format = 0;
	return opens(r, a);
}

static int invalid(const struct rec_refusal *r, struct err *err)
{
	if (r->event && r->in_group && opens(r, r->event->attr))
		return err_set(err, ERR_UNSUPPORTED, "event '%s' can be "
			       "recorded, but not in this group (modifiers D "
			       "and e are for leaders; a group with ':W' is "
			       "taken apart)", event_name(r));
	if (r->event && r->event->attr.sample_period && counts(r))
		return err_set(err, ERR_UNSUPPORTED, "event '%s' cannot be "
			       "sampled, only read beside one that can: -e "
			       "'{cpu-clock,%s}:S'", event_name(r),
			       event_name(r));
	return err_sys(err, r->errnum, "the kernel refuses event '%s'",
		       event_name(r));
}

static int unsupported(const struct rec_refusal *r, struct err *err)
{
	int unused;

	if (is_hardware(r->event) && !rec_perf_has_cycles(&unused))
		return err_set(err, ERR_UNSUPPORTED, "event '%s' is not "
			       "supported by this machine (no hardware "
			       "counters; try -e cpu-clock)", event_name(r));
	if (r->event && r->event->attr.sample_period &&
	    r->event->attr.type >= PERF_TYPE_MAX && counts(r))
		return invalid(r, err);
	if (r->event && r->event->attr.precise_ip)
		return err_set(err, ERR_UNSUPPORTED, "event '%s' cannot be "
			       "sampled that precisely here (try without p)",
			       event_name(r));
	return err_set(err, ERR_UNSUPPORTED,
		       "event '%s' is not supported by this machine",
		       event_name(r));
}

static int no_descriptors(const struct rec_refusal *r, struct err *err)
{
	struct rlimit lim = { 0, 0 };

	(void)getrlimit(RLIMIT_NOFILE, &lim);
	return err_set(err, ERR_LIMIT, "too many open files: the recording "
		       "takes %zu more (tasks x CPUs x events), the limit is "
		       "%" PRIu64 " in all (try: ulimit -n, fewer CPUs with "
		       "-C, or -a)", r->n_needed, (uint64_t)lim.rlim_cur);
}

static int no_files_left(const struct rec_refusal *r, struct err *err)
{
	return err_set(err, ERR_LIMIT, "the system has no room for %zu open "
		       "files more (sysctl fs.file-max)", r->n_needed);
}

static int no_task(const struct rec_refusal *r, struct err *err)
{
	return err_set(err, ERR_USAGE, "no such process: %d", r->tid);
}

static int no_cpu(const struct rec_refusal *r, struct err *err)
{
	if (is_hardware(r->event))
		return unsupported(r, err);
	return err_set(err, ERR_IO, "cannot record CPU %d: it is not online",
		       r->cpu);
}

static int busy(const struct rec_refusal *r, struct err *err)
{
	return err_set(err, ERR_IO, "event '%s': its counters are in exclusive "
		       "use by another program", event_name(r));
}

static int no_slots(const struct rec_refusal *r, struct err *err)
{
	return err_set(err, ERR_LIMIT, "event '%s': no counter left for it on "
		       "CPU %d", event_name(r), r->cpu);
}

static int no_system_call(const struct rec_refusal *r, struct err *err)
{
	(void)r;
	return err_set(err, ERR_UNSUPPORTED, "this kernel has no perf events, "
		       "or a container's seccomp filter hides them");
}

static int no_memory(const struct rec_refusal *r, struct err *err)
{
	return err_set(err, ERR_NOMEM, "the kernel has no memory for event "
		       "'%s'", event_name(r));
}

static const struct cause {
	int errnum;
	int (*explain)(const struct rec_refusal *r, struct err *err);
} causes[] = {
	{ EACCES, denied },
	{ EPERM, denied },
	{ ENOENT, unsupported },
	{ EOPNOTSUPP, unsupported },
	{ EMFILE, no_descriptors },
	{ ENFILE, no_files_left },
	{ ESRCH, no_task },
	{ ENODEV, no_cpu },
	{ EBUSY, busy },
	{ ENOSPC, no_slots },
	{ ENOSYS, no_system_call },
	{ ENOMEM, no_memory },
	{ EINVAL, invalid },
};

int rec_perf_refused(const struct rec_refusal *r, struct err *err)
{
	for (size_t i = 0; i < ARRAY_LEN(causes); i++)
		if (causes[i].errnum == r->errnum)
			return causes[i].explain(r, err);
	return err_sys(err, r->errnum, "the kernel refuses event '%s'",
		       event_name(r));
}
