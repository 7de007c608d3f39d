/* Which function an address is in. */
#ifndef ANALYZE_SYMBOLS_H
#define ANALYZE_SYMBOLS_H

#include "format/base/err.h"

#include <stdbool.h>

struct an_trace;

/* Gives every frame of the trace its symbol, from the symbol rows of all
 * epochs. An address that only has rows without a name has none. */
int an_symbols_resolve(struct an_trace *t, struct err *err);

/* Marks the symbols that resolving these frames needs, by frame: without the
 * others each frame has the same symbol, or none. */
int an_symbols_mark(const struct an_trace *t, const bool *frames,
		    bool *symbols, struct err *err);

#endif
