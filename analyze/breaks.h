/* Times inside of a trace that nobody recorded: between files that are read as
 * one, and between what the file was once made of, which its fact "unrecorded"
 * tells (spec/tables.md); and the time that somebody did. */
#ifndef ANALYZE_BREAKS_H
#define ANALYZE_BREAKS_H

#include "analyze/trace.h"

#include "format/base/buf.h"

#include <stdio.h>

#define AN_BREAKS_FACT "unrecorded"
#define AN_COVERS_FACT "covers"

/* Less than this between two recordings is how long it takes to begin the
 * next. */
#define AN_BREAK_NS 1000000u

/* Adds one, unless it is there. */
int an_breaks_add(struct an_trace *t, struct an_break b, struct err *err);

/* Those of a value of the fact: FROM-TO of each, ns, with blanks between them.
 * What is no such list is passed over. */
int an_breaks_parse(struct an_trace *t, const char *text, struct err *err);
void an_break_put(struct an_break b, struct buf *to);
/* `shift` is added to the times. */
void an_breaks_put(const struct an_trace *t, uint64_t shift, struct buf *to);

/* From the first to the last row of a file; 0, 0: it has none. */
struct an_break an_rows_span(const struct tf_reader *r);

/* FROM-TO, the value of the fact "covers"; false: it is none, and *out is as it
 * was. */
bool an_covers_parse(struct an_break *out, const char *text);

/* From when to when a trace was recorded, whether there are rows or not: as its
 * fact "covers" has it, else by its readings of the clock; of what was cut or
 * imported, which has those of the whole or none, by its rows. 0, 0: not known. */
struct an_break an_trace_covers(const struct an_trace *t);

/* What is in either and between them; one of 0, 0 is none. */
struct an_break an_break_hull(struct an_break a, struct an_break b);

/* "1.5 s from 12.300000 s on" of each. */
void an_breaks_print(const struct an_trace *t, FILE *to);

#endif
