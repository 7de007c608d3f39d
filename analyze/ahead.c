#include "analyze/ahead.h"

#include "analyze/trace_data.h"

#include "format/base/mem.h"

#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#define PARTS_ALONE 4u      /* decoded before threads are started */
#define PARTS_A_THREAD 2u   /* at most, decoded and being decoded */
#define MAX_SLOTS (AN_MAX_THREADS * PARTS_A_THREAD)
/* Of all parts on their way; a recorder's have about 1 MiB. One may be larger:
 * then it is alone, and its memory is not kept. */
#define MAX_BYTES ((size_t)64 << 20)

enum state { FREE, WAITING, TAKEN, DONE };

/* A part on its way. Whoever takes it has it alone until it is done. */
struct slot {
	enum state state;
	struct tf_cursor *cursor;
	struct tf_place place;
	uint64_t number;
	const struct tf_view *view;
	int rc;
	struct err err;
};

struct spot {
	struct tf_place place;
	uint64_t number;
};

struct an_ahead {
	struct an_trace *t;
	struct tf_query *queries;
	size_t n_queries;
	struct tf_cursor *finder;
	bool ended;           /* it has no more */
	uint64_t found;       /* parts, so far */
	bool by_time;
	struct spot *spots;   /* all parts, by time */
	size_t n_spots, spots_cap, next_spot;

	struct slot slots[MAX_SLOTS];
	size_t n_slots;       /* in use: a ring */
	size_t first, used;
	size_t bytes;         /* of their parts */
	struct spot held;     /* one that had no place yet */
	int held_rc;
	bool holds;
	struct err held_err;
	bool given;           /* the first one's view is the caller's */

	pthread_t threads[AN_MAX_THREADS];
	size_t n_threads;     /* beside the caller's */
	bool sharing;         /* threads were started, or none are wanted */
	pthread_mutex_t lock; /* of the states, `stop` and the ring */
	pthread_cond_t work, done;
	bool stop;
};

unsigned an_threads_usual(void)
{
	cpu_set_t set;
	int n = 1;

	/* Of more CPUs than fit the set there are enough. */
	if (sched_getaffinity(0, sizeof(set), &set))
		return AN_MAX_THREADS;
	n = CPU_COUNT(&set);
	return n > (int)AN_MAX_THREADS ? AN_MAX_THREADS : (unsigned)n;
}

static int slot_open(struct an_ahead *a, struct slot *s, struct err *err)
{
	if (s->cursor)
		return 0;
	return tf_cursor_new_many(&s->cursor, a->t->reader, a->queries,
				  a->n_queries, err);
}

int an_ahead_new(struct an_ahead **out, struct an_trace *t,
		 const struct tf_query *q, size_t n, struct err *err)
{
	struct an_ahead *a = calloc(1, sizeof(*a));
	int rc;

	if (!a)
		return err_nomem(err);
	pthread_mutex_init(&a->lock, NULL);
	pthread_cond_init(&a->work, NULL);
	pthread_cond_init(&a->done, NULL);
	a->t = t;
	a->n_slots = 1;
	a->n_queries = n;
	a->queries = calloc(n + 1, sizeof(*q));
	rc = a->queries ? 0 : err_nomem(err);
	if (!rc) {
		memcpy(a->queries, q, n * sizeof(*q));
		rc = tf_cursor_new_many(&a->finder, t->reader, q, n, err);
	}
	if (!rc)
		rc = slot_open(a, &a->slots[0], err);
	if (rc) {
		an_ahead_free(a);
		return rc;
	}
	*out = a;
	return 0;
}

static void stop_threads(struct an_ahead *a)
{
	pthread_mutex_lock(&a->lock);
	a->stop = true;
	pthread_cond_broadcast(&a->work);
	pthread_mutex_unlock(&a->lock);
	for (size_t i = 0; i < a->n_threads; i++)
		pthread_join(a->threads[i], NULL);
	a->n_threads = 0;
}

void an_ahead_free(struct an_ahead *a)
{
	if (!a)
		return;
	stop_threads(a);
	for (size_t i = 0; i < MAX_SLOTS; i++)
		tf_cursor_free(a->slots[i].cursor);
	tf_cursor_free(a->finder);
	pthread_cond_destroy(&a->done);
	pthread_cond_destroy(&a->work);
	pthread_mutex_destroy(&a->lock);
	free(a->queries);
	free(a->spots);
	free(a);
}

static struct slot *slot_at(struct an_ahead *a, size_t i)
{
	return &a->slots[(a->first + i) % a->n_slots];
}

/* The one that is needed first of those that nobody decodes yet. */
static struct slot *take_waiting(struct an_ahead *a)
{
	for (size_t i = 0; i < a->used; i++) {
		struct slot *s = slot_at(a, i);

		if (s->state == WAITING) {
			s->state = TAKEN;
			return s;
		}
	}
	return NULL;
}

/* Called and returns with the lock held. */
static void decode(struct an_ahead *a, struct slot *s)
{
	pthread_mutex_unlock(&a->lock);
	s->rc = tf_cursor_at(s->cursor, &s->place, &s->view, &s->err);
	pthread_mutex_lock(&a->lock);
	s->state = DONE;
	pthread_cond_signal(&a->done);
}

static void *help(void *arg)
{
	struct an_ahead *a = arg;

	pthread_mutex_lock(&a->lock);
	while (!a->stop) {
		struct slot *s = take_waiting(a);

		if (s)
			decode(a, s);
		else
			pthread_cond_wait(&a->work, &a->lock);
	}
	pthread_mutex_unlock(&a->lock);
	return NULL;
}

/* Between parts: the ring is empty, so that it can become longer. A machine
 * that gives no thread is one on which the caller's has to do. */
static int start_threads(struct an_ahead *a, struct err *err)
{
	size_t n = a->t->decoders ? a->t->decoders : 1;
	int rc = 0;

	a->sharing = true;
	n = n < AN_MAX_THREADS ? n : AN_MAX_THREADS;
	if (n == 1)
		return 0;
	for (size_t i = 0; i < n * PARTS_A_THREAD && !rc; i++)
		rc = slot_open(a, &a->slots[i], err);
	if (rc)
		return rc;
	a->first = 0;
	a->n_slots = n * PARTS_A_THREAD;
	while (a->n_threads < n - 1 &&
	       !pthread_create(&a->threads[a->n_threads], NULL, help, a))
		a->n_threads++;
	if (!a->n_threads)
		a->n_slots = 1;
	return 0;
}

static int next_place(struct an_ahead *a, struct spot *out, struct err *err)
{
	int rc;

	if (a->by_time) {
		if (a->next_spot == a->n_spots)
			return 1;
		*out = a->spots[a->next_spot++];
		return 0;
	}
	rc = tf_cursor_find(a->finder, &out->place, err);
	out->number = a->found++;
	return rc;
}

static void put_held(struct an_ahead *a)
{
	struct slot *s = slot_at(a, a->used);

	a->holds = false;
	a->bytes += a->held.place.size;
	s->rc = a->held_rc;
	s->err = a->held_err;
	s->place = a->held.place;
	s->number = a->held.number;
	pthread_mutex_lock(&a->lock);
	s->state = s->rc ? DONE : WAITING;
	a->used++;
	pthread_cond_signal(&a->work);
	pthread_mutex_unlock(&a->lock);
}

/* Puts places of parts into the ring until it is full. */
static void refill(struct an_ahead *a)
{
	while (!a->ended && a->used < a->n_slots) {
		if (!a->holds) {
			a->held = (struct spot){ .number = 0 };
			a->held_rc = next_place(a, &a->held, &a->held_err);
			a->ended = a->held_rc == 1;
			a->holds = !a->ended;
		}
		if (!a->holds || (a->used && a->bytes + a->held.place.size >
						     MAX_BYTES))
			break;
		put_held(a);
	}
}

static int take_back(struct an_ahead *a, struct err *err)
{
	struct slot *s = slot_at(a, 0);

	a->given = false;
	a->bytes -= s->place.size;
	pthread_mutex_lock(&a->lock);
	s->state = FREE;
	a->first = (a->first + 1) % a->n_slots;
	a->used--;
	pthread_mutex_unlock(&a->lock);
	if (s->place.size <= MAX_BYTES / MAX_SLOTS)
		return 0;
	tf_cursor_free(s->cursor);
	s->cursor = NULL;
	return slot_open(a, s, err);
}

/* Until the first slot is done; helps meanwhile. */
static void wait_for_first(struct an_ahead *a)
{
	pthread_mutex_lock(&a->lock);
	while (slot_at(a, 0)->state != DONE) {
		struct slot *s = take_waiting(a);

		if (s)
			decode(a, s);
		else
			pthread_cond_wait(&a->done, &a->lock);
	}
	pthread_mutex_unlock(&a->lock);
}

int an_ahead_next(struct an_ahead *a, const struct tf_view **out,
		  struct err *err)
{
	struct slot *s;
	int rc = 0;

	if (a->given)
		rc = take_back(a, err);
	if (!rc && !a->sharing && !a->used &&
	    (a->found > PARTS_ALONE || a->next_spot > PARTS_ALONE))
		rc = start_threads(a, err);
	if (rc)
		return rc;
	refill(a);
	if (!a->used)
		return 1;
	wait_for_first(a);
	a->given = true;
	s = slot_at(a, 0);
	if (s->rc < 0 && err)
		*err = s->err;
	*out = s->view;
	return s->rc;
}

static int by_time(const void *a, const void *b)
{
	const struct spot *x = a, *y = b;
	int order = CMP(x->place.t_min, y->place.t_min);

	return order ? order : CMP(x->number, y->number);
}

int an_ahead_by_time(struct an_ahead *a, struct err *err)
{
	int rc = 0;

	while (!rc) {
		struct spot spot = { .number = 0 };

		rc = next_place(a, &spot, err);
		if (rc < 0)
			rc = an_trace_survive(a->t, rc, err);
		else if (!rc && !mem_grow(&a->spots, &a->spots_cap,
					  a->n_spots + 1, sizeof(*a->spots)))
			rc = err_nomem(err);
		else if (!rc)
			a->spots[a->n_spots++] = spot;
	}
	if (rc < 0)
		return rc;
	if (a->n_spots)
		qsort(a->spots, a->n_spots, sizeof(*a->spots), by_time);
	a->by_time = true;
	a->found = 0;
	return 0;
}

uint64_t an_ahead_bound(const struct an_ahead *a)
{
	size_t next = a->next_spot - (a->used - a->given) - a->holds;

	return next < a->n_spots ? a->spots[next].place.t_min : UINT64_MAX;
}

uint64_t an_ahead_number(const struct an_ahead *a)
{
	return a->slots[a->first].number;
}
