#include "analyze/dump/spell.h"

#include "analyze/dump/fields.h"

#include "format/base/utf8.h"
#include "format/catalog.h"

#include <inttypes.h>
#include <stdlib.h>

/* Bytes of spelled frames that are kept: those of 500 k frames. */
#define MAX_SPELLED ((size_t)32 << 20)

int an_spell_init(struct an_spell *s, const struct an_trace *t,
		  struct err *err)
{
	*s = (struct an_spell){ .t = t, .n = an_n_frames(t) };
	s->lines = calloc(s->n + 1, sizeof(*s->lines));
	s->fields = calloc(s->n + 1, sizeof(*s->fields));
	return s->lines && s->fields ? 0 : err_nomem(err);
}

void an_spell_fini(struct an_spell *s)
{
	free(s->lines);
	free(s->fields);
	arena_fini(&s->memory);
	buf_fini(&s->line);
	*s = (struct an_spell){ 0 };
}

/* The address is the one in the image: the trace has no other, and this one is
 * the same in each run. */
static void spell(const struct an_trace *t, uint32_t frame, unsigned fields,
		  struct buf *to)
{
	const struct an_frame *f = an_frame_of(t, frame);
	const struct an_image *image = an_image_of(t, f->image);
	const struct an_symbol *s = an_symbol_of(t, f->symbol);
	bool whole = image->kind == TF_IMAGE_ELF && image->path;

	buf_printf(to, "%16" PRIx64, f->address);
	if (fields & AN_F_SYM) {
		buf_u8(to, ' ');
		utf8_clean(to, an_frame_name(t, frame));
		if (fields & AN_F_SYMOFF && f->symbol != AN_NONE &&
		    image->kind != TF_IMAGE_SPECIAL)
			buf_printf(to, "+0x%" PRIx64, f->address - s->start);
	}
	if (fields & AN_F_DSO) {
		buf_put(to, " (", 2);
		utf8_clean(to, an_string(t, whole ? image->path : image->dso));
		buf_u8(to, ')');
	}
	buf_u8(to, '\n');
}

bool an_spell_frame(struct an_spell *s, uint32_t frame, unsigned fields,
		    struct span *out)
{
	bool known = frame < s->n;
	char *copy;

	fields &= AN_F_SYM | AN_F_SYMOFF | AN_F_DSO;
	if (known && s->lines[frame].n && s->fields[frame] == fields) {
		*out = s->lines[frame];
		return true;
	}
	buf_clear(&s->line);
	spell(s->t, frame, fields, &s->line);
	*out = span_of(s->line.p, s->line.n);
	if (known && s->memory.used < MAX_SPELLED && !buf_failed(&s->line)) {
		copy = arena_dup(&s->memory, out->p, out->n);
		if (copy) {
			s->lines[frame] = span_of(copy, out->n);
			s->fields[frame] = (uint16_t)fields;
		}
	}
	return !buf_failed(&s->line);
}
