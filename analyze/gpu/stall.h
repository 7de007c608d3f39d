/* Late display frames, each with its likely reason; and waits that went on
 * across a vblank, even if no frame was lost by them. */
#ifndef ANALYZE_GPU_STALL_H
#define ANALYZE_GPU_STALL_H

#include "analyze/gpu/part.h"

struct an_stall {
	uint32_t delivery;   /* the late one */
	uint64_t deadline;   /* the vblank that it missed first */
	uint64_t submit;     /* when it was handed in; 0: not known */
	bool submit_guessed; /* by when its client began to wait for it, or to
			      * hand it in: when it had is not known */
	struct an_why why;
	struct an_account account; /* of the thread that is to blame */
	struct an_parts parts; /* all that took half a period or more: of the
				* client's time until it was handed in, where
				* that was late, and of the display's until it
				* was shown, where that was */
};

/* Why a delivery with missed vblanks was late. Release with an_stall_fini()
 * whatever it returns. */
int an_stall_explain(struct an_stall *out, const struct an_gpu *g,
		     uint32_t delivery, struct err *err);
void an_stall_fini(struct an_stall *s);

/* One sentence. */
void an_stall_text(const struct an_stall *s, const struct an_gpu *g,
		   struct buf *to);
/* Of a part: "game/10 was blocked for 20.1 ms in futex, woken by holder/12". */
void an_stall_part_text(const struct an_why *part, const struct an_gpu *g,
			const struct an_stall *s, struct buf *to);

struct an_crossing {
	uint32_t wait, head;
	uint32_t vblanks;    /* that came meanwhile */
	uint64_t first;      /* the time of the first */
	bool lost;           /* a frame of that head was late meanwhile */
};

/* Goes over all waits that cross a vblank of their head: of the one that their
 * process shows on, else of the only one, else of all. */
struct an_crossings {
	const struct an_gpu *g;
	struct map64 shows;  /* (pid, head), and (pid, AN_NONE) for any */
	uint64_t at;
};
/* Release with an_crossings_fini() whatever it returns. */
int an_crossings_init(struct an_crossings *c, const struct an_gpu *g,
		      struct err *err);
void an_crossings_fini(struct an_crossings *c);
/* false: no more. */
bool an_crossings_next(struct an_crossings *c, struct an_crossing *out);

#endif
