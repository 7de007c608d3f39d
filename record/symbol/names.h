/* Between the recorder and the symbolizer: opens files as their code is first
 * seen, asks for names, writes the answers as symbol rows. */
#ifndef RECORD_SYMBOL_NAMES_H
#define RECORD_SYMBOL_NAMES_H

#include "format/base/err.h"
#include "format/base/log.h"
#include "record/state/defs.h"
#include "record/state/mm.h"
#include "record/symbol/foreign.h"
#include "record/symbol/symbols.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct rec_names {
	struct rec_symbols *symbols; /* NULL: it could not be started, or died */
	struct rec_defs *defs;
	const char *root;
	const struct log *log;
	struct rec_foreign *foreign; /* what was recorded elsewhere: files are
				      * looked for here. NULL: this machine */
	uint64_t named;      /* symbol rows with a name */
	uint64_t unasked;    /* addresses of a dead or full symbolizer */
	uint64_t troubles;   /* images that gave no names */
};

/* Starts the symbolizer. Where that fails, recording goes on without names and
 * says so. */
void rec_names_start(struct rec_names *n, struct rec_defs *defs,
		     const char *root, const struct log *log);

/* Before the first frame of an image in `mm` is made: fills in a build-id that
 * the kernel did not give and hands the file to the symbolizer. Kernel images
 * come with mm and map NULL. */
void rec_names_image(struct rec_names *n, uint32_t image,
		     const struct rec_mm *mm, const struct rec_mapping *map);

/* A frame that is new in this epoch. */
void rec_names_frame(struct rec_names *n, uint32_t image, uint64_t address,
		     enum tf_frame_kind kind);

/* Sends and receives what is ready; answers become rows. */
void rec_names_poll(struct rec_names *n);

/* Waits for the outstanding answers, which become rows; 1: time ran out. */
int rec_names_wait(struct rec_names *n, uint64_t timeout_ns);

/* Answers that are on their way. */
uint64_t rec_names_pending(const struct rec_names *n);

/* What was named must be named again: a new file begins. */
void rec_names_forget(struct rec_names *n);

/* Addresses that nobody will answer for any more. */
uint64_t rec_names_unanswered(const struct rec_names *n);

/* Ends the symbolizer. Returns how many addresses nobody answered for. */
uint64_t rec_names_finish(struct rec_names *n);

int rec_names_fd(const struct rec_names *n); /* -1: none */
pid_t rec_names_pid(const struct rec_names *n); /* 0: none */

#endif
