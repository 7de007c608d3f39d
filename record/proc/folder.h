/* The names in a folder, by name. */
#ifndef RECORD_PROC_FOLDER_H
#define RECORD_PROC_FOLDER_H

#include "format/base/err.h"

#include <stddef.h>

struct rec_folder {
	char **names;
	size_t n;
	size_t cap;
};

/* Without those that begin with a dot. 1: it cannot be read. */
int rec_folder_read(struct rec_folder *f, const char *path, struct err *err);
void rec_folder_fini(struct rec_folder *f); /* zeroed is fine */

#endif
