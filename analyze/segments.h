/* Several files as one trace: the segments of a recording, or whatever was
 * recorded on one machine. */
#ifndef ANALYZE_SEGMENTS_H
#define ANALYZE_SEGMENTS_H

#include "analyze/trace.h"

/* Opens them as one, in the order of their recording. Where they are not what
 * one recorder wrote without a break (time that nobody recorded or that two of
 * them did, another boot) an_trace_joined() says it, and where rows are then not
 * what they seem `log` is warned, too. The same trace twice is refused. */
int an_segments_open(struct an_trace **out, const char *const *paths, size_t n,
		     const struct log *log, struct err *err);
int an_segments_open_as(struct an_trace **out, const char *const *paths,
			size_t n, const struct an_opening *how,
			struct err *err);

#endif
