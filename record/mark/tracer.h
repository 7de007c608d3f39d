/* What programs write to the kernel's trace_marker, copied by the kernel into a
 * trace instance of our own (Linux 6.16), so that nobody else's tracing is
 * disturbed. */
#ifndef RECORD_MARK_TRACER_H
#define RECORD_MARK_TRACER_H

#include "format/base/buf.h"
#include "format/base/err.h"
#include "record/mark/mark.h"

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rec_mark_tracer {
	char instance[PATH_MAX - 64]; /* its folder; "": there is none */
	int pipe;          /* its trace_pipe */
	struct buf text;   /* what was read of it */
	size_t at;         /* taken of that */
	bool whole;        /* the text ends with a whole entry */
	uint64_t lost;     /* lines that the kernel had no room for */
	struct buf line;   /* the text of the mark that was taken last */
};

/* Makes the instance. ERR_UNSUPPORTED: this kernel cannot copy. On failure *t
 * is as after fini. */
int rec_mark_tracer_open(struct rec_mark_tracer *t, const char *root,
			 struct err *err);

/* Without waiting: 0, *out is the next mark and lives until the next call; 1:
 * there is none now. */
int rec_mark_tracer_take(struct rec_mark_tracer *t, struct rec_mark *out);

/* No more is copied; what was can still be taken. */
void rec_mark_tracer_stop(struct rec_mark_tracer *t);
void rec_mark_tracer_fini(struct rec_mark_tracer *t); /* removes it */

/* Removes the instances of recorders that were killed. */
void rec_mark_tracer_remove_dead(const char *root);

/* Takes one entry, which may have several lines, from the front of the text as
 * the kernel prints it with the option `raw`: "PID CPU TIME # ADDRESS TEXT".
 * The mark's text is put into `line`. 0; 1: no whole entry is there (the last
 * one is `whole` where nothing more was to be read). Lines that are no entry
 * are passed over, lines that tell of a loss are counted. */
int rec_mark_tracer_parse(struct span *text, bool whole, struct buf *line,
			  struct rec_mark *out, uint64_t *lost);

#endif
