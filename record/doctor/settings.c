#include "record/doctor/doctor.h"

#include "format/base/mem.h"
#include "record/doctor/frames.h"
#include "record/perf/open.h"
#include "record/proc/procfs.h"

#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#define KIB 1024u
#define UNKNOWN "unknown"

static const char *number(struct rec_doctor *d, const char *path, uint64_t *v)
{
	if (!rec_procfs_number(v, d->m->root, "%s", path))
		return UNKNOWN;
	return rec_doctor_text(d, "%" PRIu64, *v);
}

static void paranoid(struct rec_doctor *d, struct rec_setting *s)
{
	static const char *const opens[] = {
		"own programs, the kernel and the whole system",
		"own programs, with the kernel",
		"own programs, in user space",
	};
	int64_t v = d->m->perf.paranoid;

	s->value = d->m->perf.paranoid_known ?
			   rec_doctor_text(d, "%" PRId64, v) :
			   UNKNOWN;
	s->note = !d->m->perf.paranoid_known ? NULL :
		  v < 0 ? "open to every user: everything, tracepoints too" :
		  v > 2 ? "open to every user: nothing, on kernels of Debian, "
			  "Ubuntu and Android; some of them want cap_sys_admin "
			  "where cap_perfmon should do" :
			  rec_doctor_text(d, "open to every user: %s",
					  opens[v]);
}

static void kptr(struct rec_doctor *d, struct rec_setting *s)
{
	uint64_t v = 0;

	s->value = number(d, "/proc/sys/kernel/kptr_restrict", &v);
}

static void rate(struct rec_doctor *d, struct rec_setting *s)
{
	uint64_t v = 0;

	s->value = number(d, "/proc/sys/kernel/perf_event_max_sample_rate",
			  &v);
	if (s->value[0] >= '0' && s->value[0] <= '9')
		s->note = v < 4000 ? "below the 4000 Hz that rec asks for: the "
				     "kernel lowered it under load" :
				     "samples a second, at most";
}

static void stack_depth(struct rec_doctor *d, struct rec_setting *s)
{
	uint64_t v;

	s->value = number(d, "/proc/sys/kernel/perf_event_max_stack", &v);
	s->note = "frames of a stack, at most: deeper ones are cut";
}

static void mlock_kb(struct rec_doctor *d, struct rec_setting *s)
{
	uint64_t v;

	s->value = number(d, "/proc/sys/kernel/perf_event_mlock_kb", &v);
	s->note = "KiB of rings a CPU that each user may have";
}

/* Soft and hard value of a row of /proc/self/limits. */
static bool limit(const struct rec_machine *m, const char *name,
		  struct span *soft, struct span *hard, struct buf *b)
{
	size_t n = strlen(name);
	struct span text, line;

	if (rec_procfs_read(b, NULL, m->root, "/proc/self/limits") < 0)
		return false;
	text = span_of(b->p, b->n);
	while (rec_line(&text, &line))
		if (line.n > n && !memcmp(line.p, name, n))
			return span_skip(&line, n) && rec_word(&line, soft) &&
			       rec_word(&line, hard);
	return false;
}

static void memlock(struct rec_doctor *d, struct rec_setting *s)
{
	struct span soft, hard;
	struct buf b;
	uint64_t v;

	s->value = UNKNOWN;
	buf_init(&b, (size_t)64 * KIB);
	if (limit(d->m, "Max locked memory", &soft, &hard, &b))
		s->value = rec_number(soft, 10, &v) ?
			rec_doctor_text(d, "%" PRIu64 " KiB", v / KIB) :
			rec_doctor_text(d, "%.*s", (int)soft.n,
					(const char *)soft.p);
	buf_fini(&b);
	s->note = rec_machine_has(d->m, REC_CAP_IPC_LOCK) ||
				  d->m->perf.paranoid < 0 ?
			  "does not bind here" :
			  "of rings beyond perf_event_mlock_kb";
}

static void files(struct rec_doctor *d, struct rec_setting *s)
{
	struct span soft, hard;
	struct buf b;

	s->value = UNKNOWN;
	buf_init(&b, (size_t)64 * KIB);
	if (limit(d->m, "Max open files", &soft, &hard, &b)) {
		s->value = rec_doctor_text(d, "%.*s", (int)soft.n,
					   (const char *)soft.p);
		s->note = rec_doctor_text(d, "rec raises it to %.*s, and takes "
					  "one for each thread, CPU and event",
					  (int)hard.n, (const char *)hard.p);
	}
	buf_fini(&b);
}

static void capabilities(struct rec_doctor *d, struct rec_setting *s)
{
	uint64_t have = d->m->caps & rec_doctor_caps;

	s->value = have == rec_doctor_caps ? "all that matter" :
					     rec_doctor_cap_names(d, have);
	if (d->m->user_ns)
		s->note = "those of a user namespace do not count";
	else if (d->m->no_new_privs)
		s->note = "no_new_privs is set: setcap and sudo do not help";
}

static bool exists(const struct rec_machine *m, const char *path)
{
	char full[PATH_MAX];

	return snprintf(full, sizeof(full), "%s%s", m->root, path) <
		       PATH_MAX &&
	       !access(full, F_OK);
}

static void sandbox(struct rec_doctor *d, struct rec_setting *s)
{
	bool docker = exists(d->m, "/.dockerenv");
	bool podman = exists(d->m, "/run/.containerenv");

	s->value = rec_doctor_text(d, "%s%s%s",
				   docker ? "docker, by its marker file" :
				   podman ? "podman, by its marker file" :
					    "no container seen",
				   d->m->user_ns ? ", user namespace" : "",
				   d->m->seccomp ? ", seccomp filter" : "");
	if (d->m->seccomp && d->m->live)
		s->note = rec_machine_reach(d->m) ?
				  "the filter forbids perf_event_open" :
				  "the filter lets perf_event_open pass";
}

static void yama(struct rec_doctor *d, struct rec_setting *s)
{
	uint64_t v;

	s->value = number(d, "/proc/sys/kernel/yama/ptrace_scope", &v);
	if (!strcmp(s->value, UNKNOWN))
		s->value = "no Yama";
	s->note = "not in the way: recording attaches to no process";
}

/* "none [integrity] confidentiality" */
static void lockdown(struct rec_doctor *d, struct rec_setting *s)
{
	struct span text, word;
	struct buf b;

	s->value = "none seen";
	buf_init(&b, KIB);
	(void)rec_procfs_read(&b, NULL, d->m->root,
			      "/sys/kernel/security/lockdown");
	text = span_of(b.p, b.n);
	while (rec_word(&text, &word))
		if (word.n > 2 && word.p[0] == '[')
			s->value = rec_doctor_text(d, "%.*s",
						   (int)word.n - 2,
						   (const char *)word.p + 1);
	buf_fini(&b);
	if (!strcmp(s->value, "confidentiality"))
		s->note = "tracefs and registers are kept from everybody";
}

static void tracefs(struct rec_doctor *d, struct rec_setting *s)
{
	static const char *const states[] = {
		[REC_TRACING_ABSENT] = "not in this kernel",
		[REC_TRACING_UNMOUNTED] = "not mounted",
		[REC_TRACING_CLOSED] = "not readable by this user",
		[REC_TRACING_NO_IDS] = "names are readable, ids are not",
		[REC_TRACING_OPEN] = "readable",
	};

	s->value = d->m->tracing_at;
	s->note = states[d->m->tracing];
}

static void build_id(struct rec_doctor *d, struct rec_setting *s)
{
	struct buf b;

	buf_init(&b, (size_t)64 * KIB);
	s->value = rec_procfs_read(&b, NULL, d->m->root,
				   "/sys/kernel/notes") || !b.n ?
			   "not readable" : "readable";
	buf_fini(&b);
	if (s->value[0] == 'n')
		s->note = "kernel names cannot be checked against the kernel";
}

static void features(const struct rec_machine *m, struct rec_perf_features *f)
{
	*f = (struct rec_perf_features){ 0 };
	if (!m->live) {
		f->lost = rec_machine_since(m, 6, 0);
		f->build_id = rec_machine_since(m, 5, 12);
		f->ksymbol = rec_machine_since(m, 5, 1);
	} else if (rec_perf_features_probe(f)) {
		*f = (struct rec_perf_features){ 0 };
	}
}

static void kernel_records(struct rec_doctor *d, struct rec_setting *s)
{
	struct rec_perf_features f;

	features(d->m, &f);
	s->value = rec_doctor_text(d, "%s, %s, %s",
				   f.build_id ? "build-ids" : "no build-ids",
				   f.lost ? "losses" : "no losses",
				   f.ksymbol ? "BPF" : "no BPF");
	if (!f.lost)
		s->note = "what is lost at the end stays unknown";
}

static void frame_pointers(struct rec_doctor *d, struct rec_setting *s)
{
	bool kept = d->m->live && rec_libc_keeps_frames();

	s->value = !d->m->live ? UNKNOWN : kept ? "kept" : "left out";
	if (d->m->live && !kept)
		s->note = "calls through it may lose their caller; build own "
			  "code with -fno-omit-frame-pointer";
}

const struct rec_setting_row rec_settings[] = {
	{ "perf_event_paranoid", paranoid },
	{ "kptr_restrict", kptr },
	{ "perf_event_max_sample_rate", rate },
	{ "perf_event_max_stack", stack_depth },
	{ "perf_event_mlock_kb", mlock_kb },
	{ "locked memory limit", memlock },
	{ "open files limit", files },
	{ "capabilities", capabilities },
	{ "container", sandbox },
	{ "yama.ptrace_scope", yama },
	{ "lockdown", lockdown },
	{ "tracefs", tracefs },
	{ "kernel build-id", build_id },
	{ "kernel records", kernel_records },
	{ "frame pointers in libc", frame_pointers },
};

const size_t rec_n_settings = ARRAY_LEN(rec_settings);
