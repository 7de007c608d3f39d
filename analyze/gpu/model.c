#include "analyze/gpu/model.h"

#include "analyze/gpu/device.h"
#include "analyze/gpu/edge.h"
#include "analyze/gpu/pause.h"
#include "analyze/gpu/silent.h"

int an_gpu_make(struct an_gpu *out, struct an_trace *t, uint64_t idle_ns,
		struct err *err)
{
	struct an_gpu *g = out;
	int rc;

	*g = (struct an_gpu){ .t = t, .idle_ns = idle_ns };
	rc = an_tasks_init(&g->tasks, t, err);
	if (!rc)
		rc = an_sched_new(&g->sched, t, &g->tasks, err);
	if (!rc)
		rc = an_syscalls_make(&g->calls, t, &g->tasks, err);
	if (!rc)
		rc = an_gpu_events_make(&g->events, t, &g->tasks, err);
	if (!rc)
		rc = an_lossy_make(&g->lossy, t, &g->events, g->sched, err);
	if (!rc)
		rc = an_fences_make(&g->fences, t, &g->events, g->tasks.n, err);
	if (!rc)
		rc = an_jobs_make(&g->jobs, t, &g->events, &g->fences,
				  &g->tasks, err);
	if (!rc)
		rc = an_heads_make(&g->heads, &g->events, err);
	if (!rc)
		rc = an_clients_make(&g->clients, t, &g->events, &g->heads,
				     idle_ns, err);
	if (!rc)
		rc = an_clients_tasks(&g->clients, &g->events, &g->calls,
				      g->sched, &g->tasks, err);
	if (!rc)
		rc = an_waits_edges(g, err);
	if (!rc)
		rc = an_waits_silent(g, err);
	if (!rc)
		an_pauses_judge(g);
	if (!rc)
		rc = an_holes_find(g, err);
	if (!rc)
		rc = an_contraries_find(g, err);
	an_lossy_settle(&g->lossy);
	if (!rc)
		rc = an_devices_find(g, err);
	return rc;
}

void an_gpu_fini(struct an_gpu *g)
{
	an_sched_free(g->sched);
	an_syscalls_fini(&g->calls);
	an_gpu_events_fini(&g->events);
	an_lossy_fini(&g->lossy);
	an_fences_fini(&g->fences);
	an_jobs_fini(&g->jobs);
	an_heads_fini(&g->heads);
	an_clients_fini(&g->clients);
	an_tasks_fini(&g->tasks);
	*g = (struct an_gpu){ 0 };
}
