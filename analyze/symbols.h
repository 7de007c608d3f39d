/* Which function an address is in. */
#ifndef ANALYZE_SYMBOLS_H
#define ANALYZE_SYMBOLS_H

#include "format/base/err.h"

struct an_trace;

/* Gives every frame of the trace its symbol, from the symbol rows of all
 * epochs. An address that only has rows without a name has none. */
int an_symbols_resolve(struct an_trace *t, struct err *err);

#endif
