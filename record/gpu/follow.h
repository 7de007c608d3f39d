/* The threads that work with a GPU: known by the device files that they have
 * open, or by events that come from them. Of these switches are recorded with
 * stacks, and wake-ups and calls at all; of all threads that would cost more
 * than it tells. */
#ifndef RECORD_GPU_FOLLOW_H
#define RECORD_GPU_FOLLOW_H

#include "format/base/buf.h"
#include "format/base/err.h"
#include "format/base/log.h"
#include "record/drain/drain.h"
#include "record/perf/perf.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* A filter of the kernel is less than a page. */
#define REC_FOLLOW_MAX 96

#define REC_TOO_MANY                                                           \
	"more than %d threads work with the GPU: stacks and wake-ups are not " \
	"of all of them"

/* A device file that a process has open. */
struct rec_gpu_file {
	pid_t pid;
	int fd;
	uint64_t since_ns;   /* another one was seen there before; 0: none was */
	char path[48];
};

struct rec_follow {
	struct rec_perf *perf;
	struct rec_drain *drain;
	const struct log *log;
	const char *root;     /* before /proc and /dev */
	pid_t command;        /* what rec starts, 0: nothing */

	/* its own */
	bool on;              /* there is something to follow by */
	bool nodes;           /* the machine has device files of GPUs */
	bool failed;          /* it was given up */
	bool called;          /* calls of anybody are recorded by now */
	pid_t tids[REC_FOLLOW_MAX]; /* in order */
	pid_t pids[REC_FOLLOW_MAX]; /* whose threads they are */
	size_t n;
	bool changed;         /* since the filters were made */
	uint64_t begin_ns;    /* of the recording */
	uint64_t spent_ns;    /* with making them */
	uint64_t left_out;    /* times that there was no room for one */
	uint64_t looked_ns;   /* at all open files */
	uint64_t again_ns;    /* at those of the processes that are followed */
	struct rec_gpu_file *files;
	size_t n_files, files_cap;
	size_t n_told;        /* of these, in the file */
};

/* Looks who has device files of GPUs open; the events are open, not yet on. */
void rec_follow_begin(struct rec_follow *f, uint64_t now_ns);
void rec_follow_fini(struct rec_follow *f); /* zeroed is fine */

/* Between rounds: takes up whom the last one has met. */
void rec_follow_tick(struct rec_follow *f, uint64_t now_ns);

/* What the processes that are followed have opened since they were looked at: of
 * the tick, once a second. */
void rec_follow_look_again(struct rec_follow *f, uint64_t now_ns);

/* Facts of what is open; `all`: also those of before, for a new file. */
void rec_follow_facts(struct rec_follow *f, struct rec_defs *d, bool all);

/* "FIELD==5||(FIELD>=7&&FIELD<=9)" for these numbers, which are in order. */
void rec_follow_filter(struct buf *b, const char *field, const pid_t *tids,
		       size_t n);

#endif
