#include "record/state/threads.h"

#include "format/base/mem.h"
#include "format/base/time.h"

#include <stdlib.h>
#include <string.h>

/* Longest time that a thread that exited may still be seen to run. */
#define LEAVING_NS (10 * (uint64_t)NSEC_PER_SEC)

static void thread_free(struct rec_thread *t)
{
	while (t) {
		struct rec_thread *older = t->older;

		rec_mm_put(t->mm);
		free(t);
		t = older;
	}
}

void rec_threads_fini(struct rec_threads *t)
{
	for (size_t i = 0; i < t->n; i++)
		thread_free(t->slots[i]);
	free(t->slots);
	free(t->ended);
	map64_fini(&t->by_tid);
	*t = (struct rec_threads){ 0 };
}

static struct rec_thread **slot_of(const struct rec_threads *t, int32_t tid)
{
	uint32_t slot;

	if (!map64_get(&t->by_tid, (uint32_t)tid, &slot))
		return NULL;
	return &t->slots[slot];
}

struct rec_thread *rec_threads_at(const struct rec_threads *t, int32_t tid,
				  uint64_t time)
{
	struct rec_thread **slot = slot_of(t, tid);
	struct rec_thread *at = slot ? *slot : NULL;

	while (at && at->from > time && at->older)
		at = at->older;
	return at;
}

static struct rec_thread **slot_for(struct rec_threads *t, int32_t tid)
{
	bool fresh;
	uint32_t *slot;

	if (!mem_grow(&t->slots, &t->cap, t->n + 1, sizeof(struct rec_thread *)))
		return NULL;
	slot = map64_put(&t->by_tid, (uint32_t)tid, (uint32_t)t->n, &fresh);
	if (!slot)
		return NULL;
	if (fresh)
		t->slots[t->n++] = NULL;
	return &t->slots[*slot];
}

static bool note_ended(struct rec_threads *t, int32_t tid, uint64_t at,
		       bool exited)
{
	if (!mem_grow(&t->ended, &t->ended_cap, t->n_ended + 1,
		      sizeof(*t->ended)))
		return false;
	t->ended[t->n_ended++] = (struct rec_ended){ tid, at, exited, false };
	return true;
}

static void set_comm(struct rec_thread *t, struct span comm)
{
	size_t n = comm.n < REC_COMM_MAX - 1 ? comm.n : REC_COMM_MAX - 1;

	if (n)
		memcpy(t->comm, comm.p, n);
	t->comm[n] = '\0';
}

struct rec_thread *rec_threads_add(struct rec_threads *t, int32_t tid,
				   int32_t pid, struct span comm,
				   struct rec_mm *mm, uint64_t from)
{
	struct rec_thread **slot = slot_for(t, tid);
	struct rec_thread *fresh = slot ? calloc(1, sizeof(*fresh)) : NULL;

	if (!fresh)
		return NULL;
	if (*slot && !note_ended(t, tid, from, false)) {
		free(fresh);
		return NULL;
	}
	fresh->tid = tid;
	fresh->pid = pid;
	fresh->from = from;
	set_comm(fresh, comm);
	fresh->mm = rec_mm_get(mm);
	fresh->older = *slot;
	*slot = fresh;
	return fresh;
}

void rec_threads_seen(struct rec_threads *t, int32_t tid, uint64_t at)
{
	struct rec_thread **slot = slot_of(t, tid);

	if (slot && *slot && (*slot)->seen < at)
		(*slot)->seen = at;
}

bool rec_threads_exit(struct rec_threads *t, int32_t tid, uint64_t at)
{
	return !slot_of(t, tid) || note_ended(t, tid, at, true);
}

/* Keeps the instances that were valid at or after `time`. */
static void drop_older(struct rec_thread *newest, uint64_t time)
{
	struct rec_thread *t = newest;

	while (t && t->from > time)
		t = t->older;
	if (t) {
		thread_free(t->older);
		t->older = NULL;
	}
}

/* false: it will be asked about again. */
static bool prune(struct rec_threads *t, struct rec_ended *e, uint64_t time)
{
	bool gone = time - e->at > LEAVING_NS;
	struct rec_thread **slot;

	if (e->waits && !gone)
		return false;
	slot = slot_of(t, e->tid);
	if (!slot || !*slot)
		return true;
	drop_older(*slot, time);
	/* The tid may have been given out again since. */
	if (!e->exited || (*slot)->from > e->at || (*slot)->seen > e->at)
		return true;
	if (gone) {
		thread_free(*slot);
		*slot = NULL;
	} else if ((*slot)->mm->refs == 1) {
		rec_mm_clear((*slot)->mm);
	}
	e->waits = true;
	return gone;
}

void rec_threads_prune(struct rec_threads *t, uint64_t time)
{
	size_t kept = 0;

	for (size_t i = 0; i < t->n_ended; i++) {
		struct rec_ended *e = &t->ended[i];

		if (e->at >= time || !prune(t, e, time))
			t->ended[kept++] = *e;
	}
	t->n_ended = kept;
}
