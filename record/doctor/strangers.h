/* Running programs of other users: whether they can be recorded. */
#ifndef RECORD_DOCTOR_STRANGERS_H
#define RECORD_DOCTOR_STRANGERS_H

#include "record/doctor/machine.h"

#include <stdbool.h>
#include <stdint.h>

/* The best that came of trying some: single ones may be closed to all but
 * root. */
struct rec_strangers {
	const struct rec_machine *m;
	int tried;   /* 0: none runs, the rest is by the kernel's rules */
	int opened;
	int errnum;  /* of the first that was tried */
	bool mapped; /* what it has mapped could be read, for names */
};

void rec_strangers_meet(struct rec_strangers *s, const struct rec_machine *m);

/* The capabilities that reading what they have mapped takes. */
uint64_t rec_strangers_maps_caps(const struct rec_machine *m);

#endif
