#include "analyze/timeline/picture.h"

#include "analyze/timeline/assets.h"
#include "analyze/timeline/facts.h"
#include "analyze/timeline/markup.h"

#include "format/base/utf8.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum {
	PAD = 12,       /* px, right, left and below */
	TOP = 96,       /* above the lanes; the ruler stands over them. More
			 * where the subtitle needs more than a line */
	NOTE = 16,      /* height of such a line */
	LABELS = 200,   /* names of the lanes, left */
	ROW = 18,
	BOX = 16,       /* height of a span */
	HEAD = 24,      /* of a group */
	GAP = 4,        /* below a lane */
	COUNTER = 40,
	TICK = 95,      /* between marks of the ruler, at least */
	MAX_NOTES = 12, /* lines of the subtitle */
};
#define COLUMN 6.63     /* px, a character of the spans' font at most */
#define LABEL_COLUMN 6.2
#define TITLE_COLUMN 10.5

struct picture {
	FILE *to;
	const struct an_timeline *tl;
	const struct an_timeline_head *head;
	unsigned width, height;
	double px;      /* of a ns */
	unsigned top;   /* of the lanes */
	unsigned y;     /* of what is drawn next */
	bool used[AN_N_COLOURS];
	unsigned legend[2]; /* where its lines begin, from the left */
};

static unsigned lane_height(const struct an_lane *l)
{
	return (l->kind == AN_LANE_COUNTER ? COUNTER : l->rows * ROW) + GAP;
}

static unsigned height_of(const struct an_timeline *tl, unsigned top)
{
	unsigned y = top + PAD;

	for (size_t i = 0; i < tl->n; i++) {
		if (!i || tl->lanes[i].group != tl->lanes[i - 1].group)
			y += HEAD;
		y += lane_height(&tl->lanes[i]);
	}
	return tl->n ? y : top + 80;
}

static double x_of(const struct picture *p, uint64_t time)
{
	if (time < p->tl->t_min)
		return LABELS;
	if (time > p->tl->t_max)
		time = p->tl->t_max;
	return LABELS + (double)(time - p->tl->t_min) * p->px;
}

/* For the script: from which time on, and how long. */
static void put_times(const struct picture *p, const struct an_span *s)
{
	uint64_t origin = p->head->origin;

	fprintf(p->to, "data-t=\"%s%" PRIu64 "\" data-d=\"%" PRIu64 "\"",
		s->from < origin ? "-" : "",
		s->from < origin ? origin - s->from : s->from - origin,
		s->to - s->from);
}

static void put_style(const struct picture *p)
{
	fprintf(p->to, "<style><![CDATA[\n%s", an_picture_css);
	for (unsigned i = 0; i < AN_N_COLOURS; i++) {
		const struct an_class_row *c = an_colour_row(i);

		if (c->light)
			fprintf(p->to, ".tl .c-%s { fill: %s }\n", c->key,
				c->light);
	}
	fputs("@media (prefers-color-scheme: dark) {\n", p->to);
	for (unsigned i = 0; i < AN_N_COLOURS; i++) {
		const struct an_class_row *c = an_colour_row(i);

		if (c->dark)
			fprintf(p->to, "\t.tl .c-%s { fill: %s }\n", c->key,
				c->dark);
	}
	fputs("}\n]]></style>\n", p->to);
}

/* How much of a text goes on a line of so many px: up to a blank, where there is
 * one. */
static struct span line_of(struct span *text, unsigned px)
{
	size_t room = (size_t)(px / LABEL_COLUMN), n = 0, columns = 0, blank = 0;
	struct span line = *text, left = *text;
	uint32_t code;

	for (; left.n && columns < room; columns++) {
		n = text->n - left.n;
		if (*left.p == ' ' && n)
			blank = n;
		(void)utf8_next(&left, &code);
	}
	n = text->n - left.n;
	if (left.n && *left.p == ' ')
		blank = n;
	line.n = left.n && blank ? blank : n;
	*text = span_of(text->p + line.n, text->n - line.n);
	while (text->n && *text->p == ' ')
		*text = span_of(text->p + 1, text->n - 1);
	return line;
}

/* The subtitle beside and below the legend; NULL: it is only measured. Returns
 * how many lines it has. */
static unsigned put_subtitle(const struct picture *p, FILE *to)
{
	const char *all = p->head->subtitle;
	struct span text = span_of(all, strlen(all));
	unsigned n = 0;

	do {
		unsigned end = n ? p->width : p->legend[1];
		struct span line = line_of(&text, end - 2 * PAD);

		if (!to)
			continue;
		fprintf(to, "<text class=\"note\" x=\"%d\" y=\"%u\">", PAD,
			48 + n * NOTE);
		an_markup(to, line);
		fputs("</text>\n", to);
	} while (++n < MAX_NOTES && text.n);
	return n;
}

static void put_begin(const struct picture *p)
{
	fprintf(p->to, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
		"<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"tl\" "
		"width=\"%u\" height=\"%u\" viewBox=\"0 0 %u %u\" role=\"group\""
		">\n<title>", p->width, p->height, p->width, p->height);
	an_markup_cstr(p->to, p->head->title);
	fputs("</title>\n<desc>", p->to);
	an_markup_cstr(p->to, p->head->subtitle);
	fputs("\n", p->to);
	an_markup_cstr(p->to, p->head->notes);
	fputs("</desc>\n", p->to);
	put_style(p);
	fprintf(p->to, "<rect class=\"bg\" width=\"100%%\" height=\"100%%\"/>\n"
		"<text class=\"title\" x=\"%d\" y=\"29\">", PAD);
	an_markup_cut(p->to, span_of(p->head->title, strlen(p->head->title)),
		      (size_t)((p->legend[0] - 2 * PAD) / TITLE_COLUMN));
	fputs("</text>\n", p->to);
	(void)put_subtitle(p, p->to);
	fprintf(p->to, "<text class=\"details\" x=\"%d\" y=\"%u\">"
		"</text>\n", PAD, p->top - TOP + 68);
}

static void find_used(struct picture *p)
{
	const struct an_timeline *tl = p->tl;

	for (size_t i = 0; i < tl->n; i++)
		for (size_t k = 0; k < tl->lanes[i].n_spans; k++)
			p->used[an_span_colour(tl, &tl->lanes[i].spans[k])] =
				true;
}

/* On the right of the title and, if need be, below it; what has no room there
 * is told by the details of each span. NULL: only where it begins is found. */
static void put_legend(struct picture *p, FILE *to)
{
	unsigned x = p->width - PAD, line = 0;

	p->legend[0] = p->legend[1] = p->width;
	for (unsigned i = AN_N_COLOURS; i-- > 0;) {
		const struct an_class_row *c = an_colour_row(i);
		unsigned width = (unsigned)strlen(c->label) * 6 + 28;

		if (!p->used[i] || !*c->label)
			continue;
		if (x < width + p->width / 2) {
			x = p->width - PAD;
			line++;
		}
		if (line > 1)
			break;
		x -= width;
		p->legend[line] = x;
		if (to)
			fprintf(to, "<rect class=\"c-%s\" x=\"%u\" y=\"%u\" "
				"width=\"10\" height=\"10\" rx=\"2\"/><text "
				"class=\"note\" x=\"%u\" y=\"%u\">%s</text>\n",
				c->key, x + 10, 20 + line * 19, x + 25,
				29 + line * 19, c->label);
	}
}

static void put_tick(const struct picture *p, uint64_t time, uint64_t step)
{
	double x = x_of(p, time);

	fprintf(p->to, "<g class=\"tick\"><line x1=\"%.2f\" x2=\"%.2f\" y1=\"%u\" "
		"y2=\"%u\"/><text x=\"%.2f\" y=\"%u\">", x, x, p->top - 14,
		p->height - PAD, x + 3, p->top - 4);
	an_tick_text(p->to, time - p->head->origin, step);
	fputs("</text></g>\n", p->to);
}

static void put_ticks(const struct picture *p)
{
	const struct an_timeline *tl = p->tl;
	uint64_t range = tl->t_max - tl->t_min, origin = p->head->origin;
	uint64_t step = an_nice_step((uint64_t)((double)range * TICK /
						(p->width - LABELS - PAD)) + 1);
	uint64_t first = tl->t_min > origin ? tl->t_min - origin : 0;
	unsigned most = p->width / TICK + 2;

	first = (first + step - 1) / step * step + origin;
	fputs("<g class=\"ticks\">\n", p->to);
	for (uint64_t t = first; t <= tl->t_max && t >= first && most--;
	     t += step)
		put_tick(p, t, step);
	fputs("</g>\n", p->to);
}

static void put_band(const struct picture *p, const struct an_span *s)
{
	double x = x_of(p, s->from), width = x_of(p, s->to) - x;

	fprintf(p->to, "<rect class=\"c-late\" ");
	put_times(p, s);
	fprintf(p->to, " x=\"%.2f\" y=\"%u\" width=\"%.2f\" height=\"%u\"/>\n",
		x, p->top, width < 1 ? 1 : width, p->height - PAD - p->top);
}

/* What went on while a late frame was waited for, from top to bottom. */
static void put_bands(const struct picture *p)
{
	fputs("<g class=\"bands\">\n", p->to);
	for (size_t i = 0; i < p->tl->n; i++)
		for (size_t k = 0; k < p->tl->lanes[i].n_spans; k++)
			if (p->tl->lanes[i].spans[k].class == AN_CLASS_LATE)
				put_band(p, &p->tl->lanes[i].spans[k]);
	fputs("</g>\n", p->to);
}

static void put_head(struct picture *p, uint32_t group)
{
	fprintf(p->to, "<rect class=\"head\" x=\"%d\" y=\"%u\" width=\"%u\" "
		"height=\"%d\"/><text class=\"group\" x=\"%d\" y=\"%u\">", PAD,
		p->y, p->width - 2 * PAD, HEAD - 2, PAD + 4, p->y + 15);
	an_markup(p->to, intern_get(&p->tl->texts, group));
	fputs("</text>\n", p->to);
	p->y += HEAD;
}

static void put_label(const struct picture *p, const struct an_lane *l)
{
	struct span name = intern_get(&p->tl->texts, l->name);

	fprintf(p->to, "<text class=\"lane\" x=\"%d\" y=\"%u\"><title>",
		PAD + 4, p->y + 13);
	an_markup(p->to, name);
	fputs("</title>", p->to);
	an_markup_cut(p->to, name,
		      (size_t)((LABELS - PAD - 8) / LABEL_COLUMN));
	fputs("</text>\n", p->to);
}

/* Where there is no room for all of it: what stands before a colon, which says
 * most, or less of it. Nothing is shorter than five letters. */
static struct span short_name(const struct picture *p, const struct an_span *s,
			      size_t columns)
{
	struct span name = intern_get(&p->tl->texts, s->name);
	const uint8_t *colon = memmem(name.p, name.n, ": ", 2);

	if (name.n <= columns)
		return name;
	if (colon && (size_t)(colon - name.p) <= columns)
		return span_of(name.p, (size_t)(colon - name.p));
	/* Sleep is what the eye is to pass over. */
	return columns < 5 || s->class == AN_CLASS_BLOCKED ? span_of("", 0) :
							      name;
}

static void put_name(const struct picture *p, const struct an_span *s, double x,
		     double width, unsigned y)
{
	size_t columns = width > 6 ? (size_t)((width - 6) / COLUMN) : 0;
	struct span name = short_name(p, s, columns);

	if (columns < 2 || !name.n)
		return;
	fprintf(p->to, "<text x=\"%.2f\" y=\"%u\">", x + 3, y + 12);
	if (s->count > 1)
		fprintf(p->to, "%" PRIu32, s->count);
	else
		an_markup_cut(p->to, name, columns);
	fputs("</text>", p->to);
}

static void put_span(const struct picture *p, const struct an_lane *l,
		     const struct an_span *s)
{
	double x = x_of(p, s->from), width = x_of(p, s->to) - x;
	unsigned y = p->y + 2 + s->row * ROW;

	if (width < 1)
		width = 1;
	fprintf(p->to, "<g class=\"s%s\" ", s->count > 1 ? " b" : "");
	put_times(p, s);
	fputs("><title>", p->to);
	an_span_facts(p->to, p->tl, l, s, p->head->origin);
	fprintf(p->to, "</title><rect class=\"c-%s\" x=\"%.2f\" y=\"%u\" "
		"width=\"%.2f\" height=\"%d\"/>",
		an_colour_row(an_span_colour(p->tl, s))->key, x, y, width, BOX);
	put_name(p, s, x, width, y);
	fputs("</g>\n", p->to);
}

/* The line is broken where no value is known. */
static void put_steps(const struct picture *p, const struct an_lane *l,
		      double least, double range)
{
	bool goes_on = false;

	for (size_t i = 0; i < l->n_steps; i++) {
		double x = x_of(p, l->steps[i].time) - LABELS;
		double y = 4 + (COUNTER - 8) *
			       (1 - (l->steps[i].value - least) / range);

		if (!isnan(y))
			fprintf(p->to, "%c%.2f%s%.2f", goes_on ? 'H' : 'M', x,
				goes_on ? "V" : " ", y);
		else if (goes_on)
			fprintf(p->to, "H%.2f", x);
		goes_on = !isnan(y);
	}
	if (goes_on)
		fprintf(p->to, "H%u", p->width - LABELS - PAD);
}

static void put_counter(const struct picture *p, const struct an_lane *l)
{
	double least = 0, most = 0, range;

	for (size_t i = 0; i < l->n_steps; i++) {
		if (l->steps[i].value < least)
			least = l->steps[i].value;
		if (l->steps[i].value > most)
			most = l->steps[i].value;
	}
	range = most > least ? most - least : 1;
	/* A picture in the picture, so that a zoomed line ends at its edges. */
	fprintf(p->to, "<svg x=\"%d\" y=\"%u\" width=\"%u\" height=\"%d\">"
		"<path class=\"value\" stroke=\"%s\" d=\"", LABELS, p->y,
		p->width - LABELS - PAD, COUNTER,
		an_classes[AN_CLASS_RUNNING].light);
	put_steps(p, l, least, range);
	fprintf(p->to, "\" vector-effect=\"non-scaling-stroke\"/></svg>"
		"<text class=\"note over\" x=\"%d\" y=\"%u\">%.6g ",
		LABELS + 3, p->y + 12, most);
	an_markup(p->to, intern_get(&p->tl->texts, l->unit));
	fputs("</text>\n", p->to);
}

static void put_lane(struct picture *p, const struct an_lane *l)
{
	put_label(p, l);
	if (l->kind == AN_LANE_COUNTER)
		put_counter(p, l);
	else
		for (size_t i = 0; i < l->n_spans; i++)
			put_span(p, l, &l->spans[i]);
	p->y += lane_height(l);
}

static void put_lanes(struct picture *p)
{
	fprintf(p->to, "<g class=\"lanes\" data-x=\"%d\" data-width=\"%u\" "
		"data-from=\"%" PRIu64 "\" data-to=\"%" PRIu64 "\" "
		"data-top=\"%u\" data-bottom=\"%u\">\n", LABELS,
		p->width - LABELS - PAD, p->tl->t_min - p->head->origin,
		p->tl->t_max - p->head->origin, p->top, p->height - PAD);
	for (size_t i = 0; i < p->tl->n; i++) {
		const struct an_lane *l = &p->tl->lanes[i];

		if (!i || l->group != p->tl->lanes[i - 1].group)
			put_head(p, l->group);
		put_lane(p, l);
	}
	fputs("</g>\n", p->to);
}

static uint64_t pixel_of(const struct an_timeline *tl, unsigned width)
{
	return (tl->t_max - tl->t_min) / (width - LABELS - PAD) + 1;
}

void an_timeline_picture(FILE *to, struct an_timeline *tl,
			 const struct an_timeline_head *head,
			 const struct an_picture_options *o)
{
	struct picture p = { .to = to, .tl = tl, .head = head,
			     .width = o->width_px };
	uint64_t range = tl->t_max - tl->t_min;

	an_timeline_merge(tl, pixel_of(tl, p.width));
	find_used(&p);
	put_legend(&p, NULL);
	p.y = p.top = TOP + (put_subtitle(&p, NULL) - 1) * NOTE;
	p.height = height_of(tl, p.top);
	p.px = (double)(p.width - LABELS - PAD) / (double)(range ? range : 1);
	put_begin(&p);
	if (!tl->n) {
		fprintf(to, "<text class=\"nothing\" x=\"%u\" y=\"%u\">nothing "
			"to show</text>\n</svg>\n", p.width / 2, p.top + 14);
		return;
	}
	fputs("<g class=\"legend\">\n", to);
	put_legend(&p, to);
	fputs("</g>\n", to);
	put_ticks(&p);
	put_bands(&p);
	put_lanes(&p);
	if (!o->no_script)
		fprintf(to, "<script><![CDATA[\n(() => {\n\"use strict\";\n%s"
			"})();\n]]></script>\n", an_picture_js);
	fputs("</svg>\n", to);
}
