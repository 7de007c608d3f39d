/* A timeline as one SVG file: a picture for documents, which a script, where
 * there is one, zooms into as far as what was drawn goes. */
#ifndef ANALYZE_TIMELINE_PICTURE_H
#define ANALYZE_TIMELINE_PICTURE_H

#include "analyze/timeline/data.h"

#include <stdbool.h>

#define AN_PICTURE_LEAST 400    /* px wide */
#define AN_PICTURE_MOST 20000

struct an_picture_options {
	unsigned width_px;
	bool no_script;
};

/* Merges what is narrower than a pixel first, and so changes the timeline,
 * which is arranged. Whether it was written is to be asked of `to`. */
void an_timeline_picture(FILE *to, struct an_timeline *tl,
			 const struct an_timeline_head *head,
			 const struct an_picture_options *o);

#endif
