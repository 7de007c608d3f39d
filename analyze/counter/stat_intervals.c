/* A line for each series and interval. */
#include "analyze/counter/stat.h"

#include "format/base/mem.h"
#include "format/base/time.h"

#include <inttypes.h>

static uint64_t since_zero(const struct an_stat *s, const struct an_tick_row *r)
{
	return r->i.end_ns > s->zero_ns ? r->i.end_ns - s->zero_ns : 0;
}

static bool is_due(const struct an_stat *s, const struct an_tick_row *r)
{
	return !s->told || an_told_take(s->told, r);
}

static bool has_begun(const struct an_stat *s)
{
	return s->told && s->told->begun;
}

static void print_title(const struct an_stat *s,
			const struct an_stat_widths *w)
{
	an_stat_head_text(s);
	fputs("#\n#           time ", s->to);
	if (s->groups)
		an_stat_places_title(s);
	else if (s->cpus)
		fputs("CPU      ", s->to);
	fprintf(s->to, "            counts %-*s events\n", w->unit, "unit");
}

static int print_rows(const struct an_stat *s, const struct an_stat_widths *w,
		      struct err *err)
{
	struct an_stat_row row;
	int rc = 0;

	for (size_t i = 0; i < s->ticks.n && !rc; i++) {
		const struct an_tick_row *r = &s->ticks.v[i];
		const struct an_series *se = an_series_of(s->t, r->series);
		char cpu[16] = "";

		if (!is_due(s, r))
			continue;
		if (se->cpu >= 0)
			snprintf(cpu, sizeof(cpu), "CPU%" PRId32, se->cpu);
		an_stat_print_time(s, r->i.end_ns);
		if (s->cpus)
			fprintf(s->to, " %-8s", cpu);
		an_stat_row_of_tick(&row, s, r);
		rc = an_stat_row_text(s, &row, w, -1, err);
		putc('\n', s->to);
	}
	return rc;
}

static int print_text(const struct an_stat *s, struct err *err)
{
	struct an_stat_widths w;
	int rc;

	an_stat_widths(s, &w);
	if (!has_begun(s))
		print_title(s, &w);
	rc = s->groups ? an_stat_places_intervals(s, &w, err) :
			 print_rows(s, &w, err);
	if (rc || (s->told && s->told->more))
		return rc;
	fputs("#\n", s->to);
	if (has_begun(s)) /* what was not known in front */
		an_stat_head_text(s);
	return an_stat_notes_text(s, err);
}

static const struct an_cell_column columns[] = {
	{ "time", "time", AN_CELL_TEXT, true, 0 },
	AN_STAT_CELLS, AN_STAT_CELLS_BEHIND,
};

static void add_row(const struct an_stat *s, struct an_table *t,
		    const struct an_tick_row *r, const struct an_stat_row *row,
		    size_t metric)
{
	uint64_t at = since_zero(s, r);
	char time[32];

	snprintf(time, sizeof(time), "%" PRIu64 ".%09" PRIu64,
		 at / NSEC_PER_SEC, at % NSEC_PER_SEC);
	an_table_word(t, time);
	an_stat_cells(s, t, row, metric);
	an_stat_cells_behind(s, t, row, metric);
}

/* Rows that are kept at a time: those of a long recording are many. */
#define CSV_ROWS 4096u

/* From one row on; *next is where to go on. */
static int print_some(const struct an_stat *s, size_t from, size_t *next,
		      struct err *err)
{
	struct an_table *t = NULL;
	struct an_stat_row row;
	size_t i = from;
	int rc = an_table_new(&t, columns, ARRAY_LEN(columns), err);

	if (rc)
		return rc;
	for (; i < s->ticks.n && i - from < CSV_ROWS; i++) {
		if (!is_due(s, &s->ticks.v[i]))
			continue;
		an_stat_row_of_tick(&row, s, &s->ticks.v[i]);
		for (size_t k = 0; k == 0 || k < row.n_metrics; k++)
			add_row(s, t, &s->ticks.v[i], &row, k);
	}
	*next = i;
	rc = from || has_begun(s) ? an_table_print_csv_rows(t, s->to, err) :
				    an_table_print_csv(t, s->to, err);
	an_table_free(t);
	return rc;
}

static int print_csv(const struct an_stat *s, struct err *err)
{
	size_t at = 0;
	int rc;

	do
		rc = print_some(s, at, &at, err);
	while (!rc && at < s->ticks.n);
	return rc;
}

static void put_rows(const struct an_stat *s, struct json *j)
{
	struct an_stat_row row;

	json_array(j, "rows");
	for (size_t i = 0; i < s->ticks.n; i++) {
		const struct an_tick_row *r = &s->ticks.v[i];

		an_stat_row_of_tick(&row, s, r);
		json_break(j);
		json_object(j, NULL);
		json_u64(j, "series", r->series);
		json_u64(j, "tick", r->tick);
		json_u64(j, "begin_ns", r->i.begin_ns);
		json_u64(j, "end_ns", r->i.end_ns);
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
	json_array(&j, "series");
	for (size_t i = 0; i < s->totals.n; i++) {
		json_break(&j);
		json_object(&j, NULL);
		an_stat_series_json(s, s->totals.v[i].series, &j);
		json_end_object(&j);
	}
	json_end_array(&j);
	put_rows(s, &j);
	json_end_object(&j);
	putc('\n', s->to);
	return 0;
}

int an_stat_intervals(const struct an_stat *s, struct err *err)
{
	if (s->separator)
		return an_stat_fields_intervals(s, err);
	switch (s->format) {
	case AN_FORMAT_CSV:
		return print_csv(s, err);
	case AN_FORMAT_JSON:
		return print_json(s, err);
	default:
		return print_text(s, err);
	}
}
