/* A small process from which the readers of files are forked (loader.h): to fork
 * one that holds tables of symbols costs its page tables each time, and a fault
 * for each page that either side then writes. */
#ifndef RECORD_SYMBOL_NURSERY_H
#define RECORD_SYMBOL_NURSERY_H

#include "format/base/err.h"
#include "record/symbol/loader.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* One that is not there has socket -1. */
struct rec_nursery {
	int socket;
	pid_t pid;
};

#define REC_NO_NURSERY ((struct rec_nursery){ .socket = -1 })

/* Starts it, while the process that calls is small itself; `l` is what readers
 * run. On failure there is none. */
int rec_nursery_start(struct rec_nursery *n, const struct rec_loader *l,
		      struct err *err);

/* Ends it, with a reader that still runs, and waits; without one it is fine. */
void rec_nursery_end(struct rec_nursery *n);

/* Has a reader of `source`, which is an open file, write its reply to `to`.
 * false: there is no nursery, or none any more: the reader must be forked here. */
bool rec_nursery_ask(struct rec_nursery *n, int to,
		     const struct rec_elf_source *source);

/* How the reader ended, as waitpid() says it; waits at most until `end`, ns of
 * CLOCK_MONOTONIC. ERR_LIMIT, ERR_IO: it or the nursery does not answer; there
 * is none then. */
int rec_nursery_status(struct rec_nursery *n, uint64_t end, int *status,
		       struct err *err);

#endif
