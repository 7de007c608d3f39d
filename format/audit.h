/* Checks one part of a chunk to the last value: every stream, statistic, time,
 * reference and row number. */
#ifndef FORMAT_AUDIT_H
#define FORMAT_AUDIT_H

#include "format/body.h"
#include "format/decode.h"
#include "format/directory.h"
#include "format/ledger.h"
#include "format/schema.h"

struct tf_audit {
	struct tf_ledger *ledger; /* of the epoch at hand */
	struct tf_scratch scratch;
	/* Called with each thing that does not hold. */
	void (*report)(void *ctx, const char *what);
	void *ctx;
};

void tf_audit_fini(struct tf_audit *a); /* a zeroed one is fine */

/* `t` is NULL for a table that is not known: only its streams are checked.
 * Returns a failure only where the check itself could not go on. `err` must
 * not be NULL. */
int tf_audit_part(struct tf_audit *a, const struct tf_table *t,
		  const struct tf_part *p, struct tf_body *body,
		  struct err *err);

/* Was it the file that failed, or the machine? */
bool tf_is_damage(int rc);

#endif
