/* What predicts the columns of a tracepoint's table: the field of a process
 * tells its name, the thread and the number of a system call its arguments. */
#ifndef RECORD_TRACEPOINT_KEYS_H
#define RECORD_TRACEPOINT_KEYS_H

#include "format/schema.h"

/* Sets role, key, second and link of the columns that are not those of `sample`
 * or else known better. */
void rec_tracepoint_keys(struct tf_column *columns, size_t n,
			 const char *system, const char *name);

#endif
