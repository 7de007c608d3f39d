#include "record/import/text/threads.h"

#include "format/base/mem.h"
#include "record/import/intake.h"

#include <stdlib.h>
#include <string.h>

void rec_text_threads_fini(struct rec_text_threads *t)
{
	map64_fini(&t->by_tid);
	free(t->items);
	*t = (struct rec_text_threads){ 0 };
}

static int renamed(struct rec_intake *to, const struct rec_ids *ids,
		   struct span comm, struct err *err)
{
	struct rec_record r = {
		.type = PERF_RECORD_COMM,
		.ids = *ids,
		.comm = { .pid = ids->pid, .tid = ids->tid, .name = comm },
	};

	return rec_intake_record(to, &r, err);
}

int rec_text_threads_tell(struct rec_text_threads *t, struct rec_intake *to,
			  const struct rec_ids *ids, struct span comm,
			  struct err *err)
{
	size_t n = comm.n < REC_TEXT_COMM_MAX ? comm.n : REC_TEXT_COMM_MAX;
	struct rec_text_thread *thread;
	uint32_t *at;
	bool fresh;
	int rc;

	if (!comm.n || ids->tid < 0)
		return 0;
	if (t->n > UINT32_MAX - 1 ||
	    !mem_grow(&t->items, &t->cap, t->n + 1, sizeof(*t->items)))
		return err_nomem(err);
	at = map64_put(&t->by_tid, (uint32_t)ids->tid, (uint32_t)t->n, &fresh);
	if (!at)
		return err_nomem(err);
	thread = &t->items[*at];
	thread->pid = ids->pid;
	if (!fresh && thread->n == n && memcmp(thread->comm, comm.p, n) == 0)
		return 0;
	if (fresh) {
		t->n++;
		rc = rec_intake_comm(to, ids->pid, ids->tid, comm, err);
	} else {
		rc = renamed(to, ids, comm, err);
	}
	thread->n = (uint8_t)n;
	memcpy(thread->comm, comm.p, n);
	return rc;
}

int32_t rec_text_threads_pid(const struct rec_text_threads *t, int32_t tid)
{
	uint32_t at;

	return map64_get(&t->by_tid, (uint32_t)tid, &at) ? t->items[at].pid :
							   -1;
}
