/* One of several files that are read as one trace: what tells where it belongs
 * among them. */
#ifndef ANALYZE_SEGMENT_H
#define ANALYZE_SEGMENT_H

#include "format/base/log.h"
#include "format/reader.h"

#define AN_SEGMENT_TEXT 64

struct an_segment {
	const char *path;
	size_t given;       /* position on the command line */
	struct tf_source *source;
	struct tf_reader *reader;
	/* Facts of it; empty: it does not tell. */
	char recording[AN_SEGMENT_TEXT]; /* that it is a segment of */
	char boot[AN_SEGMENT_TEXT];
	char host[AN_SEGMENT_TEXT];
	char cut[AN_SEGMENT_TEXT]; /* what of a longer one */
	char import[AN_SEGMENT_TEXT]; /* what it was imported from */
	char covers[AN_SEGMENT_TEXT];
	uint64_t number;    /* in its recording, from 1; 0: of none */
	uint64_t first_ns, last_ns; /* readings of the monotonic clock, else
				     * of its rows; 0, 0: there are none */
	uint64_t from_ns, to_ns; /* what it covers, rows or not; else these */
	uint64_t began_ns;  /* its recording, Unix time, as far as is known */
};

/* Damage is passed over: whoever reads the rows will tell. `log` as
 * an_source_open() has it. */
int an_segment_open(struct an_segment *s, const char *path,
		    const struct log *log, struct err *err);
void an_segment_fini(struct an_segment *s); /* a zeroed one is fine */

#endif
