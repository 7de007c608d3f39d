/* The signal that ends an import before its input does: what was read until then
 * is kept. A second one ends the program at once. */
#ifndef RECORD_IMPORT_STOP_H
#define RECORD_IMPORT_STOP_H

#include "format/base/err.h"
#include "record/loop.h"

#include <stdbool.h>

struct rec_stop { /* zeroed never stops */
	struct rec_signals signals;
	int by;        /* the signal; 0: none came */
	bool in_rows;  /* it came while rows were made, which ended there */
};

/* SIGINT, SIGTERM, and SIGHUP where it is not ignored, go here from now on. */
int rec_stop_take(struct rec_stop *s, struct err *err);
void rec_stop_release(struct rec_stop *s); /* a zeroed one is fine */

/* Of the functions below NULL is one that never stops. */

/* Waits until something can be read; true: a signal came instead, and the input
 * ends here. */
bool rec_stop_reading(struct rec_stop *s, int fd);

/* Whether no more rows are to be made. Where the input was ended those that it
 * still has are. */
bool rec_stop_rows(struct rec_stop *s);

/* Whether one came, now or before. */
bool rec_stop_came(struct rec_stop *s);

#endif
