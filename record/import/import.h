/* Makes a trace of what somebody else recorded, whatever it is. */
#ifndef RECORD_IMPORT_IMPORT_H
#define RECORD_IMPORT_IMPORT_H

#include "record/import/importer.h"
#include "record/import/stop.h"

struct rec_import_job {
	const char *input, *output; /* "-": standard input, output */
	struct rec_import_options options;
	const struct log *log;
	struct rec_stop *stop; /* signals are taken while it runs; NULL: they
				* are not */
};

/* NULL-ended, in the order in which they are asked. */
extern const struct rec_importer *const rec_importers[];

enum rec_import_result {
	REC_IMPORT_DONE = 0,    /* maybe of a part only: a warning says so */
	REC_IMPORT_UNKNOWN = 1, /* nobody knows what it is, err says so */
	REC_IMPORT_DAMAGED = 2, /* nothing of it can be used, err says why */
	REC_IMPORT_STOPPED = 3, /* a signal ended it: a warning says what is
				 * kept, and the trace does */
};

/* An enum rec_import_result or the code of another failure; without a result
 * there is no output, nor where a signal came before anything could be kept. */
int rec_import(const struct rec_import_job *job, struct err *err);

#endif
