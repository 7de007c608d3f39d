/* Call chains as the kernel gives them to stack ids: addresses become places in
 * images, paths of these become nodes of the prefix tree, kernel and user part
 * apart. Done once, here; nothing later walks addresses.*/
#ifndef RECORD_STACK_STACKS_H
#define RECORD_STACK_STACKS_H

#include "record/perf/decode.h"
#include "record/stack/areas.h"
#include "record/stack/frames.h"
#include "record/state/defs.h"
#include "record/state/kernel.h"
#include "record/state/mm.h"
#include "record/symbol/names.h"

#include <stdbool.h>
#include <stdint.h>

struct rec_path;  /* the last chain of a thread, and its nodes */
struct rec_walk;

struct rec_stacks {
	struct rec_defs *defs;
	struct rec_kernel *kernel;
	uint64_t max_stack;     /* kernel.perf_event_max_stack: a chain as long
				 * as this was cut */
	struct rec_path *paths; /* by tid, a fixed number */
	struct rec_frames frames;
	struct rec_areas areas; /* of the kernel */
	uint64_t kernel_serial; /* of which they are */
	struct rec_walk *walks; /* kernel and user part of REC_PLACINGS */
	unsigned turn;          /* of the next placing */
	uint32_t epoch;         /* + 1; of both */
};

int rec_stacks_init(struct rec_stacks *s, struct rec_defs *defs,
		    struct rec_kernel *kernel, struct rec_names *names,
		    uint64_t max_stack, struct err *err);
void rec_stacks_fini(struct rec_stacks *s);

/* Where a sample was. */
struct rec_place {
	uint32_t ip;            /* frame */
	uint32_t kstack, ustack; /* nodes, 0 none */
	uint32_t flags;         /* enum tf_sample_flag */
};

/* `misc` is the record's; `chained`: the event asked for chains. */
void rec_stacks_place(struct rec_stacks *s, const struct rec_sample *sample,
		      const struct rec_ids *ids, uint16_t misc, bool chained,
		      struct rec_mm *mm, struct rec_place *out);

/* The same in three steps, so that what each one looks up is on its way into the
 * cache while something else is done. */
struct rec_placing {
	struct rec_walk *walks; /* kernel, user; only with `parts` */
	struct rec_side own;    /* of the sample's own address */
	struct rec_spot at;
	uint32_t flags;
	bool parts;
};

/* So many, a power of two, may be begun before the first one is ended; they are
 * ended in the order in which they were begun, before anything changes the epoch,
 * the kernel's areas or an address space. Beginning writes nothing and needs
 * `sample` no longer. */
#define REC_PLACINGS 4u

void rec_stacks_begin(struct rec_stacks *s, const struct rec_sample *sample,
		      const struct rec_ids *ids, uint16_t misc, bool chained,
		      struct rec_mm *mm, struct rec_placing *p);
/* Once before it is ended, when every one before it is. */
void rec_stacks_look(const struct rec_stacks *s, const struct rec_placing *p);
void rec_stacks_end(struct rec_stacks *s, const struct rec_placing *p,
		    struct rec_place *out);

/* An address of the kernel that a payload holds and that is shown by name: it
 * gets a frame, so that it has one. Other addresses are left alone. */
void rec_stacks_touch_kernel(struct rec_stacks *s, uint64_t address);

#endif
