#include "record/import/tracedat/stream.h"

#include "record/import/tracedat/bytes.h"

#include <inttypes.h>

/* Plain pages that are read at once. */
#define PAGES 8u
/* A chunk of ten pages is usual. */
#define CHUNK_MAX (64u << 20)
/* trace-cmd 3.1 leaves the bytes of the number of chunks out of the size of a
 * CPU's data. */
#define UNCOUNTED 4u

void rec_dat_stream_fini(struct rec_dat_stream *s)
{
	if (s->file)
		rec_dat_part_fini(&s->pages, s->file);
}

static int read_plain(struct rec_dat_stream *s, struct err *err)
{
	uint64_t n = s->end - s->at, most = (uint64_t)PAGES * s->page_size;
	uint64_t there = s->at < s->file->size ? s->file->size - s->at : 0;
	int rc;

	if (!n)
		return 1;
	if (n > most)
		n = most;
	/* What the file still has of it is read first. */
	if (n > there)
		n = there;
	if (!n)
		return err_set(err, ERR_FORMAT, "the file ends at offset %"
			       PRIu64 ", %" PRIu64 " bytes before the end of "
			       "CPU %" PRIu32, s->file->size,
			       s->end - s->at, s->cpu);
	rc = rec_dat_part_load(&s->pages, s->file, s->at, n, err);
	s->at += n;
	return rc;
}

static int chunk_number(struct rec_dat_stream *s, uint32_t *out,
			struct err *err)
{
	uint8_t bytes[4];
	int rc;

	rc = rec_dat_file_read(s->file, s->at, bytes, sizeof(bytes), err);
	if (rc < 0)
		return rc;
	*out = (uint32_t)rec_dat_number(bytes, sizeof(bytes), s->file->big);
	s->at += sizeof(bytes);
	return 0;
}

static int unpack(struct rec_dat_stream *s, uint32_t packed, uint32_t plain,
		  struct err *err)
{
	struct rec_dat_part raw;
	int rc;

	if (plain > CHUNK_MAX || s->at > s->end + UNCOUNTED ||
	    packed > s->end + UNCOUNTED - s->at)
		return err_set(err, ERR_FORMAT, "a chunk of %" PRIu32
			       " bytes, of %" PRIu32 " when unpacked", packed,
			       plain);
	rc = rec_dat_part_load(&raw, s->file, s->at, packed, err);
	if (rc < 0)
		return rc;
	rc = rec_dat_part_new(&s->pages, s->file, plain, err);
	if (rc == 0)
		rc = rec_dat_unpack(s->file, span_of(raw.p, raw.n),
				    s->pages.p, s->pages.n, err);
	rec_dat_part_fini(&raw, s->file);
	s->at += packed;
	return rc;
}

static int read_packed(struct rec_dat_stream *s, struct err *err)
{
	uint32_t packed = 0, plain = 0;
	int rc = 0;

	if (s->at == s->end && !s->begun)
		return 1;
	if (!s->begun)
		rc = chunk_number(s, &s->chunks, err);
	s->begun = true;
	if (rc == 0 && !s->chunks)
		return 1;
	if (rc == 0)
		rc = chunk_number(s, &packed, err);
	if (rc == 0)
		rc = chunk_number(s, &plain, err);
	if (rc == 0)
		rc = unpack(s, packed, plain, err);
	s->chunks--;
	return rc;
}

/* The next page, where there is one. */
static int turn_page(struct rec_dat_stream *s, struct err *err)
{
	struct span left;
	int rc;

	while (s->used >= s->pages.n) {
		rec_dat_part_fini(&s->pages, s->file);
		s->used = 0;
		s->page_at = s->at;
		rc = s->packed ? read_packed(s, err) : read_plain(s, err);
		if (rc)
			return rc;
	}
	left = span_of(s->pages.p + s->used, s->pages.n - s->used);
	if (left.n > s->page_size)
		left.n = s->page_size;
	if (!s->packed)
		s->page_at = s->at - (s->pages.n - s->used);
	s->used += left.n;
	rc = rec_dat_page_open(&s->page, s->layout, left, err);
	if (rc == 0 && s->page.lost) {
		s->lost = true;
		s->n_lost += s->page.n_lost;
	}
	return rc;
}

static void damage(struct rec_dat_stream *s, const struct err *why)
{
	if (!s->damaged++) {
		s->damage = *why;
		(void)err_in(&s->damage, why->code, "CPU %" PRIu32 ", page at "
			     "offset %" PRIu64, s->cpu, s->page_at);
	}
	s->hurt = true;
	s->page.data.n = 0;
	s->page.cut = false;
}

/* A page stands for itself, so that the next one can be sound again. */
static int next(struct rec_dat_stream *s, struct err *err)
{
	struct err why = { 0 };
	int rc;

	for (;;) {
		rc = rec_dat_page_next(&s->page, &s->record, &why);
		if (rc == 0)
			break;
		if (rc == 1 && s->page.cut)
			rc = err_set(&why, ERR_FORMAT, "more was committed to "
				     "it than is there");
		if (rc < 0)
			damage(s, &why);
		rc = turn_page(s, err);
		if (rc)
			return rc;
	}
	s->time = s->page.time;
	return 0;
}

int rec_dat_stream_next(struct rec_dat_stream *s, struct err *err)
{
	struct err why = { 0 };
	int rc = next(s, &why);

	s->there = rc == 0;
	if (rc >= 0)
		return rc;
	s->end = s->at;
	s->chunks = 0;
	if (why.code == ERR_FORMAT || why.code == ERR_LIMIT) {
		damage(s, &why);
		return 1;
	}
	if (err)
		*err = why;
	return why.code;
}
