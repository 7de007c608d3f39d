/* An address space: which image was mapped where, and when. munmap and mremap
 * emit no records, so a mapping ends when another covers it. */
#ifndef RECORD_STATE_MM_H
#define RECORD_STATE_MM_H

#include "record/state/row.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rec_mapping {
	uint64_t start, end; /* [start, end) */
	uint64_t offset;     /* of start in the image */
	uint64_t from;       /* ns: valid since */
	uint32_t image;      /* index in struct rec_images */
};

struct rec_past_mapping {
	struct rec_mapping map;
	uint64_t to; /* ns: valid before */
};

struct rec_mm {
	unsigned refs;
	int32_t pid, parent;
	uint64_t from;         /* ns: when it began or was first seen */
	uint64_t pid_ns;       /* inode of its pid namespace, and the id of its
				* cgroup when it was first seen, as records
				* told; 0: they did not */
	uint64_t cgroup;
	/* Of the program that this one took the place of; NULL: of none. The
	 * kernel makes the new one from a call of the old one. */
	struct rec_mm *before;
	struct rec_mapping *maps; /* in force, by start, never overlapping */
	size_t n;
	size_t cap;
	struct rec_past_mapping *past;
	size_t n_past;
	size_t past_cap;
	uint64_t changed;      /* ns: of the last change */
	uint32_t version;      /* counts changes */
	/* Stands for this state of this address space in caches; 0: none was
	 * given since it changed. */
	uint64_t serial;
	struct rec_row row[REC_SHARDS_MAX]; /* only whether there is one */
};

struct rec_mm *rec_mm_new(int32_t pid, int32_t parent, uint64_t from);
struct rec_mm *rec_mm_fork(const struct rec_mm *mm, int32_t pid,
			   uint64_t from);
/* For a new program; `old`: what the process had, NULL is fine. */
struct rec_mm *rec_mm_exec(struct rec_mm *old, int32_t pid, uint64_t from);
struct rec_mm *rec_mm_get(struct rec_mm *mm);
void rec_mm_put(struct rec_mm *mm); /* NULL is fine */

/* Puts a mapping over what was there. false: out of memory, nothing changed. */
bool rec_mm_map(struct rec_mm *mm, const struct rec_mapping *map);

/* What covered `ip` at `time`, or NULL. */
const struct rec_mapping *rec_mm_find(const struct rec_mm *mm, uint64_t ip,
				      uint64_t time);

/* Forgets all mappings: the process is gone. */
void rec_mm_clear(struct rec_mm *mm);

/* Forgets what ended before `time`. */
void rec_mm_prune(struct rec_mm *mm, uint64_t time);

#endif
