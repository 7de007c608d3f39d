/* The beginning of a perf.data: which dialect it is, and where its parts are.*/
#ifndef RECORD_IMPORT_PERFDATA_HEADER_H
#define RECORD_IMPORT_PERFDATA_HEADER_H

#include "format/base/err.h"
#include "format/base/span.h"
#include "record/import/perfdata/attrs.h"

#include <stdbool.h>
#include <stdint.h>

#define REC_PD_FEATURES 256

struct rec_pd_section {
	uint64_t at, size;
};

struct rec_pd_header {
	bool foreign;     /* big-endian */
	bool pipe;        /* all is records, from `data` on */
	bool old;         /* of 2009, magic PERFFILE */
	bool not_closed;  /* perf was killed: data reaches to the end */
	bool cut;         /* the file ends before its records do */
	uint64_t attr_size; /* from one entry of `attrs` to the next */
	struct rec_pd_section attrs, data;
	uint64_t features_at; /* the sections' table, one entry a feature */
	uint64_t features[REC_PD_FEATURES / 64];
};

/* Cuts to what a file of `size` bytes has; false: it begins beyond. */
bool rec_pd_clip(struct rec_pd_section *s, uint64_t size);

/* Whether a file begins like a perf.data. */
bool rec_pd_is(struct span head);

/* The header of a file of `size` bytes that begins with `head` (as much of it
 * as the file has, up to a kilobyte). Parts that reach beyond the file end with
 * it. */
int rec_pd_header_parse(struct rec_pd_header *out, struct span head,
			uint64_t size, struct err *err);

static inline bool rec_pd_has(const struct rec_pd_header *h, unsigned feature)
{
	return h->features[feature / 64] >> feature % 64 & 1;
}

/* The events that stand in the file's own section, with their ids. */
int rec_pd_header_attrs(const struct rec_pd_header *h, int fd, uint64_t size,
			struct rec_pd_attrs *to, struct err *err);

#endif
