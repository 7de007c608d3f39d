/* Builds a trace of tracebuild.h in memory and opens it for analysis. */
#ifndef TESTS_TRACEOPEN_H
#define TESTS_TRACEOPEN_H

#include "analyze/trace.h"
#include "tests/support/tracebuild.h"

struct trace_in_memory {
	struct buf bytes;
	struct log log; /* talk goes nowhere */
	struct an_trace *trace;
	struct err err;
};

/* What open or build return; the text is in m->err. */
int trace_build(struct trace_in_memory *m, const struct tb_trace *t);
int trace_open(struct trace_in_memory *m);
void trace_fini(struct trace_in_memory *m); /* a zeroed one is fine */

/* Both, and anything wrong ends the test program. */
struct an_trace *trace_must(struct trace_in_memory *m,
			    const struct tb_trace *t);

#endif
