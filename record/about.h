/* What a file says about the recording that it is of: facts at its begin and at
 * its end. */
#ifndef RECORD_ABOUT_H
#define RECORD_ABOUT_H

#include "format/layout.h"
#include "record/config.h"
#include "record/loop.h"

#include <stdint.h>

#define REC_ESCAPED                                                            \
	"no longer recorded since they executed a set-user-ID program: %" PRIu64   \
	" processes, first %d '%s'"

#define REC_THINNED                                                            \
	"'%s' is sampled, as -F asks: not each event is a row (such "          \
	"tracepoints: %zu)"

#define REC_FILTERED                                                           \
	"of '%s' only rows were recorded that pass the filter '%s' "           \
	"(filters: %zu)"

struct rec_about {
	const struct rec_config *cfg;
	struct rec_defs *defs;
	struct rec_perf *perf;
	const struct rec_world *world;
	const struct rec_loop *loop;
	const struct rec_segments *segments;
	struct rec_follow *follow;
	struct rec_fds *fds;
	uint8_t recording[TF_FILE_ID_SIZE]; /* the id of its first file */
};

/* Of which --filter asked for a part of the rows only, if so. */
void rec_about_filters(struct rec_defs *d, const struct rec_event *events,
		       size_t n);

/* Also all events. */
void rec_about_begin(const struct rec_about *a);

/* `exit_status` of the command; -1: it did not end. `unnamed`: addresses that
 * nobody answered for. */
void rec_about_end(const struct rec_about *a, const char *ended_by,
		   int exit_status, uint64_t unnamed);

#endif
