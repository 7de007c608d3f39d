/* Several files as one trace. Their clocks are compared by `analyze merge`, which
 * has each of them imported. */
#ifndef RECORD_IMPORT_SEVERAL_H
#define RECORD_IMPORT_SEVERAL_H

#include "record/import/import.h"

/* Runs it in place of this program. Only a failure comes back. */
int rec_import_several(const struct rec_import_job *job, char *const *inputs,
		       struct err *err);

#endif
