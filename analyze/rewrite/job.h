/* A new trace from its first to its last byte: the tables, the file, the
 * writer. */
#ifndef ANALYZE_REWRITE_JOB_H
#define ANALYZE_REWRITE_JOB_H

#include "analyze/command.h"
#include "analyze/rewrite/feed.h"
#include "analyze/rewrite/out.h"

struct an_job {
	struct an_shape shape;
	struct an_out out;
	struct an_rewrite *to;
	const char *output; /* path, or "-" */
	uint64_t size;      /* bytes, once it is kept */
};

/* Begins to write, after all tables were added to the shape. Columns that it
 * leaves out are told, here and by a note in the new trace. ERR_USAGE where
 * `output` is NULL or one of the inputs. */
int an_job_begin(struct an_job *j, const struct an_env *env,
		 const char *output, const struct an_rewrite_options *o,
		 struct err *err);
int an_job_keep(struct an_job *j, struct err *err);
void an_job_fini(struct an_job *j); /* what was not kept is gone */

/* The whole of one source: its tables, then `j` begins, its rows follow. */
int an_job_copy(struct an_job *j, const struct an_env *env,
		const char *output, struct an_feed *f,
		const struct an_rewrite_options *o, struct err *err);

/* Where a command tells what it did: standard output, unless the trace goes
 * there. */
FILE *an_job_talk(const struct an_job *j, const struct an_env *env);

#define OPT_OUTPUT(type, f)                                                    \
	OPT_STR('o', "output", "FILE", type, f,                                \
		"the new trace, '-' for standard output")

#endif
