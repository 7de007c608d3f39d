/* What all of it came to, as perf stat without -I. */
#include "analyze/counter/stat.h"

#include "analyze/clean.h"
#include "analyze/counter/amount.h"
#include "analyze/counter/series.h"

#include "format/base/mem.h"
#include "format/catalog.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static bool is_level(const struct an_series *s)
{
	return s->kind != TF_SERIES_COUNT;
}

static const char *measured(const struct an_trace *t)
{
	static const char *const facts[] = { "workload", "target", "command" };

	for (size_t i = 0; i < ARRAY_LEN(facts); i++) {
		const char *text = an_fact(t, facts[i]);

		if (text && *text)
			return text;
	}
	return an_trace_path(t);
}

static void print_title(const struct an_stat *s)
{
	const char *what = measured(s->t);

	fputs("\n Performance counter stats for '", s->to);
	an_clean_print(s->to, span_of(what, strlen(what)));
	putc('\'', s->to);
	if (s->totals.runs)
		fprintf(s->to, " (%" PRIu32 " runs)", s->totals.runs);
	fputs(":\n\n", s->to);
}

/* How a level moved. */
static void print_range(const struct an_stat *s, const struct an_total *v)
{
	const struct an_series *se = an_series_of(s->t, v->series);
	char least[AN_AMOUNT_TEXT], most[AN_AMOUNT_TEXT], last[AN_AMOUNT_TEXT];
	struct an_amount a;

	if (!is_level(se) || v->state != AN_INTERVAL_READ || v->n < 2)
		return;
	a = an_amount_of(s->t, se, v->least);
	an_amount_text(least, &a);
	a = an_amount_of(s->t, se, v->most);
	an_amount_text(most, &a);
	a = an_amount_of(s->t, se, v->last);
	an_amount_text(last, &a);
	fprintf(s->to, "  (%s to %s, at last %s)", least, most, last);
}

static void print_cpu(const struct an_stat *s, uint32_t series)
{
	const struct an_series *se = an_series_of(s->t, series);
	char cpu[16] = "";

	if (!s->cpus)
		return;
	if (se->cpu >= 0)
		snprintf(cpu, sizeof(cpu), "CPU%" PRId32, se->cpu);
	fprintf(s->to, "%-8s", cpu);
}

static bool is_whole(const struct an_stat *s, uint32_t series)
{
	return an_series_is_whole(s->t, an_series_of(s->t, series));
}

/* Those of one run; 0: of none. */
static int print_totals(const struct an_stat *s, uint32_t run,
			const struct an_stat_widths *w, struct err *err)
{
	struct an_stat_row row;
	int rc = 0;

	for (size_t i = 0; i < s->totals.n && !rc; i++) {
		const struct an_total *v = &s->totals.v[i];

		if (an_series_of(s->t, v->series)->run != run ||
		    is_whole(s, v->series))
			continue;
		an_stat_row_of_total(&row, s, v);
		print_cpu(s, v->series);
		rc = an_stat_row_text(s, &row, w, -1, err);
		print_range(s, v);
		putc('\n', s->to);
	}
	return rc;
}

/* How long the command was on a CPU. */
static const struct {
	const char *series, *text;
} uses[] = {
	{ "user_time", "user" }, { "system_time", "sys" },
};

static const char *use_of(const struct an_stat *s, uint32_t series)
{
	const char *name = an_text(s->t, an_series_of(s->t, series)->name);

	for (size_t i = 0; i < ARRAY_LEN(uses) && is_whole(s, series); i++)
		if (strcmp(name, uses[i].series) == 0)
			return uses[i].text;
	return NULL;
}

static void print_elapsed(const struct an_stat *s, uint32_t run)
{
	const struct an_totals *t = &s->totals;

	if (t->elapsed_ns[run] > 0)
		fprintf(s->to, "\n %18.9f seconds time elapsed\n",
			t->elapsed_ns[run] / 1e9);
	for (size_t i = 0; i < t->n; i++) {
		const struct an_total *v = &t->v[i];
		const char *text = use_of(s, v->series);

		if (text && v->state == AN_INTERVAL_READ &&
		    an_series_of(s->t, v->series)->run == run)
			fprintf(s->to, " %18.9f seconds %s\n",
				v->amount / 1e9, text);
	}
}

static void print_spread(const struct an_stat *s, double mean, double spread,
			 const char *text)
{
	fprintf(s->to, " %18.9f +- %.9f seconds %s  ( +-%6.2f%% )\n",
		mean / 1e9, mean * spread / 1e9, text, 100 * spread);
}

/* A mark, and one more for each 5 % that a run is away from the mean. */
static void print_table(const struct an_stat *s, double mean)
{
	fprintf(s->to, "%11s# Table of individual measurements:\n", "");
	for (uint32_t run = 1; run <= s->totals.runs; run++) {
		double ns = s->totals.elapsed_ns[run];
		double apart = ns > 0 ? fabs(ns - mean) / ns : 0;
		double marks = 20 * apart + 1e-9;

		fprintf(s->to, " %18.9f (%+.9f) #", ns / 1e9,
			(ns - mean) / 1e9);
		for (int n = 1; n < 60 && n <= marks; n++)
			putc('#', s->to);
		putc('\n', s->to);
	}
	fprintf(s->to, "\n%11s# Final result:\n", "");
}

static void print_elapsed_mean(const struct an_stat *s)
{
	const struct an_totals *t = &s->totals;
	double mean, spread;

	an_spread(t->elapsed_ns + 1, t->runs, &mean, &spread);
	putc('\n', s->to);
	if (s->table)
		print_table(s, mean);
	print_spread(s, mean, spread, "time elapsed");
	for (size_t i = 0; i < t->n_repeats; i++) {
		const struct an_repeat *v = &t->repeats[i];
		const char *text = use_of(s, v->series);

		if (text && v->n)
			print_spread(s, v->mean, v->spread, text);
	}
}

static int print_repeats(const struct an_stat *s,
			 const struct an_stat_widths *w, struct err *err)
{
	const struct an_totals *t = &s->totals;
	struct an_stat_row row;
	int rc = 0;

	for (size_t i = 0; i < t->n_repeats && !rc; i++) {
		const struct an_repeat *v = &t->repeats[i];

		if (is_whole(s, v->series))
			continue;
		an_stat_row_of_repeat(&row, s, v);
		print_cpu(s, v->series);
		rc = an_stat_row_text(s, &row, w, v->n > 1 ? v->spread : -1,
				      err);
		putc('\n', s->to);
	}
	print_elapsed_mean(s);
	return rc;
}

static bool has_plain(const struct an_stat *s)
{
	for (size_t i = 0; i < s->totals.n; i++)
		if (!an_series_of(s->t, s->totals.v[i].series)->run)
			return true;
	return false;
}

static int print_runs(const struct an_stat *s, const struct an_stat_widths *w,
		      struct err *err)
{
	int rc = print_repeats(s, w, err);

	for (uint32_t run = 1; run <= s->totals.runs && s->per_run && !rc;
	     run++) {
		if (s->totals.elapsed_ns[run] <= 0)
			continue;
		fprintf(s->to, "\n Run %" PRIu32 ":\n\n", run);
		rc = print_totals(s, run, w, err);
		print_elapsed(s, run);
	}
	return rc;
}

static int print_places(const struct an_stat *s,
			const struct an_stat_widths *w, struct err *err)
{
	int rc = an_stat_places_summary(s, w, err);

	if (s->totals.runs)
		print_elapsed_mean(s);
	if (has_plain(s))
		print_elapsed(s, 0);
	return rc;
}

static int print_text(const struct an_stat *s, struct err *err)
{
	struct an_stat_widths w;
	int rc = 0;

	an_stat_head_text(s);
	an_stat_widths(s, &w);
	print_title(s);
	if (s->groups)
		rc = print_places(s, &w, err);
	else if (s->totals.runs)
		rc = print_runs(s, &w, err);
	if (!rc && !s->groups && has_plain(s)) {
		rc = print_totals(s, 0, &w, err);
		print_elapsed(s, 0);
	}
	if (rc)
		return rc;
	putc('\n', s->to);
	return an_stat_notes_text(s, err);
}

static const struct an_cell_column columns[] = {
	AN_STAT_CELLS,
	{ "spread_percent", "spread_percent", AN_CELL_TEXT, true, 0 },
	AN_STAT_CELLS_BEHIND,
};

static void add_row(const struct an_stat *s, struct an_table *t,
		    const struct an_stat_row *row, double spread)
{
	char text[32] = "";

	if (spread >= 0)
		snprintf(text, sizeof(text), "%.2f", 100 * spread);
	for (size_t k = 0; k == 0 || k < row->n_metrics; k++) {
		an_stat_cells(s, t, row, k);
		an_table_word(t, text);
		an_stat_cells_behind(s, t, row, k);
	}
}

/* Means over runs have the run 1. */
static int print_csv(const struct an_stat *s, struct err *err)
{
	struct an_table *t = NULL;
	struct an_stat_row row;
	int rc = an_table_new(&t, columns, ARRAY_LEN(columns), err);

	if (rc)
		return rc;
	for (size_t i = 0; i < s->totals.n_repeats && !s->per_run; i++) {
		an_stat_row_of_repeat(&row, s, &s->totals.repeats[i]);
		add_row(s, t, &row, s->totals.repeats[i].spread);
	}
	for (size_t i = 0; i < s->totals.n; i++) {
		const struct an_total *v = &s->totals.v[i];

		if (an_series_of(s->t, v->series)->run && !s->per_run)
			continue;
		an_stat_row_of_total(&row, s, v);
		add_row(s, t, &row, -1);
	}
	rc = an_table_print_csv(t, s->to, err);
	an_table_free(t);
	return rc;
}

static void put_total(const struct an_stat *s, const struct an_total *v,
		      struct json *j)
{
	struct an_stat_row row;

	an_stat_row_of_total(&row, s, v);
	json_break(j);
	json_object(j, NULL);
	an_stat_series_json(s, v->series, j);
	an_stat_row_json(s, &row, j);
	json_u64(j, "begin_ns", v->begin_ns);
	json_u64(j, "end_ns", v->end_ns);
	json_u64(j, "intervals", v->n);
	json_u64(j, "unknown", v->unknown);
	if (is_level(an_series_of(s->t, v->series))) {
		json_f64(j, "least", v->least);
		json_f64(j, "most", v->most);
		json_f64(j, "last", v->last);
	}
	json_end_object(j);
}

static void put_repeats(const struct an_stat *s, struct json *j)
{
	struct an_stat_row row;

	json_array(j, "repeated");
	for (size_t i = 0; i < s->totals.n_repeats; i++) {
		const struct an_repeat *v = &s->totals.repeats[i];

		an_stat_row_of_repeat(&row, s, v);
		json_break(j);
		json_object(j, NULL);
		an_stat_series_json(s, v->series, j);
		json_u64(j, "runs", v->n);
		json_f64(j, "spread", v->spread);
		an_stat_row_json(s, &row, j);
		json_end_object(j);
	}
	json_end_array(j);
}

static int print_json(const struct an_stat *s, struct err *err)
{
	struct json j;
	int rc;

	json_init(&j, s->to);
	json_object(&j, NULL);
	rc = an_stat_head_json(s, &j, err);
	if (rc)
		return rc;
	json_array(&j, "elapsed_ns");
	for (uint32_t i = s->totals.runs ? 1 : 0; i <= s->totals.runs; i++)
		json_f64(&j, NULL, s->totals.elapsed_ns[i]);
	json_end_array(&j);
	put_repeats(s, &j);
	json_array(&j, "totals");
	for (size_t i = 0; i < s->totals.n; i++)
		put_total(s, &s->totals.v[i], &j);
	json_end_array(&j);
	json_end_object(&j);
	putc('\n', s->to);
	return 0;
}

int an_stat_summary(const struct an_stat *s, struct err *err)
{
	if (s->separator)
		return an_stat_fields_summary(s, err);
	switch (s->format) {
	case AN_FORMAT_CSV:
		return print_csv(s, err);
	case AN_FORMAT_JSON:
		return print_json(s, err);
	default:
		return print_text(s, err);
	}
}
