/* The inside of a recording, for the files that implement session.h. */
#ifndef RECORD_SESSION_STATE_H
#define RECORD_SESSION_STATE_H

#include "record/about.h"
#include "record/counter/counters.h"
#include "record/drain/drain.h"
#include "record/gpu/follow.h"
#include "record/loop.h"
#include "record/mark/marks.h"
#include "record/output.h"
#include "record/segment/segments.h"
#include "record/session.h"
#include "record/target/launch.h"

struct rec_session {
	struct rec_config *cfg;
	const struct log *log;
	struct rec_output output;
	bool recorded; /* the file holds something worth keeping */
	struct rec_sink *sink;
	struct rec_world world;
	struct rec_defs defs;
	struct rec_names names;
	struct rec_stacks stacks;
	struct rec_losses losses;
	struct rec_tracepoints tracepoints;
	struct rec_perf *perf;
	struct rec_marks marks;
	struct rec_launch child;
	struct rec_signals signals;
	struct rec_drain drain;
	struct rec_follow follow;
	struct rec_fds fds;
	struct rec_pmu_config counted;
	struct rec_counters counters;
	struct rec_loop loop;
	struct rec_segments segments;
	struct rec_about about;
	enum rec_loop_end ended;
	uint64_t bytes; /* of all files */
};

/* Opens everything. All that can fail for a reason of the user's comes before
 * the command is let go. */
int rec_session_start(struct rec_session *s, struct err *err);

/* Addresses that nobody answered for are a loss. */
void rec_session_unnamed(struct rec_session *s, uint64_t n);

#endif
