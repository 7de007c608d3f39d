/* Names out of a trace, printed so that they do nothing to a terminal. */
#ifndef ANALYZE_CLEAN_H
#define ANALYZE_CLEAN_H

#include "format/base/err.h"
#include "format/base/span.h"

#include <stdio.h>

/* The text as out/utf8.h cleans it. */
void an_clean_print(FILE *to, struct span text);

/* Cleans the text of a failure in place: it may quote the trace. */
void an_clean_err(struct err *err);

#endif
