/* Sorted runs of records in a file without a name, and their merge. */
#ifndef RECORD_IMPORT_PERFDATA_RUNS_H
#define RECORD_IMPORT_PERFDATA_RUNS_H

#include "format/base/err.h"
#include "format/base/span.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* As many are merged at a time; each is read through a window of its own. */
#define REC_PD_RUNS_MAX 32u

struct rec_pd_head {
	uint64_t time, at;
	struct span record;
	size_t run;
};

struct rec_pd_run {
	uint64_t at, end;    /* in the file: what of it was not read yet */
	uint8_t *window;
	size_t from, filled;
	unsigned level;      /* how often what is in it was merged */
	bool has_head;       /* it begins with this one */
	struct rec_pd_head head;
};

struct rec_pd_runs {
	int fd;              /* with `open` */
	bool open;
	uint64_t size;       /* of the file */
	struct rec_pd_run items[REC_PD_RUNS_MAX]; /* the oldest first */
	size_t n;
	uint8_t *out;        /* what is being written */
	size_t filled;
};

void rec_pd_runs_fini(struct rec_pd_runs *r); /* zeroed is fine */

/* A new run, behind all others; makes room for it by merging. It is read from
 * once it has an end. */
int rec_pd_runs_begin(struct rec_pd_runs *r, struct err *err);
int rec_pd_runs_put(struct rec_pd_runs *r, uint64_t time, uint64_t at,
		    struct span record, struct err *err);
int rec_pd_runs_end(struct rec_pd_runs *r, struct err *err);

/* The record with the lowest time, of equal ones that of the oldest run; 1:
 * there is none. It stays until rec_pd_runs_next(). */
int rec_pd_runs_peek(struct rec_pd_runs *r, struct rec_pd_head *out,
		     struct err *err);
void rec_pd_runs_next(struct rec_pd_runs *r, const struct rec_pd_head *head);

#endif
