/* Walks the samples of a trace under a selection, ids already the trace's: the
 * rows of `sample` and those of all tracepoints. */
#ifndef ANALYZE_SAMPLES_H
#define ANALYZE_SAMPLES_H

#include "analyze/selection.h"
#include "analyze/trace.h"

struct an_samples; /* the walk */

/* n samples, column by column; the arrays live until the next call. Columns
 * that were not asked for are NULL. */
struct an_batch {
	size_t n;
	uint64_t bound;          /* by time: no later batch has an older row */
	uint64_t number;         /* of the batch in the order of the file */
	const uint64_t *time;    /* ns */
	const uint32_t *cpu;
	const uint32_t *thread;  /* ids of the trace; AN_NONE: lost */
	const uint32_t *event;
	const uint64_t *period;
	const uint32_t *ip;      /* frame */
	const uint32_t *kstack;  /* node, 0: none */
	const uint32_t *ustack;
	const uint8_t *flags;    /* enum tf_sample_flag */
	unsigned lacks;          /* of enum an_sample_columns: what was asked
				  * for and is not in the part. Its ids are
				  * AN_NONE, its numbers stand for nothing;
				  * without flags `ip` is lost, too */
	const struct tf_view *view; /* the part that it is of, and which rows;*/
	const uint32_t *row;     /* with AN_S_PAYLOAD all columns are there */
	const uint64_t *other;   /* rows of `switch`, which have a time, CPU,
				  * thread and flags of their own: the thread
				  * before or after; else NULL */
};

enum an_sample_columns {
	AN_S_TIME = 1 << 0, AN_S_CPU = 1 << 1, AN_S_THREAD = 1 << 2,
	AN_S_EVENT = 1 << 3, AN_S_PERIOD = 1 << 4, AN_S_IP = 1 << 5,
	AN_S_STACK = 1 << 6, AN_S_FLAGS = 1 << 7,
	AN_S_ALL = 255, /* but not: */
	AN_S_PAYLOAD = 1 << 8,
	AN_S_SWITCHES = 1 << 9, /* a further table: `switch` */
	AN_S_BY_TIME = 1 << 10, /* batches come by their least time */
};

int an_samples_new(struct an_samples **out, struct an_trace *t,
		   const struct an_selection *sel, unsigned columns,
		   struct err *err);
/* 0, or 1 at the end. Damaged parts are skipped, warned of and counted in the
 * trace; so are rows without a time, where times are asked for, and rows of
 * `switch` without flags. Batches come in file order, ring by ring, if not by time; their rows
 * are as in the file. */
int an_samples_next(struct an_samples *s, const struct an_batch **out,
		    struct err *err);
void an_samples_free(struct an_samples *s); /* NULL is fine */

/* A cursor over all parts that such a walk takes, for their times. `sel` may be
 * NULL. */
int an_samples_parts(struct tf_cursor **out, const struct an_trace *t,
		     const struct an_selection *sel, bool switches,
		     struct err *err);

/* The times of the first and the last sample of the whole trace, without
 * decoding any; 1: there are none. */
int an_samples_bounds(const struct an_trace *t, uint64_t *t_min,
		      uint64_t *t_max, struct err *err);

/* The same of samples and readings of counters. */
int an_rows_bounds(const struct an_trace *t, uint64_t *t_min, uint64_t *t_max,
		   struct err *err);

#endif
