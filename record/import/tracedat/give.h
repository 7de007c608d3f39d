/* Rows of a trace.dat file to the trace that is made of it. */
#ifndef RECORD_IMPORT_TRACEDAT_GIVE_H
#define RECORD_IMPORT_TRACEDAT_GIVE_H

#include "format/base/buf.h"
#include "format/base/err.h"
#include "format/base/map64.h"
#include "record/import/intake.h"
#include "record/import/tracedat/merge.h"
#include "record/import/tracedat/meta.h"
#include "record/import/tracedat/printk.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rec_dat_give {
	struct rec_intake *to;
	const struct rec_dat_file *file;
	const struct rec_dat_meta *meta;
	struct rec_dat_printk printk;
	struct map64 events;  /* buffer and event → event of the trace + 1 */
	struct map64 named;   /* threads whose names are known */
	struct map64 lost;    /* CPU → records, as its pages tell */
	struct map64 vague;   /* CPUs whose pages told of some, and no number */
	struct map64 stacked; /* buffers whose records have stacks, so far */
	struct buf record, chain, text;
	uint64_t last;        /* time of a row so far */
	uint64_t stacks;      /* that became those of the row before */
	uint64_t unknown;     /* records of events without a format */
	unsigned bare;        /* events whose rows have no payload */
};

/* Names threads and the kernel's functions. The file and what it tells must
 * outlive it. */
int rec_dat_give_init(struct rec_dat_give *g, struct rec_intake *to,
		      const struct rec_dat_file *file,
		      const struct rec_dat_meta *meta, struct err *err);
void rec_dat_give_fini(struct rec_dat_give *g); /* zeroed is fine */

int rec_dat_give_row(struct rec_dat_give *g, const struct rec_dat_row *row,
		     struct err *err);

/* Something was lost before `time`; 0: not told how much. */
void rec_dat_give_lost(struct rec_dat_give *g, uint32_t cpu, uint64_t time,
		       uint64_t count);

/* Records of a CPU that made no sense, before `time` of the trace; 0: all of them
 * may. `count` 0: not known how many. */
void rec_dat_give_senseless(struct rec_dat_give *g, int cpu, uint64_t time,
			    uint64_t count);

/* What the rings said at the end that they lost, beyond what pages told. */
void rec_dat_give_rest(struct rec_dat_give *g);

/* A time of the file as one of the trace. */
uint64_t rec_dat_time(const struct rec_dat_options *o, uint64_t time);

#endif
