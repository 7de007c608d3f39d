/* A result that is written to a file: whole, or not at all. */
#ifndef ANALYZE_OUT_FILE_H
#define ANALYZE_OUT_FILE_H

#include "format/base/err.h"

#include <stdio.h>

struct an_out_file {
	FILE *to;        /* write here */
	char *path;      /* what it becomes; links are followed */
	char *temporary; /* what it is so far, beside it; NULL: a pipe or a
			  * device is written as it stands */
};

/* Begins a file that takes the place of `path` when it is kept. ERR_USAGE: that
 * is the file `input` ("-": standard input), by whatever name. */
int an_out_file_open(struct an_out_file *f, const char *path,
		     const char *input, struct err *err);
/* ERR_USAGE where `path` is one of several inputs. */
int an_out_file_check(const char *path, const char *const *inputs, size_t n,
		      struct err *err);
int an_out_file_keep(struct an_out_file *f, struct err *err);

/* Whatever was not kept is gone; a zeroed one is fine. */
void an_out_file_fini(struct an_out_file *f);

#endif
