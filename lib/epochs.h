/* The definitions of a few epochs, those that were asked for last. */
#ifndef LIB_EPOCHS_H
#define LIB_EPOCHS_H

#include "lib/store.h"

#define CT_EPOCHS 16u /* as many as a file may have open at a time */
#define CT_EPOCHS_MEMORY ((size_t)256 << 20) /* bytes of all, about */

struct ct_epoch {
	uint32_t number;
	struct ct_store *tables; /* that were asked for */
	size_t n, cap;
};

struct ct_epochs {
	const struct tf_reader *reader;
	struct ct_epoch items[CT_EPOCHS]; /* the last one asked for is first */
	size_t n;
};

void ct_epochs_fini(struct ct_epochs *e);

/* Loads what is not there. *out lives until a table of another epoch is asked
 * for. */
int ct_epochs_table(struct ct_epochs *e, uint32_t epoch,
		    const struct tf_table *t, const struct ct_store **out,
		    struct err *err);

#endif
