#include "analyze/gpu/syscall.h"

#include "format/base/mem.h"

#include <stdlib.h>
#include <string.h>

#define BOTH(x)                                                                \
	x("ioctl") " " x("poll") " " x("ppoll") " " x("select") " "            \
	x("pselect6") " " x("epoll_wait") " " x("epoll_pwait") " "             \
	x("epoll_pwait2") " " x("read") " " x("readv") " " x("write") " "      \
	x("recvmsg") " " x("recvfrom") " " x("sendmsg") " " x("futex") " "     \
	x("futex_wait") " " x("futex_waitv") " " x("nanosleep") " "            \
	x("clock_nanosleep")
#define ENTER(name) "syscalls:sys_enter_" name
#define EXIT(name) "syscalls:sys_exit_" name

enum kind { K_ENTER, K_EXIT, N_KINDS };
enum { F_CMD };

static const struct an_point_kind kinds[N_KINDS] = {
	/* All calls may be in one table, with numbered arguments. */
	[K_ENTER] = { BOTH(ENTER), { [F_CMD] = "cmd args[1]" }, { 0 } },
	[K_EXIT] = { BOTH(EXIT), { NULL }, { 0 } },
};

#define MAX_NAMES 64u

struct take {
	struct an_syscalls *c;
	const struct an_tasks *tasks;
	const char *ends[MAX_NAMES]; /* calls whose ends are in the trace */
	size_t n_ends;
};

static const char *name_of(const struct an_point *p)
{
	const struct an_event *e = an_event_of(p->t, p->event);
	const char *name = an_text(p->t,
				   an_tracepoint_of(p->t, e->tracepoint)->name);
	size_t skip = strlen(p->kind == K_ENTER ? "sys_enter_" : "sys_exit_");

	return strlen(name) > skip ? name + skip : name;
}

/* Names of one event are one string. */
static void note_end(struct take *k, const char *name)
{
	for (size_t i = 0; i < k->n_ends; i++)
		if (k->ends[i] == name)
			return;
	if (k->n_ends < MAX_NAMES)
		k->ends[k->n_ends++] = name;
}

static bool has_ends(const struct take *k, const char *name)
{
	for (size_t i = 0; i < k->n_ends; i++)
		if (strcmp(k->ends[i], name) == 0)
			return true;
	return false;
}

/* Exits are kept as calls without a begin until all are in order. */
static int take(void *ctx, const struct an_point *p, struct err *err)
{
	struct take *k = ctx;
	struct an_syscalls *c = k->c;

	if (c->n >= UINT32_MAX)
		return 0;
	if (!mem_grow(&c->v, &c->cap, c->n + 1, sizeof(*c->v)))
		return err_nomem(err);
	c->v[c->n] = (struct an_syscall){
		.task = an_tasks_of_thread(k->tasks, p->thread),
		.order = (uint32_t)c->n,
		.name = name_of(p),
		.cmd = an_point_number(p, F_CMD),
	};
	if (p->kind == K_ENTER) {
		c->v[c->n].from = p->time;
	} else {
		c->v[c->n].to = p->time;
		note_end(k, c->v[c->n].name);
	}
	c->n++;
	return 0;
}

static int by_task(const void *a, const void *b)
{
	const struct an_syscall *x = a, *y = b;
	uint64_t p = x->from ? x->from : x->to, q = y->from ? y->from : y->to;

	if (x->task != y->task)
		return CMP(x->task, y->task);
	return p != q ? CMP(p, q) : CMP(x->order, y->order);
}

/* A thread is in one call at a time. Of one whose end is not in the trace though
 * the thread did another, or though no call of its kind has one, it is not known
 * how long it was. */
static void pair(struct an_syscalls *c, const struct take *k)
{
	size_t n = 0;

	for (size_t i = 0; i < c->n; i++) {
		struct an_syscall *last = n ? &c->v[n - 1] : NULL;
		const struct an_syscall *x = &c->v[i];

		if (last && last->task == x->task && !last->to)
			last->to = !x->from && strcmp(last->name, x->name) == 0 ?
					   x->to : last->from;
		if (x->from)
			c->v[n++] = *x;
	}
	c->n = n;
	for (size_t i = 0; i < n; i++)
		if (!c->v[i].to && !has_ends(k, c->v[i].name))
			c->v[i].to = c->v[i].from;
}

int an_syscalls_make(struct an_syscalls *out, struct an_trace *t,
		  const struct an_tasks *tasks, struct err *err)
{
	struct take k = { .c = out, .tasks = tasks };
	int rc;

	*out = (struct an_syscalls){ 0 };
	rc = an_points_walk(t, kinds, N_KINDS, false, take, &k, err);
	if (rc || !out->n)
		return rc;
	qsort(out->v, out->n, sizeof(*out->v), by_task);
	pair(out, &k);
	return 0;
}

void an_syscalls_fini(struct an_syscalls *c)
{
	free(c->v);
	*c = (struct an_syscalls){ 0 };
}

/* The first that is not before (task, time). */
static size_t lower(const struct an_syscalls *c, uint32_t task, uint64_t time)
{
	size_t low = 0, high = c->n;

	while (low < high) {
		size_t mid = low + (high - low) / 2;
		const struct an_syscall *v = &c->v[mid];

		if (v->task < task || (v->task == task && v->from < time))
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

const struct an_syscall *an_syscalls_at(const struct an_syscalls *c, uint32_t task,
				  uint64_t time)
{
	size_t i = lower(c, task, time);

	if (i < c->n && c->v[i].task == task && c->v[i].from == time)
		return &c->v[i];
	if (!i || c->v[i - 1].task != task)
		return NULL;
	return !c->v[i - 1].to || c->v[i - 1].to > time ? &c->v[i - 1] : NULL;
}

const struct an_syscall *an_syscalls_from(const struct an_syscalls *c, uint32_t task,
				    uint64_t time)
{
	size_t i = lower(c, task, time);

	return i < c->n && c->v[i].task == task ? &c->v[i] : NULL;
}

/* The parts of an ioctl's number, as _IOC has them. */
static unsigned type_of(uint64_t cmd)
{
	return cmd >> 8 & 0xff;
}
static unsigned number_of(uint64_t cmd)
{
	return cmd & 0xff;
}

bool an_syscall_is_drm(const struct an_syscall *c)
{
	return strcmp(c->name, "ioctl") == 0 && type_of(c->cmd) == 'd';
}

bool an_syscall_page_flips(const struct an_syscall *c)
{
	return an_syscall_is_drm(c) && number_of(c->cmd) == 0xb0;
}

bool an_syscall_flips(const struct an_syscall *c)
{
	return an_syscall_page_flips(c) ||
	       (an_syscall_is_drm(c) && number_of(c->cmd) == 0xbc);
}

bool an_syscall_polls(const struct an_syscall *c)
{
	return strstr(c->name, "poll") || strstr(c->name, "select");
}

bool an_syscall_sleeps(const struct an_syscall *c)
{
	return strstr(c->name, "nanosleep") != NULL;
}
