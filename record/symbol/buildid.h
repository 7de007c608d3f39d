/* The build-id of an ELF file whose mapping came without one (older kernels,
 * processes that ran before): the one thing rec itself reads from such a file,
 * since an image is identified by it before any name is asked for. */
#ifndef RECORD_SYMBOL_BUILDID_H
#define RECORD_SYMBOL_BUILDID_H

#include "format/base/span.h"
#include "record/state/images.h"

/* Fills the image's build-id from the file; leaves it empty where there is
 * none or the file makes no sense. fd may be -1. */
void rec_build_id_read(struct rec_image *image, int fd);

/* The GNU build-id among ELF notes whose parts are aligned to 4. */
void rec_build_id_notes(struct rec_image *image, struct span notes);

#endif
