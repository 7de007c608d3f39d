#include "record/import/unpack.h"

#include "format/base/mem.h"

#include <lzma.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>

/* xz -9 needs 65 MiB to be unpacked. */
#define XZ_MEMORY ((uint64_t)96 << 20)
/* What zstd unpacks without being told that it may take more: 128 MiB. */
#define ZSTD_WINDOW_LOG 27

enum state { BETWEEN, INSIDE, ENDED };

struct rec_unpack {
	const struct rec_unpack_kind *kind;
	enum state state;
	union {
		z_stream gzip;
		lzma_stream xz;
		ZSTD_DCtx *zstd;
	};
};

static bool begins(struct span head, const char *magic, size_t n)
{
	return head.n >= n && memcmp(head.p, magic, n) == 0;
}

/* -- gzip ------------------------------------------------------------------ */

static bool is_gzip(struct span head)
{
	return begins(head, "\x1f\x8b\x08", 3);
}

static int begin_gzip(struct rec_unpack *u, struct err *err)
{
	u->gzip = (z_stream){ 0 };
	return inflateInit2(&u->gzip, 15 + 16) == Z_OK ? 0 : err_nomem(err);
}

static int step_gzip(struct rec_unpack *u, struct rec_unpack_step *s,
		     const char **why)
{
	z_stream *z = &u->gzip;
	int rc;

	z->next_in = (Bytef *)(uintptr_t)s->in.p;
	z->avail_in = (uInt)s->in.n;
	z->next_out = s->out;
	z->avail_out = (uInt)s->room;
	rc = inflate(z, Z_NO_FLUSH);
	s->made = s->room - z->avail_out;
	(void)span_skip(&s->in, s->in.n - z->avail_in);
	if (rc == Z_STREAM_END)
		return inflateReset(z) == Z_OK ? 1 : ERR_NOMEM;
	if (rc == Z_OK || rc == Z_BUF_ERROR)
		return 0;
	*why = rc == Z_NEED_DICT ? "it needs a dictionary" :
	       z->msg ? z->msg : "it makes no sense";
	return rc == Z_MEM_ERROR ? ERR_NOMEM : ERR_FORMAT;
}

static void end_gzip(struct rec_unpack *u)
{
	inflateEnd(&u->gzip);
}

/* -- xz -------------------------------------------------------------------- */

static bool is_xz(struct span head)
{
	return begins(head, "\xfd" "7zXZ\0", 6);
}

static int begin_xz(struct rec_unpack *u, struct err *err)
{
	u->xz = (lzma_stream)LZMA_STREAM_INIT;
	return lzma_stream_decoder(&u->xz, XZ_MEMORY, 0) == LZMA_OK ?
		       0 : err_nomem(err);
}

static int step_xz(struct rec_unpack *u, struct rec_unpack_step *s,
		   const char **why)
{
	lzma_stream *z = &u->xz;
	lzma_ret rc;

	z->next_in = s->in.p;
	z->avail_in = s->in.n;
	z->next_out = s->out;
	z->avail_out = s->room;
	rc = lzma_code(z, LZMA_RUN);
	s->made = s->room - z->avail_out;
	(void)span_skip(&s->in, s->in.n - z->avail_in);
	switch (rc) {
	case LZMA_OK:
	case LZMA_BUF_ERROR:
		return 0;
	case LZMA_STREAM_END: /* a further one begins anew */
		return lzma_stream_decoder(z, XZ_MEMORY, 0) == LZMA_OK ?
			       1 : ERR_NOMEM;
	case LZMA_MEM_ERROR:
		return ERR_NOMEM;
	case LZMA_MEMLIMIT_ERROR:
		*why = "it needs more than 96 MiB of memory";
		return ERR_LIMIT;
	case LZMA_OPTIONS_ERROR:
		*why = "it has options that are not known here";
		return ERR_UNSUPPORTED;
	default:
		*why = "it makes no sense";
		return ERR_FORMAT;
	}
}

static void end_xz(struct rec_unpack *u)
{
	lzma_end(&u->xz);
}

/* -- zstd ------------------------------------------------------------------ */

static bool is_zstd(struct span head)
{
	return begins(head, "\x28\xb5\x2f\xfd", 4);
}

static int begin_zstd(struct rec_unpack *u, struct err *err)
{
	u->zstd = ZSTD_createDCtx();
	if (!u->zstd ||
	    ZSTD_isError(ZSTD_DCtx_setParameter(u->zstd, ZSTD_d_windowLogMax,
						ZSTD_WINDOW_LOG)))
		return err_nomem(err);
	return 0;
}

static int step_zstd(struct rec_unpack *u, struct rec_unpack_step *s,
		     const char **why)
{
	ZSTD_inBuffer in = { s->in.p, s->in.n, 0 };
	ZSTD_outBuffer out = { s->out, s->room, 0 };
	size_t rc = ZSTD_decompressStream(u->zstd, &out, &in);

	s->made = out.pos;
	(void)span_skip(&s->in, in.pos);
	if (!ZSTD_isError(rc))
		return rc == 0;
	*why = ZSTD_getErrorName(rc);
	return ERR_FORMAT;
}

static void end_zstd(struct rec_unpack *u)
{
	ZSTD_freeDCtx(u->zstd);
}

/* -- All ------------------------------------------------------------------- */

static const struct rec_unpack_kind kinds[] = {
	{ "gzip", is_gzip, begin_gzip, step_gzip, end_gzip },
	{ "xz", is_xz, begin_xz, step_xz, end_xz },
	{ "zstd", is_zstd, begin_zstd, step_zstd, end_zstd },
};

static const struct rec_unpack_kind *kind_of(struct span head)
{
	for (size_t i = 0; i < ARRAY_LEN(kinds); i++)
		if (kinds[i].is(head))
			return &kinds[i];
	return NULL;
}

int rec_unpack_new(struct rec_unpack **out, struct span head, struct err *err)
{
	const struct rec_unpack_kind *kind = kind_of(head);
	struct rec_unpack *u;
	int rc;

	*out = NULL;
	if (!kind)
		return 0;
	u = calloc(1, sizeof(*u));
	if (!u)
		return err_nomem(err);
	u->kind = kind;
	rc = kind->begin(u, err);
	if (rc < 0) {
		rec_unpack_free(u);
		return rc;
	}
	*out = u;
	return 0;
}

void rec_unpack_free(struct rec_unpack *u)
{
	if (!u)
		return;
	u->kind->end(u);
	free(u);
}

const char *rec_unpack_name(const struct rec_unpack *u)
{
	return u->kind->name;
}

static void skip_zeros(struct span *in)
{
	while (in->n && !in->p[0])
		(void)span_skip(in, 1);
}

/* Behind a whole stream: a further one, or padding to the end. */
static int step_between(struct rec_unpack *u, struct rec_unpack_step *s,
			struct err *err)
{
	skip_zeros(&s->in);
	if (!s->in.n)
		return s->last;
	if (s->in.n < REC_UNPACK_HEAD && !s->last)
		return 0;
	if (!u->kind->is(s->in))
		return err_set(err, ERR_FORMAT, "something else follows");
	u->state = INSIDE;
	return 0;
}

int rec_unpack_step(struct rec_unpack *u, struct rec_unpack_step *s,
		    struct err *err)
{
	const char *why = NULL;
	int rc;

	s->made = 0;
	if (u->state == ENDED)
		return 1;
	if (u->state == BETWEEN) {
		rc = step_between(u, s, err);
		if (rc > 0)
			u->state = ENDED;
		if (rc || u->state == BETWEEN)
			return rc;
	}
	rc = u->kind->step(u, s, &why);
	if (rc == 1)
		u->state = BETWEEN;
	if (rc == ERR_NOMEM)
		return err_nomem(err);
	if (rc < 0)
		return err_set(err, rc, "%s", why);
	if (rc == 0 && !s->made && !s->in.n && s->last)
		return err_set(err, ERR_FORMAT, "it is cut short");
	return 0;
}
