/* Which samples are shown, and what they count. */
#ifndef ANALYZE_COMPAT_EVENT_H
#define ANALYZE_COMPAT_EVENT_H

#include "analyze/profile.h"

#include "format/base/err.h"
#include "format/base/log.h"

#include <stdbool.h>

/* The event whose sample is the first in time, of those that are selected; and
 * where samples have no stacks, others that only their modifiers tell from it:
 * perf script prints such a sample in one line with its event, by which they
 * are not told apart. */
struct an_compat_choice {
	uint32_t event;
	bool *shown; /* by event; one more for the lost one */
	size_t n;
};

/* Warns where samples of others are left out. 1: there is no sample. Release
 * with an_compat_choice_fini() in any case. */
int an_compat_choose(struct an_compat_choice *out, struct an_trace *t,
		     const struct an_selection *sel,
		     const struct an_profile *counted, const struct log *log,
		     struct err *err);
void an_compat_choice_fini(struct an_compat_choice *c); /* zeroed is fine */

bool an_compat_shows(const struct an_compat_choice *c, uint32_t event);

/* Whether perf script prints the period of a sample: not for a tracepoint. A
 * sample without one counts 1. */
bool an_compat_has_period(const struct an_trace *t, uint32_t event);

#endif
