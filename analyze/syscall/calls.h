/* System calls of a trace: begins and ends put together. They may be rows of
 * raw_syscalls, or of a tracepoint for each call. */
#ifndef ANALYZE_SYSCALL_CALLS_H
#define ANALYZE_SYSCALL_CALLS_H

#include "analyze/sched/tasks.h"
#include "analyze/selection.h"

#include "format/base/intern.h"

/* What is known of the begin of a call, or of its end where the trace has no
 * begin of it. */
struct an_sys_call {
	uint64_t from, to;       /* ns; 0: not in the trace */
	int64_t result;          /* where it has an end; less than 0: an error */
	uint32_t task, thread;
	uint32_t cpu, event, end_event; /* AN_NONE: the row is not there */
	uint32_t name;           /* id in `names` */
	uint32_t cmd;            /* of an ioctl; else 0 */
	int32_t fd;              /* that it is on; -1: none, or not known */
	uint32_t ip, kstack, ustack;
	uint32_t order;          /* in the file */
	uint8_t flags;           /* of the sample */
	bool is_last;            /* of its task: without an end it may still
				  * be under way */
};

struct an_sys_calls {
	struct an_sys_call *v;       /* by task, then by time */
	size_t n, cap;
	struct intern names;     /* "ioctl"; "call 999": a number without one */
	uint32_t ioctl;          /* its name */
	size_t n_ends;           /* rows that end a call */
	size_t in_children;      /* ends of a fork in the new task: left out */
};

/* ERR_LIMIT: a file made to exhaust memory. */
int an_sys_calls_make(struct an_sys_calls *out, struct an_trace *t,
		  const struct an_tasks *tasks, struct err *err);
void an_sys_calls_fini(struct an_sys_calls *c); /* a zeroed one is fine */

/* Those that touch the selected time, by selected threads, begun on selected
 * CPUs and at selected places, whose begin or end is of a selected event. */
bool an_sys_is_selected(const struct an_trace *t, const struct an_sys_call *c,
			 const struct an_selection *sel);

/* It began and it ended. */
static inline bool an_sys_is_whole(const struct an_sys_call *c)
{
	return c->from && c->to;
}

/* The error's number, which it has in all calls that can fail; 0: none. */
static inline uint32_t an_sys_error(const struct an_sys_call *c)
{
	return c->to && c->result < 0 && c->result >= -4095 ?
		       (uint32_t)-c->result : 0;
}

/* "EAGAIN"; NULL: no such error. */
const char *an_sys_error_name(uint32_t error);

#endif
