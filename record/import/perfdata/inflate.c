#include "record/import/perfdata/inflate.h"

#include "record/import/perfdata/fields.h"

#include <stdlib.h>
#include <string.h>
#include <zstd.h>

/* Larger than any record. */
#define WINDOW ((size_t)256 << 10)

#define HEADER_SIZE 8u

void rec_pd_inflate_fini(struct rec_pd_inflate *z)
{
	ZSTD_freeDCtx(z->zstd);
	free(z->out);
	*z = (struct rec_pd_inflate){ 0 };
}

int rec_pd_inflate_feed(struct rec_pd_inflate *z, struct span in,
			struct err *err)
{
	if (!z->zstd)
		z->zstd = ZSTD_createDCtx();
	if (!z->out)
		z->out = malloc(WINDOW);
	if (!z->zstd || !z->out)
		return err_nomem(err);
	z->in = in;
	return 0;
}

static int inflate(struct rec_pd_inflate *z, struct err *err)
{
	ZSTD_inBuffer in = { z->in.p, z->in.n, 0 };
	ZSTD_outBuffer out = { z->out, WINDOW, 0 };
	size_t rc;

	memmove(z->out, z->out + z->from, z->filled - z->from);
	z->filled -= z->from;
	z->from = 0;
	out.pos = z->filled;
	rc = ZSTD_decompressStream(z->zstd, &out, &in);
	if (ZSTD_isError(rc))
		return err_set(err, ERR_FORMAT, "compressed records: %s",
			       ZSTD_getErrorName(rc));
	z->full = out.pos == WINDOW;
	z->filled = out.pos;
	(void)span_skip(&z->in, in.pos);
	return 0;
}

/* 1: there is no whole record. */
static int record(struct rec_pd_inflate *z, bool foreign, struct span *out,
		  struct err *err)
{
	struct span waits = span_of(z->out + z->from, z->filled - z->from);
	struct rec_pd_fields f = rec_pd_fields(waits, foreign);
	uint16_t size;

	if (waits.n < HEADER_SIZE)
		return 1;
	(void)rec_pd_skip(&f, 6);
	(void)rec_pd_u16(&f, &size);
	if (size < HEADER_SIZE)
		return err_set(err, ERR_FORMAT, "compressed record of %u bytes",
			       size);
	if (waits.n < size)
		return 1;
	*out = span_of(waits.p, size);
	z->from += size;
	return 0;
}

int rec_pd_inflate_next(struct rec_pd_inflate *z, bool foreign,
			struct span *out, struct err *err)
{
	int rc = z->out ? record(z, foreign, out, err) : 1;

	while (rc == 1 && (z->in.n || z->full)) {
		rc = inflate(z, err);
		if (!rc)
			rc = record(z, foreign, out, err);
	}
	return rc;
}
