#include "analyze/gpu/client.h"

#include "format/base/map64.h"
#include "format/base/mem.h"

#include <stdlib.h>
#include <string.h>

/* A delivery wakes its client within this. */
#define WAKES_NS 1000000u
/* It runs within this, among the first few that do. */
#define RUNS_NS 3000000u
#define RUNS_AMONG 4u

/* Calls that flip, by time. */
struct flip { uint64_t time; uint32_t task; };

struct find {
	const struct an_clients *c;
	const struct an_sched *sched; /* NULL: there is none */
	const struct an_tasks *tasks;
	struct flip *flips;
	size_t n_flips;
	struct map64 votes;  /* (client, task) to how often */
	bool failed;         /* for want of memory */
};

static void vote(struct find *f, uint32_t client, uint32_t task)
{
	bool is_new;
	uint32_t *at;

	if (task == AN_NONE)
		return;
	at = map64_put(&f->votes, map64_pair(client, task), 0, &is_new);
	if (at)
		++*at;
	else
		f->failed = true;
}

static int by_time(const void *a, const void *b)
{
	const struct flip *x = a, *y = b;

	return CMP(x->time, y->time);
}

static int list_flips(struct find *f, const struct an_syscalls *calls,
		      struct err *err)
{
	f->flips = calloc(calls->n + 1, sizeof(*f->flips));
	if (!f->flips)
		return err_nomem(err);
	for (size_t i = 0; i < calls->n; i++)
		if (an_syscall_flips(&calls->v[i]))
			f->flips[f->n_flips++] = (struct flip){
				calls->v[i].from, calls->v[i].task };
	if (f->n_flips)
		qsort(f->flips, f->n_flips, sizeof(*f->flips), by_time);
	return 0;
}

/* The last one that flipped between two deliveries. */
static uint32_t who_flipped(const struct find *f, uint64_t from, uint64_t to)
{
	size_t low = 0, high = f->n_flips;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (f->flips[mid].time < to)
			low = mid + 1;
		else
			high = mid;
	}
	return low && f->flips[low - 1].time >= from ? f->flips[low - 1].task :
						       AN_NONE;
}

/* Without anything better: it is among those that run next, each time. */
static void vote_runners(struct find *f, const struct an_delivery *d)
{
	uint32_t ran[RUNS_AMONG];
	size_t n = an_sched_next_in(f->sched, d->time, d->time + RUNS_NS, ran,
				    RUNS_AMONG);

	for (size_t i = 0; i < n; i++)
		if (strncmp(an_task_name(f->tasks, ran[i], d->time),
			    "kworker/", 8) != 0)
			vote(f, d->client, ran[i]);
}

static void look_at(struct find *f, const struct an_delivery *d)
{
	uint32_t task = AN_NONE;

	if (f->sched && an_sched_has_wakeups(f->sched))
		task = an_sched_woken(f->sched, d->cpu, d->time,
				      d->time + WAKES_NS);
	if (task == AN_NONE && d->previous != AN_NONE)
		task = who_flipped(f, f->c->v[d->previous].time, d->time);
	if (task != AN_NONE)
		vote(f, d->client, task);
	else if (f->sched && !an_sched_has_wakeups(f->sched))
		vote_runners(f, d);
}

/* Who asks for a vblank does so himself. Of a client that shows on several heads
 * its first one gets the vote. */
static int vote_askers(struct find *f, const struct an_gpu_events *events,
		       struct err *err)
{
	struct map64 files = { 0 };
	uint32_t client;
	bool is_new;
	int rc = 0;

	for (uint32_t i = 0; i < f->c->n_clients && !rc; i++)
		if (!map64_put(&files, f->c->clients[i].file, i, &is_new))
			rc = err_nomem(err);
	for (size_t i = 0; i < events->n && !rc; i++)
		if (events->v[i].role == AN_GPU_VBLANK_QUEUED &&
		    map64_get(&files, events->v[i].n[AN_GPU_FILE], &client))
			vote(f, client, events->v[i].task);
	map64_fini(&files);
	return rc;
}

static int count(const struct find *f, struct an_clients *c, struct err *err)
{
	uint32_t *most = calloc(c->n_clients + 1, sizeof(*most));
	uint64_t key;
	size_t at = 0;

	if (!most)
		return err_nomem(err);
	while (map64_next(&f->votes, &at, &key)) {
		uint32_t client = (uint32_t)(key >> 32), task = (uint32_t)key;
		uint32_t n = 0;

		map64_get(&f->votes, key, &n);
		/* The order of the map settles nothing. */
		if (n > most[client] ||
		    (n == most[client] && task < c->clients[client].task)) {
			most[client] = n;
			c->clients[client].task = task;
		}
	}
	free(most);
	return 0;
}

int an_clients_tasks(struct an_clients *c, const struct an_gpu_events *events,
		     const struct an_syscalls *calls,
		     const struct an_sched *sched, const struct an_tasks *tasks,
		     struct err *err)
{
	struct find f = { .c = c, .sched = sched, .tasks = tasks };
	int rc = list_flips(&f, calls, err);

	if (!rc)
		rc = vote_askers(&f, events, err);
	for (size_t i = 0; i < c->n && !rc; i++)
		if (c->v[i].client != AN_NONE)
			look_at(&f, &c->v[i]);
	if (f.failed)
		rc = err_nomem(err);
	if (!rc)
		rc = count(&f, c, err);
	free(f.flips);
	map64_fini(&f.votes);
	return rc;
}
