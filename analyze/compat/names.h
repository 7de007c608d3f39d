/* What stackcollapse-perf.pl makes of a frame that perf script printed. */
#ifndef ANALYZE_COMPAT_NAMES_H
#define ANALYZE_COMPAT_NAMES_H

#include "format/base/buf.h"
#include "format/base/span.h"

#include <stdbool.h>
#include <stdint.h>

struct an_compat_options {
	bool kernel, jit; /* suffixes _[k] and _[j] */
	bool addrs;       /* the address beside the image of a nameless frame */
	bool pid, tid;    /* behind the name of the command */
};

/* A frame as perf script prints it. */
struct an_compat_frame {
	struct span symbol;   /* without its offset; empty: [unknown] */
	struct span dso;      /* what is in the parentheses */
	uint64_t address;     /* what is at the line's begin */
};

/* Appends the names that the frame is shown by, joined by ';': one, or several
 * of a symbol that says what was inlined into what ("a->b"), the caller first.
 * No name has a ';' or a control character. false: it is left out. */
bool an_compat_names(struct buf *to, const struct an_compat_frame *f,
		     bool java, const struct an_compat_options *opt);

/* Appends the name of the command. A `pid` below 0 is not known. */
void an_compat_command(struct buf *to, struct span comm, int32_t pid,
		       int32_t tid, const struct an_compat_options *opt);

/* Whether names of its frames are taken for Java's. */
bool an_compat_is_java(struct span comm);

#endif
