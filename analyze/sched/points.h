/* Rows of tracepoints by what the tracepoints and their fields are called:
 * numbers of both change from kernel to kernel, names nearly never. */
#ifndef ANALYZE_SCHED_POINTS_H
#define ANALYZE_SCHED_POINTS_H

#include "analyze/samples.h"

#define AN_POINT_FIELDS 20

/* What is looked for. */
struct an_point_kind {
	const char *names; /* "system:event", blanks between several; one that
			    * ends with * is any that begins so */
	const char *fields[AN_POINT_FIELDS]; /* likewise; NULL: none */
	/* Sets of fields, bit f is field f: a row that has no set whole tells
	 * nothing and is passed over. Kernels had one or the other; 0: no set. */
	uint32_t needs[2];
};
#define AN_FIELD(f) (1u << (f))

/* A row of it; lives until the next one. */
struct an_point {
	unsigned kind;             /* position in the kinds */
	uint64_t time;
	uint32_t cpu, thread, event, ip, kstack, ustack; /* as of a batch */
	uint8_t flags;             /* of the sample */
	uint64_t other;            /* of a row of `switch` */
	bool in_interrupt;         /* the thread was only interrupted */
	const struct an_trace *t;
	const struct tf_view *view;
	uint32_t row;
	const int *at;             /* of each field, its column, or -1 */
};

/* A row of `switch` has this kind and no fields. */
#define AN_POINT_SWITCH UINT32_MAX

/* 0 where the field is not there, or is a text. */
uint64_t an_point_number(const struct an_point *p, unsigned field);
bool an_point_has(const struct an_point *p, unsigned field);
/* A string of the trace; 0, the empty one, where the field is not there, or is a
 * number. */
uint32_t an_point_text(const struct an_point *p, unsigned field);

/* Which of the n kinds an event of the trace is; AN_NONE: none. The fact
 * "alias.SYSTEM:EVENT" of a trace says which tracepoint another one stands for.
 */
uint32_t an_point_kind_of(const struct an_trace *t, uint32_t event,
			  const struct an_point_kind *kinds, size_t n);

typedef int an_point_fn(void *ctx, const struct an_point *p, struct err *err);

/* Calls `each` for all rows of these kinds, in the order of the file, until it
 * fails; warns of those that are passed over. ERR_LIMIT: a file made to exhaust
 * memory. */
int an_points_walk(struct an_trace *t, const struct an_point_kind *kinds,
		   size_t n, bool switches, an_point_fn *each, void *ctx,
		   struct err *err);

#endif
