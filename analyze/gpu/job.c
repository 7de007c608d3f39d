#include "analyze/gpu/job_data.h"

#include "format/base/mem.h"

#include <stdlib.h>
#include <string.h>

/* The two fences of a job are made in its submitter, right before it is queued:
 * "scheduled", then "finished" with the next context and the same seqno. */
struct made {
	uint64_t key;
	uint32_t timeline;   /* 0: none, or a job has taken it */
	bool finished;       /* the second of a pair */
};

#define NEXT_CONTEXT ((uint64_t)1 << 32)

/* What was last on a CPU: a job is done, then its finished fence is signalled;
 * that of the hardware was just before. */
struct last {
	uint32_t done;       /* job + 1 whose fence is not known */
	uint32_t hardware;   /* fence + 1 */
	uint32_t task;
};

struct dep { uint32_t job; uint64_t key; };

struct build {
	struct an_jobs *j;
	struct an_trace *t;
	struct an_fences *fences;
	struct an_job_place *places;
	size_t places_cap;
	struct map64 by_pointer; /* of fences, to the last such job */
	struct map64 by_id;      /* (ring, id) */
	struct map64 xe_fences;  /* address to position in `keys` */
	uint64_t *keys;
	size_t n_keys, keys_cap;
	struct made *made;       /* by task */
	uint32_t *running;       /* by task: the job + 1 that the scheduler is
				  * handing over in it */
	size_t n_tasks;
	struct last *last;       /* by CPU */
	size_t n_cpus, cpus_cap;
	struct dep *deps;
	size_t n_deps, deps_cap;
};

static bool put(struct map64 *m, uint64_t key, uint32_t value)
{
	bool is_new;
	uint32_t *at = map64_put(m, key, value, &is_new);

	if (at)
		*at = value;
	return at != NULL;
}

static struct last *last_on(struct build *b, uint32_t cpu, struct err *err)
{
	size_t n = b->n_cpus;

	if (cpu >= UINT16_MAX)
		cpu = UINT16_MAX;
	if (!mem_grow(&b->last, &b->cpus_cap, (size_t)cpu + 1,
		      sizeof(*b->last))) {
		err_nomem(err);
		return NULL;
	}
	for (; n <= cpu; n++)
		b->last[n] = (struct last){ .task = AN_NONE };
	b->n_cpus = n > b->n_cpus ? n : b->n_cpus;
	return &b->last[cpu];
}

static int set_key(struct build *b, uint32_t job, uint64_t key,
		   struct err *err)
{
	struct an_job *j = &b->j->v[job];

	j->context = (uint32_t)(key >> 32);
	j->seqno = (uint32_t)key;
	j->has_key = true;
	return put(&b->j->by_key, key, job) ? 0 : err_nomem(err);
}

static int new_job(struct build *b, const struct an_gpu_event *e,
		   uint32_t *job, struct err *err)
{
	struct an_jobs *j = b->j;

	if (!mem_grow(&j->v, &j->cap, j->n + 1, sizeof(*j->v)) ||
	    !mem_grow(&b->places, &b->places_cap, j->n + 1,
		      sizeof(*b->places)))
		return err_nomem(err);
	*job = (uint32_t)j->n;
	j->v[j->n] = (struct an_job){
		.seen = e->time, .fence = AN_NONE, .task = AN_NONE, .thread = AN_NONE,
		.ip = AN_NONE, .runner = AN_NONE, .ahead = AN_NONE,
	};
	b->places[j->n++] = (struct an_job_place){ .role = e->role };
	if (an_gpu_has(e, AN_GPU_CONTEXT) &&
	    set_key(b, *job, an_gpu_fence_key(e), err))
		return ERR_NOMEM;
	if (e->n[AN_GPU_FENCE] && !put(&b->by_pointer, e->n[AN_GPU_FENCE],
				       *job))
		return err_nomem(err);
	return 0;
}

static bool find(const struct build *b, const struct an_gpu_event *e,
		 uint32_t *job)
{
	if (an_gpu_has(e, AN_GPU_CONTEXT) &&
	    map64_get(&b->j->by_key, an_gpu_fence_key(e), job))
		return true;
	return e->n[AN_GPU_FENCE] &&
	       map64_get(&b->by_pointer, e->n[AN_GPU_FENCE], job);
}

static void learn_place(struct an_job_place *p, const struct an_gpu_event *e)
{
	p->roles |= 1u << e->role;
	if (e->t[AN_GPU_DEV])
		p->dev = e->t[AN_GPU_DEV];
	if (e->t[AN_GPU_RING])
		p->ring = e->t[AN_GPU_RING];
	if (an_gpu_has(e, AN_GPU_MINOR))
		p->minor = e->n[AN_GPU_MINOR];
	if (an_gpu_has(e, AN_GPU_CLASS))
		p->engine_class = e->n[AN_GPU_CLASS];
	if (an_gpu_has(e, AN_GPU_INSTANCE))
		p->instance = e->n[AN_GPU_INSTANCE];
}

static void learn_job(struct an_job *j, const struct an_gpu_event *e)
{
	if (e->n[AN_GPU_ENTITY])
		j->entity = e->n[AN_GPU_ENTITY];
	if (e->n[AN_GPU_ID])
		j->id = e->n[AN_GPU_ID];
	if (e->n[AN_GPU_CLIENT])
		j->client = e->n[AN_GPU_CLIENT];
}

/* A pointer or a number that is used again is another job. */
static int job_of(struct build *b, const struct an_gpu_event *e,
		  uint32_t *job, struct err *err)
{
	int rc = 0;

	*job = 0;
	if (!find(b, e, job) || b->places[*job].roles >> e->role & 1 ||
	    b->j->v[*job].end)
		rc = new_job(b, e, job, err);
	if (rc)
		return rc;
	learn_place(&b->places[*job], e);
	learn_job(&b->j->v[*job], e);
	return 0;
}

/* Takes the fence that the submitter has just made for it. */
static int take_made(struct build *b, const struct an_gpu_event *e,
		     uint32_t job, struct err *err)
{
	struct made *m;

	if (b->j->v[job].has_key || e->task >= b->n_tasks)
		return 0;
	m = &b->made[e->task];
	if (!m->finished || !m->timeline || m->timeline != e->t[AN_GPU_RING])
		return 0;
	m->timeline = 0;
	return set_key(b, job, m->key, err);
}

static int submitted(struct build *b, const struct an_gpu_event *e,
		     struct err *err)
{
	struct an_job *j;
	uint32_t job;
	int rc = job_of(b, e, &job, err);

	if (!rc && e->role == AN_GPU_JOB_QUEUE)
		rc = take_made(b, e, job, err);
	if (rc)
		return rc;
	j = &b->j->v[job];
	if (e->t[AN_GPU_RING] && e->n[AN_GPU_ID] &&
	    !put(&b->by_id, map64_pair(e->t[AN_GPU_RING],
				       (uint32_t)e->n[AN_GPU_ID]), job))
		return err_nomem(err);
	if (j->submit)
		return 0;
	j->submit = e->time;
	j->task = e->task;
	j->thread = e->thread;
	j->ip = e->ip;
	j->kstack = e->kstack;
	j->ustack = e->ustack;
	return 0;
}

static bool is_of(const struct build *b, const struct an_gpu_event *e,
		  const char *driver)
{
	return span_is(an_string(b->t, e->t[AN_GPU_DRIVER]), driver);
}

/* A job that is handed over a second time was interrupted by a reset. */
static int handed_over(struct build *b, const struct an_gpu_event *e,
		       struct err *err)
{
	uint32_t job;
	int rc = job_of(b, e, &job, err);

	if (rc)
		return rc;
	b->j->v[job].run = e->time;
	b->j->v[job].runner = e->task;
	if (e->role == AN_GPU_JOB_RUN && e->task < b->n_tasks)
		b->running[e->task] = job + 1;
	return 0;
}

/* The scheduler tells of a job before it calls the driver, which then makes the
 * fence of its hardware: whatever held the thread up in between, the job did
 * not run sooner. */
static void hardware_made(struct build *b, const struct an_gpu_event *e)
{
	struct an_job_place *p;
	uint32_t job, fence;

	if (e->task >= b->n_tasks || !b->running[e->task] ||
	    is_of(b, e, "drm_sched"))
		return;
	job = b->running[e->task] - 1;
	fence = an_fences_find(b->fences, an_gpu_fence_key(e), e->time);
	p = &b->places[job];
	if (fence == AN_NONE || b->j->v[job].end ||
	    (p->hardware && p->hardware != fence + 1))
		return;
	p->hardware = fence + 1;
	b->j->v[job].run = e->time;
	b->fences->v[fence].job = job;
}

static void ended(struct build *b, uint32_t job, uint64_t time)
{
	if (!b->j->v[job].end)
		b->j->v[job].end = time;
}

static int done(struct build *b, const struct an_gpu_event *e,
		struct err *err)
{
	struct last *l = last_on(b, e->cpu, err);
	uint32_t job;

	if (!l)
		return ERR_NOMEM;
	if (!find(b, e, &job) || b->places[job].done ||
	    (an_gpu_has(e, AN_GPU_COMPLETED) && !e->n[AN_GPU_COMPLETED]))
		return 0;
	b->places[job].done = true;
	ended(b, job, e->time);
	if (l->hardware && l->task == e->task)
		b->fences->v[l->hardware - 1].job = job;
	l->hardware = 0;
	l->done = b->j->v[job].has_key ? 0 : job + 1;
	l->task = e->task;
	return 0;
}

/* Where it is known which job that fence is of, that ended now: its own rows
 * come later. */
static void hardware_signaled(struct build *b, struct last *l,
			      const struct an_gpu_event *e)
{
	uint32_t fence = an_fences_find(b->fences, an_gpu_fence_key(e),
					e->time);

	l->hardware = fence + 1;
	if (fence != AN_NONE && b->fences->v[fence].job != AN_NONE)
		ended(b, b->fences->v[fence].job, e->time);
}

static int signaled(struct build *b, const struct an_gpu_event *e,
		    struct err *err)
{
	struct last *l = last_on(b, e->cpu, err);
	bool sched = is_of(b, e, "drm_sched");
	uint64_t key = an_gpu_fence_key(e);
	uint32_t job;
	int rc = 0;

	if (!l)
		return ERR_NOMEM;
	/* "Scheduled": the driver has it. */
	if (sched && !e->in_interrupt && e->task < b->n_tasks)
		b->running[e->task] = 0;
	if (map64_get(&b->j->by_key, key, &job))
		ended(b, job, e->time);
	else if (sched && l->done && l->task == e->task)
		rc = set_key(b, l->done - 1, key, err);
	l->done = l->hardware = 0;
	l->task = e->task;
	if (!sched)
		hardware_signaled(b, l, e);
	return rc;
}

static void made(struct build *b, const struct an_gpu_event *e,
		 const char *driver)
{
	struct made *m, now = { .key = an_gpu_fence_key(e),
				.timeline = e->t[AN_GPU_TIMELINE] };

	if (e->task >= b->n_tasks || !is_of(b, e, driver))
		return;
	m = &b->made[e->task];
	now.finished = m->timeline == now.timeline && !m->finished &&
		       now.key == m->key + NEXT_CONTEXT;
	*m = now;
}

static int depends(struct build *b, const struct an_gpu_event *e,
		   struct err *err)
{
	uint32_t job;

	if (!find(b, e, &job) &&
	    !map64_get(&b->by_id, map64_pair(e->t[AN_GPU_RING],
					     (uint32_t)e->n[AN_GPU_ID]), &job))
		return 0;
	if (!mem_grow(&b->deps, &b->deps_cap, b->n_deps + 1, sizeof(*b->deps)))
		return err_nomem(err);
	b->deps[b->n_deps++] = (struct dep){ job,
		an_gpu_key(e->n[AN_GPU_DEP_CONTEXT], e->n[AN_GPU_DEP_SEQNO]) };
	return 0;
}

/* Which fence is behind the address that xe's jobs name. */
static int xe_fence_made(struct build *b, const struct an_gpu_event *e,
			 struct err *err)
{
	if (!mem_grow(&b->keys, &b->keys_cap, b->n_keys + 1, sizeof(*b->keys)) ||
	    !put(&b->xe_fences, e->n[AN_GPU_FENCE], (uint32_t)b->n_keys))
		return err_nomem(err);
	b->keys[b->n_keys++] = an_gpu_fence_key(e);
	return 0;
}

static int xe_submitted(struct build *b, const struct an_gpu_event *e,
			struct err *err)
{
	uint32_t job, at;
	int rc = submitted(b, e, err);

	if (!rc && map64_get(&b->xe_fences, e->n[AN_GPU_FENCE], &at) &&
	    map64_get(&b->by_pointer, e->n[AN_GPU_FENCE], &job))
		rc = set_key(b, job, b->keys[at], err);
	return rc;
}

/* A command is on the host as soon as it is queued; without a fence it has no
 * number until 7.x, and nobody waits for it. */
static int virtio_queued(struct build *b, const struct an_gpu_event *e,
			 struct err *err)
{
	const struct made *m;
	uint32_t job;
	int rc;

	if (!e->n[AN_GPU_FENCE])
		return 0;
	rc = submitted(b, e, err);
	if (rc || !map64_get(&b->by_pointer, e->n[AN_GPU_FENCE], &job))
		return rc;
	b->j->v[job].run = e->time;
	if (e->task >= b->n_tasks)
		return 0;
	/* Its seqno is the command's number. */
	m = &b->made[e->task];
	return m->timeline && (uint32_t)m->key == (uint32_t)e->n[AN_GPU_FENCE] ?
		       set_key(b, job, m->key, err) : 0;
}

/* xe hands its jobs to the scheduler, whose rows tell more. */
static bool is_told_twice(const struct an_gpu_events *events,
			  enum an_gpu_role role)
{
	return (role == AN_GPU_XE_EXEC || role == AN_GPU_XE_RUN) &&
	       events->count[AN_GPU_JOB_RUN];
}

static int take(struct build *b, const struct an_gpu_events *events,
		const struct an_gpu_event *e, struct err *err)
{
	if (is_told_twice(events, e->role))
		return 0;
	switch (e->role) {
	case AN_GPU_FENCE_INIT:
	case AN_GPU_FENCE_EMIT:
		made(b, e, e->role == AN_GPU_FENCE_INIT ? "drm_sched" :
							  "virtio_gpu");
		hardware_made(b, e);
		return 0;
	case AN_GPU_FENCE_SIGNALED:
		return signaled(b, e, err);
	case AN_GPU_JOB_QUEUE:
	case AN_GPU_AMDGPU_SUBMIT:
	case AN_GPU_I915_QUEUE:
	case AN_GPU_I915_ADD:
		return submitted(b, e, err);
	case AN_GPU_XE_EXEC:
		return xe_submitted(b, e, err);
	case AN_GPU_JOB_RUN:
	case AN_GPU_AMDGPU_RUN:
	case AN_GPU_I915_IN:
	case AN_GPU_XE_RUN:
		return handed_over(b, e, err);
	case AN_GPU_JOB_DONE:
	case AN_GPU_I915_OUT:
	case AN_GPU_XE_FENCE_SIGNAL:
	case AN_GPU_VIRTIO_RESPONSE:
		return done(b, e, err);
	case AN_GPU_JOB_ADD_DEP:
	case AN_GPU_JOB_WAIT_DEP:
		return depends(b, e, err);
	case AN_GPU_XE_FENCE_CREATE:
		return xe_fence_made(b, e, err);
	case AN_GPU_VIRTIO_QUEUE:
		return virtio_queued(b, e, err);
	default:
		return 0;
	}
}

/* Of several the one that was signalled last held the job up. */
static void choose_deps(struct build *b)
{
	for (size_t i = 0; i < b->n_deps; i++) {
		struct an_job *j = &b->j->v[b->deps[i].job];
		uint64_t key = b->deps[i].key, time = j->submit;
		uint32_t a = an_fences_find(b->fences, key, time);
		uint32_t had = an_fences_find(b->fences, j->dep, time);

		if (!j->depends || (a != AN_NONE && (had == AN_NONE ||
		    b->fences->v[a].signaled > b->fences->v[had].signaled)))
			j->dep = key;
		j->depends = true;
	}
}

/* With a job its fence is signalled, where no row says so. */
static void tell_fences(struct build *b)
{
	for (uint32_t i = 0; i < b->j->n; i++) {
		struct an_job *j = &b->j->v[i];
		struct an_fence *f;
		uint64_t time = j->end ? j->end : UINT64_MAX;

		if (!j->has_key)
			continue;
		j->fence = an_fences_find(b->fences,
					  an_gpu_key(j->context, j->seqno),
					  time);
		if (j->fence == AN_NONE)
			continue;
		f = &b->fences->v[j->fence];
		f->job = i;
		if (f->signaled)
			continue;
		f->signaled = j->end;
		j->unsignaled = b->places[i].done;
	}
}

int an_jobs_make(struct an_jobs *out, struct an_trace *t,
		 const struct an_gpu_events *events, struct an_fences *fences,
		 const struct an_tasks *tasks, struct err *err)
{
	struct build b = { .j = out, .t = t, .fences = fences,
			   .n_tasks = tasks->n };
	int rc = 0;

	*out = (struct an_jobs){ 0 };
	b.made = calloc(tasks->n + 1, sizeof(*b.made));
	b.running = calloc(tasks->n + 1, sizeof(*b.running));
	if (!b.made || !b.running)
		rc = err_nomem(err);
	for (size_t i = 0; i < events->n && !rc; i++)
		rc = take(&b, events, &events->v[i], err);
	if (!rc) {
		choose_deps(&b);
		tell_fences(&b);
		rc = an_jobs_rings(out, t, b.places, tasks, err);
	}
	map64_fini(&b.by_pointer);
	map64_fini(&b.by_id);
	map64_fini(&b.xe_fences);
	free(b.keys);
	free(b.made);
	free(b.running);
	free(b.last);
	free(b.deps);
	free(b.places);
	return rc;
}
