#include "tests/support/oddgoldens.h"

#include "format/base/crc32c.h"
#include "format/head.h"
#include "format/layout.h"
#include "tests/support/goldens.h"
#include "tests/support/oddchunk.h"
#include "tests/support/refit.h"

#include <string.h>

/* The header of a chunk of a sound file; one of type 0 behind the last. */
static struct tf_head head_of(struct span file, size_t chunk)
{
	uint64_t at = TF_FILE_HEADER_SIZE;
	struct tf_head h = { .offset = at };

	for (size_t i = 0; i <= chunk; i++) {
		struct span in = file;

		h = (struct tf_head){ .offset = at };
		if (at >= file.n || !span_skip(&in, (size_t)at) ||
		    tf_head_take(&h, in, at, file.p + 32))
			break;
		at += tf_head_size(&h);
	}
	return h;
}

/* Ends `by` bytes from where the chunk begins. */
static void cut(struct buf *out, struct span base, const struct oddgolden *o)
{
	long at = (long)head_of(base, o->chunk).offset;

	buf_put(out, base.p, (size_t)(at + o->by));
}

static void copy_and_more(struct buf *out, struct span base,
			  const struct oddgolden *o)
{
	(void)o;
	buf_put(out, base.p, base.n);
	buf_put(out, "and more", 8);
}

/* The file, and as many bytes of a sync. */
static void copy_and_begin(struct buf *out, struct span base,
			   const struct oddgolden *o)
{
	buf_put(out, base.p, base.n);
	buf_put(out, TF_SYNC, (size_t)o->by);
}

/* The file up to where the chunk begins, 8 bytes of nothing, and the first of a
 * header that was to come behind them. */
static void begin_behind(struct buf *out, struct span base,
			 const struct oddgolden *o)
{
	struct tf_head h = head_of(base, o->chunk);
	uint8_t head[TF_CHUNK_HEADER_SIZE];

	buf_put(out, base.p, (size_t)h.offset);
	buf_put(out, "nothing!", 8);
	h.offset = out->n;
	tf_head_put(head, &h, base.p + 32);
	buf_put(out, head, (size_t)o->by);
}

static void flip_at(struct buf *out, struct span base, size_t at)
{
	buf_put(out, base.p, base.n);
	if (!buf_failed(out))
		out->p[at] ^= 0x10;
}

static void flip_file_header(struct buf *out, struct span base,
			     const struct oddgolden *o)
{
	flip_at(out, base, (size_t)o->by);
}

static void flip_head(struct buf *out, struct span base,
		      const struct oddgolden *o)
{
	flip_at(out, base,
		(size_t)head_of(base, o->chunk).offset + (size_t)o->by);
}

/* Without index and END the chunks are found by hopping. */
static void flip_head_unclosed(struct buf *out, struct span base,
			       const struct oddgolden *o)
{
	flip_head(out, base, o);
	out->n = (size_t)head_of(base, 3).offset;
}

static void flip_directory(struct buf *out, struct span base,
			   const struct oddgolden *o)
{
	struct tf_head h = head_of(base, o->chunk);

	flip_at(out, base, (size_t)h.offset + TF_CHUNK_HEADER_SIZE +
			   (size_t)o->by);
}

static void flip_body(struct buf *out, struct span base,
		      const struct oddgolden *o)
{
	struct tf_head h = head_of(base, o->chunk);

	flip_at(out, base, (size_t)h.offset + TF_CHUNK_HEADER_SIZE +
			   h.dir_size + (size_t)o->by);
}

/* A byte of the file header, with the checksum made true again. */
static void set_in_header(struct buf *out, struct span base,
			  const struct oddgolden *o)
{
	buf_put(out, base.p, base.n);
	if (buf_failed(out))
		return;
	out->p[o->by] = 200;
	refit(out->p, out->n);
}

/* All chunks up to the index, then those of `o`, then END. */
static void append(struct buf *out, struct span base,
		   const struct oddgolden *o)
{
	const struct oddchunk *c = o->chunks;
	uint64_t seq = o->chunk;

	buf_put(out, base.p, (size_t)head_of(base, o->chunk).offset);
	for (; c->type; c++)
		oddchunk_put(out, c, seq++);
	oddchunk_put(out, &oddchunk_end, seq);
}

/* A file header of 72 bytes, all chunks up to the index, END. */
static void widen_header(struct buf *out, struct span base,
			 const struct oddgolden *o)
{
	size_t end = (size_t)head_of(base, o->chunk).offset;
	size_t at = TF_FILE_HEADER_SIZE;

	buf_put(out, base.p, at);
	buf_put(out, "newstuff", 8);
	if (buf_failed(out))
		return;
	out->p[12] = 72;
	for (size_t i = 0; at < end; i++) {
		struct tf_head h = head_of(base, i);
		uint8_t head[TF_CHUNK_HEADER_SIZE];

		at += (size_t)tf_head_size(&h);
		h.offset = out->n;
		tf_head_put(head, &h, base.p + 32);
		buf_put(out, head, sizeof(head));
		buf_put(out, base.p + at - tf_head_size(&h) + sizeof(head),
			(size_t)tf_head_size(&h) - sizeof(head));
	}
	oddchunk_put(out, &oddchunk_end, o->chunk);
	if (!buf_failed(out)) {
		uint32_t crc = crc32c(0, out->p, 60);

		for (int i = 0; i < 4; i++)
			out->p[60 + i] = (uint8_t)(crc >> (8 * i));
	}
}

#define CUT(nm, border)                                                        \
	{ "killed/" nm "_less.ctr", "clean.ctr", cut, border, -1, NULL },      \
	{ "killed/" nm ".ctr", "clean.ctr", cut, border, 0, NULL },            \
	{ "killed/" nm "_more.ctr", "clean.ctr", cut, border, 1, NULL }
#define UNKNOWN(nm)                                                            \
	{ "unknown/" #nm ".ctr", "clean.ctr", append, 3, 0, oddchunks_##nm }

/* The chunks of clean.ctr are: 0 schema, 1 and 2 data, 3 index, 4 end. Those of
 * walk.ctr: 0 schema, 1 data that is not packed, 2 data, 3 index, 4 end. */
const struct oddgolden oddgoldens[] = {
	CUT("header", 0), /* at the end of the file header, and so on */
	CUT("schema", 1),
	CUT("data1", 2),
	CUT("data2", 3),
	CUT("index", 4),
	{ "killed/end_less.ctr", "clean.ctr", cut, 5, -1, NULL },
	{ "damaged/followed.ctr", "clean.ctr", copy_and_more, 0, 0, NULL },
	{ "damaged/followed_letters.ctr", "clean.ctr", copy_and_begin, 0, 3,
	  NULL },
	{ "killed/appended.ctr", "clean.ctr", copy_and_begin, 0, 4, NULL },
	{ "killed/astray.ctr", "clean.ctr", begin_behind, 3, 20, NULL },
	{ "damaged/newer_header.ctr", "clean.ctr", flip_file_header, 0, 8,
	  NULL },
	{ "damaged/file_header.ctr", "clean.ctr", flip_file_header, 0, 40,
	  NULL },
	{ "damaged/schema.ctr", "clean.ctr", flip_body, 0, 20, NULL },
	{ "damaged/header.ctr", "clean.ctr", flip_head, 1, 28, NULL },
	{ "damaged/header_unclosed.ctr", "clean.ctr", flip_head_unclosed, 1, 28,
	  NULL },
	{ "damaged/directory.ctr", "clean.ctr", flip_directory, 1, 9, NULL },
	{ "damaged/body.ctr", "clean.ctr", flip_body, 1, 3, NULL },
	{ "damaged/stream.ctr", "walk.ctr", flip_body, 1, 12, NULL },
	{ "damaged/index.ctr", "clean.ctr", flip_body, 3, 12, NULL },
	{ "damaged/end.ctr", "clean.ctr", flip_head, 4, 28, NULL },
	{ "unknown/major.ctr", "clean.ctr", set_in_header, 0, 8, NULL },
	{ "unknown/minor.ctr", "clean.ctr", set_in_header, 0, 10, NULL },
	{ "unknown/incompatible.ctr", "clean.ctr", set_in_header, 0, 16,
	  NULL },
	{ "unknown/compatible.ctr", "clean.ctr", set_in_header, 0, 24, NULL },
	{ "unknown/long_header.ctr", "clean.ctr", widen_header, 3, 0, NULL },
	UNKNOWN(nothing),
	UNKNOWN(table),
	UNKNOWN(column),
	UNKNOWN(type),
	UNKNOWN(encoding),
	UNKNOWN(key),
	UNKNOWN(codec),
	UNKNOWN(body_codec),
	UNKNOWN(schema_fields),
	UNKNOWN(chunk),
	UNKNOWN(critical),
	UNKNOWN(critical_first),
	UNKNOWN(schema_first),
	{ NULL, NULL, NULL, 0, 0, NULL },
};

static const struct golden *sound(const char *name)
{
	const struct golden *g = moregoldens;

	while (strcmp(g->name, name) != 0)
		g++;
	return g;
}

int oddgolden_make(const struct oddgolden *o, struct buf *out, struct err *err)
{
	struct buf base = { 0 };
	int rc = golden_stored(sound(o->base), &base, err);

	if (rc == 0) {
		o->make(out, span_of(base.p, base.n), o);
		rc = buf_failed(out) ? err_nomem(err) : 0;
	}
	buf_fini(&base);
	return rc;
}
