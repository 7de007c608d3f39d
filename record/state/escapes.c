#include "record/state/escapes.h"

#include "format/base/buf.h"
#include "format/base/mem.h"
#include "record/proc/procfs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXITING 0x4u /* PF_EXITING, include/linux/sched.h */

void rec_escapes_fini(struct rec_escapes *e)
{
	free(e->ended);
	*e = (struct rec_escapes){ 0 };
}

bool rec_escapes_note(struct rec_escapes *e, pid_t pid)
{
	if (!e->watching)
		return true;
	if (!mem_grow(&e->ended, &e->cap, e->n + 1, sizeof(*e->ended)))
		return false;
	e->ended[e->n++] = pid;
	return true;
}

/* The comm of /proc/PID/stat is in parentheses and may hold any; behind the
 * last one come the state, five ids and the flags (proc(5)). */
static bool runs(struct span stat, struct span *comm)
{
	const uint8_t *open = stat.n ? memchr(stat.p, '(', stat.n) : NULL;
	const uint8_t *shut = stat.n ? memrchr(stat.p, ')', stat.n) : NULL;
	struct span state, word;
	uint64_t flags;

	if (!open || !shut || shut < open)
		return false;
	*comm = span_of(open + 1, (size_t)(shut - open - 1));
	(void)span_skip(&stat, (size_t)(shut - stat.p) + 1);
	if (!rec_word(&stat, &state) || strchr("ZXx", state.p[0]))
		return false;
	for (int i = 0; i < 6; i++)
		if (!rec_word(&stat, &word))
			return false;
	return rec_number(word, 10, &flags) && !(flags & EXITING);
}

static void look(struct rec_escapes *e, pid_t pid, struct buf *b)
{
	struct span comm;

	buf_clear(b);
	if (rec_procfs_read(b, NULL, e->root, "/proc/%d/stat", (int)pid) < 0 ||
	    !runs(span_of(b->p, b->n), &comm) || e->found++)
		return;
	e->pid = pid;
	snprintf(e->comm, sizeof(e->comm), "%.*s", (int)comm.n,
		 (const char *)comm.p);
}

void rec_escapes_look(struct rec_escapes *e)
{
	struct buf b;

	if (!e->n)
		return;
	buf_init(&b, (size_t)1 << 20);
	for (size_t i = 0; i < e->n; i++)
		look(e, e->ended[i], &b);
	e->n = 0;
	buf_fini(&b);
}
