/* In which image an address lies, and where in it: addresses come in runs, so
 * the last few areas that some were found in are kept. */
#ifndef RECORD_STACK_AREAS_H
#define RECORD_STACK_AREAS_H

#include "record/state/area.h"
#include "record/state/images.h"
#include "record/state/kernel.h"
#include "record/state/mm.h"

#include <stdint.h>

#define REC_AREAS 4u

/* Of one state of an address space or of the kernel: its owner empties it when
 * that changes. Zeroed is empty. */
struct rec_areas {
	struct rec_area items[REC_AREAS];
	const struct rec_area *now; /* one of them; NULL: none */
	unsigned next;         /* to be replaced */
	struct rec_area none;  /* what cannot be kept */
};

/* Whose addresses: of an address space at a time, or of the kernel. */
struct rec_side {
	const struct rec_kernel *kernel;
	const struct rec_images *images;
	struct rec_mm *mm; /* NULL: the kernel's */
	uint64_t time;
	struct rec_areas *areas;
};

/* Where none of the areas is `now`; what cannot be kept is there until the next
 * call. `kind`: of an exact address a kernel that is about to execute a new
 * program, whose address space is there already, may still have the caller in
 * the old one. */
const struct rec_area *rec_areas_find(const struct rec_side *of, uint64_t ip,
				      enum tf_frame_kind kind);

static inline const struct rec_area *rec_areas_at(const struct rec_side *of,
						  uint64_t ip,
						  enum tf_frame_kind kind)
{
	const struct rec_area *now = of->areas->now;

	/* What is kept holds for the mappings in force. */
	if (now && ip - now->start < now->size &&
	    (!of->mm || of->time >= of->mm->changed))
		return now;
	return rec_areas_find(of, ip, kind);
}

/* The mapping that covers it, and the address space that has it. No mapping: none
 * does, or it is the kernel's. */
struct rec_covering {
	const struct rec_mapping *map;
	const struct rec_mm *mm;
};

struct rec_covering rec_areas_covering(const struct rec_side *of, uint64_t ip,
				       enum tf_frame_kind kind);

#endif
