/* Frames of addresses in images: each is defined, and its name asked for, when
 * it is first touched in an epoch. What shards share is behind a lock, so those
 * that come again are known by a table of fixed size; where there is one shard
 * alone that table would only be a second miss of the cache. */
#ifndef RECORD_STACK_FRAMES_H
#define RECORD_STACK_FRAMES_H

#include "format/base/err.h"
#include "record/stack/areas.h"
#include "record/state/defs.h"
#include "record/symbol/names.h"

#include <stddef.h>
#include <stdint.h>

/* A power of two: 2 MiB. */
#define REC_KNOWN ((size_t)1 << 17)

struct rec_known {
	uint64_t address;
	uint32_t where;
	uint32_t frame; /* + 1; 0: nothing */
};

struct rec_frames {
	struct rec_defs *defs;
	struct rec_names *names;
	struct rec_known *known; /* REC_KNOWN; NULL: there is one shard */
};

int rec_frames_init(struct rec_frames *f, struct rec_defs *defs,
		    struct rec_names *names, struct err *err);
void rec_frames_fini(struct rec_frames *f); /* zeroed is fine */

/* `defs` are those of the only shard. */
void rec_frames_alone(struct rec_frames *f);

/* A new epoch: nothing is known. */
void rec_frames_forget(struct rec_frames *f);

/* An address in an image, and what it is as a number of `ip`. */
struct rec_spot {
	uint64_t ip;
	uint64_t address;
	uint32_t image;
	enum tf_frame_kind kind;
};

/* Image and kind. */
static inline uint32_t rec_spot_where(const struct rec_spot *at)
{
	return at->image << 1 | (uint32_t)at->kind;
}

static inline struct rec_spot rec_spot_of(const struct rec_side *of,
					  uint64_t ip, enum tf_frame_kind kind)
{
	const struct rec_area *area = rec_areas_at(of, ip, kind);

	return (struct rec_spot){ ip, ip + area->add, area->image, kind };
}

/* Two places, side by side in one line of the cache. */
static inline struct rec_known *rec_frames_pair(const struct rec_frames *f,
						const struct rec_spot *at)
{
	uint64_t h = (at->address ^
		      rec_spot_where(at) * 0x9e3779b97f4a7c15u) *
		     0xbf58476d1ce4e5b9u;

	return &f->known[h >> 40 & (REC_KNOWN - 2)];
}

static inline void rec_frames_prefetch(const struct rec_frames *f,
				       const struct rec_spot *at)
{
	if (f->known)
		__builtin_prefetch(rec_frames_pair(f, at));
	else
		rec_defs_prefetch_frame(f->defs, at->image, at->address,
					at->kind);
}

/* Where it is in the table, or NULL. */
static inline const struct rec_known *
rec_frames_known(const struct rec_frames *f, const struct rec_spot *at)
{
	const struct rec_known *pair = rec_frames_pair(f, at);
	uint32_t where = rec_spot_where(at);

	for (int i = 0; i < 2; i++)
		if (pair[i].address == at->address && pair[i].where == where &&
		    pair[i].frame)
			return &pair[i];
	return NULL;
}

/* Some time after rec_frames_prefetch(): if it is not in the table, what it will
 * be looked for in is on its way. */
static inline void rec_frames_look(const struct rec_frames *f,
				   const struct rec_spot *at)
{
	if (f->known && !rec_frames_known(f, at))
		rec_defs_prefetch_frame(f->defs, at->image, at->address,
					at->kind);
}

/* The frame of what is not known. */
uint32_t rec_frames_learn(struct rec_frames *f, const struct rec_side *of,
			  const struct rec_spot *at);

static inline uint32_t rec_frames_get(struct rec_frames *f,
				      const struct rec_side *of,
				      const struct rec_spot *at)
{
	const struct rec_known *known;
	uint32_t id;

	if (!f->known) {
		if (rec_defs_known_frame(f->defs, at->image, at->address,
					 at->kind, &id))
			return id;
	} else if ((known = rec_frames_known(f, at))) {
		return known->frame - 1;
	}
	return rec_frames_learn(f, of, at);
}

#endif
