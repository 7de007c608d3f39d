/* What a thread did, as far as all rows agree. */
#ifndef ANALYZE_TIMELINE_STATES_H
#define ANALYZE_TIMELINE_STATES_H

#include "analyze/sched/sched.h"

/* As an_state_walk(), but a thread runs only while its CPU's rows do not name
 * another one. They do where the kernel did not let the recorder see that it
 * was taken off: then it is not known what it did from there on. */
struct an_agreed_walk {
	struct an_state_walk states;
	struct an_cpu_walk cpu;
	struct an_stretch now;
	bool splits; /* `now` is being parted by what the CPU says */
};

void an_agreed_walk(struct an_agreed_walk *w, const struct an_sched *s,
		    uint32_t task, uint64_t from, uint64_t to);
bool an_agreed_next(struct an_agreed_walk *w, struct an_stretch *out);

#endif
