#include "analyze/timeline/data.h"

#include "format/base/utf8.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

unsigned an_span_colour(const struct an_timeline *tl, const struct an_span *s)
{
	struct span name;

	if (s->class != AN_CLASS_NAMED)
		return s->class;
	name = intern_get(&tl->texts, s->name);
	return AN_N_CLASSES + (unsigned)an_named_colour(name.p, name.n);
}

const struct an_class_row *an_colour_row(unsigned colour)
{
	return colour < AN_N_CLASSES ? &an_classes[colour] :
				       &an_named_colours[colour - AN_N_CLASSES];
}

static bool is_plain(uint32_t code)
{
	return code != '"' && code != '\\' && code != '<' && code != '>' &&
	       code != '&' && code != 0x2028 && code != 0x2029;
}

static void put_text(FILE *to, struct span text)
{
	putc('"', to);
	while (text.n) {
		const uint8_t *at = text.p;
		uint32_t code;

		if (!utf8_next(&text, &code) ||
		    (utf8_is_control(code) && code != '\n'))
			fputs("\xef\xbf\xbd", to);
		else if (code == '\n')
			fputs("\\n", to);
		else if (is_plain(code))
			fwrite(at, 1, (size_t)(text.p - at), to);
		else
			fprintf(to, "\\u%04x", (unsigned)code);
	}
	putc('"', to);
}

static void put_cstr(FILE *to, const char *key, const char *text)
{
	fprintf(to, "\"%s\":", key);
	put_text(to, span_of(text, strlen(text)));
	fputs(",\n", to);
}

/* A difference of times that may be either way. */
static void put_from(FILE *to, uint64_t time, uint64_t base)
{
	if (time < base)
		fprintf(to, "-%" PRIu64, base - time);
	else
		fprintf(to, "%" PRIu64, time - base);
}

typedef uint64_t value_fn(const struct an_timeline *tl, const struct an_span *s);

static uint64_t length_of(const struct an_timeline *tl, const struct an_span *s)
{
	(void)tl;
	return s->to - s->from;
}

static uint64_t name_of(const struct an_timeline *tl, const struct an_span *s)
{
	(void)tl;
	return s->name;
}

static uint64_t detail_of(const struct an_timeline *tl, const struct an_span *s)
{
	(void)tl;
	return s->detail;
}

static uint64_t colour_of(const struct an_timeline *tl, const struct an_span *s)
{
	return an_span_colour(tl, s);
}

static uint64_t row_of(const struct an_timeline *tl, const struct an_span *s)
{
	(void)tl;
	return s->row;
}

static const struct {
	const char *key;
	value_fn *value;
} columns[] = {
	{ "d", length_of }, { "n", name_of }, { "x", detail_of },
	{ "c", colour_of }, { "r", row_of },
};

static bool all_alike(const struct an_timeline *tl, const struct an_lane *l,
		      value_fn *value)
{
	for (size_t i = 1; i < l->n_spans; i++)
		if (value(tl, &l->spans[i]) != value(tl, &l->spans[0]))
			return false;
	return true;
}

static void put_column(FILE *to, const struct an_timeline *tl,
		       const struct an_lane *l, const char *key,
		       value_fn *value)
{
	fprintf(to, ",\"%s\":", key);
	if (all_alike(tl, l, value)) {
		fprintf(to, "%" PRIu64, value(tl, &l->spans[0]));
		return;
	}
	for (size_t i = 0; i < l->n_spans; i++)
		fprintf(to, "%c%" PRIu64, i ? ',' : '[',
			value(tl, &l->spans[i]));
	putc(']', to);
}

static void put_blocks(FILE *to, const struct an_lane *l)
{
	bool more = false;

	fputs(",\"m\":[", to);
	for (size_t i = 0; i < l->n_spans; i++) {
		const struct an_span *s = &l->spans[i];

		if (s->count < 2)
			continue;
		fprintf(to, "%s%zu,%" PRIu32 ",%" PRIu64, more ? "," : "", i,
			s->count, s->busy);
		more = true;
	}
	putc(']', to);
}

static void put_spans(FILE *to, const struct an_timeline *tl,
		      const struct an_lane *l, uint64_t origin)
{
	uint64_t before = origin;

	fputs(",\"t\":[", to);
	for (size_t i = 0; i < l->n_spans; i++) {
		if (i)
			putc(',', to);
		put_from(to, l->spans[i].from, before);
		before = l->spans[i].from;
	}
	putc(']', to);
	for (size_t i = 0; i < sizeof(columns) / sizeof(columns[0]); i++)
		put_column(to, tl, l, columns[i].key, columns[i].value);
	put_blocks(to, l);
}

static void put_steps(FILE *to, const struct an_lane *l, uint64_t origin)
{
	uint64_t before = origin;

	fputs(",\"t\":[", to);
	for (size_t i = 0; i < l->n_steps; i++) {
		if (i)
			putc(',', to);
		put_from(to, l->steps[i].time, before);
		before = l->steps[i].time;
	}
	fputs("],\"v\":[", to);
	for (size_t i = 0; i < l->n_steps; i++) {
		if (i)
			putc(',', to);
		if (isnan(l->steps[i].value))
			fputs("null", to);
		else
			fprintf(to, "%.12g", l->steps[i].value);
	}
	putc(']', to);
}

static size_t group_of(const struct an_timeline *tl, const struct an_lane *l)
{
	size_t i = 0;

	while (i < tl->n_groups && tl->groups[i] != l->group)
		i++;
	return i;
}

static void put_lane(FILE *to, const struct an_timeline *tl,
		     const struct an_lane *l, uint64_t origin)
{
	bool counts = l->kind == AN_LANE_COUNTER;

	fprintf(to, "{\"kind\":\"%s\",\"name\":%" PRIu32 ",\"group\":%zu,"
		"\"unit\":%" PRIu32 ",\"rows\":%" PRIu32 ",\"merged\":%" PRIu64,
		counts ? "counter" : "spans", l->name, group_of(tl, l), l->unit,
		l->rows, l->merged);
	if (counts)
		put_steps(to, l, origin);
	else
		put_spans(to, tl, l, origin);
	putc('}', to);
}

static void put_classes(FILE *to)
{
	fputs("\"classes\":[", to);
	for (unsigned i = 0; i < AN_N_COLOURS; i++) {
		const struct an_class_row *c = an_colour_row(i);

		fprintf(to, "%s[\"%s\",\"%s\",\"%s\",\"%s\"]", i ? ",\n" : "",
			c->key, c->label, c->light ? c->light : "",
			c->dark ? c->dark : "");
	}
	fputs("],\n", to);
}

static void put_texts(FILE *to, const struct an_timeline *tl)
{
	fputs("\"texts\":[", to);
	for (uint32_t i = 0; i < tl->texts.n; i++) {
		if (i)
			fputs(",\n", to);
		put_text(to, intern_get(&tl->texts, i));
	}
	fputs("],\n\"groups\":[", to);
	for (size_t i = 0; i < tl->n_groups; i++)
		fprintf(to, "%s%" PRIu32, i ? "," : "", tl->groups[i]);
	fputs("],\n", to);
}

void an_timeline_data(FILE *to, const struct an_timeline *tl,
		      const struct an_timeline_head *head)
{
	fprintf(to, "{\"origin\":\"%" PRIu64 "\",\"from\":", head->origin);
	put_from(to, tl->t_min, head->origin);
	fputs(",\"to\":", to);
	put_from(to, tl->t_max, head->origin);
	fputs(",\n", to);
	put_cstr(to, "title", head->title);
	put_cstr(to, "subtitle", head->subtitle);
	put_cstr(to, "notes", head->notes);
	put_classes(to);
	put_texts(to, tl);
	fputs("\"lanes\":[", to);
	for (size_t i = 0; i < tl->n; i++) {
		fputs(i ? ",\n" : "\n", to);
		put_lane(to, tl, &tl->lanes[i], head->origin);
	}
	fputs("]}\n", to);
}
