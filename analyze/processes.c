/* Processes, and which of them each thread is of. */
#include "analyze/load.h"

#include "format/base/mem.h"
#include "format/catalog.h"

#include <stdlib.h>

/* The empty string is: not known. */
static uint32_t cgroup_of(const struct an_row *r)
{
	return an_row_has(r, TF_PROCESS_CGROUP) ?
		       an_row_ref(r, TF_PROCESS_CGROUP, AN_SPACE_STRING) : 0;
}

int an_load_process(const struct an_row *r, uint32_t *id, struct err *err)
{
	struct an_trace *t = r->t;

	*id = (uint32_t)t->processes.n;
	if (!an_row_has(r, TF_PROCESS_PID) || !an_row_has(r, TF_PROCESS_TIME))
		return 0;
	if (!AN_ROOM(t->processes))
		return err_nomem(err);
	t->processes.v[t->processes.n++] = (struct an_process){
		.pid = (int32_t)(uint32_t)an_row_value(r, TF_PROCESS_PID),
		.time = an_row_value(r, TF_PROCESS_TIME),
		.ns_pid = an_row_value(r, TF_PROCESS_NS_PID),
		.pid_ns = an_row_value(r, TF_PROCESS_PID_NS),
		.cgroup = cgroup_of(r),
		.order = *id,
		.source = an_row_source(r),
	};
	return 0;
}

static int same(const struct an_process *a, const struct an_process *b)
{
	int order = CMP(a->pid, b->pid);

	if (!order)
		order = CMP(a->source, b->source);
	return order ? order : CMP(a->time, b->time);
}

static int by_pid(const void *a, const void *b)
{
	const struct an_process *x = a, *y = b;
	int order = same(x, y);

	return order ? order : CMP(x->order, y->order);
}

static bool says_where(const struct an_trace *t, const struct an_process *p)
{
	return p->pid_ns || p->ns_pid || an_string(t, p->cgroup).n;
}

/* Each epoch has a row of a process that lives through it; by the later ones it
 * may be gone, so that nothing could be found out any more. */
static void keep_one_of_each(struct an_trace *t)
{
	struct an_process *v = t->processes.v;
	size_t n = 0;

	for (size_t i = 0; i < t->processes.n; i++) {
		if (!n || same(&v[n - 1], &v[i]))
			v[n++] = v[i];
		else if (!says_where(t, &v[n - 1]))
			v[n - 1] = v[i];
	}
	t->processes.n = n;
}

static bool is_of(const struct an_process *p, const struct an_thread *thread)
{
	return p->pid == thread->pid && p->source == thread->source;
}

/* The last with this pid when the row of the thread began, or else the first.*/
static uint32_t process_of(const struct an_trace *t,
			   const struct an_thread *thread)
{
	const struct an_process key = { .pid = thread->pid,
					.time = thread->time,
					.source = thread->source };
	const struct an_process *v = t->processes.v;
	size_t low = 0, high = t->processes.n;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (same(&v[mid], &key) <= 0)
			low = mid + 1;
		else
			high = mid;
	}
	if (low && is_of(&v[low - 1], thread))
		return (uint32_t)low - 1;
	if (low < t->processes.n && is_of(&v[low], thread))
		return (uint32_t)low;
	return AN_NONE;
}

void an_load_processes_join(struct an_trace *t)
{
	if (t->processes.n)
		qsort(t->processes.v, t->processes.n, sizeof(*t->processes.v),
		      by_pid);
	keep_one_of_each(t);
	for (size_t i = 0; i < t->threads.n; i++)
		t->threads.v[i].process = process_of(t, &t->threads.v[i]);
}
