/* Display heads: their vblanks, which rows of drm name by the number of the pipe
 * alone, so that two cards look like one until they are told apart by the
 * continuity of their counts and times. */
#ifndef ANALYZE_GPU_HEAD_H
#define ANALYZE_GPU_HEAD_H

#include "analyze/gpu/fields.h"

struct an_vblank {
	uint64_t time;       /* of the vblank */
	uint64_t told;       /* of the row */
	uint32_t head, crtc, seq;
};

struct an_head {
	uint32_t crtc;
	char device[24];     /* "card0/i915"; empty: not known */
	bool unsure;         /* its clients have several */
	uint32_t number;     /* among those of this device and crtc, from 1 */
	bool alone;          /* there is no other of these */
	size_t first, end;   /* in the order of `by_head` */
	double period_ns;    /* 0: too few vblanks */
	bool vrr;            /* it has no fixed period: that is the median */
	uint64_t shortest_ns, longest_ns; /* between neighbours */
	uint64_t jitter_ns;  /* 95 % of the times from one vblank to the next
			      * are off the period by no more */
	uint32_t restarts;   /* its count began anew */
	uint32_t duplicates, strays; /* rows that say nothing new, or nothing
				      * that fits */
	uint32_t not_seen;   /* vblanks between those in the trace: interrupts
			      * are off while nobody wants them */
};

struct an_heads {
	struct an_vblank *v; /* in the order of their rows */
	size_t n, cap;
	struct an_head *heads;
	size_t n_heads, heads_cap;
	uint32_t *by_head;   /* vblanks head by head, by time */
	uint32_t *by_seq;    /* those that have a head, by (crtc, seq, time) */
	size_t n_by_seq;
};

int an_heads_make(struct an_heads *out, const struct an_gpu_events *events,
		  struct err *err);
void an_heads_fini(struct an_heads *h); /* a zeroed one is fine */

/* Anew, after devices became known. */
void an_heads_number(struct an_heads *h);

/* "crtc0", "card0/i915 crtc0", or "crtc0#2" where several heads are called so.
 */
#define AN_HEAD_NAME 48
void an_head_name(const struct an_heads *h, uint32_t head,
		  char to[AN_HEAD_NAME]);

/* The vblank of that count whose row is next to a time; AN_NONE: there is none
 * near. */
uint32_t an_heads_find(const struct an_heads *h, uint32_t crtc, uint32_t seq,
		       uint64_t told);

/* A head as of its vblanks in [from, to]: their range, how far apart they are, and
 * those between that are not seen. The rest is of all. */
int an_head_within(struct an_head *out, const struct an_heads *h, uint32_t head,
		   uint64_t from, uint64_t to, struct err *err);

/* Position in `by_head` of the head's first vblank later than a time; its end
 * where there is none. */
size_t an_head_after(const struct an_heads *h, uint32_t head, uint64_t time);

static inline const struct an_vblank *an_head_vblank(const struct an_heads *h,
						     size_t position)
{
	return &h->v[h->by_head[position]];
}

#endif
