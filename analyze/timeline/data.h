/* A timeline as JSON, for the script of its page. Numbers stand in columns, one
 * array each, or one number where all are alike; times are differences. */
#ifndef ANALYZE_TIMELINE_DATA_H
#define ANALYZE_TIMELINE_DATA_H

#include "analyze/timeline/timeline.h"

#include <stdio.h>

/* What is said above the picture. */
struct an_timeline_head {
	const char *title;
	const char *subtitle;
	const char *notes;   /* lines about the trace */
	uint64_t origin;     /* time that is shown as 0 */
};

/* An object. Nothing in it ends a script or begins markup: '<', '>' and '&' in
 * texts are escaped. What is no UTF-8, or a control character but for a line
 * break, becomes U+FFFD.
 *
 *   origin   ns, a string of digits
 *   from, to ns since the origin
 *   title, subtitle, notes
 *   texts    strings; other numbers are positions in them where said so
 *   classes  [key, label, light colour, dark colour]
 *   groups   texts
 *   lanes    kind  "spans" or "counter"
 *            name, group, unit   texts; group is a position in groups
 *            rows, merged
 *   of spans t     ns from the beginning of one to that of the next; the first
 *                  since the origin
 *            d     ns that it lasts; 0: an instant
 *            n, x  texts: name and detail
 *            c     class
 *            r     row
 *            m     of blocks: position, count, busy ns; three numbers each
 *   of steps t     as above
 *            v     values; null: not known until the next step
 */
void an_timeline_data(FILE *to, const struct an_timeline *tl,
		      const struct an_timeline_head *head);

/* Position of a span's class in `classes`. */
unsigned an_span_colour(const struct an_timeline *tl, const struct an_span *s);
#define AN_N_COLOURS (AN_N_CLASSES + AN_NAMED_COLOURS)
const struct an_class_row *an_colour_row(unsigned colour);

#endif
