/* Growable bytes with a ceiling. Failure is sticky: append freely, then ask
 * buf_failed() once. */
#ifndef BASE_BUF_H
#define BASE_BUF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct buf {
	uint8_t *p;
	size_t n;
	size_t cap;
	size_t max;  /* never more bytes than this; 0: no ceiling */
	bool failed; /* out of memory or over the ceiling */
};

void buf_init(struct buf *b, size_t max);
void buf_fini(struct buf *b);
void buf_clear(struct buf *b); /* keeps the memory, forgets a failure */

/* Room for n more bytes, which may be 0, at b->p + b->n, or NULL; b->n is not
 * moved. */
uint8_t *buf_room(struct buf *b, size_t n);

void buf_put(struct buf *b, const void *p, size_t n);
void buf_u8(struct buf *b, uint8_t v);
void buf_u16(struct buf *b, uint16_t v);
void buf_u32(struct buf *b, uint32_t v);
void buf_u64(struct buf *b, uint64_t v);
void buf_varint(struct buf *b, uint64_t v);
void buf_zz(struct buf *b, int64_t v);
void buf_zero(struct buf *b, size_t n);
void buf_printf(struct buf *b, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

static inline bool buf_failed(const struct buf *b)
{
	return b->failed;
}

#endif
