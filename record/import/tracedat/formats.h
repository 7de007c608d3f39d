/* The events that a trace.dat file has formats of, by the number that begins
 * their records. */
#ifndef RECORD_IMPORT_TRACEDAT_FORMATS_H
#define RECORD_IMPORT_TRACEDAT_FORMATS_H

#include "format/base/err.h"
#include "format/base/map64.h"
#include "format/base/span.h"
#include "record/import/tracedat/shape.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What else than rows its records become. */
enum rec_dat_use {
	REC_DAT_ROW,
	REC_DAT_PRINT,        /* a line of trace_marker or trace_printk() */
	REC_DAT_BPRINT,       /* the same, to be printed from its arguments */
	REC_DAT_BPUTS,        /* the same, a text that is elsewhere */
	REC_DAT_KERNEL_STACK, /* of the record before */
	REC_DAT_USER_STACK,
	REC_DAT_SWITCH,       /* tells names of threads */
};

/* Of one event; spans point into the parts of the file. */
struct rec_dat_event {
	struct span system, name, text;
	uint64_t id;
	enum rec_dat_use use;
	bool shaped;            /* is made when the first record comes */
	struct rec_dat_shape shape;
};

struct rec_dat_formats {
	struct rec_dat_event *items;
	size_t n;
	size_t cap;
	struct map64 by_id;
	unsigned skipped; /* that are no format files */
};

/* What all records begin with. */
struct rec_dat_common {
	uint16_t type_at, type_size; /* number of the event */
	uint16_t pid_at, pid_size;   /* the thread */
};

/* Adds those of a part: of ftrace (sized texts), or of systems of them. */
int rec_dat_formats_add_ftrace(struct rec_dat_formats *f, struct span part,
			       bool big, struct err *err);
int rec_dat_formats_add_systems(struct rec_dat_formats *f, struct span part,
				bool big, struct err *err);
void rec_dat_formats_fini(struct rec_dat_formats *f); /* zeroed is fine */

/* As the first format says. ERR_FORMAT: there is none that does. */
int rec_dat_formats_common(const struct rec_dat_formats *f,
			   struct rec_dat_common *out, struct err *err);

/* NULL: there is none with this number. */
struct rec_dat_event *rec_dat_formats_find(const struct rec_dat_formats *f,
					   uint64_t id);

/* Makes the shape of an event, where that was not yet done. */
int rec_dat_event_shape(struct rec_dat_event *e, bool big, unsigned long_size,
			struct err *err);

#endif
