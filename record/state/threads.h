/* Who runs: threads by tid, with the name, process and address space that each
 * had at a time. A rename, an exec or a reused tid is a new instance in front
 * of the older one. */
#ifndef RECORD_STATE_THREADS_H
#define RECORD_STATE_THREADS_H

#include "format/base/err.h"
#include "format/base/map64.h"
#include "format/base/span.h"
#include "record/state/mm.h"
#include "record/state/row.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define REC_COMM_MAX 64

struct rec_thread {
	int32_t tid, pid;
	uint64_t from;     /* ns: valid since; 0: since before the recording */
	uint64_t seen;     /* ns: when it last mapped something */
	char comm[REC_COMM_MAX];
	struct rec_mm *mm; /* a reference */
	struct rec_thread *older;
	bool guessed;      /* nobody announced it: made from its ids */
	struct rec_row row[REC_SHARDS_MAX];
};

struct rec_threads {
	struct map64 by_tid; /* → index in slots */
	struct rec_thread **slots;
	size_t n;
	size_t cap;
	/* tids with instances that will be dropped: ended or superseded. */
	struct rec_ended {
		int32_t tid;
		uint64_t at;
		bool exited;
		bool waits; /* only its name is still of use */
	} *ended;
	size_t n_ended;
	size_t ended_cap;
};

void rec_threads_fini(struct rec_threads *t); /* zeroed is ready to use */

/* The thread as it was at `time`; NULL: never heard of. */
struct rec_thread *rec_threads_at(const struct rec_threads *t, int32_t tid,
				  uint64_t time);

/* Announces: in each case a new instance from `from` on. NULL: out of memory.
 * `mm` is referenced again. */
struct rec_thread *rec_threads_add(struct rec_threads *t, int32_t tid,
				   int32_t pid, struct span comm,
				   struct rec_mm *mm, uint64_t from);

/* It did something that only the living do: an exit record from before was not
 * its end (it executed a set-user-ID program). */
void rec_threads_seen(struct rec_threads *t, int32_t tid, uint64_t at);

bool rec_threads_exit(struct rec_threads *t, int32_t tid, uint64_t at);

/* Drops instances that no record from `time` on can mean. One that exited loses
 * its mappings and keeps its name for a while: since Linux 6.16 the record of
 * an exit comes before the address space is taken down, which may take seconds
 * and is sampled. */
void rec_threads_prune(struct rec_threads *t, uint64_t time);

#endif
