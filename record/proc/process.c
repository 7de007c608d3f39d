#include "record/proc/process.h"

#include "record/proc/procfs.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* "pid:[4026531836]" */
static uint64_t namespace_of(const char *path)
{
	char link[64];
	ssize_t n = readlink(path, link, sizeof(link));
	uint64_t inode;

	if (n < 7 || memcmp(link, "pid:[", 5) != 0 || link[n - 1] != ']' ||
	    !rec_number(span_of(link + 5, (size_t)n - 6), 10, &inode))
		return 0;
	return inode;
}

uint64_t rec_process_own_ns(const char *root)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/proc/self/ns/pid", root);
	return namespace_of(path);
}

/* "NSpid:	812	1": from the reader's namespace inwards. */
static uint64_t inner_pid(struct span status)
{
	struct span line, word;
	uint64_t pid = 0;

	while (rec_line(&status, &line)) {
		if (!span_begins(line, "NSpid:"))
			continue;
		(void)rec_word(&line, &word);
		while (rec_word(&line, &word))
			if (!rec_number(word, 10, &pid))
				return 0;
		break;
	}
	return pid;
}

static uint64_t ns_pid(const char *root, pid_t pid, struct buf *text)
{
	uint64_t inner = 0;

	buf_clear(text);
	if (rec_procfs_read(text, NULL, root, "/proc/%d/status",
			    (int)pid) == 0)
		inner = inner_pid(span_of(text->p, text->n));
	return inner;
}

/* "0::/system.slice/ssh.service" among the lines of older hierarchies. */
static struct span cgroup(const char *root, pid_t pid, struct buf *text)
{
	struct span all, line;

	buf_clear(text);
	if (rec_procfs_read(text, NULL, root, "/proc/%d/cgroup",
			    (int)pid) < 0)
		return span_of(NULL, 0);
	all = span_of(text->p, text->n);
	while (rec_line(&all, &line))
		if (span_begins(line, "0::") && span_skip(&line, 3))
			return line;
	return span_of(NULL, 0);
}

void rec_process_read(struct rec_process *out, const char *root, pid_t pid,
		      uint64_t own_ns, struct buf *text)
{
	char path[PATH_MAX];

	*out = (struct rec_process){ 0 };
	snprintf(path, sizeof(path), "%s/proc/%d/ns/pid", root, (int)pid);
	out->pid_ns = namespace_of(path);
	if (out->pid_ns && out->pid_ns == own_ns)
		out->ns_pid = (uint64_t)pid;
	else
		out->ns_pid = ns_pid(root, pid, text);
	out->cgroup = cgroup(root, pid, text);
}

bool rec_process_is_kernel(const char *root, pid_t pid)
{
	char path[PATH_MAX], link[8];

	snprintf(path, sizeof(path), "%s/proc/%d/exe", root, (int)pid);
	return readlink(path, link, sizeof(link)) < 0 && errno == ENOENT;
}
