/* Where a row was: its frame and its stacks, and how these are shown. */
#ifndef ANALYZE_SPOT_H
#define ANALYZE_SPOT_H

#include "analyze/trace.h"

#include "format/base/buf.h"
#include "format/base/json.h"

#include <stdio.h>

struct an_spot {
	uint32_t ip;             /* frame; AN_NONE: lost */
	uint32_t kstack, ustack; /* nodes, 0: none; AN_NONE: lost */
	uint8_t flags;           /* enum tf_sample_flag */
};

/* The frame that its ip is: of the kernel where the row was there. */
uint32_t an_spot_ip(const struct an_trace *t, const struct an_spot *s);

/* "root;…;leaf" appended to `to`; nothing where no stack is known. */
void an_spot_folded(const struct an_trace *t, const struct an_spot *s,
		    struct buf *to);
/* Lines below a row, the leaf first; those beyond a dozen are counted. */
void an_spot_text(const struct an_trace *t, const struct an_spot *s, FILE *to);
/* An array of names, the leaf first. */
void an_spot_json(const struct an_trace *t, const struct an_spot *s,
		  struct json *j, const char *key);

#endif
