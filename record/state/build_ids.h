/* Build-ids that a recording made elsewhere tells of what was mapped, by path.*/
#ifndef RECORD_STATE_BUILD_IDS_H
#define RECORD_STATE_BUILD_IDS_H

#include "format/base/err.h"
#include "format/base/intern.h"
#include "format/base/span.h"
#include "record/state/images.h"

#include <stddef.h>
#include <stdint.h>

struct rec_told_id {
	uint8_t bytes[REC_BUILD_ID_MAX];
	uint8_t size;
};

struct rec_build_ids { /* zeroed is empty and ready */
	struct intern paths;
	struct rec_told_id *items; /* by path */
	size_t n;
	size_t cap;
};

void rec_build_ids_fini(struct rec_build_ids *b);

/* A later one of the same path takes its place. ERR_LIMIT: it is too long. */
int rec_build_ids_put(struct rec_build_ids *b, struct span path, struct span id,
		      struct err *err);

/* Gives the image the one of its path, unless it has one. */
void rec_build_ids_fill(const struct rec_build_ids *b, struct span path,
			struct rec_image *image);

#endif
