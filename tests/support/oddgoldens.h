/* The trace files of tests/golden/format that were cut off, are damaged or hold
 * what this version does not know: each is made of a stored sound one, the same
 * bytes each time. */
#ifndef TESTS_SUPPORT_ODDGOLDENS_H
#define TESTS_SUPPORT_ODDGOLDENS_H

#include "format/base/buf.h"
#include "format/base/err.h"
#include "format/base/span.h"

#include <stddef.h>

struct oddchunk;

struct oddgolden {
	const char *name; /* of the file, in GOLDEN_FOLDER */
	const char *base; /* the stored sound file that it is made of */
	void (*make)(struct buf *out, struct span base,
		     const struct oddgolden *o);
	size_t chunk;     /* of the base, where it matters */
	long by;          /* bytes from there, or the place of a bit */
	const struct oddchunk *chunks; /* that follow, up to one of type 0 */
};
extern const struct oddgolden oddgoldens[]; /* NULL-ended */

/* Into `out`, a zeroed buffer; from the root of the tree. */
int oddgolden_make(const struct oddgolden *o, struct buf *out,
		   struct err *err);

#endif
