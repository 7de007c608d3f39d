/* Frames of a trace as perf script prints them: its addresses and its names of
 * images are others than ours. */
#ifndef ANALYZE_COMPAT_SHOWN_H
#define ANALYZE_COMPAT_SHOWN_H

#include "analyze/compat/names.h"
#include "analyze/trace.h"

#define AN_SHOWN_DSO 64

struct an_shown {
	const struct an_trace *t;
	uint64_t text; /* address of the kernel's _text, 0: not known */
	bool no_pids;  /* the trace was made of a text that tells none */
	char dso[AN_SHOWN_DSO]; /* made up */
};

void an_shown_init(struct an_shown *s, const struct an_trace *t);

/* The process of a thread, -1: not known. */
int32_t an_shown_pid(const struct an_shown *s, const struct an_thread *th);

/* Whether perf names what the frame lies in by the process that ran it. */
bool an_shown_by_process(const struct an_trace *t, uint32_t frame);

/* The frame in process `pid`; until the next call. false: perf has no such
 * frame: a mark of ours that the stack was cut. */
bool an_shown_frame(struct an_shown *s, uint32_t frame, int32_t pid,
		    struct an_compat_frame *out);

#endif
