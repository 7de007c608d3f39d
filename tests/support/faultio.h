/* Sources and sinks that fail at the n-th call, to prove that nobody minds. */
#ifndef TESTS_SUPPORT_FAULTIO_H
#define TESTS_SUPPORT_FAULTIO_H

#include "format/io.h"

#include <stdbool.h>

enum faultio_kind {
	FAULTIO_ERROR, /* nothing was done */
	FAULTIO_SHORT, /* a sink: half of the bytes arrived before the failure;
			* a source: past the end, as if the file had shrunk */
};

struct faultio {
	enum faultio_kind kind;
	long at;   /* the call that fails, counted from 1; 0: none */
	bool stay; /* all calls after it fail, too */
	bool no_cut; /* as a pipe */
	long calls;
	bool hit;
};

/* Wraps `to`, which it does not close; *f is the caller's. */
int faultio_sink(struct tf_sink **out, struct tf_sink *to, struct faultio *f);
int faultio_source(struct tf_source **out, struct tf_source *from,
		   struct faultio *f);

#endif
