#include "record/import/perfdata/filters.h"

#include <stdio.h>
#include <string.h>

static void take_filter(struct rec_pd_filters *f, struct span filter,
			struct rec_intake *to)
{
	char key[256];

	snprintf(key, sizeof(key), "filter.%.*s",
		 (int)(f->events.n < 200 ? f->events.n : 200),
		 (const char *)f->events.p);
	rec_intake_fact(to, key, "%.*s", (int)filter.n,
			(const char *)filter.p);
	if (!f->n++) {
		f->first = f->events;
		f->first_filter = filter;
	}
}

void rec_pd_filter_end(const struct rec_pd_filters *f, struct rec_intake *to)
{
	if (f->n)
		rec_intake_fact(to, "note.filter", "of '%.*s' only rows were "
				"recorded that pass the filter '%.*s' (filters:"
				" %zu)", (int)f->first.n,
				(const char *)f->first.p,
				(int)f->first_filter.n,
				(const char *)f->first_filter.p, f->n);
}

static bool value_of(struct span word, const char *option, struct span *value)
{
	size_t n = strlen(option);

	if (!span_begins(word, option))
		return false;
	*value = span_of(word.p + n, word.n - n);
	return value->n > 0;
}

void rec_pd_filter_word(struct rec_pd_filters *f, struct span word,
			struct rec_intake *to)
{
	struct span value;

	if (f->next == REC_PD_EVENTS)
		f->events = word;
	if (f->next == REC_PD_FILTER)
		take_filter(f, word, to);
	if (f->next == REC_PD_OVER)
		return;
	if (f->next != REC_PD_NOTHING)
		f->next = REC_PD_NOTHING;
	else if (span_is(word, "--"))
		f->next = REC_PD_OVER;
	else if (span_is(word, "-e") || span_is(word, "--event"))
		f->next = REC_PD_EVENTS;
	else if (span_is(word, "--filter"))
		f->next = REC_PD_FILTER;
	else if (value_of(word, "--filter=", &value))
		take_filter(f, value, to);
	else if (value_of(word, "--event=", &value) ||
		 value_of(word, "-e", &value))
		f->events = value;
}
