/* Where the functions lie that a text only names. Each gets an address in a
 * generation of its image, so that no two lie on each other: as the text says
 * where it can be had, else one that is made up. The same function at another
 * address (the image lies elsewhere in another process) is the same one. */
#ifndef RECORD_IMPORT_CLAIMS_H
#define RECORD_IMPORT_CLAIMS_H

#include "format/base/buf.h"
#include "format/base/intern.h"
#include "format/base/span.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Generations of an image: what has no name lies in the first one, where it is
 * said to be; then what is made up; then what lies where it is said to be. */
enum { REC_CLAIM_NAMELESS, REC_CLAIM_MADE_UP, REC_CLAIM_GIVEN };

#define REC_CLAIM_GENERATIONS 64u /* of one image */

struct rec_claim {
	uint32_t image;      /* the caller's number */
	uint32_t generation;
	uint64_t start, end;
};

struct rec_claim_space;

struct rec_claims { /* zeroed is empty and ready */
	struct intern names;      /* image and name → claim */
	struct rec_claim *items;
	size_t n;
	size_t cap;
	struct rec_claim_space *spaces; /* those of an image side by side */
	size_t n_spaces;
	size_t spaces_cap;
	size_t order_size;        /* bytes in all of them */
	uint64_t made_up;
	struct buf key;
};

struct rec_claim_frame {
	uint32_t image;      /* from 0 on, without great gaps */
	struct span name;    /* not empty */
	uint64_t address, offset;
	bool has_address, has_offset;
};

/* Where the frame is, in *address; *row tells that a symbol row has to say what
 * *claim is now. false: out of memory. */
bool rec_claims_place(struct rec_claims *c, const struct rec_claim_frame *f,
		      struct rec_claim *claim, uint64_t *address, bool *row);

size_t rec_claims_size(const struct rec_claims *c); /* bytes of memory held */
void rec_claims_fini(struct rec_claims *c);

#endif
