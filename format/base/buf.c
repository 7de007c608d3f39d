#include "buf.h"

#include "mem.h"
#include "varint.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void buf_init(struct buf *b, size_t max)
{
	*b = (struct buf){ .max = max };
}

void buf_fini(struct buf *b)
{
	free(b->p);
	*b = (struct buf){ .max = b->max };
}

void buf_clear(struct buf *b)
{
	b->n = 0;
	b->failed = false;
}

uint8_t *buf_room(struct buf *b, size_t n)
{
	size_t need;

	if (b->failed)
		return NULL;
	if (ckd_add(&need, b->n, n) || (b->max && need > b->max) ||
	    !mem_grow(&b->p, &b->cap, need ? need : 1, 1)) {
		b->failed = true;
		return NULL;
	}
	return b->p + b->n;
}

void buf_put(struct buf *b, const void *p, size_t n)
{
	uint8_t *at = n ? buf_room(b, n) : NULL;

	if (!at)
		return;
	memcpy(at, p, n);
	b->n += n;
}

static void put_le(struct buf *b, uint64_t v, size_t n)
{
	uint8_t le[8];

	for (size_t i = 0; i < n; i++)
		le[i] = (uint8_t)(v >> (8 * i));
	buf_put(b, le, n);
}

void buf_u8(struct buf *b, uint8_t v)
{
	buf_put(b, &v, 1);
}

void buf_u16(struct buf *b, uint16_t v)
{
	put_le(b, v, 2);
}

void buf_u32(struct buf *b, uint32_t v)
{
	put_le(b, v, 4);
}

void buf_u64(struct buf *b, uint64_t v)
{
	put_le(b, v, 8);
}

void buf_varint(struct buf *b, uint64_t v)
{
	uint8_t *at = buf_room(b, VARINT_MAX);

	if (at)
		b->n += varint_put(at, v);
}

void buf_zz(struct buf *b, int64_t v)
{
	buf_varint(b, zz_from(v));
}

void buf_zero(struct buf *b, size_t n)
{
	uint8_t *at = n ? buf_room(b, n) : NULL;

	if (!at)
		return;
	memset(at, 0, n);
	b->n += n;
}

void buf_printf(struct buf *b, const char *fmt, ...)
{
	va_list ap, again;
	uint8_t *at;
	int n;

	va_start(ap, fmt);
	va_copy(again, ap);
	n = vsnprintf(NULL, 0, fmt, ap);
	va_end(ap);
	at = n < 0 ? NULL : buf_room(b, (size_t)n + 1);
	if (at) {
		vsnprintf((char *)at, (size_t)n + 1, fmt, again);
		b->n += (size_t)n;
	} else {
		b->failed = true;
	}
	va_end(again);
}
