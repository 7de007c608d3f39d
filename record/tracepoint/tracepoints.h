/* The tracepoints of a recording: which event has which table. */
#ifndef RECORD_TRACEPOINT_TRACEPOINTS_H
#define RECORD_TRACEPOINT_TRACEPOINTS_H

#include "format/base/err.h"
#include "format/base/map64.h"
#include "record/perf/event.h"
#include "record/tracepoint/format.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rec_tracepoints {
	const char *root;
	const char *tracefs; /* below the root; NULL: nothing was read there */
	struct rec_tracepoint_list {
		struct rec_tracepoint **items;
		size_t n;
		size_t cap;
	} tables;          /* table TF_TABLE_DYNAMIC + i */
	struct rec_tracepoint **of_event; /* by event; NULL: no tracepoint */
	size_t n_events;

	/* Those that stand for a key, as they are met; under the lock where
	 * several shards run. */
	struct rec_tracepoint_list keyed;
	struct map64 keys; /* event << 32 | key → place in `keyed` + 1 */
};

/* Reads the format files of all tracepoints among the events. Two events of one
 * tracepoint share its table. */
int rec_tracepoints_load(struct rec_tracepoints *t,
			 const struct rec_event *const *events, size_t n,
			 const char *root, struct err *err);
void rec_tracepoints_fini(struct rec_tracepoints *t);

/* Event number `event`, with the text of its format file; the next one takes the
 * place behind it. An empty text: it has no table. */
int rec_tracepoints_add(struct rec_tracepoints *t, const struct rec_event *e,
			size_t event, struct span format, struct err *err);

/* That of an event; NULL: it is none. */
static inline struct rec_tracepoint *
rec_tracepoints_of(const struct rec_tracepoints *t, size_t event)
{
	return event < t->n_events ? t->of_event[event] : NULL;
}

/* The one that stands for key `key` of an event of many (rec_event.by_key):
 * syscalls:sys_enter_openat for 257. Only its text is of use, it has no table.
 * NULL: the kernel has none for it. */
struct rec_tracepoint *rec_tracepoints_by_key(struct rec_tracepoints *t,
					      const struct rec_event *e,
					      size_t event, uint32_t key);

#endif
