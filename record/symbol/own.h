/* The names of a kernel that was recorded elsewhere, from the kallsyms that its
 * recording holds. */
#ifndef RECORD_SYMBOL_OWN_H
#define RECORD_SYMBOL_OWN_H

#include "format/base/err.h"
#include "format/base/span.h"
#include "record/state/defs.h"
#include "record/symbol/kallsyms.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Where the kernel's text lies, or that of a module. */
struct rec_own_area {
	struct span name; /* "[ext4]"; empty: the kernel; in the text given */
	uint64_t start, end;
};

struct rec_own { /* zeroed is empty and ready */
	struct rec_kallsyms kallsyms;
	struct rec_own_area *areas; /* those that others may lie in come
				     * first */
	size_t n_areas;
	size_t areas_cap;
	struct rec_own_address {
		uint32_t image;
		uint64_t address;
	} *wanted;      /* that have no row yet */
	size_t n_wanted;
	size_t wanted_cap;
	uint8_t *told;  /* by row of the symbols: has one */
};

/* Takes a copy of the names; the areas point into the text. ERR_DENIED: it shows
 * no addresses; ERR_UNSUPPORTED: it does not tell where the kernel is. */
int rec_own_read(struct rec_own *o, struct span text, struct err *err);
void rec_own_fini(struct rec_own *o);

/* An address of an image of the kernel's is in the file from now on. false: out
 * of memory. */
bool rec_own_want(struct rec_own *o, uint32_t image, uint64_t address);

/* Writes the rows that are wanted; between two records. */
void rec_own_tell_wanted(struct rec_own *o, struct rec_defs *defs);

static inline void rec_own_tell(struct rec_own *o, struct rec_defs *defs)
{
	if (o->n_wanted)
		rec_own_tell_wanted(o, defs);
}

#endif
