#include "record/doctor/machine.h"

#include "record/proc/procfs.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define STATUS_MAX ((size_t)64 * 1024)

static bool path_in(char to[PATH_MAX], const struct rec_machine *m,
		    const char *path)
{
	return snprintf(to, PATH_MAX, "%s%s", m->root, path) < PATH_MAX;
}

/* The start of a small file, empty where there is none. */
static struct span read_file(struct rec_machine *m, struct buf *b,
			     const char *path)
{
	buf_init(b, STATUS_MAX);
	if (rec_procfs_read(b, NULL, m->root, "%s", path) == ERR_LIMIT &&
	    b->n < STATUS_MAX / 2)
		m->nomem = true;
	return span_of(b->p, b->n);
}

/* The value of "key: value" as a number, the second word where there is one:
 * effective ids follow real ones. */
static void status_line(struct rec_machine *m, struct span line)
{
	struct span key, first, second;
	uint64_t v;

	if (!rec_word(&line, &key) || !rec_word(&line, &first))
		return;
	if (span_is(key, "CapEff:") && rec_number(first, 16, &v))
		m->caps = v;
	else if (span_is(key, "CapBnd:") && rec_number(first, 16, &v))
		m->bound = v;
	else if (span_is(key, "NoNewPrivs:") && rec_number(first, 10, &v))
		m->no_new_privs = v;
	else if (span_is(key, "Seccomp:") && rec_number(first, 10, &v))
		m->seccomp = (unsigned int)v;
	else if (!rec_word(&line, &second) || !rec_number(second, 10, &v))
		return;
	else if (span_is(key, "Uid:"))
		m->uid = (uint32_t)v;
	else if (span_is(key, "Gid:"))
		m->gid = (uint32_t)v;
}

static void read_status(struct rec_machine *m)
{
	struct buf b;
	struct span line, text = read_file(m, &b, "/proc/self/status");

	while (rec_line(&text, &line))
		status_line(m, line);
	buf_fini(&b);
}

/* The first namespace maps all ids onto themselves. */
static bool in_user_ns(struct rec_machine *m)
{
	static const uint64_t whole[] = { 0, 0, UINT32_MAX };
	struct buf b;
	struct span word, text = read_file(m, &b, "/proc/self/uid_map");
	bool in = false;
	uint64_t v;

	for (size_t i = 0; i < 3 && !in && b.n; i++)
		in = !rec_word(&text, &word) || !rec_number(word, 10, &v) ||
		     v != whole[i];
	buf_fini(&b);
	return in;
}

static void read_release(struct rec_machine *m)
{
	struct buf b;
	struct span text = read_file(m, &b, "/proc/sys/kernel/osrelease");
	struct span line;

	snprintf(m->release, sizeof(m->release), "of unknown version");
	if (rec_line(&text, &line))
		snprintf(m->release, sizeof(m->release), "%.*s", (int)line.n,
			 (const char *)line.p);
	buf_fini(&b);
	if (sscanf(m->release, "%u.%u", &m->major, &m->minor) != 2)
		m->major = m->minor = 0;
}

/* The CPU's flags on x86. */
static bool is_virtual(struct rec_machine *m)
{
	struct buf b;
	/* The first CPUs tell it for all. */
	struct span text = read_file(m, &b, "/proc/cpuinfo");
	bool found = text.n && memmem(text.p, text.n, " hypervisor", 11);

	buf_fini(&b);
	return found;
}

/* "cpu", on hybrid machines "cpu_core" and "cpu_atom", on ARM "armv8_…". */
static bool has_cpu_pmu(const struct rec_machine *m)
{
	char path[PATH_MAX];
	bool found = false;
	struct dirent *e;
	DIR *d;

	if (!path_in(path, m, "/sys/bus/event_source/devices"))
		return false;
	d = opendir(path);
	while (d && !found && (e = readdir(d)))
		found = !strcmp(e->d_name, "cpu") ||
			!strncmp(e->d_name, "cpu_", 4) ||
			!strncmp(e->d_name, "armv", 4);
	if (d)
		closedir(d);
	return found;
}

/* The first event of a system that has an id: 0 where it can be read, else the
 * errno; ENOENT: none has one. */
static int first_id(const char *system)
{
	char path[PATH_MAX];
	int errnum = ENOENT;
	struct dirent *e;
	DIR *d = opendir(system);

	if (!d)
		return errno;
	while (errnum == ENOENT && (e = readdir(d))) {
		if (e->d_name[0] == '.' ||
		    snprintf(path, sizeof(path), "%s/%s/id", system,
			     e->d_name) >= PATH_MAX)
			continue;
		errnum = access(path, R_OK) ? errno : 0;
		if (errnum == ENOTDIR)
			errnum = ENOENT;
	}
	closedir(d);
	return errnum;
}

/* A tracefs whose folder alone was opened to all still hides the ids
 * (measured: 6.18 with mode=755). */
static bool ids_readable(const char *events)
{
	char path[PATH_MAX];
	int errnum = ENOENT;
	struct dirent *e;
	DIR *d = opendir(events);

	while (d && (errnum == ENOENT || errnum == ENOTDIR) &&
	       (e = readdir(d)))
		if (e->d_name[0] != '.' &&
		    snprintf(path, sizeof(path), "%s/%s", events, e->d_name) <
			    PATH_MAX)
			errnum = first_id(path);
	if (d)
		closedir(d);
	return !errnum;
}

/* 0 with *state set, or the errno with which the events cannot be listed. */
static int look_at(const struct rec_machine *m, const char *at,
		   enum rec_tracing *state)
{
	char path[PATH_MAX];
	DIR *d;

	if (snprintf(path, sizeof(path), "%s%s/events", m->root, at) >=
	    PATH_MAX)
		return ENAMETOOLONG;
	d = opendir(path);
	if (!d)
		return errno;
	closedir(d);
	*state = ids_readable(path) ? REC_TRACING_OPEN : REC_TRACING_NO_IDS;
	return 0;
}

/* Behind a closed debugfs anything may be: only the first place can say that it
 * is closed. */
static void find_tracing(struct rec_machine *m)
{
	static const char places[][32] = { "/sys/kernel/tracing",
					   "/sys/kernel/debug/tracing" };
	char path[PATH_MAX];
	int errnum;

	m->tracing_at = places[0];
	errnum = look_at(m, places[0], &m->tracing);
	if (!errnum)
		return;
	if (!look_at(m, places[1], &m->tracing)) {
		m->tracing_at = places[1];
		return;
	}
	if (errnum != ENOENT)
		m->tracing = REC_TRACING_CLOSED;
	else if (path_in(path, m, places[0]) && !access(path, F_OK))
		m->tracing = REC_TRACING_UNMOUNTED;
	else
		m->tracing = REC_TRACING_ABSENT;
}

static void read_exe(struct rec_machine *m)
{
	char path[PATH_MAX];
	ssize_t n = -1;

	if (path_in(path, m, "/proc/self/exe"))
		n = readlink(path, m->exe, sizeof(m->exe) - 1);
	if (n > 0)
		m->exe[n] = 0;
	else
		snprintf(m->exe, sizeof(m->exe), "rec");
}

int rec_machine_read(struct rec_machine *m, const char *root, struct err *err)
{
	*m = (struct rec_machine){ .root = root, .live = !*root,
				   .uid = geteuid(), .gid = getegid(),
				   .bound = UINT64_MAX };
	rec_perf_facts_read(&m->perf, root);
	read_status(m);
	m->user_ns = in_user_ns(m);
	if (m->user_ns)
		m->caps = 0;
	read_release(m);
	m->hypervisor = is_virtual(m);
	m->cpu_pmu = has_cpu_pmu(m);
	find_tracing(m);
	read_exe(m);
	return m->nomem ? err_nomem(err) : 0;
}

bool rec_machine_has(const struct rec_machine *m, enum rec_cap cap)
{
	return m->caps >> cap & 1;
}

bool rec_machine_perfmon(const struct rec_machine *m)
{
	return rec_machine_has(m, REC_CAP_SYS_ADMIN) ||
	       rec_machine_has(m, REC_CAP_PERFMON);
}

bool rec_machine_since(const struct rec_machine *m, unsigned int major,
		       unsigned int minor)
{
	return m->major > major || (m->major == major && m->minor >= minor);
}

uint64_t rec_machine_perfmon_bit(const struct rec_machine *m)
{
	return !m->major || rec_machine_since(m, 5, 8) ?
		       REC_CAP_BIT(REC_CAP_PERFMON) :
		       REC_CAP_BIT(REC_CAP_SYS_ADMIN);
}

const char *rec_machine_perfmon_name(const struct rec_machine *m)
{
	return rec_machine_perfmon_bit(m) == REC_CAP_BIT(REC_CAP_PERFMON) ?
		       "cap_perfmon" : "cap_sys_admin";
}
