#include "format/zblock.h"

#include "format/layout.h"

#include <stdlib.h>
#include <string.h>
#include <zstd.h>

struct tf_zpack {
	ZSTD_CCtx *ctx;
};

struct tf_zunpack {
	ZSTD_DCtx *ctx; /* 96 kB: made for the first frame, since many walks
			 * over a file meet none */
};

struct tf_zpack *tf_zpack_new(void)
{
	struct tf_zpack *z = calloc(1, sizeof(*z));

	if (!z)
		return NULL;
	z->ctx = ZSTD_createCCtx();
	if (!z->ctx ||
	    ZSTD_isError(ZSTD_CCtx_setParameter(
		    z->ctx, ZSTD_c_compressionLevel, TF_ZSTD_LEVEL)) ||
	    ZSTD_isError(ZSTD_CCtx_setParameter(z->ctx,
						ZSTD_c_contentSizeFlag, 1)) ||
	    ZSTD_isError(ZSTD_CCtx_setParameter(z->ctx, ZSTD_c_checksumFlag,
						0))) {
		tf_zpack_free(z);
		return NULL;
	}
	return z;
}

void tf_zpack_free(struct tf_zpack *z)
{
	if (!z)
		return;
	ZSTD_freeCCtx(z->ctx);
	free(z);
}

bool tf_zpack_set_level(struct tf_zpack *z, int level)
{
	return level >= 1 && level <= ZSTD_maxCLevel() &&
	       !ZSTD_isError(ZSTD_CCtx_setParameter(
		       z->ctx, ZSTD_c_compressionLevel, level));
}

void tf_zpack_put(struct tf_zpack *z, struct buf *out, const void *p, size_t n,
		  uint8_t *codec)
{
	uint8_t *to = n ? buf_room(out, n) : NULL;
	size_t got;

	*codec = TF_CODEC_RAW;
	if (!to)
		return;
	/* Room for one byte less than raw: a frame that does not gain fails
	 * early instead of being made and thrown away. */
	got = ZSTD_compress2(z->ctx, to, n - 1, p, n);
	if (!ZSTD_isError(got)) {
		*codec = TF_CODEC_ZSTD;
		out->n += got;
		return;
	}
	memcpy(to, p, n);
	out->n += n;
}

struct tf_zunpack *tf_zunpack_new(void)
{
	return calloc(1, sizeof(struct tf_zunpack));
}

void tf_zunpack_free(struct tf_zunpack *z)
{
	if (!z)
		return;
	ZSTD_freeDCtx(z->ctx);
	free(z);
}

static int take_frame(struct tf_zunpack *z, uint8_t *to, size_t raw,
		      struct span in, struct err *err)
{
	size_t got;

	if (ZSTD_getFrameContentSize(in.p, in.n) != raw)
		return err_set(err, ERR_FORMAT,
			       "zstd frame does not hold %zu bytes", raw);
	if (ZSTD_findFrameCompressedSize(in.p, in.n) != in.n)
		return err_set(err, ERR_FORMAT,
			       "not one whole zstd frame");
	if (!z->ctx)
		z->ctx = ZSTD_createDCtx();
	if (!z->ctx)
		return err_nomem(err);
	got = ZSTD_decompressDCtx(z->ctx, to, raw, in.p, in.n);
	if (ZSTD_isError(got))
		return err_set(err, ERR_FORMAT, "damaged zstd frame: %s",
			       ZSTD_getErrorName(got));
	if (got != raw)
		return err_set(err, ERR_FORMAT, "zstd frame of %zu bytes, not "
			       "%zu", got, raw);
	return 0;
}

int tf_zunpack_take(struct tf_zunpack *z, uint8_t *to, size_t raw,
		    struct span in, uint8_t codec, struct err *err)
{
	switch (codec) {
	case TF_CODEC_RAW:
		if (in.n != raw)
			return err_set(err, ERR_FORMAT,
				       "raw block of %zu bytes, not %zu", in.n,
				       raw);
		if (raw)
			memcpy(to, in.p, raw);
		return 0;
	case TF_CODEC_ZSTD:
		return take_frame(z, to, raw, in, err);
	default:
		return err_set(err, ERR_UNSUPPORTED, "unknown codec %u", codec);
	}
}
