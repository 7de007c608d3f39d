/* What was lost: added up as it is noticed, written as rows once in a while. */
#ifndef RECORD_LOSS_H
#define RECORD_LOSS_H

#include "format/base/err.h"
#include "format/catalog.h"
#include "record/state/defs.h"

#include <stddef.h>
#include <stdint.h>

struct rec_loss {
	enum tf_loss_kind kind;
	int event; /* index, -1: not of one event */
	int cpu;   /* -1: not known */
	uint64_t count;   /* since the last row */
	uint64_t unknown; /* times that a number was not to be had */
};

struct rec_losses {
	struct rec_loss *items;
	size_t n;
	size_t cap;
	uint64_t total[TF_LOSS_SYMBOLS + 1]; /* by kind, whole recording */
};

void rec_losses_fini(struct rec_losses *l); /* zeroed is ready to use */

/* `count` 0: something was lost, nobody knows how much. */
void rec_losses_add(struct rec_losses *l, enum tf_loss_kind kind, int event,
		    int cpu, uint64_t count);

/* One row. `event`: its id + 1, 0: of none. There must be room. */
void rec_loss_row(struct rec_defs *defs, enum tf_loss_kind kind, uint64_t event,
		  int cpu, uint64_t count, uint64_t time);

/* Writes what is new as rows of `now_ns`; `event_id` gives event ids. */
void rec_losses_write(struct rec_losses *l, struct rec_defs *defs,
		      const struct rec_event *(*event_of)(void *ctx, int event),
		      void *ctx, uint64_t now_ns);

#endif
