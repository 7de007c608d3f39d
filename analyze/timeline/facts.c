#include "analyze/timeline/facts.h"

#include "analyze/timeline/markup.h"

#include "format/base/time.h"

#include <inttypes.h>

static void put_text(FILE *to, const struct an_timeline *tl, uint32_t id)
{
	an_markup(to, intern_get(&tl->texts, id));
}

static void put_time(FILE *to, uint64_t time, uint64_t origin)
{
	uint64_t ns = time < origin ? origin - time : time - origin;

	fprintf(to, "at %s%" PRIu64 ".%09" PRIu64 " s", time < origin ? "-" : "",
		ns / NSEC_PER_SEC, ns % NSEC_PER_SEC);
}

static void put_block(FILE *to, const struct an_timeline *tl,
		      const struct an_span *s)
{
	char busy[TIME_TEXT];

	time_format(busy, s->busy);
	fprintf(to, "\nmerged, as they are narrower than a pixel: busy %s, "
		"longest: ", busy);
	put_text(to, tl, s->name);
}

void an_span_facts(FILE *to, const struct an_timeline *tl,
		   const struct an_lane *l, const struct an_span *s,
		   uint64_t origin)
{
	const char *label = an_colour_row(an_span_colour(tl, s))->label;
	char length[TIME_TEXT];

	if (s->count > 1)
		fprintf(to, "%" PRIu32 " %s", s->count,
			s->busy ? "spans" : "events");
	else
		put_text(to, tl, s->name);
	fputc('\n', to);
	put_text(to, tl, l->group);
	fputs(": ", to);
	put_text(to, tl, l->name);
	time_format(length, s->to - s->from);
	fprintf(to, "%s%s \xc2\xb7 %s \xc2\xb7 ", *label ? " \xc2\xb7 " : "",
		label, s->to > s->from ? length : "at one moment");
	put_time(to, s->from, origin);
	if (s->count > 1) {
		put_block(to, tl, s);
	} else if (s->detail) {
		fputc('\n', to);
		put_text(to, tl, s->detail);
	}
}

uint64_t an_nice_step(uint64_t least)
{
	static const unsigned parts[] = { 1, 2, 5 };
	uint64_t power = 1;

	for (;; power *= 10) {
		for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
			if (parts[i] * power >= least)
				return parts[i] * power;
		if (power > UINT64_MAX / 100)
			return power;
	}
}

void an_tick_text(FILE *to, uint64_t ns, uint64_t step)
{
	static const struct {
		uint64_t size;
		const char *name;
	} units[] = { { NSEC_PER_SEC, "s" }, { 1000000, "ms" },
		      { 1000, "\xc2\xb5s" }, { 1, "ns" } };
	size_t i = 0;

	while (step < units[i].size)
		i++;
	/* A step of a unit or more: ticks are whole numbers of it. */
	fprintf(to, "%" PRIu64 " %s", ns / units[i].size, units[i].name);
}
