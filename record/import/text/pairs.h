/* What the text of a tracepoint's payload says: pairs of a field's name and its
 * value, under the names that the kernel's format file has. */
#ifndef RECORD_IMPORT_TEXT_PAIRS_H
#define RECORD_IMPORT_TEXT_PAIRS_H

#include "format/base/span.h"

#include <stdbool.h>
#include <stddef.h>

#define REC_TEXT_PAIRS_MAX 64u

struct rec_text_pair {
	struct span key, value;
	bool hex; /* whatever it looks like */
};

/* "a=1 b=x y, c-d=2": a value goes up to the next key; then, where there are no
 * such, "a: 1, b: 2". Some events, and system calls, have layouts of their own. Spans point into
 * the text, or to constants. Returns how many, at most REC_TEXT_PAIRS_MAX. */
size_t rec_text_pairs(struct span event, struct span text,
		      struct rec_text_pair pairs[REC_TEXT_PAIRS_MAX]);

#endif
