/* Which of two encodings a column gets. Both are tried on the first part of a
 * table and on a part in sixteen after; between, what was better then holds. */
#ifndef FORMAT_CHOICE_H
#define FORMAT_CHOICE_H

#include "format/base/map64.h"

#include <stdbool.h>
#include <stdint.h>

struct tf_choices {
	struct map64 of; /* table and column → bit 0: the second; then how many
			  * parts it holds for */
};

enum tf_choice { TF_CHOICE_FIRST, TF_CHOICE_SECOND, TF_CHOICE_TRY };

void tf_choices_fini(struct tf_choices *c); /* a zeroed one is ready */
enum tf_choice tf_choice_now(struct tf_choices *c, uint32_t table,
			     uint32_t column);

/* What a trial found. Without memory there will just be another trial. */
void tf_choice_keep(struct tf_choices *c, uint32_t table, uint32_t column,
		    bool second);

#endif
