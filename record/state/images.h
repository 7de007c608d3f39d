/* Every file, kernel, module, vDSO and area that code was seen in, once, for
 * the whole recording. */
#ifndef RECORD_STATE_IMAGES_H
#define RECORD_STATE_IMAGES_H

#include "format/base/err.h"
#include "format/base/intern.h"
#include "format/base/map64.h"
#include "format/base/span.h"
#include "format/catalog.h"
#include "record/perf/decode.h"
#include "record/state/row.h"

#include <stdbool.h>
#include <stdint.h>

/* Index 0 is the image of addresses that no mapping covers, index 1 holds what
 * is no address at all: "[truncated]". */
#define REC_IMAGE_UNKNOWN 0u
#define REC_IMAGE_TRUNCATED 1u

#define REC_FRAME_KINDS 2u /* enum tf_frame_kind */

struct rec_image {
	enum tf_image_kind kind;
	const char *path; /* NUL-terminated, lives as long as the table */
	uint8_t build_id[REC_BUILD_ID_MAX];
	uint8_t build_id_size;
	uint64_t device, inode; /* 0: not known */
	uint64_t generation;
	bool introduced;        /* the symbolizer has heard of it */
	unsigned tries;         /* to open its file */

	/* This epoch's ids: of the image, and of each touched address. */
	struct rec_row row[REC_SHARDS_MAX];
	struct map64 frames[REC_SHARDS_MAX][REC_FRAME_KINDS];
};

struct rec_images {
	struct intern keys;  /* content → index */
	struct intern paths;
	struct rec_image *items;
	size_t n;
	size_t cap;
};

int rec_images_init(struct rec_images *im, struct err *err);
void rec_images_fini(struct rec_images *im);

/* The index of the image that `what` describes; its path is copied. */
int rec_images_add(struct rec_images *im, const struct rec_image *what,
		   struct span path, uint32_t *index, struct err *err);

/* What kind of thing a mapping's path names. */
enum tf_image_kind rec_image_kind(struct span path);

/* The same of a mapping of the kernel's: TF_IMAGE_KERNEL or TF_IMAGE_MODULE. `name`
 * becomes what the image is called here, however the path says it:
 * "[kernel.kallsyms]", "[ext4]"; always NUL-terminated. */
#define REC_KERNEL_NAME 256
enum tf_image_kind rec_image_kernel_kind(struct span path,
					 char name[REC_KERNEL_NAME]);

/* Bytes held by the frames of the shard's epoch. */
size_t rec_images_size(const struct rec_images *im, unsigned shard);

/* Forgets the frames of the shard's epoch. */
void rec_images_new_epoch(struct rec_images *im, unsigned shard);

#endif
