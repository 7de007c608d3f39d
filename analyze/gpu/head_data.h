/* Heads while they are told apart: for head.c, which does so, and heads.c, which
 * mends, orders and measures what came out. */
#ifndef ANALYZE_GPU_HEAD_DATA_H
#define ANALYZE_GPU_HEAD_DATA_H

#include "analyze/gpu/head.h"
#include "analyze/gpu/period.h"

/* The last vblanks of a head, the oldest one overwritten. */
#define AN_RECENT 32u
struct an_recent {
	uint32_t v[AN_RECENT];
	uint32_t n;
};

/* One crtc. */
struct an_split {
	struct an_heads *h;
	uint32_t first_head; /* of this crtc: they are the last ones */
	double periods[AN_MAX_PERIODS];
	size_t n_periods;
	struct an_recent *recent; /* of each head */
	size_t recent_cap;
};

/* Heads of a crtc that follow each other are one whose count began anew; a
 * single vblank amid those of another is a stray of that. */
int an_split_mend(struct an_split *s, struct err *err);

/* After all crtcs: the orders, and what is measured of each head. */
int an_heads_order(struct an_heads *h, struct err *err);

#endif
