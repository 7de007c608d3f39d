#include "record/import/text/sample.h"

#include "format/base/mem.h"

#include <stdlib.h>
#include <string.h>

void rec_text_sample_fini(struct rec_text_sample *s)
{
	free(s->frames);
	free(s->named);
	buf_fini(&s->bytes);
	buf_fini(&s->raw);
	*s = (struct rec_text_sample){ 0 };
}

int rec_text_sample_begin(struct rec_text_sample *s, size_t event,
			  const struct rec_record *r, struct err *err)
{
	s->ended = false;
	s->event = event;
	s->record = *r;
	s->n = 0;
	buf_clear(&s->bytes);
	buf_clear(&s->raw);
	buf_put(&s->raw, r->sample.raw.p, r->sample.raw.n);
	s->open = !buf_failed(&s->raw);
	return s->open ? 0 : err_nomem(err);
}

int rec_text_sample_frame(struct rec_text_sample *s,
			  const struct rec_text_frame *f, struct err *err)
{
	if (s->n == REC_TEXT_FRAMES_MAX)
		return 1;
	if (!mem_grow(&s->frames, &s->cap, s->n + 1, sizeof(*s->frames)))
		return err_nomem(err);
	s->frames[s->n++] = (struct rec_text_kept){
		.at = s->bytes.n, .image = f->image.n, .symbol = f->symbol.n,
		.address = f->address, .offset = f->offset,
		.has_address = f->has_address, .has_offset = f->has_offset,
		.inlined = f->inlined,
	};
	buf_put(&s->bytes, f->image.p, f->image.n);
	buf_put(&s->bytes, f->symbol.p, f->symbol.n);
	return buf_failed(&s->bytes) ? err_nomem(err) : 0;
}

static bool same(struct span a, struct span b)
{
	return a.n == b.n && (!a.n || memcmp(a.p, b.p, a.n) == 0);
}

static struct span kept(const struct rec_text_sample *s, size_t at, size_t n)
{
	return n ? span_of(s->bytes.p + at, n) : span_of("", 0);
}

/* From the outermost frame inwards, so that one that was inlined gets the image
 * of the frame that it is in. */
static void name_frames(struct rec_text_sample *s)
{
	const struct rec_named_frame *outer = NULL;

	for (size_t i = s->n; i--;) {
		const struct rec_text_kept *k = &s->frames[i];
		struct rec_named_frame *f = &s->named[i];

		*f = (struct rec_named_frame){
			.image = kept(s, k->at, k->image),
			.symbol = kept(s, k->at + k->image, k->symbol),
			.address = k->address, .offset = k->offset,
			.has_address = k->has_address,
			.has_offset = k->has_offset,
		};
		if (k->inlined && outer) {
			f->image = outer->image;
			f->kernel = outer->kernel;
		} else if (outer && f->image.n && same(f->image, outer->image)) {
			f->kernel = outer->kernel;
		} else {
			f->kernel = rec_text_in_kernel(f->image, f->address,
						       f->has_address);
		}
		outer = f;
	}
}

int rec_text_sample_flush(struct rec_text_sample *s, struct rec_intake *to,
			  struct err *err)
{
	struct rec_record *r = &s->record;

	if (!s->open)
		return 0;
	s->open = false;
	if (!mem_grow(&s->named, &s->named_cap, s->n + 1, sizeof(*s->named)))
		return err_nomem(err);
	if (s->n)
		name_frames(s);
	if (s->n && s->named[0].kernel)
		r->misc = PERF_RECORD_MISC_KERNEL;
	else
		r->misc = PERF_RECORD_MISC_USER;
	r->sample.raw = span_of(s->raw.p, s->raw.n);
	if (s->n && s->named[0].has_address)
		r->sample.ip = s->named[0].address;
	return rec_intake_named(to, s->event, r, s->named, s->n, err);
}
