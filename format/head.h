/* The two fixed headers: of the file and of each chunk. */
#ifndef FORMAT_HEAD_H
#define FORMAT_HEAD_H

#include "format/base/err.h"
#include "format/base/span.h"
#include "format/layout.h"
#include "format/reader.h"

#include <stdint.h>

void tf_file_header_put(uint8_t to[TF_FILE_HEADER_SIZE],
			const struct tf_file_header *h);

/* Takes the 64 known bytes; *size is where the first chunk begins. */
int tf_file_header_take(struct tf_file_header *out, uint32_t *size,
			struct span in, struct err *err);

struct tf_head {
	uint16_t type, flags;
	uint64_t offset; /* of the chunk in the file */
	uint64_t seq;
	uint32_t epoch;
	uint64_t t_min, t_max; /* of what is no definition; 0, 0: no times */
	uint32_t parts;
	uint32_t dir_size, body_size;
	uint32_t dir_crc;
	uint64_t aux; /* END: offset of the last INDEX, or 0 */
};

void tf_head_put(uint8_t to[TF_CHUNK_HEADER_SIZE], const struct tf_head *h,
		 const uint8_t file_id[TF_FILE_ID_SIZE]);

/* NULL: a sound header of a chunk at `at` in the file of that id. Otherwise
 * what is wrong with it, and *out is untouched. */
const char *tf_head_take(struct tf_head *out, struct span in, uint64_t at,
			 const uint8_t file_id[TF_FILE_ID_SIZE]);

/* Could these first bytes (fewer than a header) become such a header? */
bool tf_head_begins(struct span in, uint64_t at,
		    const uint8_t file_id[TF_FILE_ID_SIZE]);

/* Header to end of padding. */
uint64_t tf_head_size(const struct tf_head *h);

struct tf_chunk_info tf_head_info(const struct tf_head *h);

#endif
