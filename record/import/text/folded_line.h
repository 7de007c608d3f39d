/* A line of folded stacks: "main;f;g 12", decimal counts too, and for a
 * comparison two of them. */
#ifndef RECORD_IMPORT_TEXT_FOLDED_LINE_H
#define RECORD_IMPORT_TEXT_FOLDED_LINE_H

#include "format/base/span.h"
#include "record/import/text/frame.h"

#include <stdbool.h>
#include <stdint.h>

/* digits / 10^decimals, without zeros at its end behind the point. */
struct rec_text_count {
	uint64_t digits;
	unsigned decimals;
};

struct rec_text_folded {
	struct span stack;    /* from the root, with ';' between frames */
	struct rec_text_count counts[2];
};

/* With `n` counts, 1 or 2, which stand behind the last blanks: what is before
 * them is the stack, blanks and digits and all. false: it has no stack or not
 * so many counts. */
bool rec_text_folded(struct span line, unsigned n, struct rec_text_folded *out);

/* The count times 10^decimals; false: that does not fit. */
bool rec_text_count_scale(const struct rec_text_count *c, unsigned decimals,
			  uint64_t *out);

/* Takes the innermost frame from the end of a stack. "_[k]" says that it is the
 * kernel's, "_[j]" that its code was made at run time, "_[i]" inlined. */
void rec_text_folded_frame(struct span *stack, struct rec_text_frame *out);

#endif
