/* The recorder's loop: drains by the clock and when rings fill, writes what is
 * due each second, and ends when told to. */
#ifndef RECORD_LOOP_H
#define RECORD_LOOP_H

#include "format/base/err.h"
#include "format/base/log.h"
#include "record/counter/counters.h"
#include "record/drain/drain.h"
#include "record/gpu/follow.h"
#include "record/mark/marks.h"
#include "record/segment/segments.h"
#include "record/symbol/names.h"
#include "record/target/launch.h"

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

/* Signals arrive through a descriptor, in the loop. */
struct rec_signals {
	sigset_t before; /* the mask that was, for the command */
	int fd;          /* of signalfd; 0: not taken */
};
int rec_signals_take(struct rec_signals *s, struct err *err);
void rec_signals_restore(struct rec_signals *s);
bool rec_signals_came(struct rec_signals *s); /* one did; it is taken */

enum rec_loop_end {
	REC_LOOP_CHILD,    /* the command ended */
	REC_LOOP_TASKS,    /* the recorded processes ended */
	REC_LOOP_SIGNAL,
	REC_LOOP_DURATION,
	REC_LOOP_SIZE,     /* so much was recorded */
	REC_LOOP_OUTPUT,   /* the writer failed */
};
const char *rec_loop_end_text(enum rec_loop_end end);

struct rec_loop {
	struct rec_drain *drain;
	struct rec_names *names;
	struct rec_marks *marks;
	struct rec_follow *follow;
	struct rec_fds *fds;
	struct rec_counters *counters;
	struct rec_launch *child; /* NULL: no command */
	struct rec_signals *signals;
	struct rec_segments *segments;
	uint64_t delay_ns, duration_ns;
	uint64_t max_size;        /* bytes in all files, 0: no limit */
	bool follow_tasks;        /* end with the recorded tasks */
	const struct log *log;

	/* the loop's own */
	int epoll, timer;
	uint64_t begin_ns, second_ns, names_ns, clock_ns;
	uint64_t named; /* names that are on their way into the file */
	bool delayed;
	bool missed; /* side-band records were lost since the last look */
	uint64_t wakeups;
};

int rec_loop_run(struct rec_loop *l, enum rec_loop_end *ended,
		 struct err *err);

/* Asks the kernel for what it dropped since the last time. */
void rec_loop_read_lost(struct rec_loop *l, bool last);
void rec_loop_write_losses(struct rec_loop *l);

#endif
