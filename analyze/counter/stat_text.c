/* Lines for people, as perf stat has them. */
#include "analyze/counter/stat.h"

#include "analyze/clean.h"
#include "analyze/clock.h"
#include "analyze/counter/amount.h"
#include "analyze/counter/ended.h"
#include "analyze/counter/series.h"
#include "analyze/head.h"

#include "format/base/mem.h"
#include "format/base/time.h"
#include "format/base/utf8.h"
#include "format/catalog.h"

#include <inttypes.h>
#include <string.h>

/* As perf: narrower is nothing, wider is a name that overflows. */
#define UNIT_WIDTH 4
#define EVENT_WIDTH 25
#define EVENT_MOST 60
#define VALUE_WIDTH 18
#define METRIC_WIDTH 20 /* of its unit */


static int event_text(const struct an_stat *s, uint32_t series, struct buf *to,
		      struct err *err)
{
	struct buf plain = { 0 };
	bool ok;

	buf_init(&plain, 0);
	an_series_what(s->t, series, &plain);
	utf8_clean(to, span_of(plain.p, plain.n));
	ok = !buf_failed(&plain) && !buf_failed(to);
	buf_fini(&plain);
	return ok ? 0 : err_nomem(err);
}

static const char *unit_of(const struct an_stat *s, uint32_t series)
{
	return an_amount_of(s->t, an_series_of(s->t, series), 0).unit;
}

/* Control characters make it wider than this says; then it only overflows. */
void an_stat_widths(const struct an_stat *s, struct an_stat_widths *w)
{
	struct buf text;

	*w = (struct an_stat_widths){ UNIT_WIDTH, EVENT_WIDTH };
	for (size_t i = 0; i < s->totals.n; i++) {
		uint32_t series = s->totals.v[i].series;
		size_t unit = strlen(unit_of(s, series)), event;

		buf_init(&text, 0);
		an_series_what(s->t, series, &text);
		event = utf8_width(span_of(text.p, text.n));
		buf_fini(&text);
		if (unit < EVENT_MOST && (int)unit > w->unit)
			w->unit = (int)unit;
		if (event <= EVENT_MOST && (int)event > w->event)
			w->event = (int)event;
	}
}

static void print_padded(FILE *to, struct span text, int width)
{
	int have = (int)utf8_width(text);

	fwrite(text.p, 1, text.n, to);
	fprintf(to, "%*s", have < width ? width - have : 0, "");
}

static void print_value(const struct an_stat *s, const struct an_stat_row *r,
			const struct an_stat_widths *w)
{
	struct an_amount a = an_amount_of(s->t, an_series_of(s->t, r->series),
					  r->amount);
	char text[AN_AMOUNT_TEXT];

	an_amount_text(text, &a);
	fprintf(s->to, " %*s ", VALUE_WIDTH,
		r->state == AN_INTERVAL_READ ? text :
					       an_stat_state_text(r->state));
	print_padded(s->to, span_of(a.unit, strlen(a.unit)), w->unit);
	putc(' ', s->to);
}

static void print_metric(const struct an_stat *s, const struct an_metric *m,
			 int width)
{
	char text[AN_AMOUNT_TEXT];

	an_number_text(text, m->value, m->decimals);
	fprintf(s->to, " # %*s%s ", m->percent ? 7 : 8, text,
		m->percent ? "%" : "");
	print_padded(s->to, span_of(m->unit, strlen(m->unit)), width);
}

int an_stat_row_text(const struct an_stat *s, const struct an_stat_row *r,
		     const struct an_stat_widths *w, double spread,
		     struct err *err)
{
	bool shared = r->state == AN_INTERVAL_READ && r->share < 1;
	bool more = r->n_metrics || spread >= 0 || shared;
	struct buf event;
	int rc;

	buf_init(&event, 0);
	rc = event_text(s, r->series, &event, err);
	if (!rc) {
		print_value(s, r, w);
		print_padded(s->to, span_of(event.p, event.n),
			     more ? w->event : 0);
	}
	buf_fini(&event);
	if (rc)
		return rc;
	for (size_t i = 0; i < r->n_metrics; i++)
		print_metric(s, &r->metrics[i], i + 1 == r->n_metrics &&
			     (spread >= 0 || shared) ? METRIC_WIDTH : 0);
	if (more && !r->n_metrics)
		fprintf(s->to, "%*s", METRIC_WIDTH + 12, "");
	if (spread >= 0)
		fprintf(s->to, "  ( +-%6.2f%% )", 100 * spread);
	if (shared)
		fprintf(s->to, "  (%.2f%%)", 100 * r->share);
	return 0;
}

/* How long it is, and how it ended, is yet to come. */
static void print_live_head(const struct an_stat *s)
{
	const char *command = an_fact(s->t, "command");

	fputs("# Recorded since: ", s->to);
	an_clock_print_began(s->t, s->to);
	if (command && *command) {
		fputs("\n# Command: ", s->to);
		an_clean_print(s->to, span_of(command, strlen(command)));
	}
	fputc('\n', s->to);
}

void an_stat_head_text(const struct an_stat *s)
{
	if (s->told && s->told->more)
		print_live_head(s);
	else
		an_head_print(s->t, s->to);
	if (s->c->nameless)
		fprintf(s->to, "# Left out: %" PRIu64 " readings of series "
			"that are not known\n", s->c->nameless);
	if (s->c->timeless)
		fprintf(s->to, "# Left out: %" PRIu64 " readings without a "
			"time\n", s->c->timeless);
}

static void print_count(const struct an_stat *s, const char *what, uint64_t n,
			const char *meaning)
{
	if (n)
		fprintf(s->to, "# %s: %" PRIu64 " (%s)\n", what, n, meaning);
}

static void print_missing(const struct an_stat *s)
{
	for (uint32_t i = 0; i < an_n_facts(s->t); i++) {
		const struct an_fact *f = an_fact_of(s->t, i);
		struct span name = an_stat_missing(s->t, f);

		if (!name.n)
			continue;
		fputs("# Not to be had: ", s->to);
		an_clean_print(s->to, name);
		fputs(": ", s->to);
		an_clean_print(s->to, an_string(s->t, f->value));
		putc('\n', s->to);
	}
}

static uint64_t n_unknown_kinds(const struct an_stat *s)
{
	uint64_t n = 0;

	for (size_t i = 0; i < s->totals.n; i++)
		n += !an_series_of(s->t, s->totals.v[i].series)->kind;
	return n;
}

static void print_lengths(const struct an_stat *s, uint8_t source,
			  const struct an_jitter *j)
{
	char p50[TIME_TEXT], p99[TIME_TEXT], least[TIME_TEXT], most[TIME_TEXT];

	time_format(p50, j->p50_ns);
	time_format(p99, j->p99_ns);
	time_format(least, j->shortest_ns);
	time_format(most, j->longest_ns);
	fprintf(s->to, "# Intervals of %s: ", an_stat_source(source));
	if (s->asked_ms > 0)
		fprintf(s->to, "asked %.6g ms, ", s->asked_ms);
	fprintf(s->to, "measured p50 %s, p99 %s, %s to %s\n", p50, p99, least,
		most);
}

static int print_jitter(const struct an_stat *s, struct err *err)
{
	int rc = 0;

	for (uint8_t i = 0; i < AN_STAT_SOURCES && !rc; i++) {
		struct an_jitter j;

		rc = an_jitter_of(s->c, i, &j, err);
		if (!rc && j.n)
			print_lengths(s, i, &j);
	}
	return rc;
}

static int print_ended(const struct an_stat *s, struct err *err)
{
	struct an_ended ended;
	char longest[TIME_TEXT];
	int rc = an_ended_of(&ended, s->c, err);

	if (rc || !ended.n)
		return rc;
	time_format(longest, ended.longest_ns);
	fprintf(s->to, "# Clients of GPUs that ended: %zu (what they used "
		"after their last readings, for up to %s, is not known)\n",
		ended.n, longest);
	return 0;
}

int an_stat_notes_text(const struct an_stat *s, struct err *err)
{
	int rc = an_stat_has_intervals(s) ? print_jitter(s, err) : 0;

	if (!rc)
		rc = print_ended(s, err);
	if (rc)
		return rc;
	print_count(s, "Readings that failed", s->ticks.failed,
		    "what happened meanwhile is in the next one");
	print_count(s, "Values that stepped back", s->ticks.back,
		    "what happened before is not known; of fdinfo it is in the "
		    "next one");
	print_count(s, "Intervals that were not counted", s->ticks.not_counted,
		    "the PMU had no room");
	print_count(s, "Intervals that were too busy", an_stat_too_busy(s),
		    "for longer than they took; shown as 100 %");
	print_count(s, "Series of a kind that is not known here",
		    n_unknown_kinds(s), "try: a newer analyze");
	print_missing(s);
	return 0;
}
