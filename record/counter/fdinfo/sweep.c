#include "record/counter/fdinfo/sweep.h"

#include "format/base/mem.h"
#include "format/base/time.h"
#include "record/proc/procfs.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <time.h>
#include <unistd.h>

enum { DRM_MAJOR = 226, ACCEL_MAJOR = 261 };

/* Of one CPU, in thousandths. */
#define SHARE 2
/* A clock of CPU time costs a system call. */
#define VISITS_A_CLOCK 16
#define FOR_NEW_MOST 4000000
#define NAMES_SIZE ((size_t)32 * 1024)

static uint64_t cpu_now(void)
{
	return time_now_ns(CLOCK_THREAD_CPUTIME_ID);
}

static bool begins(const char *text, const char *with)
{
	return strncmp(text, with, strlen(with)) == 0;
}

/* A node may have any name. To follow the link costs what reading it costs, so
 * that it is done for few. */
static bool is_drm(int folder, const char *fd, const char *target)
{
	static const char *const others[] = {
		"/dev/null", "/dev/pts/", "/dev/tty",  "/dev/zero",
		"/dev/shm/", "/dev/fuse", "/dev/ptmx", "/dev/urandom",
		"/dev/random",
	};
	struct stat st;

	if (begins(target, "/dev/dri/") || begins(target, "/dev/accel/"))
		return true;
	if (!begins(target, "/dev/"))
		return false;
	for (size_t i = 0; i < ARRAY_LEN(others); i++)
		if (begins(target, others[i]))
			return false;
	return fstatat(folder, fd, &st, 0) == 0 && S_ISCHR(st.st_mode) &&
	       (major(st.st_rdev) == DRM_MAJOR ||
		major(st.st_rdev) == ACCEL_MAJOR);
}

/* Walks the names in a folder, by way of s->names. */
struct entries {
	int folder;
	size_t at, n;
	bool over;
};

static bool read_entries(struct rec_drm_sweep *s, struct entries *e)
{
	ssize_t n = e->over ? 0 : getdents64(e->folder, s->names, NAMES_SIZE);

	e->at = 0;
	e->n = n > 0 ? (size_t)n : 0;
	/* There is room for some thousand of them: less is all. */
	e->over = e->n < NAMES_SIZE / 2;
	return e->n > 0;
}

/* NULL: no more. */
static const char *next_entry(struct rec_drm_sweep *s, struct entries *e)
{
	const size_t head = offsetof(struct dirent64, d_name);
	unsigned short size;
	const char *entry;

	if (e->at >= e->n && !read_entries(s, e))
		return NULL;
	entry = (const char *)s->names + e->at;
	memcpy(&size, entry + offsetof(struct dirent64, d_reclen),
	       sizeof(size));
	e->at += size > head ? size : e->n;
	return entry + head;
}

static void look_at_file(struct rec_drm_sweep *s, int folder, pid_t pid,
			 const char *name)
{
	char target[256];
	const char *base;
	uint64_t fd;
	ssize_t n;

	if (!rec_number(span_of(name, strlen(name)), 10, &fd) || fd > INT_MAX)
		return;
	n = readlinkat(folder, name, target, sizeof(target) - 1);
	if (n <= 0)
		return;
	target[n] = 0;
	if (!is_drm(folder, name, target))
		return;
	base = strrchr(target, '/');
	s->each(s->ctx, pid, (int)fd, base ? base + 1 : target);
}

/* One that ended meanwhile has nothing open. This is done for each process there
 * is: without opendir(), which asks for what is known already. */
static void look_at(struct rec_drm_sweep *s, pid_t pid)
{
	char path[32];
	struct entries e = { .n = 0 };
	const char *name;

	snprintf(path, sizeof(path), "%d/fd", (int)pid);
	e.folder = openat(s->proc, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (e.folder < 0) {
		s->denied += errno != ENOENT && errno != ESRCH;
		return;
	}
	while ((name = next_entry(s, &e)))
		look_at_file(s, e.folder, pid, name);
	close(e.folder);
}

static int by_pid(const void *a, const void *b)
{
	return CMP(*(const pid_t *)a, *(const pid_t *)b);
}

static bool add(struct rec_drm_pids *p, pid_t pid)
{
	if (!mem_grow(&p->items, &p->cap, p->n + 1, sizeof(*p->items)))
		return false;
	p->items[p->n++] = pid;
	return true;
}

/* The kernel lists them in order; a tree of files need not. */
static void in_order(struct rec_drm_pids *p)
{
	for (size_t i = 1; i < p->n; i++)
		if (p->items[i] < p->items[i - 1]) {
			qsort(p->items, p->n, sizeof(*p->items), by_pid);
			return;
		}
}

/* The last word of loadavg is the latest number of a process or thread of the
 * reader's namespace (kernel, fs/proc/loadavg.c), so that it says nothing where
 * /proc is another one's. 0: unknown. */
static uint64_t latest_pid(const struct rec_drm_sweep *s)
{
	char text[128];
	const char *word;
	uint64_t pid = 0;
	ssize_t n = readlinkat(s->proc, "self", text, sizeof(text) - 1);
	int file = -1;

	if (n > 0 && rec_number(span_of(text, (size_t)n), 10, &pid) &&
	    pid == (uint64_t)getpid())
		file = openat(s->proc, "loadavg", O_RDONLY | O_CLOEXEC);
	if (file < 0)
		return 0;
	n = read(file, text, sizeof(text) - 1);
	close(file);
	/* Its line's end, too, is cut off. */
	text[n > 0 ? n - 1 : 0] = 0;
	word = strrchr(text, ' ');
	return word && rec_number(span_of(word + 1, strlen(word + 1)), 10, &pid)
		? pid : 0;
}

static void list_again(struct rec_drm_sweep *s)
{
	for (size_t i = 0; i < s->before.n; i++)
		s->denied += !add(&s->now, s->before.items[i]);
}

static void list_all(struct rec_drm_sweep *s)
{
	struct entries e = { .n = 0 };
	const char *name;
	uint64_t pid;

	e.folder = openat(s->proc, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (e.folder < 0)
		return;
	while ((name = next_entry(s, &e)))
		if (rec_number(span_of(name, strlen(name)), 10, &pid) && pid &&
		    pid <= INT_MAX)
			s->denied += !add(&s->now, (pid_t)pid);
	close(e.folder);
}

/* The lists move on by one. Where no process began since the list before the last
 * one, all there are are in the last one: a number is given a moment before its
 * process is to be seen. */
static void list(struct rec_drm_sweep *s)
{
	struct rec_drm_pids oldest = s->long_before;
	uint64_t latest = s->n_only ? 0 : latest_pid(s);
	bool none_began = latest && latest == s->latest;

	s->long_before = s->before;
	s->before = s->now;
	s->now = oldest;
	s->now.n = 0;
	s->now.at_ns = time_now_ns(CLOCK_MONOTONIC);
	for (size_t i = 0; i < s->n_only; i++)
		s->denied += !add(&s->now, s->only[i]);
	if (none_began && s->none_began)
		list_again(s);
	else if (!s->n_only)
		list_all(s);
	in_order(&s->now);
	s->latest = latest;
	s->none_began = none_began;
}

static void look_at_all(struct rec_drm_sweep *s)
{
	uint64_t begin = cpu_now();

	s->opened = false;
	s->watched_ns = s->all_ns;
	for (size_t i = 0; i < s->now.n; i++)
		look_at(s, s->now.items[i]);
	s->cost_ns = cpu_now() - begin;
	/* What one of a few is handed may be old. */
	s->all_ns = s->n_only ? 0 : s->now.at_ns;
}

void rec_drm_sweep_all(struct rec_drm_sweep *s)
{
	s->denied = 0;
	list(s);
	look_at_all(s);
}

/* Twice, as a program opens its GPU some time after it began. What cannot be
 * paid for is left for the next look at all. */
static void look_at_new(struct rec_drm_sweep *s, int64_t credit_ns)
{
	const struct rec_drm_pids *known = &s->long_before;
	uint64_t begin = cpu_now();
	size_t k = 0, n = 0;

	s->watched_ns = known->at_ns > s->all_ns ? known->at_ns : s->all_ns;
	for (size_t i = 0; i < s->now.n; i++) {
		pid_t pid = s->now.items[i];

		while (k < known->n && known->items[k] < pid)
			k++;
		if (k < known->n && known->items[k] == pid)
			continue;
		if (n++ % VISITS_A_CLOCK == VISITS_A_CLOCK - 1 &&
		    (int64_t)(cpu_now() - begin) > credit_ns)
			return;
		look_at(s, pid);
	}
}

/* Whether somebody opened one since; the folder itself does not count. */
static bool hear(struct rec_drm_sweep *s)
{
	char text[4096] __attribute__((aligned(8)));
	struct inotify_event e;
	bool opened = false;
	ssize_t n;

	while (s->notify >= 0 &&
	       (n = read(s->notify, text, sizeof(text))) > 0) {
		size_t size = (size_t)n;

		for (size_t at = 0; at + sizeof(e) <= size;
		     at += sizeof(e) + e.len) {
			memcpy(&e, text + at, sizeof(e));
			opened |= !(e.mask & IN_ISDIR);
		}
	}
	s->opened |= opened;
	return opened;
}

static int64_t earned(int64_t had_ns, uint64_t passed_ns, uint64_t most_ns)
{
	int64_t has = had_ns + (int64_t)(passed_ns / 1000 * SHARE);

	return has < (int64_t)most_ns ? has : (int64_t)most_ns;
}

/* Processes that were asked for are few. Otherwise what a look at all costs must
 * have been saved, and where nobody opened a node twice that, so that there is
 * enough for the next who does. */
static bool may_look_at_all(const struct rec_drm_sweep *s)
{
	int64_t cost = (int64_t)s->cost_ns;

	return s->n_only || s->for_all_ns >= (s->opened ? cost : 2 * cost);
}

bool rec_drm_sweep_tick(struct rec_drm_sweep *s, uint64_t now_ns)
{
	uint64_t begin = cpu_now(), passed = now_ns - s->ticked_ns;
	bool opened;

	if (passed < NSEC_PER_SEC)
		return false;
	s->for_new_ns = earned(s->for_new_ns, passed, FOR_NEW_MOST);
	s->for_all_ns = earned(s->for_all_ns, passed, 2 * s->cost_ns);
	s->ticked_ns = now_ns;
	opened = hear(s);
	if (may_look_at_all(s)) {
		rec_drm_sweep_all(s);
		s->for_all_ns -= (int64_t)s->cost_ns;
	} else if (opened || s->for_new_ns > 0) {
		list(s);
		look_at_new(s, opened ? FOR_NEW_MOST : s->for_new_ns);
		s->for_new_ns -= (int64_t)(cpu_now() - begin);
		if (s->for_new_ns < -FOR_NEW_MOST)
			s->for_new_ns = -FOR_NEW_MOST;
	}
	return true;
}

static void listen_to(struct rec_drm_sweep *s, const char *root)
{
	static const char *const folders[] = { "/dev/dri", "/dev/accel" };
	char path[PATH_MAX];

	s->notify = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
	for (size_t i = 0; s->notify >= 0 && i < ARRAY_LEN(folders); i++) {
		snprintf(path, sizeof(path), "%s%s", root, folders[i]);
		(void)inotify_add_watch(s->notify, path, IN_OPEN | IN_ONLYDIR);
	}
}

int rec_drm_sweep_open(struct rec_drm_sweep *s, const char *root,
		       const pid_t *only, size_t n_only, rec_drm_file_fn *each,
		       void *ctx, struct err *err)
{
	char path[PATH_MAX];

	*s = (struct rec_drm_sweep){ .only = only, .n_only = n_only,
				     .each = each, .ctx = ctx, .notify = -1,
				     .proc = -1 };
	s->names = malloc(NAMES_SIZE);
	if (!s->names)
		return err_nomem(err);
	snprintf(path, sizeof(path), "%s/proc", root);
	s->proc = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (s->proc < 0)
		return err_sys(err, errno, "cannot list '%s'", path);
	listen_to(s, root);
	s->ticked_ns = time_now_ns(CLOCK_MONOTONIC);
	rec_drm_sweep_all(s);
	/* Or all would be new to the list before last. */
	list(s);
	/* Enough for the first who opens a node. */
	s->for_all_ns = (int64_t)s->cost_ns;
	return 0;
}

void rec_drm_sweep_close(struct rec_drm_sweep *s)
{
	if (s->proc >= 0)
		close(s->proc);
	if (s->notify >= 0)
		close(s->notify);
	free(s->now.items);
	free(s->before.items);
	free(s->long_before.items);
	free(s->names);
	*s = (struct rec_drm_sweep){ .proc = -1, .notify = -1 };
}
