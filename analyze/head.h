/* The head of every report: what was recorded, loss, unknown and truncated
 * share, clock, how the file ended, what this trace cannot tell. */
#ifndef ANALYZE_HEAD_H
#define ANALYZE_HEAD_H

#include "analyze/profile.h"
#include "analyze/trace.h"

#include <stdio.h>

struct json;

/* Lines that begin with "# ", about the whole trace. */
void an_head_print(const struct an_trace *t, FILE *to);

/* Fields of an object that say the same of the file: "trace" to "recovered", see
 * spec/json.md. */
void an_head_json(const struct an_trace *t, struct json *j);
/* Of these only what the facts and the files tell that limits all of it: from
 * "notes" on. */
void an_limits_json(const struct an_trace *t, struct json *j);

/* ", 2 damaged places skipped"; nothing where there are none. */
void an_damage_print(const struct an_trace *t, FILE *to);

/* Quality of one event's profile: shares by weight (period). */
struct an_quality {
	double unknown;      /* self weight in frames without a name, 0..1 */
	double truncated;    /* weight in stacks that may be cut: they are as
			      * deep as the kernel's limit */
	double no_chain;
	uint64_t lost;       /* events the kernel or we dropped; see unknown_loss*/
	bool unknown_loss;   /* more was lost than could be counted */
	uint64_t lost_among; /* of the event that this one is split from: how
			      * many of them were of this one, nobody knows */
};
void an_quality_of(const struct an_trace *t, const struct an_event_profile *e,
		   struct an_quality *out);

/* "# Samples: 12K of event 'cpu-clock'" and its quality, as "# " lines. */
void an_head_event(const struct an_trace *t, const struct an_event_profile *e,
		   FILE *to);

#endif
