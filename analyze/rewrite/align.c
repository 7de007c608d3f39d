#include "analyze/rewrite/align.h"

#include "format/base/mem.h"
#include "format/base/time.h"

#include <stdio.h>

/* Sums and differences of two offsets fit: no clock shows a time beyond the
 * year 2116. */
#define MAX_OFFSET (INT64_MAX / 2)

struct an_offset an_offset_of(const struct an_trace *t)
{
	struct an_offset o = { .n = 0 };

	for (uint32_t i = 0; i < an_n_clocks(t); i++) {
		const struct an_clock *c = an_clock_of(t, i);
		int64_t offset;

		if (ckd_sub(&offset, c->realtime, c->monotonic) ||
		    offset > MAX_OFFSET || offset < -MAX_OFFSET)
			continue;
		if (!o.n || offset < o.min)
			o.min = offset;
		if (!o.n || offset > o.max)
			o.max = offset;
		o.n++;
	}
	return o;
}

/* Without overflow, as both are half of what fits at most. */
static int64_t middle(const struct an_offset *o)
{
	return o->min + (o->max - o->min) / 2;
}

struct an_shift an_offset_between(const struct an_offset *a,
				  const struct an_offset *b)
{
	return (struct an_shift){
		.ns = middle(b) - middle(a),
		.uncertain_ns = ((uint64_t)(a->max - a->min) + 1) / 2 +
				((uint64_t)(b->max - b->min) + 1) / 2,
		.unsure = a->n < 2 || b->n < 2,
	};
}

void an_shift_text(char to[AN_SHIFT_TEXT], int64_t ns)
{
	char text[TIME_TEXT];

	time_format(text, ns < 0 ? -(uint64_t)ns : (uint64_t)ns);
	snprintf(to, AN_SHIFT_TEXT, "%c%s", ns < 0 ? '-' : '+', text);
}

void an_shift_uncertain_text(char to[AN_UNCERTAIN_TEXT],
			     const struct an_shift *s)
{
	char text[TIME_TEXT];

	time_format(text, s->uncertain_ns);
	snprintf(to, AN_UNCERTAIN_TEXT, "uncertain by %s", s->unsure ?
		 "an unknown amount" : text);
}
