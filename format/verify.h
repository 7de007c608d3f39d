/* Full-depth check of a file: every chunk, stream, checksum, reference, bound,
 * order rule. What `analyze check` prints and fuzzing runs. */
#ifndef FORMAT_VERIFY_H
#define FORMAT_VERIFY_H

#include "format/reader.h"

struct tf_verify_result {
	uint64_t chunks, parts, rows, bytes;
	uint64_t problems; /* 0: everything holds */
};

/* Calls `report` once per problem, with the place (offset) and the cause, in
 * file order. Returns 0 when the walk was finished, whatever it found. */
int tf_verify(const struct tf_reader *r,
	      void (*report)(void *ctx, uint64_t offset, const char *what),
	      void *ctx, struct tf_verify_result *out, struct err *err);

#endif
