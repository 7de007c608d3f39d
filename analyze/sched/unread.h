/* Rows that tell nothing, as the format of their event lacks a field that says
 * what they are about: a format is text, and may be damaged. */
#ifndef ANALYZE_SCHED_UNREAD_H
#define ANALYZE_SCHED_UNREAD_H

#include "analyze/trace.h"

struct an_unread {
	uint32_t event;
	const char *field;   /* that it lacks; blanks between several names */
	uint64_t rows;
	bool said;
};

/* Counts one. The words of `field` outlive the trace. */
int an_unread_add(struct an_trace *t, uint32_t event, const char *field,
		  struct err *err);
/* Forgets those of an event, before they are counted again. */
void an_unread_restart(struct an_trace *t, uint32_t event);
/* Warns of each once. */
void an_unread_say(struct an_trace *t);

/* Of all that was read so far; some may have no rows. */
size_t an_n_unread(const struct an_trace *t);
const struct an_unread *an_unread_of(const struct an_trace *t, size_t i);
bool an_unread_any(const struct an_trace *t);
bool an_unread_has(const struct an_trace *t, uint32_t event);

/* "102 rows of drm:drm_vblank_event have no field 'seq'" */
#define AN_UNREAD_TEXT 320
void an_unread_text(const struct an_trace *t, const struct an_unread *u,
		    char to[AN_UNREAD_TEXT]);

#endif
