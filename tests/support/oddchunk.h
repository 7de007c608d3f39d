/* Chunks with things that this version of the format does not know, packed by
 * hand: the writer could not make them. */
#ifndef TESTS_SUPPORT_ODDCHUNK_H
#define TESTS_SUPPORT_ODDCHUNK_H

#include "format/base/buf.h"

#include <stddef.h>
#include <stdint.h>

struct oddchunk {
	uint16_t type, flags;
	uint32_t parts;
	const char *directory; /* of a packed chunk: behind the body's block */
	size_t n_directory;
	const char *body;
	size_t n_body;
	uint8_t codec; /* that is said of the body of a packed chunk */
};

extern const struct oddchunk oddchunk_end;

/* Up to one of type 0. */
extern const struct oddchunk oddchunks_nothing[];
extern const struct oddchunk oddchunks_table[];
extern const struct oddchunk oddchunks_column[];
extern const struct oddchunk oddchunks_type[];
extern const struct oddchunk oddchunks_encoding[];
extern const struct oddchunk oddchunks_key[];
extern const struct oddchunk oddchunks_codec[];
extern const struct oddchunk oddchunks_body_codec[];
extern const struct oddchunk oddchunks_schema_fields[];
extern const struct oddchunk oddchunks_chunk[];
extern const struct oddchunk oddchunks_critical[];
extern const struct oddchunk oddchunks_critical_first[];
extern const struct oddchunk oddchunks_schema_first[];

/* Appends the chunk to a file, whose header `to` begins with. */
void oddchunk_put(struct buf *to, const struct oddchunk *c, uint64_t seq);

#endif
