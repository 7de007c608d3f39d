/* The contract of an importer. One folder, and one row in import.c, add one. */
#ifndef RECORD_IMPORT_IMPORTER_H
#define RECORD_IMPORT_IMPORTER_H

#include "record/import/input.h"
#include "record/import/intake.h"

#include <stdbool.h>

struct rec_import_options {
	bool quiet;
};

struct rec_importer {
	const char *name;    /* "perf.data" */
	const char *summary; /* for --help: "what perf record wrote" */

	/* Whether it is this, by its first bytes (up to 64 KiB). */
	bool (*is)(struct span head);

	/* Gives all that is there to the intake. 0: done; 1: done as far as it
	 * is sound, *err tells what is wrong behind that, and where; negative:
	 * nothing of it can be used. */
	int (*run)(struct rec_input *in, struct rec_intake *to,
		   const struct rec_import_options *options, struct err *err);
};

extern const struct rec_importer rec_import_perf_data, rec_import_trace_dat,
	rec_import_perf_script, rec_import_ftrace_text, rec_import_folded;

#endif
