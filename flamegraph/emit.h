/* Buffered text out to a stream; the first failure sticks and is told at the
 * end, so that markup can be written without a check on every line. */
#ifndef FG_EMIT_H
#define FG_EMIT_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define FG_FIXED 10000u		/* a fixed-point 1 */

struct fg_emit {
	FILE *out;
	int rc;			/* 0, or the -errno that stuck */
	size_t n;
	char buf[1 << 15];
};

/* Starts writing to `out`, which stays the caller's. */
void fg_emit_init(struct fg_emit *e, FILE *out);

void fg_emit_bytes(struct fg_emit *e, const char *s, size_t size);
void fg_emit_str(struct fg_emit *e, const char *s);
void fg_emit_u64(struct fg_emit *e, uint64_t v);

/* With a comma every three digits. */
void fg_emit_grouped(struct fg_emit *e, uint64_t v);

/* v / FG_FIXED, without needless zeros. */
void fg_emit_fixed(struct fg_emit *e, uint64_t v);

/* Hands everything over and flushes the stream; the final 0 or -errno. */
int fg_emit_end(struct fg_emit *e);

#endif
