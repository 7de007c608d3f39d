#include "record/proc/fds.h"

#include "format/base/calls.h"
#include "format/base/mem.h"
#include "format/base/time.h"
#include "record/perf/syscalls.h"
#include "record/proc/facts.h"
#include "record/proc/folder.h"
#include "record/proc/procfs.h"
#include "record/tracepoint/payload.h"

#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* readlink(2) of /proc/PID/fd/N takes about 2 us. Lists are told all again each
 * second; what was seen just before that waits for the next time. */
#define AGAIN_NS NSEC_PER_SEC
#define LOOK_NS (AGAIN_NS / 2)

#define NO_FILE 1u
#define FIRST_ARGUMENT 2u

#define LEFT_OUT                                                               \
	"calls are on more than %u files: of the rest only the numbers are "   \
	"known"

static bool enters(const struct rec_tracepoint *t)
{
	return t->is_syscall &&
	       strncmp(t->name, "sys_enter", strlen("sys_enter")) == 0;
}

/* Place of the file among the arguments; -1: none. */
static int argument_of(struct rec_fd_uses *u, uint64_t nr)
{
	const char *name;
	int at;

	if (nr >= REC_FD_CALLS)
		return -1;
	if (!u->calls[nr]) {
		name = rec_syscall_name(nr);
		at = name ? call_file_argument(name) : -1;
		u->calls[nr] = at < 0 ? NO_FILE :
				       (uint8_t)(at + (int)FIRST_ARGUMENT);
	}
	return (int)u->calls[nr] - (int)FIRST_ARGUMENT;
}

static void note(struct rec_fd_uses *u, pid_t pid, int32_t fd)
{
	uint64_t key = map64_pair((uint32_t)pid, (uint32_t)fd);
	uint64_t *known = &u->known[((uint32_t)pid * 61u + (uint32_t)fd) %
				    REC_FD_KNOWN];

	if (*known == key || u->n == REC_FD_LIST)
		return;
	*known = key;
	u->list[u->n++] = (struct rec_fd_use){ pid, fd };
}

void rec_fd_uses_note(struct rec_fd_uses *u, const struct rec_tracepoint *t,
		      struct span raw, pid_t pid)
{
	uint64_t nr, fd;
	int at;

	/* The number of the call comes first, then the arguments. */
	if (pid <= 0 || !enters(t) || !rec_payload_number(&nr, t, 0, raw))
		return;
	at = argument_of(u, nr);
	if (at >= 0 && rec_payload_number(&fd, t, 1 + (size_t)at, raw) &&
	    (uint32_t)fd <= INT32_MAX)
		note(u, pid, (int32_t)(uint32_t)fd);
}

void rec_fds_fini(struct rec_fds *f)
{
	free(f->v);
	map64_fini(&f->index);
	intern_fini(&f->targets);
	*f = (struct rec_fds){ 0 };
}

/* A driver has ioctls of its own. */
static void tell_driver(struct rec_fds *f, struct span node)
{
	static const char dri[] = "/dev/dri/";
	char path[PATH_MAX], link[PATH_MAX], key[PATH_MAX];
	ssize_t n;

	if (node.n <= sizeof(dri) - 1 || memcmp(node.p, dri, sizeof(dri) - 1))
		return;
	snprintf(path, sizeof(path), "%s/sys/class/drm/%s/device/driver",
		 f->root, (const char *)node.p + sizeof(dri) - 1);
	n = readlink(path, link, sizeof(link));
	if (n <= 0 || (size_t)n >= sizeof(link))
		return;
	snprintf(key, sizeof(key), "driver.%s", (const char *)node.p);
	rec_fact_text(f->defs, key, span_base_name(span_of(link, (size_t)n)));
}

static void tell(struct rec_fds *f, const struct rec_fd_sight *s)
{
	struct span target = intern_get(&f->targets, s->target);
	char key[64];
	int n = snprintf(key, sizeof(key), "file.%d.%" PRId32, (int)s->pid,
			 s->fd);

	if (s->again)
		snprintf(key + n, sizeof(key) - (size_t)n, ".%" PRIu64,
			 s->since_ns);
	rec_fact_text(f->defs, key, target);
}

static void tell_left_out(struct rec_fds *f)
{
	if (f->left_out && !f->said)
		rec_fact(f->defs, "note.files", LEFT_OUT, REC_FDS_MAX);
	f->said = f->left_out != 0;
}

/* What a descriptor is now; false: it was closed meanwhile, or we may not
 * look. */
static bool read_target(struct rec_fds *f, pid_t pid, int32_t fd, uint32_t *id,
			bool *is_new)
{
	char path[PATH_MAX], target[PATH_MAX];
	ssize_t n;

	snprintf(path, sizeof(path), "%s/proc/%d/fd/%" PRId32, f->root,
		 (int)pid, fd);
	n = readlink(path, target, sizeof(target));
	return n > 0 && (size_t)n < sizeof(target) &&
	       intern_put(&f->targets, target, (size_t)n, id, is_new);
}

static void add(struct rec_fds *f, const struct rec_fd_sight *s, bool is_new)
{
	uint32_t *at;
	bool first;

	if (f->n == REC_FDS_MAX) {
		f->left_out++;
		return;
	}
	if (!mem_grow(&f->v, &f->cap, f->n + 1, sizeof(*f->v)))
		return;
	at = map64_put(&f->index, map64_pair((uint32_t)s->pid,
					     (uint32_t)s->fd),
		       (uint32_t)f->n, &first);
	if (!at)
		return;
	*at = (uint32_t)f->n;
	f->v[f->n++] = *s;
	tell(f, s);
	if (is_new)
		tell_driver(f, intern_get(&f->targets, s->target));
}

/* What is seen at a descriptor holds for it from its last look on, which may
 * be wrong by a second: whoever reads it is told of every change. */
static void look(struct rec_fds *f, pid_t pid, int32_t fd, uint64_t now_ns)
{
	struct rec_fd_sight s = { .pid = pid, .fd = fd, .since_ns = now_ns,
				  .looked_ns = now_ns };
	uint32_t at;
	bool is_new = false;

	s.again = map64_get(&f->index,
			    map64_pair((uint32_t)pid, (uint32_t)fd), &at);
	if (s.again && now_ns - f->v[at].looked_ns < LOOK_NS)
		return;
	if (!s.again && f->n == REC_FDS_MAX) {
		f->left_out++;
		return;
	}
	if (!read_target(f, pid, fd, &s.target, &is_new))
		return;
	if (s.again && f->v[at].target == s.target)
		f->v[at].looked_ns = now_ns;
	else
		add(f, &s, is_new);
}

/* Closed when a program is executed: close-on-exec is a flag of the
 * descriptor, in octal. */
static bool closes(const struct rec_fds *f, pid_t pid, int32_t fd)
{
	struct buf text;
	struct span in, line, word;
	uint64_t flags = 0;

	buf_init(&text, 0);
	if (rec_procfs_read(&text, NULL, f->root, "/proc/%d/fdinfo/%" PRId32,
			    (int)pid, fd) == 0) {
		in = span_of(text.p, text.n);
		while (rec_line(&in, &line))
			if (rec_word(&line, &word) && span_is(word, "flags:") &&
			    rec_word(&line, &word))
				(void)rec_number(word, 8, &flags);
	}
	buf_fini(&text);
	return flags & O_CLOEXEC;
}

static void look_at_all(struct rec_fds *f, pid_t pid, bool forked)
{
	struct rec_folder folder = { 0 };
	char path[PATH_MAX];
	uint64_t fd;

	snprintf(path, sizeof(path), "%s/proc/%d/fd", f->root, (int)pid);
	if (rec_folder_read(&folder, path, NULL) == 0)
		for (size_t i = 0; i < folder.n; i++)
			if (rec_number(span_of(folder.names[i],
					       strlen(folder.names[i])),
				       10, &fd) && fd <= INT32_MAX &&
			    !(forked && closes(f, pid, (int32_t)fd)))
				look(f, pid, (int32_t)fd, 0);
	rec_folder_fini(&folder);
}

void rec_fds_begin(struct rec_fds *f, const struct rec_tracepoints *t,
		   const pid_t *pids, size_t n, bool forked)
{
	bool calls = false;

	for (size_t i = 0; i < t->tables.n; i++)
		calls |= enters(t->tables.items[i]);
	for (size_t i = 0; calls && i < n; i++)
		look_at_all(f, pids[i], forked);
	tell_left_out(f);
}

void rec_fds_take(struct rec_fds *f, struct rec_fd_uses *u, uint64_t now_ns)
{
	for (unsigned i = 0; i < u->n; i++)
		look(f, u->list[i].pid, u->list[i].fd, now_ns);
	u->n = 0;
	if (now_ns - u->cleared_ns >= AGAIN_NS) {
		memset(u->known, 0, sizeof(u->known));
		u->cleared_ns = now_ns;
	}
	tell_left_out(f);
}

void rec_fds_facts(struct rec_fds *f)
{
	f->said = false;
	for (size_t i = 0; i < f->n; i++)
		tell(f, &f->v[i]);
	for (uint32_t i = 0; i < f->targets.n; i++)
		tell_driver(f, intern_get(&f->targets, i));
	tell_left_out(f);
}
