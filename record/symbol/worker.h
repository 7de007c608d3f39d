/* The symbolizer's side: takes requests from a socket, answers them, ends when
 * the other end is closed. */
#ifndef RECORD_SYMBOL_WORKER_H
#define RECORD_SYMBOL_WORKER_H

#include "record/symbol/image.h"

struct rec_worker_files {
	int socket;
	struct rec_known_files images;
};

/* Runs in a fresh child: gives up its rights and everything that is open but
 * these files, serves, and ends the process. */
_Noreturn void rec_worker_main(const struct rec_worker_files *files);

/* The loop alone, within this process: 0 when the other end was closed. */
int rec_worker_serve(int socket, struct rec_known *images, struct err *err);

#endif
