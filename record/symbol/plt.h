/* Entries of procedure linkage tables, by what they do. */
#ifndef RECORD_SYMBOL_PLT_H
#define RECORD_SYMBOL_PLT_H

#include "format/base/span.h"

#include <stdbool.h>
#include <stdint.h>

/* Whether `entry`, x86-64 code at `address`, is one jump through a slot of the
 * global offset table, and which slot. */
bool rec_plt_slot(struct span entry, uint64_t address, uint64_t *slot);

#endif
