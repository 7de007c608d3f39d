/* The file that a new trace is written to: whole, or not at all. */
#ifndef ANALYZE_REWRITE_OUT_H
#define ANALYZE_REWRITE_OUT_H

#include "format/base/err.h"
#include "format/io.h"

#include <signal.h>
#include <stddef.h>

struct an_out {
	struct tf_sink *sink;
	char *path;      /* what it becomes; NULL: a pipe or a device is written
			  * as it stands */
	char *temporary; /* what it is so far, beside it */
	int signals;     /* tells of those that end us; -1: none */
	sigset_t before;
	const char *name; /* as it was given */
};

/* Begins a file (0600; "-": standard output) that takes the place of `path`
 * when it is kept. From then on SIGINT, SIGTERM and SIGHUP wait for
 * an_out_go_on(). ERR_USAGE: it is one of the inputs, by whatever name, or a
 * terminal. */
int an_out_open(struct an_out *o, const char *path, const char *const *inputs,
		size_t n, struct err *err);

/* ERR_IO once such a signal came; `ctx` is the struct an_out. */
int an_out_go_on(void *ctx, struct err *err);

int an_out_keep(struct an_out *o, struct err *err);

/* Whatever was not kept is gone; what went down a pipe is there, without an
 * END. */
void an_out_fini(struct an_out *o);

#endif
