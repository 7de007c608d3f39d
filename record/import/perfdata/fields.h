/* Numbers in the byte order of the machine that wrote the file. A getter that
 * fails takes nothing and changes nothing. */
#ifndef RECORD_IMPORT_PERFDATA_FIELDS_H
#define RECORD_IMPORT_PERFDATA_FIELDS_H

#include "format/base/span.h"

#include <stdbool.h>
#include <stdint.h>

struct rec_pd_fields {
	struct span in;
	bool foreign; /* big-endian */
};

static inline struct rec_pd_fields rec_pd_fields(struct span in, bool foreign)
{
	return (struct rec_pd_fields){ in, foreign };
}

bool rec_pd_u16(struct rec_pd_fields *f, uint16_t *out);
bool rec_pd_u32(struct rec_pd_fields *f, uint32_t *out);
bool rec_pd_u64(struct rec_pd_fields *f, uint64_t *out);
bool rec_pd_skip(struct rec_pd_fields *f, size_t n);

/* Text in a room of fixed size: what stands before its first NUL. */
bool rec_pd_text(struct rec_pd_fields *f, size_t room, struct span *out);

/* A size of 32 bits, then text in so much room. */
bool rec_pd_string(struct rec_pd_fields *f, struct span *out);

/* The rest of a text up to its first NUL, where it has one. */
struct span rec_pd_until_nul(struct span s);

#endif
