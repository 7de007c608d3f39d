/* Definition rows of the epoch: gives out ids for strings, images, frames,
 * stack nodes, threads, processes and events, and writes each row once, when
 * it is first used. A new epoch begins empty.
 *
 * Running out of memory is sticky: ids are then 0 and defs->failed says so. */
#ifndef RECORD_STATE_DEFS_H
#define RECORD_STATE_DEFS_H

#include "format/base/intern.h"
#include "record/perf/event.h"
#include "record/sink/sink.h"
#include "record/state/cgroups.h"
#include "record/state/images.h"
#include "record/state/nodes.h"
#include "record/state/threads.h"
#include "record/tracepoint/tracepoints.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

struct rec_defs {
	struct rec_sink *sink;
	unsigned shard;        /* which rows of what is shared are ours */
	pthread_mutex_t *lock; /* of what shards share; NULL: there is one */
	struct rec_defs *next; /* of the other shards, behind the first one's */
	struct rec_images *images;
	struct rec_tracepoints *tracepoints; /* of the events; NULL: none */
	/* Of a recording made elsewhere, which tells them by records; NULL: it
	 * is this machine's, whose /proc does. */
	const struct rec_cgroups *cgroups;
	const char *root;      /* prefix of /proc */
	struct intern strings;
	struct rec_nodes nodes;
	uint32_t n_nodes;
	struct {
		uint32_t epoch; /* + 1 */
		uint32_t id;
	} *events;
	size_t n_events;
	struct map64 keys;     /* event << 32 | key, of those defined */
	uint64_t own_ns;       /* pid namespace of the recorder */
	struct buf text;       /* of files of /proc */
	uint64_t epoch_since;  /* ns */
	bool failed;
};

/* Around what changes or reads what other shards may change: images, names,
 * the texts of tracepoints. */
static inline void rec_defs_lock(struct rec_defs *d)
{
	if (d->lock)
		pthread_mutex_lock(d->lock);
}

static inline void rec_defs_unlock(struct rec_defs *d)
{
	if (d->lock)
		pthread_mutex_unlock(d->lock);
}

int rec_defs_init(struct rec_defs *d, struct rec_sink *sink,
		  struct rec_images *images, const char *root, size_t n_events,
		  uint64_t now_ns, struct err *err);
void rec_defs_fini(struct rec_defs *d);

/* Events up to this number may come. */
int rec_defs_more_events(struct rec_defs *d, size_t n_events, struct err *err);

uint32_t rec_defs_string(struct rec_defs *d, const void *p, size_t n);
uint32_t rec_defs_image(struct rec_defs *d, uint32_t image);
uint32_t rec_defs_event(struct rec_defs *d, size_t index,
			const struct rec_event *e);
/* Event `index` stands for many (rec_event.by_key): defines the one of this
 * key, once. */
void rec_defs_event_key(struct rec_defs *d, size_t index,
			const struct rec_event *e, uint32_t key);
uint32_t rec_defs_thread(struct rec_defs *d, struct rec_thread *t);

/* *fresh: the address was not touched in this epoch before. */
uint32_t rec_defs_frame(struct rec_defs *d, uint32_t image, uint64_t address,
			enum tf_frame_kind kind, bool *fresh);
/* Only one that was touched in this epoch. */
bool rec_defs_known_frame(const struct rec_defs *d, uint32_t image,
			  uint64_t address, enum tf_frame_kind kind,
			  uint32_t *id);
/* What these look up is on its way into the cache. */
void rec_defs_prefetch_frame(const struct rec_defs *d, uint32_t image,
			     uint64_t address, enum tf_frame_kind kind);
/* `path` leads to the node. */
uint32_t rec_defs_node(struct rec_defs *d, struct rec_path_hash path,
		       uint32_t parent, uint32_t frame);

/* A mapping of a process whose rows are in this epoch already. */
void rec_defs_mapping(struct rec_defs *d, const struct rec_mm *mm,
		      const struct rec_mapping *m);

/* Whether a new epoch is due: ids, memory or time have reached their caps. */
bool rec_defs_due(const struct rec_defs *d, uint64_t now_ns);

/* Begins one; false: not now, the writer is behind. */
bool rec_defs_new_epoch(struct rec_defs *d, uint64_t now_ns);

/* The same, in the next file of the recording. */
bool rec_defs_new_segment(struct rec_defs *d, uint64_t now_ns);

size_t rec_defs_size(const struct rec_defs *d); /* bytes of memory held */

#endif
