#include "record/import/tracedat/file.h"

#include "format/base/mem.h"
#include "record/import/tracedat/bytes.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zstd.h>

#define MAGIC "\x17\x08\x44tracing"
#define MAGIC_SIZE 10u
#define HEAD_MAX 512u
#define PACKED 1u /* flag of a section */

bool rec_dat_is(struct span head)
{
	return head.n >= MAGIC_SIZE && !memcmp(head.p, MAGIC, MAGIC_SIZE);
}

int rec_dat_file_read(const struct rec_dat_file *f, uint64_t at, void *to,
		      size_t n, struct err *err)
{
	size_t done = 0;

	if (at > f->size || n > f->size - at)
		return err_set(err, ERR_FORMAT, "%zu bytes at offset %" PRIu64
			       ", but the file ends at %" PRIu64, n, at,
			       f->size);
	while (done < n) {
		ssize_t got = pread(f->fd, (uint8_t *)to + done, n - done,
				    (off_t)(at + done));

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return err_sys(err, errno, "cannot read at offset %"
				       PRIu64, at + done);
		if (!got)
			return err_set(err, ERR_FORMAT, "the file ends at "
				       "offset %" PRIu64, at + done);
		done += (size_t)got;
	}
	return 0;
}

int rec_dat_part_new(struct rec_dat_part *to, struct rec_dat_file *f,
		     uint64_t n, struct err *err)
{
	void *p;

	if (n > REC_DAT_MEMORY_MAX - f->held)
		return err_set(err, ERR_LIMIT, "needs %" PRIu64 " bytes of "
			       "memory at once beside %zu, limit %u", n,
			       f->held, REC_DAT_MEMORY_MAX);
	p = malloc(n ? n : 1);
	if (!p)
		return err_nomem(err);
	f->held += n;
	to->p = p;
	to->n = n;
	return 0;
}

void rec_dat_part_fini(struct rec_dat_part *p, struct rec_dat_file *f)
{
	f->held -= p->n;
	free(p->p);
	*p = (struct rec_dat_part){ 0 };
}

int rec_dat_part_load(struct rec_dat_part *to, struct rec_dat_file *f,
		      uint64_t at, uint64_t n, struct err *err)
{
	struct rec_dat_part part = { 0 };
	int rc;

	if (at > f->size || n > f->size - at)
		return err_set(err, ERR_FORMAT, "%" PRIu64 " bytes at offset %"
			       PRIu64 ", but the file ends at %" PRIu64, n, at,
			       f->size);
	rc = rec_dat_part_new(&part, f, n, err);
	if (rc < 0)
		return rc;
	rc = rec_dat_file_read(f, at, part.p, part.n, err);
	if (rc < 0)
		rec_dat_part_fini(&part, f);
	else
		*to = part;
	return rc;
}

int rec_dat_section_at(struct rec_dat_section *out,
		       const struct rec_dat_file *f, uint64_t at,
		       struct err *err)
{
	uint8_t bytes[REC_DAT_SECTION_HEADER];
	struct rec_dat_bytes in = { span_of(bytes, sizeof(bytes)), f->big };
	uint16_t id = 0, flags = 0;
	uint32_t name;
	uint64_t size = 0;
	int rc = rec_dat_file_read(f, at, bytes, sizeof(bytes), err);

	if (rc < 0)
		return err_in(err, rc, "head of a section");
	(void)rec_dat_u16(&in, &id);
	(void)rec_dat_u16(&in, &flags);
	(void)rec_dat_u32(&in, &name);
	(void)rec_dat_u64(&in, &size);
	*out = (struct rec_dat_section){
		.id = id,
		.packed = (flags & PACKED) != 0,
		.at = at + sizeof(bytes),
		.size = size,
	};
	return 0;
}

/* Two sizes stand before what is packed: of it, and of what it becomes. */
static int unpack_section(struct rec_dat_part *to, struct rec_dat_file *f,
			  const struct rec_dat_part *from, struct err *err)
{
	struct rec_dat_bytes in = { span_of(from->p, from->n), f->big };
	struct rec_dat_part plain = { 0 };
	uint32_t packed, size;
	struct span s;
	int rc;

	if (!rec_dat_u32(&in, &packed) || !rec_dat_u32(&in, &size) ||
	    !span_take(&in.s, packed, &s))
		return err_set(err, ERR_FORMAT, "cut short");
	rc = rec_dat_part_new(&plain, f, size, err);
	if (rc < 0)
		return rc;
	rc = rec_dat_unpack(f, s, plain.p, plain.n, err);
	if (rc < 0)
		rec_dat_part_fini(&plain, f);
	else
		*to = plain;
	return rc;
}

int rec_dat_section_load(struct rec_dat_part *to, struct rec_dat_file *f,
			 const struct rec_dat_section *s, struct err *err)
{
	struct rec_dat_part raw = { 0 }, plain = { 0 };
	int rc = rec_dat_part_load(&raw, f, s->at, s->size, err);

	if (rc == 0 && s->packed) {
		rc = unpack_section(&plain, f, &raw, err);
		rec_dat_part_fini(&raw, f);
		raw = plain;
	}
	if (rc < 0)
		return err_in(err, rc, "section %u at offset %" PRIu64, s->id,
			      s->at - REC_DAT_SECTION_HEADER);
	*to = raw;
	return 0;
}

/* Of the first bytes, which are those of the file or more than a head has. */
static int head_ends(const struct rec_dat_file *f, const char *where,
		     struct err *err)
{
	uint64_t at = f->size < HEAD_MAX ? f->size : HEAD_MAX;

	return err_set(err, ERR_FORMAT, "its head is cut short at offset %"
		       PRIu64 ", %s", at, where);
}

static int take_codec(struct rec_dat_file *f, struct span *in,
		      struct err *err)
{
	struct span name, version;

	if (!span_cstr(in, &name) || !span_cstr(in, &version))
		return head_ends(f, "in its compression", err);
	if (span_is(name, "none"))
		f->codec = REC_DAT_PLAIN;
	else if (span_is(name, "zstd"))
		f->codec = REC_DAT_ZSTD;
	else if (span_is(name, "zlib"))
		f->codec = REC_DAT_ZLIB;
	else
		return err_set(err, ERR_UNSUPPORTED, "compression '%.*s' is "
			       "not known (known: none, zlib, zstd)",
			       (int)(name.n < 32 ? name.n : 32), name.p);
	return 0;
}

static int take_version(struct rec_dat_file *f, struct span *in,
			struct err *err)
{
	struct span text;

	if (!span_cstr(in, &text))
		return head_ends(f, "in its version", err);
	if (span_is(text, "6"))
		f->version = 6;
	else if (span_is(text, "7"))
		f->version = 7;
	else
		return err_set(err, ERR_UNSUPPORTED, "version '%.*s' is not "
			       "known (known: 6, 7)",
			       (int)(text.n < 32 ? text.n : 32), text.p);
	return 0;
}

static int take_shape(struct rec_dat_file *f, struct span *in, struct err *err)
{
	uint8_t order, long_size;
	struct rec_dat_bytes b;

	if (!span_u8(in, &order) || !span_u8(in, &long_size))
		return head_ends(f, "before its byte order", err);
	if (order > 1 || (long_size != 4 && long_size != 8))
		return err_set(err, ERR_FORMAT, "byte order %u, long of %u "
			       "bytes", order, long_size);
	f->big = order;
	f->long_size = long_size;
	b = (struct rec_dat_bytes){ *in, f->big };
	if (!rec_dat_u32(&b, &f->page_size))
		return head_ends(f, "in its page size", err);
	*in = b.s;
	if (f->page_size < REC_DAT_PAGE_MIN ||
	    f->page_size > REC_DAT_PAGE_MAX)
		return err_set(err, ERR_FORMAT, "pages of %" PRIu32 " bytes",
			       f->page_size);
	return 0;
}

static int take_head(struct rec_dat_file *f, struct span *in, struct err *err)
{
	struct rec_dat_bytes b;
	int rc;

	if (!rec_dat_is(*in))
		return err_set(err, ERR_FORMAT, "does not begin as trace.dat "
			       "does");
	(void)span_skip(in, MAGIC_SIZE);
	rc = take_version(f, in, err);
	if (rc == 0)
		rc = take_shape(f, in, err);
	if (rc < 0 || f->version < 7)
		return rc;
	rc = take_codec(f, in, err);
	if (rc < 0)
		return rc;
	b = (struct rec_dat_bytes){ *in, f->big };
	if (!rec_dat_u64(&b, &f->options))
		return head_ends(f, "in the place of its options", err);
	*in = b.s;
	return 0;
}

int rec_dat_file_open(struct rec_dat_file *f, int fd, uint64_t size,
		      struct err *err)
{
	uint8_t bytes[HEAD_MAX];
	size_t n = size < sizeof(bytes) ? (size_t)size : sizeof(bytes);
	struct span in = span_of(bytes, n);
	int rc;

	*f = (struct rec_dat_file){ .fd = fd, .size = size };
	rc = rec_dat_file_read(f, 0, bytes, n, err);
	if (rc == 0)
		rc = take_head(f, &in, err);
	f->body = n - in.n;
	return rc;
}

void rec_dat_file_close(struct rec_dat_file *f)
{
	ZSTD_freeDCtx(f->zstd);
	f->zstd = NULL;
}
