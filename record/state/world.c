#include "record/state/world.h"

#include "format/base/buf.h"
#include "record/proc/maps.h"
#include "record/proc/procfs.h"

#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>

#define COMM_MAX 15 /* bytes of a thread's name, TASK_COMM_LEN - 1 */

/* More than a small file of /proc ever holds. */
#define PROC_TEXT ((size_t)1 << 20)

int rec_world_init(struct rec_world *w, const char *root, struct err *err)
{
	static const char idle[] = "swapper";
	int rc;

	*w = (struct rec_world){ .root = root, .escapes.root = root };
	rc = rec_images_init(&w->images, err);
	if (rc == 0)
		rc = rec_kernel_init(&w->kernel, &w->images, root, err);
	if (rc < 0)
		return rc;
	w->no_mm = rec_mm_new(0, 0, 0);
	if (!w->no_mm ||
	    !rec_threads_add(&w->threads, 0, 0, span_of(idle, sizeof(idle) - 1),
			     w->no_mm, 0))
		return err_nomem(err);
	return 0;
}

void rec_world_fini(struct rec_world *w)
{
	rec_escapes_fini(&w->escapes);
	rec_threads_fini(&w->threads);
	rec_mm_put(w->no_mm);
	rec_cgroups_fini(&w->cgroups);
	rec_kernel_fini(&w->kernel);
	rec_images_fini(&w->images);
}

/* The address space of a process at a time: that of any of its threads. Its
 * first thread is asked before the one at hand. */
static struct rec_mm *mm_of(struct rec_world *w, int32_t pid, int32_t tid,
			    uint64_t time)
{
	struct rec_thread *t = rec_threads_at(&w->threads, tid, time);

	if (!t || t->pid != pid)
		t = rec_threads_at(&w->threads, pid, time);
	return t && t->pid == pid ? t->mm : NULL;
}

static struct rec_thread *add_thread(struct rec_world *w, int32_t tid,
				     int32_t pid, struct span comm,
				     struct rec_mm *mm, uint64_t from)
{
	struct rec_mm *own = NULL;
	struct rec_thread *t;

	if (!mm) {
		own = rec_mm_new(pid, 0, from);
		if (!own)
			return NULL;
		mm = own;
	}
	t = rec_threads_add(&w->threads, tid, pid, comm, mm, from);
	rec_mm_put(own);
	return t;
}

static struct span name_of(const struct rec_thread *t)
{
	return t ? span_of(t->comm, strlen(t->comm)) : span_of("", 0);
}

static int apply_comm(struct rec_world *w, const struct rec_record *r,
		      struct err *err)
{
	const struct rec_comm *c = &r->comm;
	struct rec_mm *mm = mm_of(w, c->pid, c->tid, r->ids.time);
	struct rec_mm *fresh = NULL;
	struct rec_thread *t;

	/* A new program has a new address space, which is empty until its
	 * mappings are announced; a rename keeps what there is. */
	if (c->exec) {
		fresh = rec_mm_exec(mm, c->pid, r->ids.time);
		if (!fresh)
			return err_nomem(err);
		fresh->pid_ns = mm ? mm->pid_ns : 0;
		mm = fresh;
	}
	t = add_thread(w, c->tid, c->pid, c->name, mm, r->ids.time);
	rec_mm_put(fresh);
	return t ? 0 : err_nomem(err);
}

static int apply_fork(struct rec_world *w, const struct rec_record *r,
		      struct err *err)
{
	const struct rec_task *f = &r->task;
	const struct rec_thread *parent =
		rec_threads_at(&w->threads, f->parent_tid, r->ids.time);
	struct rec_mm *mm = mm_of(w, f->parent_pid, f->parent_tid, r->ids.time);
	struct rec_mm *copy = NULL;
	struct rec_thread *t;

	if (mm && f->pid != f->parent_pid) {
		copy = rec_mm_fork(mm, f->pid, r->ids.time);
		if (!copy)
			return err_nomem(err);
		mm = copy;
	}
	t = add_thread(w, f->tid, f->pid, name_of(parent), mm, r->ids.time);
	rec_mm_put(copy);
	return t ? 0 : err_nomem(err);
}

static int map(struct rec_world *w, struct rec_mm *mm,
	       const struct rec_mapping *m, struct err *err)
{
	uint32_t version = mm->version;

	rec_mm_prune(mm, w->settled_ns);
	if (!rec_mm_map(mm, m))
		return err_nomem(err);
	for (struct rec_defs *d = w->defs; d && mm->version != version;
	     d = d->next)
		rec_defs_mapping(d, mm, m);
	return 0;
}

/* This kernel's own text is announced as a mapping of pid -1, and is known from
 * elsewhere. */
static int apply_kernel_mmap(struct rec_world *w, const struct rec_mmap *m,
			     struct err *err)
{
	return w->build_ids ? rec_kernel_map(&w->kernel, &w->images, m,
					     w->build_ids, err) : 0;
}

/* What a foreign recording says of an image; its files are no help. */
static void complete_image(const struct rec_world *w, struct rec_image *image,
			   struct span path)
{
	if (!w->build_ids)
		return;
	rec_build_ids_fill(w->build_ids, path, image);
	if (!image->build_id_size && image->kind == TF_IMAGE_ELF)
		image->generation = image->inode;
}

static bool is_of_guest(uint16_t mode)
{
	return mode == PERF_RECORD_MISC_GUEST_KERNEL ||
	       mode == PERF_RECORD_MISC_GUEST_USER;
}

static int apply_mmap(struct rec_world *w, const struct rec_record *r,
		      struct err *err)
{
	uint16_t mode = r->misc & PERF_RECORD_MISC_CPUMODE_MASK;
	const struct rec_mmap *m = &r->mmap;
	struct rec_image image = {
		.kind = rec_image_kind(m->path),
		.device = (uint64_t)m->major << 32 | m->minor,
		.inode = m->inode,
		.build_id_size = m->build_id_size,
	};
	struct rec_mapping to = {
		.start = m->start,
		.end = m->start + m->size,
		.offset = m->offset,
		.from = r->ids.time,
	};
	struct rec_mm *mm = mm_of(w, m->pid, m->tid, r->ids.time);
	int rc;

	if (is_of_guest(mode))
		return 0; /* its address spaces are not ours */
	if (m->pid < 0 || mode == PERF_RECORD_MISC_KERNEL)
		return apply_kernel_mmap(w, m, err);
	if (!mm) {
		struct rec_thread *t = rec_world_thread(w, &r->ids);

		if (!t)
			return err_nomem(err);
		mm = t->mm;
	}
	rec_threads_seen(&w->threads, m->tid, r->ids.time);
	memcpy(image.build_id, m->build_id, sizeof(image.build_id));
	complete_image(w, &image, m->path);
	rc = rec_images_add(&w->images, &image, m->path, &to.image, err);
	return rc ? rc : map(w, mm, &to, err);
}

static int apply_exit(struct rec_world *w, const struct rec_record *r,
		      struct err *err)
{
	const struct rec_task *t = &r->task;

	if (!rec_threads_exit(&w->threads, t->tid, r->ids.time) ||
	    (t->tid == t->pid && !rec_escapes_note(&w->escapes, t->pid)))
		return err_nomem(err);
	return 0;
}

/* A process stays in its pid namespace for good. */
static int apply_namespaces(struct rec_world *w, const struct rec_record *r)
{
	const struct rec_namespaces *ns = &r->namespaces;
	struct rec_mm *mm = mm_of(w, ns->pid, ns->tid, r->ids.time);

	if (mm && mm != w->no_mm)
		mm->pid_ns = ns->pid_ns;
	return 0;
}

int rec_world_apply(struct rec_world *w, const struct rec_record *r,
		    struct err *err)
{
	switch (r->type) {
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2:
		return apply_mmap(w, r, err);
	case PERF_RECORD_COMM:
		return apply_comm(w, r, err);
	case PERF_RECORD_FORK:
		return apply_fork(w, r, err);
	case PERF_RECORD_EXIT:
		return apply_exit(w, r, err);
	case PERF_RECORD_KSYMBOL:
		return rec_kernel_ksymbol(&w->kernel, &w->images, &r->ksymbol,
					  err);
	case PERF_RECORD_NAMESPACES:
		return apply_namespaces(w, r);
	case PERF_RECORD_CGROUP:
		return rec_cgroups_put(&w->cgroups, r->cgroup.id,
				       r->cgroup.path) ? 0 : err_nomem(err);
	default:
		return 0;
	}
}

struct scan {
	struct rec_world *w;
	struct err *err;
	pid_t pid;
	struct rec_mm *mm;
};

static int scan_map(void *ctx, const struct rec_map_line *line)
{
	struct scan *s = ctx;
	struct rec_image image = {
		.kind = rec_image_kind(line->path),
		.device = (uint64_t)line->major << 32 | line->minor,
		.inode = line->inode,
	};
	struct rec_mapping to = {
		.start = line->start,
		.end = line->end,
		.offset = line->offset,
	};
	int rc = rec_images_add(&s->w->images, &image, line->path, &to.image,
				s->err);

	/* What came by record is newer than this reading, or the same. */
	if (rc || rec_mm_find(s->mm, line->start, UINT64_MAX))
		return rc;
	return map(s->w, s->mm, &to, s->err);
}

static struct span comm_of(struct buf *b, const char *root, pid_t pid,
			   pid_t tid)
{
	struct span text, line;

	buf_clear(b);
	if (rec_procfs_read(b, NULL, root, "/proc/%d/task/%d/comm", (int)pid,
			    (int)tid) < 0)
		return span_of("", 0);
	text = span_of(b->p, b->n);
	if (!rec_line(&text, &line))
		return span_of("", 0);
	/* Of a kworker /proc shows what it works on, too; its name, as records
	 * have it, is no longer than TASK_COMM_LEN allows. */
	if (line.n > COMM_MAX)
		line.n = COMM_MAX;
	return line;
}

static int scan_thread(void *ctx, pid_t tid)
{
	struct scan *s = ctx;
	struct buf name;
	int rc = 0;

	if (rec_threads_at(&s->w->threads, tid, UINT64_MAX))
		return 0;
	buf_init(&name, PROC_TEXT);
	if (!rec_threads_add(&s->w->threads, tid, s->pid,
			     comm_of(&name, s->w->root, s->pid, tid), s->mm, 0))
		rc = err_nomem(s->err);
	buf_fini(&name);
	return rc;
}

int rec_world_scan_process(struct rec_world *w, pid_t pid, struct err *err)
{
	struct scan s = { .w = w, .err = err, .pid = pid };
	struct rec_thread *known = rec_threads_at(&w->threads, pid, UINT64_MAX);
	char tasks[64];
	int rc;

	s.mm = known && known->pid == pid ? rec_mm_get(known->mm)
					  : rec_mm_new(pid, 0, 0);
	if (!s.mm)
		return err_nomem(err);
	snprintf(tasks, sizeof(tasks), "/proc/%d/task", (int)pid);
	/* A process that ends meanwhile is no failure. */
	rc = rec_procfs_ids(w->root, tasks, scan_thread, &s, err);
	if (rc == 0)
		rc = rec_maps_read(w->root, pid, scan_map, &s, err);
	rec_mm_put(s.mm);
	return rc == ERR_NOMEM ? rc : 0;
}

static int scan_one(void *ctx, pid_t pid)
{
	struct scan *s = ctx;

	return rec_world_scan_process(s->w, pid, s->err);
}

int rec_world_scan(struct rec_world *w, struct err *err)
{
	struct scan s = { .w = w, .err = err };

	return rec_procfs_ids(w->root, "/proc", scan_one, &s, err);
}

/* "Tgid:" of its status; a thread that is gone has none. */
static pid_t process_of(const char *root, pid_t tid)
{
	static const char name[] = "Tgid:";
	struct span text, line, word;
	uint64_t pid = 0;
	struct buf b;

	buf_init(&b, PROC_TEXT);
	if (rec_procfs_read(&b, NULL, root, "/proc/%d/status", (int)tid) < 0)
		b.n = 0;
	text = span_of(b.p, b.n);
	while (!pid && rec_line(&text, &line))
		if (rec_word(&line, &word) && word.n == sizeof(name) - 1 &&
		    memcmp(word.p, name, word.n) == 0 &&
		    rec_word(&line, &word) && !rec_number(word, 10, &pid))
			pid = 0;
	buf_fini(&b);
	return (pid_t)pid;
}

int rec_world_scan_task(struct rec_world *w, pid_t tid, struct err *err)
{
	pid_t pid = process_of(w->root, tid);

	return pid ? rec_world_scan_process(w, pid, err) : 0;
}

/* Made up: its name from /proc if it still runs, else ":TID" as perf does. */
static struct rec_thread *guess(struct rec_world *w, const struct rec_ids *ids)
{
	char fallback[32];
	struct rec_thread *t;
	struct buf b;
	struct span name;

	buf_init(&b, PROC_TEXT);
	name = comm_of(&b, w->root, ids->pid, ids->tid);
	if (!name.n) {
		int n = snprintf(fallback, sizeof(fallback), ":%d", ids->tid);

		name = span_of(fallback, (size_t)n);
	}
	t = add_thread(w, ids->tid, ids->pid, name,
		       mm_of(w, ids->pid, ids->tid, ids->time), 0);
	buf_fini(&b);
	if (t)
		t->guessed = true;
	w->guessed++;
	return t;
}

int rec_world_name(struct rec_world *w, int32_t pid, int32_t tid,
		   struct span comm, struct err *err)
{
	const struct rec_thread *t =
		rec_threads_at(&w->threads, tid, UINT64_MAX);

	if (t && t->pid == pid && !t->guessed)
		return 0;
	return add_thread(w, tid, pid, comm, mm_of(w, pid, tid, UINT64_MAX),
			  0) ? 0 : err_nomem(err);
}

struct rec_thread *rec_world_known(const struct rec_world *w,
				   const struct rec_ids *ids)
{
	struct rec_thread *t = rec_threads_at(&w->threads, ids->tid, ids->time);

	/* Only the process id may be unknown: a thread on its way out. */
	return t && (t->pid == ids->pid || ids->pid < 0) ? t : NULL;
}

struct rec_thread *rec_world_thread(struct rec_world *w,
				    const struct rec_ids *ids)
{
	struct rec_thread *t = rec_world_known(w, ids);

	if (t)
		return t;
	if (ids->pid > 0 && !mm_of(w, ids->pid, ids->tid, ids->time)) {
		(void)rec_world_scan_process(w, ids->pid, NULL);
		t = rec_threads_at(&w->threads, ids->tid, ids->time);
		if (t && t->pid == ids->pid)
			return t;
	}
	return guess(w, ids);
}

void rec_world_prune(struct rec_world *w, uint64_t time_ns)
{
	w->settled_ns = time_ns;
	rec_threads_prune(&w->threads, time_ns);
	rec_escapes_look(&w->escapes);
}
