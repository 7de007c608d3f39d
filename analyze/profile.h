/* Samples of one event summed by where they were: the basis of report, folded
 * and flamegraph. */
#ifndef ANALYZE_PROFILE_H
#define ANALYZE_PROFILE_H

#include "analyze/selection.h"
#include "analyze/trace.h"

#include <stdbool.h>

struct an_sum { uint64_t samples, period; };

struct an_place {
	uint32_t thread;         /* AN_NONE: lost */
	uint32_t ip;             /* frame; AN_NONE: lost */
	uint32_t kstack, ustack; /* nodes; AN_NONE: lost */
	uint8_t flags;           /* enum tf_sample_flag */
	struct an_sum sum;
};

struct an_event_profile {
	uint32_t event;
	struct an_place *places; /* each different (thread, ip, stacks) once;
				  * of a stack that is there in several
				  * epochs, each node */
	size_t n;
	struct an_sum total;
	uint64_t t_min, t_max;   /* of its samples; 0, 0 without any */
	/* Of these samples, those whose code has no name, whose stack may be
	 * cut, and that have no stack. */
	struct an_sum nameless, truncated, no_chain;
	uint64_t lost_names;     /* samples that miss a part of their place */
	uint64_t lost_periods;   /* samples without one: they count as 0 */
};

struct an_profile {
	struct an_event_profile *events; /* those of the trace that are
					  * selected, in its order, also those
					  * without a sample */
	size_t n;                /* one more, of event AN_NONE, where events of
				  * samples were lost */
};

/* ERR_LIMIT: a file made to exhaust memory. */
int an_profile_make(struct an_profile *out, struct an_trace *t,
		    const struct an_selection *sel, struct err *err);

/* Only counts the samples of each event: total.samples is all that is set. */
int an_profile_count(struct an_profile *out, struct an_trace *t,
		     const struct an_selection *sel, struct err *err);

/* Adds a sample to the sums of its event, but for lost_names. */
void an_event_note(struct an_event_profile *e, uint64_t time, uint64_t period,
		   uint8_t flags, bool nameless);

/* For each frame, and one more for the lost frame, whether it has no name to be
 * shown by. The caller frees it; NULL: out of memory. */
bool *an_nameless_frames(const struct an_trace *t);

void an_profile_fini(struct an_profile *p);

/* The frame that its ip is: of the kernel where the sample was there. */
uint32_t an_place_ip(const struct an_trace *t, const struct an_place *p);

/* The whole stack of a place, leaf first, into frames[0..]: ip, then kernel
 * callers, then user callers, ending with the root. Returns the number, at
 * most `max`; the caller gives TF_MAX_STACK_DEPTH * 2 + 1 to have all. */
size_t an_place_frames(const struct an_trace *t, const struct an_place *p,
		       uint32_t *frames, size_t max);

enum an_weight { AN_WEIGHT_SAMPLES, AN_WEIGHT_PERIOD, AN_WEIGHT_TIME };

/* "samples", "period", "time" (ns: only for events whose unit is ns). */
int an_weight_parse(const char *text, enum an_weight *out, struct err *err);
/* ERR_USAGE: the event has no such weight. */
int an_weight_check(const struct an_trace *t, uint32_t event, enum an_weight w,
		    struct err *err);
uint64_t an_weight_of(const struct an_sum *s, enum an_weight w);
/* "samples", "ns", or "cycles"-like from the event's name; for labels. */
const char *an_weight_unit(const struct an_trace *t, uint32_t event,
			   enum an_weight w);

#endif
