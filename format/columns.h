/* The columns of one part on their way to values, in any order and as few as
 * are asked for: those that predict them come along. */
#ifndef FORMAT_COLUMNS_H
#define FORMAT_COLUMNS_H

#include "format/body.h"
#include "format/decode.h"
#include "format/directory.h"
#include "format/key.h"
#include "format/reader.h"
#include "format/scratch.h"

struct tf_columns_slot;
struct tf_columns_keys;

struct tf_columns_constant { /* rows of one value, for all columns of it */
	uint64_t value;
	uint64_t *v;
};

struct tf_columns {
	const struct tf_table *table;
	struct tf_columns_slot *slots; /* by position in the table */
	struct tf_columns_keys *keys;  /* that were made of two columns */
	size_t n_keys, keys_cap;
	size_t size; /* scratch bytes that those asked for take */
	struct tf_columns_constant constants[8]; /* that were decoded */
	unsigned n_constants;
};

int tf_columns_init(struct tf_columns *cs, const struct tf_table *t,
		    struct err *err);
void tf_columns_fini(struct tf_columns *cs); /* a zeroed one is fine */

/* Finds the columns of a part. Nothing is asked for yet. */
int tf_columns_begin(struct tf_columns *cs, const struct tf_part *part,
		     struct err *err);

/* Whether the part has it, known or not. */
bool tf_columns_there(const struct tf_columns *cs, uint32_t position);

/* Forgets what was asked for and decoded; the part stays. */
void tf_columns_forget(struct tf_columns *cs);

/* Asks for a column: checks what can be known of it without its streams, and of
 * those that predict it, and adds up cs->size. *plan is NULL where the part
 * does not have the column or in no way that is known here. */
int tf_columns_want(struct tf_columns *cs, uint32_t position,
		    const struct tf_plan **plan, struct err *err);

/* Decodes a column that was asked for and has a plan. `mem` has room for
 * cs->size bytes since the last begin or forget. */
int tf_columns_run(struct tf_columns *cs, uint32_t position,
		   struct tf_body *body, struct tf_scratch *mem,
		   struct tf_values *out, struct err *err);

/* The next column of the part, as it is stored, and its position in the table;
 * that is n_columns where the table lacks it. 1: no more. */
int tf_columns_entry(const struct tf_columns *cs, uint32_t position,
		     struct tf_entry *out, struct err *err);

#endif
