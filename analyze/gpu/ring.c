#include "analyze/gpu/job_data.h"

#include "format/base/buf.h"
#include "format/base/mem.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct rings {
	struct an_jobs *j;
	const struct an_trace *t;
	const struct an_job_place *places;
	const struct an_tasks *tasks;
	struct buf name;
};

static const char *i915_class(uint64_t c)
{
	static const char *const names[] = { "render", "copy", "video",
					     "video-enhance", "compute" };

	return c < ARRAY_LEN(names) ? names[c] : "engine";
}

/* Up to 6.6 each ring has a thread of its own, called like it: so rings of two
 * cards are told apart, which their rows do not. Its name is cut to 15 bytes. */
static bool has_own_thread(const struct rings *r, const struct an_job *j,
			   const char *ring)
{
	return j->runner != AN_NONE &&
	       strncmp(an_task_name(r->tasks, j->runner, j->run), ring, 15) ==
		       0;
}

/* Of a job that was not handed over its thread is not known, and one that another
 * thread handed over is contradictory: it is of the first ring of that name that
 * has a thread, if there is one. */
static bool put_known_ring(struct rings *r)
{
	struct buf *to = &r->name;

	for (uint32_t i = 0; i < r->j->n_rings; i++) {
		struct span name = intern_get(&r->j->names, i);

		if (name.n > to->n && !name.p[to->n] &&
		    memcmp(name.p, to->p, to->n) == 0) {
			buf_put(to, name.p + to->n, name.n - to->n);
			return true;
		}
	}
	return false;
}

static void put_name(struct rings *r, uint32_t job)
{
	const struct an_job_place *p = &r->places[job];
	struct an_job *j = &r->j->v[job];
	struct buf *to = &r->name;

	buf_clear(to);
	switch (p->role) {
	case AN_GPU_I915_QUEUE:
	case AN_GPU_I915_ADD:
	case AN_GPU_I915_IN:
		buf_printf(to, "card%" PRIu64 " %s%" PRIu64, p->minor,
			   i915_class(p->engine_class), p->instance);
		break;
	case AN_GPU_XE_EXEC:
	case AN_GPU_XE_RUN:
		buf_printf(to, "%s gt%" PRIu64 " queue%" PRIu64,
			   an_text(r->t, p->dev), p->engine_class, p->instance);
		break;
	case AN_GPU_VIRTIO_QUEUE:
		buf_printf(to, "card%" PRIu64 " ", p->minor);
		if (p->ring)
			buf_printf(to, "%s", an_text(r->t, p->ring));
		else
			buf_printf(to, "%s", p->instance ? "cursor" :
							   "control");
		break;
	default:
		if (p->dev)
			buf_printf(to, "%s ", an_text(r->t, p->dev));
		buf_printf(to, "%s", p->ring ? an_text(r->t, p->ring) :
					       "[unknown]");
		/* For the key alone, until it is known whether there are
		 * several. */
		if (!p->dev && has_own_thread(r, j, an_text(r->t, p->ring)))
			buf_printf(to, "%c%" PRId32, 0,
				   an_task_tid(r->tasks, j->runner));
		else if (!p->dev)
			j->odd_runner = put_known_ring(r) &&
					j->runner != AN_NONE;
	}
}

static int new_ring(struct rings *r, struct err *err)
{
	struct an_jobs *j = r->j;

	if (!mem_grow(&j->rings, &j->rings_cap, j->n_rings + 1,
		      sizeof(*j->rings)))
		return err_nomem(err);
	j->rings[j->n_rings++] = (struct an_ring){ 0 };
	return 0;
}

static int place_job(struct rings *r, uint32_t job, struct err *err)
{
	struct an_jobs *j = r->j;
	bool is_new;

	put_name(r, job);
	if (buf_failed(&r->name) ||
	    !intern_put(&j->names, r->name.p, r->name.n, &j->v[job].ring,
			&is_new))
		return err_nomem(err);
	return is_new ? new_ring(r, err) : 0;
}

/* Those first that the thread of their ring handed over, as they tell rings apart;
 * then those that another one did. */
static unsigned turn(const struct rings *r, uint32_t job)
{
	const struct an_job *j = &r->j->v[job];

	if (j->runner == AN_NONE)
		return 2;
	return !has_own_thread(r, j, an_text(r->t, r->places[job].ring));
}

static int place_jobs(struct rings *r, struct err *err)
{
	struct an_jobs *j = r->j;
	int rc = 0;

	for (unsigned now = 0; now < 3; now++)
		for (uint32_t i = 0; i < j->n && !rc; i++)
			if (turn(r, i) == now)
				rc = place_job(r, i, err);
	return rc;
}

/* "gfx#2" where several are called so; `seen` and `all` have a row for each
 * name and are zeroed. */
static int number_rings(struct rings *r, struct intern *names, uint32_t *seen,
			uint32_t *all, struct err *err)
{
	struct an_jobs *j = r->j;
	uint32_t id;

	for (uint32_t i = 0; i < j->n_rings; i++) {
		const char *name = (const char *)intern_get(&j->names, i).p;

		if (!intern_put(names, name, strlen(name), &id, NULL))
			return err_nomem(err);
		j->rings[i].name = name;
		all[id]++;
	}
	for (uint32_t i = 0; i < j->n_rings; i++) {
		const char *name = j->rings[i].name;

		if (!intern_find(names, name, strlen(name), &id) ||
		    all[id] < 2)
			continue;
		buf_clear(&r->name);
		buf_printf(&r->name, "%s#%" PRIu32, name, ++seen[id]);
		if (buf_failed(&r->name) ||
		    !intern_put(&j->names, r->name.p, r->name.n, &id, NULL))
			return err_nomem(err);
		j->rings[i].name = (const char *)intern_get(&j->names, id).p;
	}
	return 0;
}

static int name_rings(struct rings *r, struct err *err)
{
	uint32_t *seen = calloc(r->j->n_rings + 1, sizeof(*seen));
	uint32_t *all = calloc(r->j->n_rings + 1, sizeof(*all));
	struct intern names = { 0 };
	int rc = seen && all ? number_rings(r, &names, seen, all, err) :
			       err_nomem(err);

	intern_fini(&names);
	free(seen);
	free(all);
	return rc;
}

struct ran { uint32_t ring, job; uint64_t run, end; };

static int by_run(const void *a, const void *b)
{
	const struct ran *x = a, *y = b;

	if (x->ring != y->ring)
		return CMP(x->ring, y->ring);
	if (x->run != y->run)
		return CMP(x->run, y->run);
	return x->end != y->end ? CMP(x->end, y->end) : CMP(x->job, y->job);
}

/* Those that ended; what began before the trace did is not known. */
static size_t list_ran(struct an_jobs *j, struct ran *v)
{
	size_t n = 0;

	for (uint32_t i = 0; i < j->n; i++) {
		struct an_job *job = &j->v[i];

		if (!job->run && job->submit) {
			job->run = job->submit;
			job->guessed_run = true;
		}
		if (job->run && job->end >= job->run)
			v[n++] = (struct ran){ job->ring, i, job->run,
					       job->end };
	}
	if (n)
		qsort(v, n, sizeof(*v), by_run);
	return n;
}

static void begin_jobs(struct an_jobs *j, const struct ran *v, size_t n)
{
	uint32_t last = AN_NONE; /* the job that ended last on the ring */

	for (size_t i = 0; i < n; i++) {
		struct an_job *job = &j->v[v[i].job];
		struct an_ring *ring = &j->rings[v[i].ring];

		if (!ring->n_jobs) {
			ring->first = i;
			last = AN_NONE;
		}
		job->start = job->run;
		if (last != AN_NONE && j->v[last].end > job->run) {
			job->ahead = last;
			job->start = j->v[last].end;
		}
		if (job->start > job->end)
			job->start = job->end;
		ring->busy_ns += job->end - job->start;
		ring->n_jobs++;
		ring->end = i + 1;
		if (last == AN_NONE || job->end >= j->v[last].end)
			last = v[i].job;
		j->by_ring[i] = v[i].job;
	}
}

int an_jobs_rings(struct an_jobs *j, const struct an_trace *t,
		  const struct an_job_place *places,
		  const struct an_tasks *tasks, struct err *err)
{
	struct rings r = { .j = j, .t = t, .places = places, .tasks = tasks };
	struct ran *v = calloc(j->n + 1, sizeof(*v));
	int rc = 0;

	buf_init(&r.name, 0);
	j->by_ring = calloc(j->n + 1, sizeof(*j->by_ring));
	if (!v || !j->by_ring)
		rc = err_nomem(err);
	if (!rc)
		rc = place_jobs(&r, err);
	if (!rc)
		rc = name_rings(&r, err);
	if (!rc)
		begin_jobs(j, v, list_ran(j, v));
	buf_fini(&r.name);
	free(v);
	return rc;
}

void an_jobs_fini(struct an_jobs *j)
{
	free(j->v);
	free(j->rings);
	free(j->by_ring);
	intern_fini(&j->names);
	map64_fini(&j->by_key);
	*j = (struct an_jobs){ 0 };
}

uint64_t an_ring_busy(const struct an_jobs *j, uint32_t ring, uint64_t from,
		      uint64_t to)
{
	const struct an_ring *r = &j->rings[ring];
	uint64_t sum = 0;

	for (size_t i = r->first; i < r->end; i++) {
		const struct an_job *job = &j->v[j->by_ring[i]];
		uint64_t a = job->start > from ? job->start : from;
		uint64_t b = job->end < to ? job->end : to;

		sum += b > a ? b - a : 0;
	}
	return sum;
}
