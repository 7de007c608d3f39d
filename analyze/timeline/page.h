/* A timeline as one HTML file that needs nothing else, nor is let. */
#ifndef ANALYZE_TIMELINE_PAGE_H
#define ANALYZE_TIMELINE_PAGE_H

#include "analyze/timeline/data.h"

/* The timeline is arranged. Whether it was written is to be asked of `to`. */
void an_timeline_page(FILE *to, const struct an_timeline *tl,
		      const struct an_timeline_head *head);

#endif
