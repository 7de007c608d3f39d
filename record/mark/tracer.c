#include "record/mark/tracer.h"

#include "record/proc/procfs.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define NAME "coltrace-"
#define READ_SIZE ((size_t)16 * 1024)
#define TEXT_MAX ((size_t)256 * 1024)

/* Lines wait for a tick or so: less than the kernel's default. */
#define BUFFER_KB "256"

static const char *const tracefs[] = {
	"/sys/kernel/tracing/instances", "/sys/kernel/debug/tracing/instances",
};

static const char *instances_of(const char *root, char path[PATH_MAX / 2])
{
	for (size_t i = 0; i < 2; i++)
		if (snprintf(path, PATH_MAX / 2, "%s%s", root, tracefs[i]) <
			    PATH_MAX / 2 &&
		    access(path, F_OK) == 0)
			return path;
	return NULL;
}

static int write_file(const struct rec_mark_tracer *t, const char *name,
		      const char *value)
{
	char path[PATH_MAX];
	int fd, errnum = 0;

	snprintf(path, sizeof(path), "%s/%s", t->instance, name);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return errno;
	if (write(fd, value, strlen(value)) < 0)
		errnum = errno;
	close(fd);
	return errnum;
}

/* Recorders of several pid namespaces may have one pid. */
static int make_instance(struct rec_mark_tracer *t, const char *folder,
			 struct err *err)
{
	int errnum = EEXIST;

	for (int i = 0; i < 10 && errnum == EEXIST; i++) {
		snprintf(t->instance, sizeof(t->instance), "%s/" NAME "%d-%d",
			 folder, getpid(), i);
		errnum = mkdir(t->instance, 0700) ? errno : 0;
	}
	if (!errnum)
		return 0;
	t->instance[0] = '\0';
	return err_sys(err, errnum, "no trace instance in '%s'", folder);
}

static int set_up(struct rec_mark_tracer *t, struct err *err)
{
	char path[PATH_MAX];
	int errnum = write_file(t, "options/copy_trace_marker", "1");

	if (errnum == ENOENT)
		return err_set(err, ERR_UNSUPPORTED,
			       "this kernel does not copy it (Linux 6.16 and "
			       "later do)");
	if (!errnum)
		errnum = write_file(t, "trace_clock", "mono");
	if (!errnum)
		errnum = write_file(t, "options/raw", "1");
	if (errnum)
		return err_sys(err, errnum, "cannot set up '%s'", t->instance);
	(void)write_file(t, "buffer_size_kb", BUFFER_KB);
	snprintf(path, sizeof(path), "%s/trace_pipe", t->instance);
	t->pipe = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (t->pipe < 0)
		return err_sys(err, errno, "cannot open '%s'", path);
	return 0;
}

int rec_mark_tracer_open(struct rec_mark_tracer *t, const char *root,
			 struct err *err)
{
	char path[PATH_MAX / 2];
	const char *folder = instances_of(root, path);
	int rc;

	*t = (struct rec_mark_tracer){ .pipe = -1 };
	buf_init(&t->text, TEXT_MAX);
	buf_init(&t->line, REC_MARK_TEXT_MAX);
	if (!folder)
		return err_set(err, ERR_UNSUPPORTED,
			       "no tracefs here, or no permission to see it "
			       "(try: as root, mount -t tracefs nodev "
			       "/sys/kernel/tracing)");
	rc = make_instance(t, folder, err);
	if (rc == 0)
		rc = set_up(t, err);
	if (rc < 0)
		rec_mark_tracer_fini(t);
	return rc;
}

void rec_mark_tracer_stop(struct rec_mark_tracer *t)
{
	if (t->pipe >= 0)
		(void)write_file(t, "tracing_on", "0");
}

void rec_mark_tracer_fini(struct rec_mark_tracer *t)
{
	if (t->pipe >= 0)
		close(t->pipe);
	t->pipe = -1;
	if (t->instance[0])
		(void)rmdir(t->instance);
	t->instance[0] = '\0';
	buf_fini(&t->text);
	buf_fini(&t->line);
}

/* The kernel refuses to remove one that is in use, which is what keeps those of
 * recorders in another pid namespace. */
void rec_mark_tracer_remove_dead(const char *root)
{
	char folder[PATH_MAX / 2], path[PATH_MAX];
	const char *found = instances_of(root, folder);
	DIR *d = found ? opendir(folder) : NULL;
	struct dirent *e;

	while (d && (e = readdir(d))) {
		const char *pid = e->d_name + sizeof(NAME) - 1;
		uint64_t n;

		if (strncmp(e->d_name, NAME, sizeof(NAME) - 1) != 0 ||
		    !rec_number(span_of(pid, strcspn(pid, "-")), 10, &n))
			continue;
		snprintf(path, sizeof(path), "%s/proc/%lu", root,
			 (unsigned long)n);
		if (access(path, F_OK) == 0)
			continue;
		snprintf(path, sizeof(path), "%s/%s", folder, e->d_name);
		(void)rmdir(path);
	}
	if (d)
		closedir(d);
}

/* "PID CPU TIME # ADDRESS TEXT"; what was written to trace_marker_raw reads
 * "# ID buf: …" with a number of 32 bits. */
static bool take_head(struct span *line, struct rec_mark *out)
{
	uint64_t pid, cpu, address;
	struct span w[5];

	for (size_t i = 0; i < 5; i++)
		if (!rec_word(line, &w[i]))
			return false;
	if (!rec_number(w[0], 10, &pid) || pid > INT32_MAX ||
	    !rec_number(w[1], 10, &cpu) || !rec_number(w[2], 10, &out->time) ||
	    !span_is(w[3], "#") || !rec_number(w[4], 16, &address))
		return false;
	if (line->n && line->p[0] == ' ')
		(void)span_skip(line, 1);
	if (address <= UINT32_MAX && line->n >= 4 &&
	    memcmp(line->p, "buf:", 4) == 0)
		return false;
	out->source = TF_MARK_TRACER;
	out->pid = (uint32_t)pid;
	return true;
}

static bool is_entry(struct span line)
{
	struct rec_mark m;

	return take_head(&line, &m);
}

/* "CPU:1 [LOST 12 EVENTS]" */
static bool take_loss(struct span line, uint64_t *lost)
{
	struct span cpu, word, number;
	uint64_t n;

	if (!rec_word(&line, &cpu) || cpu.n < 4 ||
	    memcmp(cpu.p, "CPU:", 4) != 0 || !rec_word(&line, &word) ||
	    !span_is(word, "[LOST") || !rec_word(&line, &number))
		return false;
	*lost += rec_number(number, 10, &n) ? n : 1;
	return true;
}

static bool take_line(struct span *text, struct span *line)
{
	const uint8_t *end = text->n ? memchr(text->p, '\n', text->n) : NULL;

	if (!end)
		return false;
	(void)span_take(text, (size_t)(end - text->p), line);
	return span_skip(text, 1);
}

static void append(struct buf *to, struct span line)
{
	size_t room = REC_MARK_TEXT_MAX - to->n;

	buf_put(to, line.p, line.n < room ? line.n : room);
}

/* Further lines of an entry. false: more of it may come. */
static bool take_rest(struct span *text, bool whole, struct buf *line,
		      uint64_t *lost)
{
	struct span before = *text, more;

	while (take_line(text, &more)) {
		if (is_entry(more)) {
			*text = before;
			return true;
		}
		before = *text;
		if (take_loss(more, lost))
			continue;
		append(line, span_of("\n", 1));
		append(line, more);
	}
	return whole;
}

int rec_mark_tracer_parse(struct span *text, bool whole, struct buf *line,
			  struct rec_mark *out, uint64_t *lost)
{
	struct span rest = *text, first;

	while (take_line(&rest, &first)) {
		struct span said = first;
		uint64_t missed = 0;

		if (!take_head(&said, out)) {
			(void)take_loss(first, lost);
			*text = rest;
			continue;
		}
		buf_clear(line);
		append(line, said);
		if (!take_rest(&rest, whole, line, &missed))
			return 1;
		*text = rest;
		*lost += missed;
		out->text = span_of(line->p, line->n);
		if (out->text.n && !buf_failed(line))
			return 0;
	}
	return 1;
}

/* Reads until nothing is there or the text is as long as it may be. */
static void read_more(struct rec_mark_tracer *t)
{
	size_t left = t->text.n - t->at;

	if (left)
		memmove(t->text.p, t->text.p + t->at, left);
	t->text.n = left;
	t->at = 0;
	t->whole = false;
	while (t->text.n + READ_SIZE <= TEXT_MAX) {
		uint8_t *to = buf_room(&t->text, READ_SIZE);
		ssize_t n = to ? read(t->pipe, to, READ_SIZE) : 0;

		if (n > 0) {
			t->text.n += (size_t)n;
			continue;
		}
		t->whole = n < 0 && errno == EAGAIN;
		if (!(n < 0 && errno == EINTR))
			break;
	}
	/* One endless line is none. */
	if (t->text.n + READ_SIZE > TEXT_MAX &&
	    !memchr(t->text.p, '\n', t->text.n))
		t->text.n = 0;
}

static int parse(struct rec_mark_tracer *t, struct rec_mark *out)
{
	struct span text = span_of(t->text.p + t->at, t->text.n - t->at);
	int rc;

	if (!text.n)
		return 1;
	rc = rec_mark_tracer_parse(&text, t->whole, &t->line, out, &t->lost);
	t->at = t->text.n - text.n;
	return rc;
}

int rec_mark_tracer_take(struct rec_mark_tracer *t, struct rec_mark *out)
{
	if (t->pipe < 0)
		return 1;
	if (parse(t, out) == 0)
		return 0;
	read_more(t);
	return parse(t, out);
}
