/* The last rows of a trace's text, which wait for their stacks: these come as
 * lines of their own, and rows of other CPUs may stand between. */
#ifndef RECORD_IMPORT_TEXT_WINDOW_H
#define RECORD_IMPORT_TEXT_WINDOW_H

#include "record/import/text/sample.h"

#define REC_TEXT_WINDOW 16u

struct rec_text_window {
	struct rec_text_sample rows[REC_TEXT_WINDOW]; /* a ring */
	size_t first, n;
	size_t limit;  /* of rows that wait, 1 to REC_TEXT_WINDOW */
};

void rec_text_window_fini(struct rec_text_window *w); /* zeroed is fine */

/* Gives the first row to the intake where there is no room for another one. */
int rec_text_window_room(struct rec_text_window *w, struct rec_intake *to,
			 struct err *err);

/* A row behind the others; there is room. */
int rec_text_window_add(struct rec_text_window *w, size_t event,
			const struct rec_record *r,
			struct rec_text_sample **row, struct err *err);

/* The last row of this thread on this CPU that has no stack; NULL: none. */
struct rec_text_sample *rec_text_window_find(struct rec_text_window *w,
					     int32_t tid, uint32_t cpu);

/* Gives all that wait. */
int rec_text_window_flush(struct rec_text_window *w, struct rec_intake *to,
			  struct err *err);

#endif
