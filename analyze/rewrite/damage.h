/* What could not be read of a trace is not in what is made of it: facts of the
 * new one say so. */
#ifndef ANALYZE_REWRITE_DAMAGE_H
#define ANALYZE_REWRITE_DAMAGE_H

#include "analyze/trace.h"

#include "format/base/buf.h"

/* Both after all of it was read; nothing is put where there is nothing to say.
 * The value of the fact "recovered" (spec/tables.md): */
void an_damage_put(const struct an_trace *t, struct buf *to);
/* For people. */
void an_damage_put_note(const struct an_trace *t, struct buf *to);

#endif
