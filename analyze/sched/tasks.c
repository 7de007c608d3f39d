#include "analyze/sched/tasks.h"

#include "format/base/mem.h"

#include <stdlib.h>

int an_tasks_init(struct an_tasks *x, const struct an_trace *t,
		  struct err *err)
{
	size_t n = an_n_threads(t);

	*x = (struct an_tasks){ .t = t };
	x->next = calloc(n + 1, sizeof(*x->next));
	if (!x->next)
		return err_nomem(err);
	for (uint32_t i = (uint32_t)n; i-- > 0;) {
		const struct an_thread *th = an_thread_of(t, i);
		uint32_t task = 0;
		int rc = an_tasks_get(x, th->source, th->tid, 0, &task, err);

		if (rc)
			return rc;
		x->next[i] = x->v[task].first;
		x->v[task].first = i;
	}
	return 0;
}

void an_tasks_fini(struct an_tasks *x)
{
	free(x->v);
	free(x->next);
	map64_fini(&x->index);
	*x = (struct an_tasks){ 0 };
}

uint32_t an_tasks_find(const struct an_tasks *x, uint32_t source, int32_t tid)
{
	uint32_t task;

	return map64_get(&x->index, map64_pair(source, (uint32_t)tid), &task) ?
		       task : AN_NONE;
}

uint32_t an_tasks_of_thread(const struct an_tasks *x, uint32_t thread)
{
	const struct an_thread *th = an_thread_of(x->t, thread);

	return thread < an_n_threads(x->t) ?
		       an_tasks_find(x, th->source, th->tid) : AN_NONE;
}

int an_tasks_get(struct an_tasks *x, uint32_t source, int32_t tid,
		 uint32_t comm, uint32_t *task, struct err *err)
{
	uint32_t *at;
	bool is_new;

	if (!mem_grow(&x->v, &x->cap, x->n + 1, sizeof(*x->v)))
		return err_nomem(err);
	at = map64_put(&x->index, map64_pair(source, (uint32_t)tid),
		       (uint32_t)x->n, &is_new);
	if (!at)
		return err_nomem(err);
	*task = *at;
	if (is_new)
		x->v[x->n++] = (struct an_task){ tid, source, comm, AN_NONE };
	else if (comm && !x->v[*task].comm)
		x->v[*task].comm = comm;
	return 0;
}

uint32_t an_task_thread(const struct an_tasks *x, uint32_t task, uint64_t time)
{
	uint32_t best, i;

	if (task >= x->n)
		return AN_NONE;
	best = i = x->v[task].first;
	for (; i != AN_NONE; i = x->next[i])
		if (an_thread_of(x->t, i)->time <= time &&
		    an_thread_of(x->t, i)->time >=
			    an_thread_of(x->t, best)->time)
			best = i;
	return best;
}

const char *an_task_name(const struct an_tasks *x, uint32_t task,
			 uint64_t time)
{
	uint32_t thread = an_task_thread(x, task, time);

	if (task >= x->n)
		return "[unknown]";
	if (!x->v[task].tid)
		return "idle";
	if (thread != AN_NONE)
		return an_text(x->t, an_thread_of(x->t, thread)->comm);
	return x->v[task].comm ? an_text(x->t, x->v[task].comm) : "[unknown]";
}

int32_t an_task_tid(const struct an_tasks *x, uint32_t task)
{
	return task < x->n ? x->v[task].tid : -1;
}
