/* What is worth knowing of the machine and of this recording, as rows. */
#ifndef RECORD_PROC_FACTS_H
#define RECORD_PROC_FACTS_H

#include "record/state/defs.h"

#include <stdint.h>

/* A text of up to TF_MAX_STRING. */
void rec_fact_text(struct rec_defs *d, const char *key, struct span text);

void rec_fact(struct rec_defs *d, const char *key, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* Words of a command line, joined by spaces; those that need it are quoted. */
void rec_fact_command(struct rec_defs *d, const char *key, char **argv);

/* Architecture, kernel, host, CPUs, page size, the limits that shape what can
 * be seen. */
void rec_facts_machine(struct rec_defs *d);

/* The text of a file, up to TF_MAX_STRING; no fact where it cannot be read or
 * is empty. `root` is before the path. */
void rec_fact_file(struct rec_defs *d, const char *key, const char *root,
		   const char *path);

/* A reading of all clocks at one moment. */
void rec_clock_reading(struct rec_defs *d);

#endif
