#include "analyze/spot.h"

#include "analyze/profile.h"

#include "format/base/utf8.h"
#include "format/catalog.h"
#include "format/layout.h"

#define MAX_FRAMES (2 * TF_MAX_STACK_DEPTH + 1)
/* Lines of a stack below a row; the rest is counted. */
#define MAX_LINES 12u

uint32_t an_spot_ip(const struct an_trace *t, const struct an_spot *s)
{
	return s->flags & TF_SAMPLE_KERNEL ? an_frame_in_kernel(t, s->ip) :
					     s->ip;
}

static size_t frames_of(const struct an_trace *t, const struct an_spot *s,
			uint32_t frames[MAX_FRAMES])
{
	struct an_place place = { .ip = s->ip, .kstack = s->kstack,
				  .ustack = s->ustack, .flags = s->flags };

	if (!s->kstack && !s->ustack)
		return 0;
	return an_place_frames(t, &place, frames, MAX_FRAMES);
}

void an_spot_folded(const struct an_trace *t, const struct an_spot *s,
		    struct buf *to)
{
	uint32_t frames[MAX_FRAMES];
	size_t n = frames_of(t, s, frames);

	for (size_t i = n; i-- > 0;) {
		struct span name = an_frame_name(t, frames[i]);

		buf_put(to, name.p, name.n);
		if (i)
			buf_u8(to, ';');
	}
}

void an_spot_text(const struct an_trace *t, const struct an_spot *s, FILE *to)
{
	uint32_t frames[MAX_FRAMES];
	size_t n = frames_of(t, s, frames);

	for (size_t i = 0; i < n && i < MAX_LINES; i++) {
		fputs("            ", to);
		utf8_print(to, an_frame_name(t, frames[i]));
		putc('\n', to);
	}
	if (n > MAX_LINES)
		fprintf(to, "            ... %zu more\n", n - MAX_LINES);
}

void an_spot_json(const struct an_trace *t, const struct an_spot *s,
		  struct json *j, const char *key)
{
	uint32_t frames[MAX_FRAMES];
	size_t n = frames_of(t, s, frames);

	json_array(j, key);
	for (size_t i = 0; i < n; i++)
		json_text(j, NULL, an_frame_name(t, frames[i]));
	json_end_array(j);
}
