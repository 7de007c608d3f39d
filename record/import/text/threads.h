/* The names of threads, as the lines of a text repeat them: the intake is told
 * of the first one and of each change. */
#ifndef RECORD_IMPORT_TEXT_THREADS_H
#define RECORD_IMPORT_TEXT_THREADS_H

#include "format/base/err.h"
#include "format/base/map64.h"
#include "record/perf/decode.h"

#include <stddef.h>

#define REC_TEXT_COMM_MAX 64u /* what is behind does not tell names apart */

struct rec_intake;

struct rec_text_threads {
	struct map64 by_tid; /* → index in items */
	struct rec_text_thread {
		int32_t pid;
		uint8_t n;
		char comm[REC_TEXT_COMM_MAX];
	} *items;
	size_t n, cap;
};

void rec_text_threads_fini(struct rec_text_threads *t); /* zeroed is ready */

/* The thread of a line has this name; empty: the line does not tell. */
int rec_text_threads_tell(struct rec_text_threads *t, struct rec_intake *to,
			  const struct rec_ids *ids, struct span comm,
			  struct err *err);

/* The process of a thread, where a line told it; -1: none did. */
int32_t rec_text_threads_pid(const struct rec_text_threads *t, int32_t tid);

#endif
