/* Payloads whose text is not made of the names of their fields. */
#ifndef RECORD_IMPORT_TEXT_LAYOUTS_H
#define RECORD_IMPORT_TEXT_LAYOUTS_H

#include "record/import/text/pairs.h"

#include <stdbool.h>

/* false: the event has no such layout, or its text another. *rest is what is to
 * be taken as any other text. */
bool rec_text_layout(struct span event, struct span text,
		     struct rec_text_pair pairs[REC_TEXT_PAIRS_MAX], size_t *n,
		     struct span *rest);

#endif
