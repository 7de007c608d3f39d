#include "record/import/tracedat/meta.h"

#include "record/import/tracedat/bytes.h"

#include <inttypes.h>

/* Lists of options lead to the next one; a loop of them is no list. */
#define LISTS_MAX 1024u
#define OPTIONS_MAX (16u << 20) /* bytes of all lists */

void rec_dat_meta_note(struct rec_dat_meta *m, int *rc, const struct err *why)
{
	if (*rc != ERR_FORMAT && *rc != ERR_LIMIT)
		return;
	if (!m->damaged)
		m->damage = *why;
	m->damaged = true;
	*rc = 0;
}

/* Of one that is not packed what the file still has of it. */
static void fit(struct rec_dat_section *s, const struct rec_dat_file *f)
{
	uint64_t there = s->at < f->size ? f->size - s->at : 0;

	if (!s->packed && s->size > there)
		s->size = there;
}

static int load_options(struct rec_dat_meta *m, struct rec_dat_file *f,
			uint64_t at, uint64_t *next, size_t *bytes,
			struct err *err)
{
	struct rec_dat_section s;
	struct rec_dat_part part = { 0 };
	struct span in;
	int rc = rec_dat_section_at(&s, f, at, err);

	if (rc == 0 && s.id != REC_DAT_O_DONE)
		rc = err_set(err, ERR_FORMAT, "section %u where options "
			     "should be", s.id);
	if (rc == 0) {
		fit(&s, f);
		rc = rec_dat_section_load(&part, f, &s, err);
	}
	if (rc < 0)
		return err_in(err, rc, "options at offset %" PRIu64, at);
	in = span_of(part.p, part.n);
	*bytes += part.n;
	if (*bytes > OPTIONS_MAX)
		rc = err_set(err, ERR_LIMIT, "more than %u bytes of options",
			     OPTIONS_MAX);
	else
		rc = rec_dat_options_take(&m->options, &in, f->big, f->version,
					  next, err);
	rec_dat_part_fini(&part, f);
	return rc < 0 ? err_in(err, rc, "options at offset %" PRIu64, at) : 0;
}

static int all_options(struct rec_dat_meta *m, struct rec_dat_file *f,
		       struct err *err)
{
	uint64_t at = f->options;
	size_t bytes = 0;
	int rc = 0;

	for (unsigned i = 0; at && rc == 0; i++) {
		if (i == LISTS_MAX)
			return err_set(err, ERR_FORMAT, "more than %u lists "
				       "of options, the last one at offset %"
				       PRIu64, LISTS_MAX, at);
		m->lists_end = at;
		rc = load_options(m, f, at, &at, &bytes, err);
	}
	return rc;
}

static int load_part(struct rec_dat_meta *m, struct rec_dat_file *f, int i,
		     struct err *err)
{
	struct rec_dat_section s;
	int rc;

	if (!m->options.parts[i])
		return 0;
	rc = rec_dat_section_at(&s, f, m->options.parts[i], err);
	if (rc < 0)
		return rc;
	if (s.id != REC_DAT_O_FIRST_PART + i)
		return err_set(err, ERR_FORMAT, "section %u at offset %" PRIu64
			       " where %d should be", s.id,
			       m->options.parts[i], REC_DAT_O_FIRST_PART + i);
	return rec_dat_section_load(&m->parts[i], f, &s, err);
}

/* A buffer's pages are packed where its section says so. Where there is none
 * they are not there. */
static int look_at_buffer(struct rec_dat_meta *m, struct rec_dat_file *f,
			  size_t i, struct err *err)
{
	struct rec_dat_buffer *b = &m->options.buffers[i];
	struct rec_dat_section s;
	int rc = rec_dat_section_at(&s, f, b->at, err);

	if (rc < 0) {
		b->n = 0;
		return err_in(err, rc, "buffer %zu", i);
	}
	b->packed = s.packed;
	return 0;
}

static int read_sections(struct rec_dat_meta *m, struct rec_dat_file *f,
			 struct err *err)
{
	struct err why;
	int rc = all_options(m, f, &why);

	rec_dat_meta_note(m, &rc, &why);
	if (rc == 0 && m->damaged)
		rc = rec_dat_salvage(m, f, &why);
	for (int i = 0; i < REC_DAT_PARTS && rc == 0; i++) {
		rc = load_part(m, f, i, &why);
		rec_dat_meta_note(m, &rc, &why);
	}
	for (size_t i = 0; i < m->options.n_buffers && rc == 0; i++) {
		rc = look_at_buffer(m, f, i, &why);
		rec_dat_meta_note(m, &rc, &why);
	}
	if (rc < 0 && err)
		*err = why;
	return rc;
}

int rec_dat_meta_read(struct rec_dat_meta *m, struct rec_dat_file *f,
		      struct err *err)
{
	*m = (struct rec_dat_meta){ 0 };
	return f->version > 6 ? read_sections(m, f, err) :
				rec_dat_walk(m, f, err);
}

void rec_dat_meta_fini(struct rec_dat_meta *m, struct rec_dat_file *f)
{
	for (int i = 0; i < REC_DAT_PARTS; i++)
		rec_dat_part_fini(&m->parts[i], f);
	rec_dat_options_fini(&m->options);
}

struct span rec_dat_text(const struct rec_dat_meta *m,
			 const struct rec_dat_file *f,
			 enum rec_dat_part_kind kind)
{
	const struct rec_dat_part *part = &m->parts[kind];
	struct rec_dat_bytes in = { span_of(part->p, part->n), f->big };
	uint32_t n32 = 0;
	uint64_t n = 0;
	struct span text = { 0 };
	bool whole;

	if (kind == REC_DAT_COMMS) {
		whole = rec_dat_u64(&in, &n);
	} else {
		whole = rec_dat_u32(&in, &n32);
		n = n32;
	}
	if (whole)
		(void)span_take(&in.s, n < in.s.n ? (size_t)n : in.s.n,
				&text);
	return text;
}
