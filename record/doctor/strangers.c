#include "record/doctor/strangers.h"

#include "record/proc/procfs.h"

#include <errno.h>
#include <string.h>

#define STRANGERS_MAX 32

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

/* Kernel threads have no command line. */
static bool is_program(const struct rec_machine *m, pid_t pid)
{
	struct buf b;
	bool is;

	buf_init(&b, (size_t)4 << 20);
	is = !rec_procfs_read(&b, NULL, m->root, "/proc/%d/cmdline", pid) &&
	     b.n;
	buf_fini(&b);
	return is;
}

/* Since 6.15 CAP_PERFMON is enough to read what a process has mapped. */
uint64_t rec_strangers_maps_caps(const struct rec_machine *m)
{
	return rec_machine_since(m, 6, 15) ? rec_machine_perfmon_bit(m) :
					     REC_CAP_BIT(REC_CAP_SYS_PTRACE);
}

static bool maps_readable(const struct rec_machine *m, pid_t pid)
{
	struct buf b;
	bool ok;

	if (!m->live)
		return rec_machine_has(m, REC_CAP_SYS_PTRACE) ||
		       (rec_machine_since(m, 6, 15) && rec_machine_perfmon(m));
	buf_init(&b, (size_t)64 << 20);
	ok = !rec_procfs_read(&b, NULL, m->root, "/proc/%d/maps", pid);
	buf_fini(&b);
	return ok;
}

static int meet(void *ctx, pid_t pid)
{
	struct perf_event_attr a = rec_machine_clock(false);
	struct rec_strangers *s = ctx;
	int errnum;

	if (!other_uid(s->m, pid) || !is_program(s->m, pid))
		return 0;
	errnum = rec_machine_try(s->m, &a, pid, -1);
	if (errnum == ESRCH)
		return 0;
	if (!s->tried++)
		s->errnum = errnum;
	if (!errnum) {
		s->opened++;
		s->mapped = maps_readable(s->m, pid);
	}
	return s->mapped || s->tried == STRANGERS_MAX;
}

/* What would be found, by the rules. */
static void imagine(struct rec_strangers *s)
{
	uint64_t caps = s->m->caps;

	s->opened = rec_machine_perfmon(s->m) ||
		    caps & REC_CAP_BIT(REC_CAP_SYS_PTRACE);
	s->mapped = caps & (rec_strangers_maps_caps(s->m) |
			    REC_CAP_BIT(REC_CAP_SYS_PTRACE) |
			    REC_CAP_BIT(REC_CAP_SYS_ADMIN));
	s->errnum = s->opened ? 0 : EACCES;
}

void rec_strangers_meet(struct rec_strangers *s, const struct rec_machine *m)
{
	*s = (struct rec_strangers){ .m = m };
	(void)rec_procfs_ids(m->root, "/proc", meet, s, NULL);
	if (!s->tried)
		imagine(s);
}
