/* Heads while they are told apart: for head.c, which does so, and heads.c, which
 * mends, orders and measures what came out. */
#ifndef ANALYZE_GPU_HEAD_DATA_H
#define ANALYZE_GPU_HEAD_DATA_H

#include "analyze/gpu/head.h"
#include "analyze/gpu/period.h"

/* One crtc. */
struct an_split {
	struct an_heads *h;
	uint32_t first_head; /* of this crtc: they are the last ones */
	double periods[AN_MAX_PERIODS];
	size_t n_periods;
	uint32_t *last;      /* vblank of each head */
	size_t last_cap;
};

/* Heads of a crtc that follow each other are one whose count began anew; a
 * single vblank amid those of another is a stray of that. */
int an_split_mend(struct an_split *s, struct err *err);

/* After all crtcs: the orders, and what is measured of each head. */
int an_heads_order(struct an_heads *h, struct err *err);

#endif
