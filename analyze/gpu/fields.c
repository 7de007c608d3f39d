#include "analyze/gpu/fields.h"

#include "analyze/sched/unread.h"

#include "format/base/mem.h"

#include <stdlib.h>

struct take {
	struct an_gpu_events *to;
	const struct an_tasks *tasks;
};

static int take(void *ctx, const struct an_point *p, struct err *err)
{
	struct take *k = ctx;
	struct an_gpu_events *to = k->to;
	struct an_gpu_event *e;

	if (!mem_grow(&to->v, &to->cap, to->n + 1, sizeof(*to->v)))
		return err_nomem(err);
	e = &to->v[to->n];
	*e = (struct an_gpu_event){
		.time = p->time, .order = (uint32_t)to->n,
		.role = (enum an_gpu_role)p->kind,
		.cpu = p->cpu, .thread = p->thread, .ip = p->ip,
		.task = an_tasks_of_thread(k->tasks, p->thread),
		.kstack = p->kstack, .ustack = p->ustack,
		.flags = p->flags, .in_interrupt = p->in_interrupt,
	};
	for (unsigned i = 0; i < AN_GPU_N_NUMBERS; i++) {
		e->n[i] = an_point_number(p, i);
		if (an_point_has(p, i))
			e->has |= 1u << i;
	}
	for (unsigned i = 0; i < AN_GPU_N_TEXTS; i++)
		e->t[i] = an_point_text(p, AN_GPU_TEXT_FIELD(i));
	to->count[e->role]++;
	to->n++;
	return 0;
}

static int by_time(const void *a, const void *b)
{
	const struct an_gpu_event *x = a, *y = b;
	int order = CMP(x->time, y->time);

	return order ? order : CMP(x->order, y->order);
}

int an_gpu_events_make(struct an_gpu_events *out, struct an_trace *t,
		       const struct an_tasks *tasks, struct err *err)
{
	struct take k = { out, tasks };
	int rc;

	*out = (struct an_gpu_events){ 0 };
	rc = an_points_walk(t, an_gpu_roles, AN_GPU_N_ROLES, false, take, &k,
			    err);
	for (uint32_t i = 0; i < an_n_events(t); i++) {
		uint32_t role = an_point_kind_of(t, i, an_gpu_roles,
						 AN_GPU_N_ROLES);

		if (role != AN_NONE && !an_unread_has(t, i))
			out->recorded[role] = true;
	}
	if (!rc && out->n)
		qsort(out->v, out->n, sizeof(*out->v), by_time);
	return rc;
}

void an_gpu_events_fini(struct an_gpu_events *e)
{
	free(e->v);
	*e = (struct an_gpu_events){ 0 };
}
