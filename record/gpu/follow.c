#include "record/gpu/follow.h"

#include "format/base/mem.h"
#include "format/base/time.h"
#include "record/gpu/nodes.h"
#include "record/perf/targets.h"
#include "record/proc/facts.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Reading all links of /proc/PID/fd takes about 2 us for each. */
#define LOOK_NS (5 * (uint64_t)NSEC_PER_SEC)
/* A program opens its device after its first calls, or another one later; these
 * are few processes. */
#define AGAIN_NS (uint64_t)NSEC_PER_SEC

/* Events anew take 0.1 ms for each CPU; threads that come and go must not keep
 * the recorder busy with that: it may take so much at the start, where most of
 * them are met, and a twentieth of the time since. */
#define FIRST_NS (NSEC_PER_SEC / 2)
#define SHARE 20u

#define FILES_MAX 4096u

void rec_follow_fini(struct rec_follow *f)
{
	free(f->files);
	f->files = NULL;
	f->n_files = f->files_cap = 0;
}

void rec_follow_filter(struct buf *b, const char *field, const pid_t *tids,
		       size_t n)
{
	for (size_t i = 0; i < n;) {
		size_t end = i + 1;

		while (end < n && tids[end] == tids[end - 1] + 1)
			end++;
		buf_printf(b, "%s", i ? "||" : "");
		if (end - i > 1)
			buf_printf(b, "(%s>=%d&&%s<=%d)", field, (int)tids[i],
				   field, (int)tids[end - 1]);
		else
			buf_printf(b, "%s==%d", field, (int)tids[i]);
		i = end;
	}
}

static bool lives(const struct rec_follow *f, pid_t tid)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/proc/%d", f->root, (int)tid);
	return access(path, F_OK) == 0;
}

static void forget_dead(struct rec_follow *f)
{
	size_t n = 0;

	for (size_t i = 0; i < f->n; i++) {
		if (!lives(f, f->tids[i]))
			continue;
		f->tids[n] = f->tids[i];
		f->pids[n++] = f->pids[i];
	}
	f->n = n;
}

static bool follow(struct rec_follow *f, pid_t pid, pid_t tid)
{
	size_t at;

	if (tid <= 0)
		return false;
	for (at = f->n; at && f->tids[at - 1] >= tid; at--)
		if (f->tids[at - 1] == tid)
			return false;
	if (f->n == REC_FOLLOW_MAX) {
		if (!f->left_out++)
			log_warn(f->log, REC_TOO_MANY, REC_FOLLOW_MAX);
		return false;
	}
	memmove(f->tids + at + 1, f->tids + at,
		(f->n - at) * sizeof(*f->tids));
	memmove(f->pids + at + 1, f->pids + at,
		(f->n - at) * sizeof(*f->pids));
	f->tids[at] = tid;
	f->pids[at] = pid;
	f->n++;
	f->changed = true;
	return true;
}

/* The last that was seen there; NULL: none. */
static const struct rec_gpu_file *file_at(const struct rec_follow *f, pid_t pid,
					  int fd)
{
	for (size_t i = f->n_files; i-- > 0;)
		if (f->files[i].pid == pid && f->files[i].fd == fd)
			return &f->files[i];
	return NULL;
}

static int take_file(void *ctx, pid_t pid, int fd, const char *path,
		     struct err *err)
{
	struct rec_follow *f = ctx;
	const struct rec_gpu_file *had = file_at(f, pid, fd);
	struct rec_gpu_file x = { .pid = pid, .fd = fd };

	snprintf(x.path, sizeof(x.path), "%s", path);
	if ((had && strcmp(had->path, x.path) == 0) || f->n_files == FILES_MAX)
		return 0;
	x.since_ns = had ? time_now_ns(CLOCK_MONOTONIC) : 0;
	if (!mem_grow(&f->files, &f->files_cap, f->n_files + 1,
		      sizeof(*f->files)))
		return err_nomem(err);
	f->files[f->n_files++] = x;
	return 0;
}

static int follow_process(struct rec_follow *f, pid_t pid)
{
	struct rec_targets threads = { 0 };
	int rc = rec_targets_process(&threads, f->root, pid, NULL);

	for (size_t i = 0; !rc && i < threads.n; i++)
		(void)follow(f, pid, threads.items[i].tid);
	rec_targets_fini(&threads);
	return rc;
}

/* Who has a device file open, with all threads: any of them may use it. */
static void look_around(struct rec_follow *f, uint64_t now_ns)
{
	size_t before = f->n_files;

	f->looked_ns = now_ns;
	(void)rec_gpu_all_files(f->root, take_file, f, NULL);
	for (size_t i = before; i < f->n_files; i++)
		if (i == before || f->files[i].pid != f->files[i - 1].pid)
			(void)follow_process(f, f->files[i].pid);
}

static bool is_first_of_process(const struct rec_follow *f, size_t at)
{
	for (size_t i = 0; i < at; i++)
		if (f->pids[i] == f->pids[at])
			return false;
	return true;
}

void rec_follow_look_again(struct rec_follow *f, uint64_t now_ns)
{
	f->again_ns = now_ns;
	for (size_t i = 0; i < f->n; i++)
		if (is_first_of_process(f, i))
			(void)rec_gpu_files(f->root, f->pids[i], take_file, f,
					    NULL);
}

/* The filter of an event for those that are followed now; false: none. */
static bool make_filter(const struct rec_follow *f, const struct rec_event *e,
			struct buf *b)
{
	switch (e->follow) {
	case REC_FOLLOW_OTHERS:
		buf_put(b, "!(", 2);
		rec_follow_filter(b, "prev_pid", f->tids, f->n);
		buf_put(b, ")", 1);
		break;
	case REC_FOLLOW_SWITCH:
		rec_follow_filter(b, "prev_pid", f->tids, f->n);
		break;
	case REC_FOLLOW_WAKING:
		rec_follow_filter(b, "pid", f->tids, f->n);
		buf_put(b, "||", 2);
		rec_follow_filter(b, "common_pid", f->tids, f->n);
		break;
	case REC_FOLLOW_CALL:
		buf_printf(b, "%s", e->filter);
		break;
	case REC_FOLLOW_RETURN:
		rec_follow_filter(b, "common_pid", f->tids, f->n);
		break;
	default:
		return false;
	}
	buf_u8(b, 0);
	return true;
}

static int apply_to(struct rec_follow *f, size_t event, struct err *err)
{
	const struct rec_event *e = rec_perf_event(f->perf, event);
	struct buf b;
	int rc = 0;

	buf_init(&b, 0);
	if (make_filter(f, e, &b))
		rc = buf_failed(&b) ? err_nomem(err) :
				      rec_perf_refilter(f->perf, event,
							(char *)b.p, err);
	buf_fini(&b);
	return rc;
}

/* Those who are followed are taken before the others leave them out. */
static int apply(struct rec_follow *f, struct err *err)
{
	size_t n = rec_perf_n_events(f->perf);
	int rc = 0;

	for (int others = 0; others < 2; others++)
		for (size_t i = 0; !rc && i < n; i++) {
			const struct rec_event *e = rec_perf_event(f->perf, i);

			if ((e->follow == REC_FOLLOW_OTHERS) == (others == 1) &&
			    (e->follow != REC_FOLLOW_CALL || !f->called))
				rc = apply_to(f, i, err);
		}
	f->called = true;
	return rc;
}

static void update(struct rec_follow *f, uint64_t now_ns)
{
	struct err err = { 0 };
	uint64_t begin;
	int rc;

	if (!f->changed || f->failed ||
	    f->spent_ns > FIRST_NS + (now_ns - f->begin_ns) / SHARE)
		return;
	forget_dead(f);
	f->changed = false;
	if (!f->n)
		return;
	begin = time_now_ns(CLOCK_MONOTONIC);
	rc = apply(f, &err);
	f->spent_ns += time_now_ns(CLOCK_MONOTONIC) - begin;
	if (rc >= 0)
		return;
	f->failed = true;
	log_warn(f->log, "threads that work with the GPU are no longer "
		 "followed: %s", err.text);
}

void rec_follow_begin(struct rec_follow *f, uint64_t now_ns)
{
	f->begin_ns = now_ns;
	for (size_t i = 0; i < rec_perf_n_events(f->perf); i++)
		f->on |= rec_perf_event(f->perf, i)->follow != REC_FOLLOW_NO;
	if (!f->on)
		return;
	f->nodes = rec_gpu_has_nodes(f->root);
	if (f->nodes)
		look_around(f, now_ns);
	/* What was asked to be recorded from its start on. */
	if (f->nodes)
		(void)follow(f, f->command, f->command);
	update(f, now_ns);
}

/* Each caller is given once, mostly. */
static void take_caller(void *ctx, pid_t pid, pid_t tid)
{
	struct rec_follow *f = ctx;

	if (follow(f, pid, tid) && f->nodes)
		(void)rec_gpu_files(f->root, pid, take_file, f, NULL);
}

void rec_follow_tick(struct rec_follow *f, uint64_t now_ns)
{
	if (!f->on || f->failed)
		return;
	rec_drain_callers(f->drain, take_caller, f);
	if (f->nodes && now_ns - f->again_ns >= AGAIN_NS)
		rec_follow_look_again(f, now_ns);
	if (f->nodes && now_ns - f->looked_ns >= LOOK_NS)
		look_around(f, now_ns);
	update(f, now_ns);
	rec_follow_facts(f, f->drain->shards[0].defs, false);
}

void rec_follow_facts(struct rec_follow *f, struct rec_defs *d, bool all)
{
	char key[64];

	for (size_t i = all ? 0 : f->n_told; i < f->n_files; i++) {
		const struct rec_gpu_file *x = &f->files[i];

		snprintf(key, sizeof(key), x->since_ns ?
			 "gpu.file.%d.%d.%" PRIu64 : "gpu.file.%d.%d",
			 (int)x->pid, x->fd, x->since_ns);
		rec_fact(d, key, "%s", x->path);
	}
	f->n_told = f->n_files;
}
