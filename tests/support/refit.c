#include "tests/support/refit.h"

#include "format/base/crc32c.h"
#include "format/base/varint.h"
#include "format/head.h"
#include "format/layout.h"
#include "format/zblock.h"

#include <stdlib.h>
#include <string.h>

static uint32_t get32(const uint8_t *p)
{
	return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 |
	       (uint32_t)p[3] << 24;
}

static void put32(const uint8_t *at, uint32_t v)
{
	uint8_t *p = (uint8_t *)(uintptr_t)at;

	for (int i = 0; i < 4; i++)
		p[i] = (uint8_t)(v >> (8 * i));
}

/* Sets the checksum that is next in `in` to that of the next `n` of `body`. */
static bool fit_block(struct span *in, struct span *body, uint64_t n)
{
	const uint8_t *at = in->p;
	struct span block;

	if (n > body->n || !span_skip(in, 4))
		return false;
	(void)span_take(body, (size_t)n, &block);
	put32(at, crc32c(0, block.p, block.n));
	return true;
}

static bool fit_stream(struct span *in, struct span *body)
{
	uint64_t raw, stored;
	uint8_t codec;

	return span_u8(in, &codec) && span_varint(in, &raw) &&
	       span_varint(in, &stored) && fit_block(in, body, stored);
}

static bool fit_column(struct span *part, struct span *body)
{
	struct span in;
	uint64_t n, id;
	uint8_t streams;

	if (!span_varint(part, &n) || n > part->n ||
	    !span_take(part, (size_t)n, &in) || !span_varint(&in, &id) ||
	    !span_u8(&in, &streams))
		return false;
	for (unsigned i = 0; i < streams; i++)
		if (!fit_stream(&in, body))
			return false;
	return true;
}

static bool fit_part(struct span *dir, struct span *body)
{
	uint64_t n, skip, columns;
	struct span in;
	uint8_t flags;

	if (!span_varint(dir, &n) || n > dir->n ||
	    !span_take(dir, (size_t)n, &in))
		return false;
	for (int i = 0; i < 3; i++)
		if (!span_varint(&in, &skip))
			return false;
	if (!span_u8(&in, &flags))
		return false;
	for (int i = 0; i < (flags & 1) * 2 + (flags >> 1 & 1); i++)
		if (!span_varint(&in, &skip))
			return false;
	if (!span_varint(&in, &columns))
		return false;
	while (columns-- && fit_column(&in, body))
		;
	return true;
}

static void fit_blocks(struct span dir, struct span body, bool packed)
{
	uint64_t raw;
	uint8_t codec;

	if (packed && span_u8(&dir, &codec) && span_varint(&dir, &raw))
		(void)fit_block(&dir, &body, body.n);
	while (!packed && fit_part(&dir, &body))
		;
}

/* Returns the size of the chunk at `at`, or 0 where none fits. */
static size_t fit_chunk(uint8_t *file, size_t n, size_t at)
{
	uint8_t *p = file + at;
	uint32_t dir_size, body_size;
	uint64_t size;

	if (n - at < TF_CHUNK_HEADER_SIZE)
		return 0;
	dir_size = get32(p + 52);
	body_size = get32(p + 56);
	size = 80 + ((uint64_t)dir_size + body_size + 7) / 8 * 8;
	if (size > n - at)
		return 0;
	fit_blocks(span_of(p + 80, dir_size),
		   span_of(p + 80 + dir_size, body_size), p[6] & 2);
	memcpy(p, TF_SYNC, TF_SYNC_SIZE);
	put32(p + 8, (uint32_t)at);
	put32(p + 12, 0);
	memcpy(p + 24, file + 32, 4);
	put32(p + 60, crc32c(0, p + 80, dir_size));
	put32(p + 76, crc32c(0, p, 76));
	return (size_t)size;
}

void refit(uint8_t *p, size_t n)
{
	size_t at = TF_FILE_HEADER_SIZE, size;

	if (n < TF_FILE_HEADER_SIZE)
		return;
	put32(p + 60, crc32c(0, p, 60));
	while ((size = fit_chunk(p, n, at)))
		at += size;
}

/* Appends the packed chunk behind `h` with its body unpacked. */
static void put_raw(struct buf *out, const uint8_t *file, struct tf_head h,
		    struct span dir, struct span body)
{
	struct tf_zunpack *z = tf_zunpack_new();
	uint8_t head[TF_CHUNK_HEADER_SIZE], codec = 0, *plain;
	uint64_t raw = 0;
	struct buf d;

	buf_init(&d, 0);
	if (!z || !span_u8(&dir, &codec) || !span_varint(&dir, &raw) ||
	    !span_skip(&dir, 4))
		abort();
	plain = malloc((size_t)raw + 1);
	if (!plain ||
	    tf_zunpack_take(z, plain, (size_t)raw, body, codec, NULL))
		abort();
	buf_u8(&d, TF_CODEC_RAW);
	buf_varint(&d, raw);
	buf_u32(&d, crc32c(0, plain, (size_t)raw));
	buf_put(&d, dir.p, dir.n);
	h.offset = out->n;
	h.dir_size = (uint32_t)d.n;
	h.body_size = (uint32_t)raw;
	h.dir_crc = crc32c(0, d.p, d.n);
	tf_head_put(head, &h, file + 32);
	buf_put(out, head, sizeof(head));
	buf_put(out, d.p, d.n);
	buf_put(out, plain, (size_t)raw);
	buf_zero(out, (8 - (d.n + raw) % 8) % 8);
	buf_fini(&d);
	free(plain);
	tf_zunpack_free(z);
}

static void copy_chunk(struct buf *out, struct span file, struct tf_head h)
{
	const uint8_t *p = file.p + h.offset;
	uint8_t head[TF_CHUNK_HEADER_SIZE];

	if (h.flags & TF_CHUNK_PACKED) {
		put_raw(out, file.p, h, span_of(p + 80, h.dir_size),
			span_of(p + 80 + h.dir_size, h.body_size));
		return;
	}
	h.offset = out->n;
	h.aux = 0;
	tf_head_put(head, &h, file.p + 32);
	buf_put(out, head, sizeof(head));
	buf_put(out, p + 80, (size_t)tf_head_size(&h) - 80);
}

void refit_raw(struct buf *out, struct span file)
{
	uint64_t at = TF_FILE_HEADER_SIZE, seq = 0;
	struct tf_head h;

	buf_put(out, file.p, TF_FILE_HEADER_SIZE);
	while (at < file.n &&
	       !tf_head_take(&h, span_of(file.p + at, file.n - (size_t)at), at,
			     file.p + 32)) {
		at += tf_head_size(&h);
		if (h.type == TF_CHUNK_INDEX)
			continue;
		h.seq = seq++;
		copy_chunk(out, file, h);
	}
}
