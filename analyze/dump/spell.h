/* How `analyze dump` writes a frame. Each is spelled once and then copied:
 * printf for each line is 5 times the work of all else (measured, 30 M lines).
 */
#ifndef ANALYZE_DUMP_SPELL_H
#define ANALYZE_DUMP_SPELL_H

#include "analyze/trace.h"

#include "format/base/arena.h"
#include "format/base/buf.h"

struct an_spell {
	const struct an_trace *t;
	struct span *lines;   /* by frame; empty: not yet */
	uint16_t *fields;     /* with which fields it was spelled */
	size_t n;
	struct arena memory;  /* of the lines */
	struct buf line;      /* the last one that was not kept */
};

int an_spell_init(struct an_spell *s, const struct an_trace *t,
		  struct err *err);
void an_spell_fini(struct an_spell *s); /* a zeroed one is fine */

/* The line of a frame with its line break, of those fields (enum an_dump_field)
 * that a frame has. Lives until the next call. false: out of memory. */
bool an_spell_frame(struct an_spell *s, uint32_t frame, unsigned fields,
		    struct span *out);

#endif
