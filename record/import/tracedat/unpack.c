#include "record/import/tracedat/file.h"

#include <zlib.h>
#include <zstd.h>

static int unpack_zstd(struct rec_dat_file *f, struct span from, void *to,
		       size_t n, struct err *err)
{
	size_t got;

	if (!f->zstd)
		f->zstd = ZSTD_createDCtx();
	if (!f->zstd)
		return err_nomem(err);
	got = ZSTD_decompressDCtx(f->zstd, to, n, from.p, from.n);
	if (ZSTD_isError(got))
		return err_set(err, ERR_FORMAT, "zstd: %s",
			       ZSTD_getErrorName(got));
	if (got != n)
		return err_set(err, ERR_FORMAT, "zstd: %zu bytes instead of "
			       "%zu", got, n);
	return 0;
}

static int unpack_zlib(struct span from, void *to, size_t n, struct err *err)
{
	uLongf got = n;
	int rc = uncompress(to, &got, from.p, from.n);

	if (rc == Z_MEM_ERROR)
		return err_nomem(err);
	if (rc != Z_OK)
		return err_set(err, ERR_FORMAT, "zlib: %s", zError(rc));
	if (got != n)
		return err_set(err, ERR_FORMAT, "zlib: %lu bytes instead of "
			       "%zu", got, n);
	return 0;
}

int rec_dat_unpack(struct rec_dat_file *f, struct span from, void *to,
		   size_t n, struct err *err)
{
	switch (f->codec) {
	case REC_DAT_ZSTD:
		return unpack_zstd(f, from, to, n, err);
	case REC_DAT_ZLIB:
		return unpack_zlib(from, to, n, err);
	default:
		return err_set(err, ERR_FORMAT, "it is compressed, in a file "
			       "that says it is not");
	}
}
