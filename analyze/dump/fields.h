/* Which fields `analyze dump` prints: the words and the habits of perf script's
 * -F. */
#ifndef ANALYZE_DUMP_FIELDS_H
#define ANALYZE_DUMP_FIELDS_H

#include "format/base/err.h"

#include <stdbool.h>

enum an_dump_field {
	AN_F_COMM = 1 << 0, AN_F_PID = 1 << 1, AN_F_TID = 1 << 2,
	AN_F_CPU = 1 << 3, AN_F_TIME = 1 << 4, AN_F_PERIOD = 1 << 5,
	AN_F_EVENT = 1 << 6, AN_F_TRACE = 1 << 7, AN_F_IP = 1 << 8,
	AN_F_SYM = 1 << 9, AN_F_SYMOFF = 1 << 10, AN_F_DSO = 1 << 11,
};

struct an_dump_fields {
	unsigned only;        /* 0: those by habit */
	unsigned more, less;  /* than by habit */
};

/* "comm,tid,time" instead of the usual ones, or "+pid,-comm" beside them; NULL:
 * the usual ones. ERR_USAGE names the word that is none. */
int an_dump_fields_parse(struct an_dump_fields *out, const char *text,
			 struct err *err);

/* Those of an event. */
unsigned an_dump_fields_of(const struct an_dump_fields *f, bool tracepoint,
			   bool callchain);

#endif
