/* Things out of a trace, printed for people. Names do nothing to a terminal. */
#ifndef ANALYZE_CLEAN_H
#define ANALYZE_CLEAN_H

#include "format/base/err.h"
#include "format/base/span.h"

#include <stdio.h>

/* The text as format/base/utf8.h cleans it. */
void an_clean_print(FILE *to, struct span text);

/* "2023-11-14 22:13:20 UTC" */
void an_print_date(FILE *to, uint64_t unix_ns);

/* Cleans the text of a failure in place: it may quote the trace. */
void an_clean_err(struct err *err);

#endif
