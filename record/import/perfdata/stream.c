#include "record/import/perfdata/stream.h"

#include "record/import/perfdata/fields.h"

#include <inttypes.h>

bool rec_pd_raw_head(struct rec_pd_raw *out, struct span bytes, bool foreign)
{
	struct rec_pd_fields f = rec_pd_fields(bytes, foreign);
	struct rec_pd_raw r = { .bytes = bytes };
	uint16_t size;

	if (!rec_pd_u32(&f, &r.type) || !rec_pd_u16(&f, &r.misc) ||
	    !rec_pd_u16(&f, &size))
		return false;
	r.size = size;
	/* There the upper half of the size stands where misc is. */
	if (r.type >= REC_PD_SIMPLEPERF) {
		r.size |= (uint64_t)r.misc << 16;
		r.misc = 0;
	}
	*out = r;
	return true;
}

/* Trace data and tracefs files come behind the record that announces them. */
static bool what_follows(struct rec_pd_raw *r, bool foreign)
{
	struct rec_pd_fields f = rec_pd_fields(r->bytes, foreign);
	uint32_t size;

	(void)rec_pd_skip(&f, REC_PD_RECORD_HEAD);
	if (r->type == REC_PD_AUXTRACE)
		return rec_pd_u64(&f, &r->behind);
	if (r->type != REC_PD_HEADER_TRACING_DATA)
		return true;
	if (!rec_pd_u32(&f, &size))
		return false;
	r->behind = size;
	return true;
}

/* Where the next sound one begins nobody can tell. */
static int broken(const struct rec_pd_stream *s, uint64_t at, uint64_t size,
		  struct err *err)
{
	return err_set(err, ERR_FORMAT, "broken record at offset %" PRIu64
		       ", with a size of %" PRIu64 " bytes: the %" PRIu64
		       " bytes from it on were not read", at, size,
		       s->bytes.end - at);
}

int rec_pd_stream_peek(struct rec_pd_stream *s, struct rec_pd_raw *out,
		       struct err *err)
{
	struct rec_pd_raw r;
	struct span bytes;
	uint64_t at = s->bytes.at;
	size_t want;
	int rc = rec_pd_bytes_peek(&s->bytes, REC_PD_RECORD_HEAD, &bytes, err);

	if (rc < 0)
		return rc;
	if (!bytes.n)
		return 1;
	if (!rec_pd_raw_head(&r, bytes, s->foreign))
		return err_set(err, ERR_FORMAT, "record at offset %" PRIu64
			       ": cut short after %zu bytes", at, bytes.n);
	if (r.size < REC_PD_RECORD_HEAD)
		return broken(s, at, r.size, err);
	want = r.type >= REC_PD_SIMPLEPERF ? REC_PD_RECORD_HEAD :
					     (size_t)r.size;
	rc = rec_pd_bytes_peek(&s->bytes, want, &r.bytes, err);
	if (rc < 0)
		return rc;
	if ((rc || r.size > s->bytes.end - at) && s->complete)
		return broken(s, at, r.size, err);
	if (rc || r.size > s->bytes.end - at)
		return err_set(err, ERR_FORMAT, "record at offset %" PRIu64
			       ": cut short, %" PRIu64 " of %" PRIu64 " bytes "
			       "are there", at, s->bytes.end - at, r.size);
	if (!what_follows(&r, s->foreign))
		return broken(s, at, r.size, err);
	r.at = at;
	*out = r;
	return 0;
}

int rec_pd_stream_next(struct rec_pd_stream *s, const struct rec_pd_raw *r,
		       struct err *err)
{
	(void)rec_pd_bytes_skip(&s->bytes, r->size);
	if (!r->behind || rec_pd_bytes_skip(&s->bytes, r->behind))
		return 0;
	if (s->complete)
		return broken(s, r->at, r->size, err);
	return err_set(err, ERR_FORMAT, "record at offset %" PRIu64
		       ": cut short, not all of the %" PRIu64 " bytes behind "
		       "it are there", r->at, r->behind);
}
