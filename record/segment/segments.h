/* When a recording goes on in the next file: by SIGUSR2, size or time. Names
 * that are on their way are waited for, for two seconds at most, while the
 * recording goes on in the old file. */
#ifndef RECORD_SEGMENT_SEGMENTS_H
#define RECORD_SEGMENT_SEGMENTS_H

#include "format/base/err.h"
#include "record/state/defs.h"
#include "record/symbol/names.h"

#include <stdbool.h>
#include <stdint.h>

struct rec_segments {
	bool on;
	uint64_t every_ns, every_bytes; /* 0: not by this */
	struct rec_defs *defs;
	struct rec_names *names;
	/* Write what closes a file, with the addresses in it that stay without
	 * a name, and what opens one. */
	void (*end)(void *ctx, uint64_t unnamed);
	void (*begin)(void *ctx);
	void *ctx;

	int fd;            /* of SIGUSR2; 0: not taken */
	uint32_t number;   /* of the file, from 1 */
	uint64_t began_ns;
	uint64_t due_ns;   /* since when the next one is; 0: it is not */
	bool asked;        /* by the signal */
	bool ended;        /* the rows that close the file are written */
	uint64_t unnamed;  /* said in the files so far */
};

/* Takes SIGUSR2, where the recording is to be split. Comes before threads and
 * children; the command gets the signal as it was. */
int rec_segments_take(struct rec_segments *s, struct err *err);

/* Once the command is forked: from here on the signal never ends the recorder,
 * not even when all are let through again. */
void rec_segments_begin(struct rec_segments *s, uint64_t now_ns);
void rec_segments_fini(struct rec_segments *s); /* a zeroed one is fine */

int rec_segments_fd(const struct rec_segments *s); /* -1: nothing to wait for*/

/* Does what is due; to be called between two rounds. */
void rec_segments_tick(struct rec_segments *s, uint64_t now_ns);

/* Addresses that stay without a name, of `all` of the recording, and that no
 * earlier file has told. */
uint64_t rec_segments_unnamed(struct rec_segments *s, uint64_t all);

#endif
