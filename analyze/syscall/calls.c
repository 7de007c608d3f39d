#include "analyze/syscall/calls.h"

#include "analyze/sched/points.h"
#include "analyze/selection/spots.h"

#include "format/base/calls.h"
#include "format/base/mem.h"
#include "format/catalog.h"
#include "format/schema.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum kind { K_ENTER, K_EXIT, K_RAW_ENTER, K_RAW_EXIT, N_KINDS };
enum { F_NUMBER, F_RESULT };

/* Arguments are the columns behind the number, whatever they are called. */
#define NUMBER "id __syscall_nr nr"

/* rt_sigreturn ends as what the signal came upon, which is no call. */
#define NO_NUMBER UINT64_MAX

#define FIRST_OWN 512u

static const struct an_point_kind kinds[N_KINDS] = {
	[K_ENTER] = { "syscalls:sys_enter_*", { [F_NUMBER] = NUMBER }, { 0 } },
	[K_EXIT] = { "syscalls:sys_exit_*", { [F_NUMBER] = NUMBER,
					      [F_RESULT] = "ret" }, { 0 } },
	[K_RAW_ENTER] = { "raw_syscalls:sys_enter", { [F_NUMBER] = NUMBER }, { 0 } },
	[K_RAW_EXIT] = { "raw_syscalls:sys_exit", { [F_NUMBER] = NUMBER,
						    [F_RESULT] = "ret" }, { 0 } },
};

struct take {
	struct an_sys_calls *c;
	const struct an_tasks *tasks;
	const struct an_trace *t;
	const struct call_run *runs;
	uint32_t *by_event; /* names of events, + 1; 0: not looked up */
	size_t n_events;
	struct map64 by_number; /* names of numbers */
};

static int put_name(struct take *k, const char *name, uint32_t *id,
		    struct err *err)
{
	return intern_put(&k->c->names, name, strlen(name), id, NULL) ?
		       0 : err_nomem(err);
}

/* Of a tracepoint of one call. */
static int name_of_event(struct take *k, const struct an_point *p,
			 uint32_t *id, struct err *err)
{
	const struct an_event *e = an_event_of(k->t, p->event);
	const char *name =
		an_text(k->t, an_tracepoint_of(k->t, e->tracepoint)->name);
	size_t skip = strlen(p->kind == K_ENTER ? "sys_enter_" : "sys_exit_");
	int rc;

	if (k->by_event[p->event]) {
		*id = k->by_event[p->event] - 1;
		return 0;
	}
	rc = put_name(k, strlen(name) > skip ? name + skip : name, id, err);
	if (!rc)
		k->by_event[p->event] = *id + 1;
	return rc;
}

static int name_of_number(struct take *k, uint64_t number, uint32_t *id,
			  struct err *err)
{
	const char *name;
	char text[32];
	bool is_new;
	int rc;

	if (map64_get(&k->by_number, number, id))
		return 0;
	name = number == NO_NUMBER ? "rt_sigreturn" :
				     call_name(k->runs, number);
	snprintf(text, sizeof(text), "call %" PRId64, (int64_t)number);
	rc = put_name(k, name ? name : text, id, err);
	if (rc)
		return rc;
	return map64_put(&k->by_number, number, *id, &is_new) ?
		       0 : err_nomem(err);
}

static int name_of(struct take *k, const struct an_point *p, uint32_t *id,
		   struct err *err)
{
	if (p->kind == K_RAW_ENTER || p->kind == K_RAW_EXIT)
		return name_of_number(k, an_point_number(p, F_NUMBER), id, err);
	return name_of_event(k, p, id, err);
}

/* Argument `at`, from 0; false: the row does not have it. */
static bool argument(const struct an_point *p, unsigned at, uint64_t *out)
{
	const struct tf_table *table = p->view->table;
	size_t column;

	if (!an_point_has(p, F_NUMBER))
		return false;
	column = (size_t)p->at[F_NUMBER] + 1 + at;
	if (column >= table->n_columns || table->columns[column].list ||
	    (table->columns[column].type != TF_U64 &&
	     table->columns[column].type != TF_I64) ||
	    !p->view->columns[column].v)
		return false;
	*out = p->view->columns[column].v[p->row];
	return true;
}

static void take_arguments(const struct take *k, const struct an_point *p,
			   struct an_sys_call *c)
{
	const char *name = (const char *)intern_get(&k->c->names, c->name).p;
	int at = call_file_argument(name);
	uint64_t v;

	if (at >= 0 && argument(p, (unsigned)at, &v) &&
	    (uint32_t)v <= INT32_MAX)
		c->fd = (int32_t)(uint32_t)v;
	if (c->name == k->c->ioctl && argument(p, 1, &v))
		c->cmd = (uint32_t)v;
}

static struct an_sys_call call_of(const struct take *k, const struct an_point *p,
			      uint32_t name)
{
	return (struct an_sys_call){
		.task = an_tasks_of_thread(k->tasks, p->thread),
		.thread = p->thread, .cpu = p->cpu, .name = name,
		.event = AN_NONE, .end_event = AN_NONE, .fd = -1,
		.ip = p->ip, .kstack = p->kstack, .ustack = p->ustack,
		.flags = p->flags, .order = (uint32_t)k->c->n,
	};
}

/* Ends are kept as calls without a begin until all are in order. */
static int take(void *ctx, const struct an_point *p, struct err *err)
{
	struct take *k = ctx;
	struct an_sys_calls *c = k->c;
	struct an_sys_call *call;
	uint32_t name;
	int rc = name_of(k, p, &name, err);

	if (rc || c->n >= UINT32_MAX)
		return rc;
	if (!mem_grow(&c->v, &c->cap, c->n + 1, sizeof(*c->v)))
		return err_nomem(err);
	call = &c->v[c->n];
	*call = call_of(k, p, name);
	c->n++;
	if (p->kind == K_ENTER || p->kind == K_RAW_ENTER) {
		call->from = p->time;
		call->event = p->event;
		take_arguments(k, p, call);
	} else {
		call->to = p->time;
		call->end_event = p->event;
		call->result = (int64_t)an_point_number(p, F_RESULT);
		c->n_ends++;
	}
	return 0;
}

static int by_task(const void *a, const void *b)
{
	const struct an_sys_call *x = a, *y = b;
	uint64_t p = x->from ? x->from : x->to, q = y->from ? y->from : y->to;

	if (x->task != y->task)
		return CMP(x->task, y->task);
	return p != q ? CMP(p, q) : CMP(x->order, y->order);
}

/* A fork returns twice: its second end is the first of a new task. */
static bool is_child(const struct an_sys_calls *c, const struct an_sys_call *end)
{
	static const char *const forks[] = { "clone", "clone3", "fork",
					     "vfork" };
	const char *name = (const char *)intern_get(&c->names, end->name).p;

	for (size_t i = 0; i < ARRAY_LEN(forks) && !end->result; i++)
		if (strcmp(name, forks[i]) == 0)
			return true;
	return false;
}

/* A thread is in one call at a time; the end of another one is that of a call
 * whose begin is not in the trace. */
static void pair(struct an_sys_calls *c)
{
	size_t n = 0;

	for (size_t i = 0; i < c->n; i++) {
		const struct an_sys_call v = c->v[i];
		struct an_sys_call *last = n && c->v[n - 1].task == v.task ?
					       &c->v[n - 1] : NULL;

		if (last && !v.from && last->from && !last->to &&
		    last->name == v.name) {
			last->to = v.to;
			last->result = v.result;
			last->end_event = v.end_event;
		} else if (!last && !v.from && is_child(c, &v)) {
			c->in_children++;
		} else {
			if (last)
				last->is_last = false;
			c->v[n] = v;
			c->v[n++].is_last = true;
		}
	}
	c->n = n;
}

static int walk(struct take *k, struct an_trace *t, struct err *err)
{
	const char *arch = an_fact(t, "arch");
	int rc;

	k->runs = call_runs(arch ? arch : "");
	k->n_events = an_n_events(t);
	k->by_event = calloc(k->n_events + 1, sizeof(*k->by_event));
	if (!k->by_event)
		return err_nomem(err);
	rc = put_name(k, "ioctl", &k->c->ioctl, err);
	return rc ? rc : an_points_walk(t, kinds, N_KINDS, false, take, k, err);
}

int an_sys_calls_make(struct an_sys_calls *out, struct an_trace *t,
		  const struct an_tasks *tasks, struct err *err)
{
	struct take k = { .c = out, .tasks = tasks, .t = t };
	int rc;

	*out = (struct an_sys_calls){ 0 };
	rc = walk(&k, t, err);
	free(k.by_event);
	map64_fini(&k.by_number);
	if (rc || !out->n)
		return rc;
	qsort(out->v, out->n, sizeof(*out->v), by_task);
	pair(out);
	return 0;
}

/* What the kernel hands on to itself and a tracepoint sees (linux/errno.h): the
 * call is made again, or the program gets EINTR. */
const char *an_sys_error_name(uint32_t error)
{
	static const char *const own[] = {
		"ERESTARTSYS", "ERESTARTNOINTR", "ERESTARTNOHAND",
		"ENOIOCTLCMD", "ERESTART_RESTARTBLOCK",
	};

	if (error >= FIRST_OWN && error - FIRST_OWN < ARRAY_LEN(own))
		return own[error - FIRST_OWN];
	return error <= INT_MAX ? strerrorname_np((int)error) : NULL;
}

void an_sys_calls_fini(struct an_sys_calls *c)
{
	free(c->v);
	intern_fini(&c->names);
	*c = (struct an_sys_calls){ 0 };
}

bool an_sys_is_selected(const struct an_trace *t, const struct an_sys_call *c,
			 const struct an_selection *sel)
{
	const struct an_spot spot = { c->ip, c->kstack, c->ustack, c->flags };

	if (!sel || !sel->any)
		return true;
	if ((c->from ? c->from : c->to) > sel->t_max ||
	    (c->to && c->to < sel->t_min))
		return false;
	if (!an_selection_is_marked(sel->event, sel->n_events, c->event) &&
	    !an_selection_is_marked(sel->event, sel->n_events, c->end_event))
		return false;
	return an_selection_has(sel, t, c->thread, c->cpu, &spot);
}
