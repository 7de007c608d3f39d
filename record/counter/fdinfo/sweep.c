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
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <time.h>
#include <unistd.h>

enum { DRM_MAJOR = 226, ACCEL_MAJOR = 261 };

/* Of one CPU, in thousandths. */
#define SHARE 2
#define SHARE_OPENERS 10
/* A clock of CPU time costs a system call. */
#define VISITS_A_CLOCK 16
#define FOR_NEW_MOST 4000000
#define FOR_OPENERS_MOST 40000000
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
	s->clients += s->each(s->ctx, pid, (int)fd, base ? base + 1 : target);
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

/* Or it is that of another namespace. */
static bool is_own(int proc)
{
	char text[32];
	uint64_t pid;
	ssize_t n = readlinkat(proc, "self", text, sizeof(text));

	return n > 0 && rec_number(span_of(text, (size_t)n), 10, &pid) &&
	       pid == (uint64_t)getpid();
}

/* The last word of loadavg is the latest number of a process or thread of the
 * reader's namespace (kernel, fs/proc/loadavg.c), so that it says nothing where
 * /proc is another one's. 0: unknown. */
static uint64_t latest_pid(const struct rec_drm_sweep *s)
{
	char text[128];
	const char *word;
	uint64_t pid;
	ssize_t n;
	int file = s->own ? openat(s->proc, "loadavg", O_RDONLY | O_CLOEXEC)
			  : -1;

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

static void list_again(struct rec_drm_sweep *s, const struct rec_drm_pids *last)
{
	for (size_t i = 0; i < last->n; i++)
		s->denied += !add(&s->now, last->items[i]);
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

/* Where no process began since the list before the last one, all there are are in
 * the last one: a number is given a moment before its process is to be seen.
 * `last` is that list; NULL: the one that is made anew. */
static void fill(struct rec_drm_sweep *s, const struct rec_drm_pids *last)
{
	uint64_t latest = s->n_only ? 0 : latest_pid(s);
	bool none_began = latest && latest == s->latest;
	bool same = none_began && s->none_began;

	s->latest = latest;
	s->none_began = none_began;
	if (same && !last)
		return;
	s->now.n = 0;
	s->now.at_ns = time_now_ns(CLOCK_MONOTONIC);
	for (size_t i = 0; i < s->n_only; i++)
		s->denied += !add(&s->now, s->only[i]);
	if (same)
		list_again(s, last);
	else if (!s->n_only)
		list_all(s);
	in_order(&s->now);
}

/* The lists move on by one. */
static void list(struct rec_drm_sweep *s)
{
	struct rec_drm_pids oldest = s->long_before;

	s->long_before = s->before;
	s->before = s->now;
	s->now = oldest;
	fill(s, &s->before);
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

static bool is_asked_for(const struct rec_drm_sweep *s, pid_t pid)
{
	for (size_t i = 0; i < s->n_only; i++)
		if (s->only[i] == pid)
			return true;
	return !s->n_only;
}

static struct rec_drm_opener *opener_of(struct rec_drm_sweep *s, pid_t pid)
{
	for (size_t i = 0; i < s->n_openers; i++)
		if (s->openers[i].pid == pid)
			return &s->openers[i];
	return NULL;
}

static void hear(void *ctx, pid_t pid)
{
	struct rec_drm_sweep *s = ctx;
	struct rec_drm_opener *o = pid ? opener_of(s, pid) : NULL;

	if (!pid || (!o && s->n_openers == REC_DRM_OPENERS)) {
		s->opened = s->heard = true;
		return;
	}
	if (!is_asked_for(s, pid))
		return;
	if (!o) {
		o = &s->openers[s->n_openers++];
		o->opened = 0;
	}
	/* What one of a few is handed may be old. */
	if (!o->opened || o->looks)
		*o = (struct rec_drm_opener){
			.pid = pid, .since_ns = s->n_only ? 0 : s->earned_ns,
		};
	o->opened++;
}

/* Once more where less was found than opened: the kernel tells of it before the
 * file has a number. What is not there then is closed, or somebody else has it. */
static void look_at_openers(struct rec_drm_sweep *s)
{
	size_t kept = 0;

	for (size_t i = 0; i < s->n_openers; i++) {
		struct rec_drm_opener *o = &s->openers[i];
		uint64_t begin = cpu_now(), clients = s->clients;

		if (s->for_openers_ns > 0) {
			s->watched_ns = o->since_ns;
			look_at(s, o->pid);
			o->looks++;
			o->clients += s->clients - clients;
			s->for_openers_ns -= (int64_t)(cpu_now() - begin);
		}
		if (o->looks < 2 && o->clients < o->opened)
			s->openers[kept++] = *o;
		else
			s->opened |= !o->clients;
	}
	s->n_openers = kept;
}

static void earn(int64_t *ns, uint64_t passed_ns, unsigned share, uint64_t most)
{
	*ns += (int64_t)(passed_ns / 1000 * share);
	if (*ns > (int64_t)most)
		*ns = (int64_t)most;
}

/* Processes that were asked for are few. Otherwise what a look at all costs must
 * have been saved, and where nobody opened a node twice that, so that there is
 * enough for the next who does. */
static bool may_look_at_all(const struct rec_drm_sweep *s)
{
	int64_t cost = (int64_t)s->cost_ns;

	return s->n_only || s->for_all_ns >= (s->opened ? cost : 2 * cost);
}

/* At all, or at so many new ones as `credit_ns` pays for. Between the times for
 * new ones the lists stay, or a program would be new for less than a second. */
static void look_around(struct rec_drm_sweep *s, int64_t credit_ns, bool timely)
{
	uint64_t begin = cpu_now();
	bool all = may_look_at_all(s);

	if (!all && credit_ns <= 0)
		return;
	if (all)
		s->denied = 0;
	if (timely)
		list(s);
	else
		fill(s, NULL);
	if (all) {
		look_at_all(s);
		s->for_all_ns -= (int64_t)s->cost_ns;
		return;
	}
	look_at_new(s, credit_ns);
	s->for_new_ns -= (int64_t)(cpu_now() - begin);
	if (s->for_new_ns < -FOR_NEW_MOST)
		s->for_new_ns = -FOR_NEW_MOST;
}

bool rec_drm_sweep_tick(struct rec_drm_sweep *s, uint64_t now_ns)
{
	uint64_t passed = now_ns - s->earned_ns;
	bool timely = now_ns - s->ticked_ns >= NSEC_PER_SEC;

	earn(&s->for_openers_ns, passed, SHARE_OPENERS, FOR_OPENERS_MOST);
	earn(&s->for_new_ns, passed, SHARE, FOR_NEW_MOST);
	earn(&s->for_all_ns, passed, SHARE, 2 * s->cost_ns);
	s->heard = false;
	rec_drm_opens_hear(&s->opens, hear, s);
	s->somebody |= s->heard;
	s->earned_ns = now_ns;
	look_at_openers(s);
	if (timely) {
		look_around(s, s->somebody ? FOR_NEW_MOST : s->for_new_ns,
			    true);
		s->somebody = false;
		s->ticked_ns = now_ns;
	} else if (s->heard) {
		look_around(s, s->for_new_ns, false);
	}
	return timely;
}

int rec_drm_sweep_open(struct rec_drm_sweep *s, const char *root,
		       const pid_t *only, size_t n_only, rec_drm_file_fn *each,
		       void *ctx, struct err *err)
{
	char path[PATH_MAX];

	*s = (struct rec_drm_sweep){ .only = only, .n_only = n_only,
				     .each = each, .ctx = ctx,
				     .opens.file = -1, .proc = -1 };
	s->names = malloc(NAMES_SIZE);
	if (!s->names)
		return err_nomem(err);
	snprintf(path, sizeof(path), "%s/proc", root);
	s->proc = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (s->proc < 0)
		return err_sys(err, errno, "cannot list '%s'", path);
	s->own = is_own(s->proc);
	rec_drm_opens_open(&s->opens, root, s->own);
	s->ticked_ns = s->earned_ns = time_now_ns(CLOCK_MONOTONIC);
	rec_drm_sweep_all(s);
	/* Or all would be new to the list before last. */
	list(s);
	/* Enough for the first who opens a node. */
	s->for_all_ns = (int64_t)s->cost_ns;
	s->for_openers_ns = FOR_OPENERS_MOST;
	return 0;
}

void rec_drm_sweep_close(struct rec_drm_sweep *s)
{
	if (s->proc >= 0)
		close(s->proc);
	rec_drm_opens_close(&s->opens);
	free(s->now.items);
	free(s->before.items);
	free(s->long_before.items);
	free(s->names);
	*s = (struct rec_drm_sweep){ .proc = -1, .opens.file = -1 };
}
