/* What `analyze stat` prints: intervals, totals, who used the GPU. */
#ifndef ANALYZE_COUNTER_STAT_H
#define ANALYZE_COUNTER_STAT_H

#include "analyze/counter/metric.h"
#include "analyze/counter/peers.h"
#include "analyze/counter/ticks.h"
#include "analyze/counter/told.h"
#include "analyze/counter/totals.h"
#include "analyze/out/table.h"

#include "format/base/json.h"

#include <stdio.h>

#define AN_STAT_JSON_VERSION 1

struct an_by_place;

struct an_stat {
	const struct an_trace *t;
	const struct an_counters *c;
	struct an_peers peers;
	struct an_ticks ticks;   /* of intervals, and for what is said of them */
	struct an_totals totals;
	uint64_t zero_ns;        /* the first reading of the trace */
	double asked_ms;         /* fact `interval`; 0: not known */
	bool cpus;               /* series of single CPUs are among them */
	bool per_run;            /* runs one by one, too */
	bool table;              /* what each run took, as perf's --table */
	const char *separator;   /* fields as perf stat -x; NULL: `format` */
	bool summary_word;       /* before fields of what has intervals */
	struct an_by_place *groups; /* series put together, as fields need
				     * them; NULL: one by one */
	struct an_told *told;    /* NULL: all is printed, once */
	enum an_format format;
	FILE *to;
};

/* All but the last nine and `c`, which must outlive it, is found out. Release
 * with an_stat_fini(), whatever comes back. */
int an_stat_make(struct an_stat *s, struct an_trace *t,
		 const struct an_counters *c, struct err *err);
void an_stat_fini(struct an_stat *s); /* a zeroed one is fine */

/* Where counters took turns, what was counted, without making up for the rest
 * (perf's --no-scale). */
int an_stat_unscale(struct an_stat *s, struct err *err);

/* Whether there is more than a reading at the begin and one at the end. */
bool an_stat_has_intervals(const struct an_stat *s);

int an_stat_intervals(const struct an_stat *s, struct err *err);
int an_stat_summary(const struct an_stat *s, struct err *err);

enum an_stat_by { AN_BY_CLIENT, AN_BY_ENGINE, AN_BY_DEVICE };
/* `marks` of series; NULL: all. *any, which may be NULL: there was one to show.*/
int an_stat_usage(const struct an_stat *s, enum an_stat_by by,
		  const bool *marks, bool *any, struct err *err);

/* -- Used by these ---------------------------------------------------------- */

/* One line: of an interval, or of all of a series. */
struct an_stat_row {
	uint32_t series;
	enum an_interval_state state;
	double amount;
	uint64_t length_ns, running_ns;
	double share;
	struct an_metric metrics[AN_METRICS_MAX];
	size_t n_metrics;
};
void an_stat_row_of_tick(struct an_stat_row *out, const struct an_stat *s,
			 const struct an_tick_row *r);
void an_stat_row_of_total(struct an_stat_row *out, const struct an_stat *s,
			  const struct an_total *v);
/* Of the mean over runs. */
void an_stat_row_of_repeat(struct an_stat_row *out, const struct an_stat *s,
			   const struct an_repeat *v);

/* Of a row that has all but these. */
void an_stat_find_metrics(struct an_stat_row *out, const struct an_stat *s,
			  bool (*ask)(const void *ctx, uint32_t series,
				      double *amount), const void *ctx);

/* "<not counted>" …; NULL: it has an amount. The second for programs. */
const char *an_stat_state_text(enum an_interval_state state);
const char *an_stat_state_word(enum an_interval_state state);

/* "pmu", by enum tf_series_source; AN_STAT_SOURCES of them. */
#define AN_STAT_SOURCES 6
const char *an_stat_source(uint8_t source);

/* What a fact `counter.missing.NAME` is of; empty: it is another one. */
struct span an_stat_missing(const struct an_trace *t, const struct an_fact *f);

/* Intervals that something was busy for longer than they took, by more than the
 * times of readings explain: shown as 100 %. */
uint64_t an_stat_too_busy(const struct an_stat *s);

/* "# " lines in front, the same behind with what went wrong. */
void an_stat_head_text(const struct an_stat *s);
int an_stat_notes_text(const struct an_stat *s, struct err *err);
/* Members of the open object. */
int an_stat_head_json(const struct an_stat *s, struct json *j, struct err *err);
/* Members of an object that tell which series it is. */
void an_stat_series_json(const struct an_stat *s, uint32_t series,
			 struct json *j);
void an_stat_row_json(const struct an_stat *s, const struct an_stat_row *r,
		      struct json *j);

/* How wide columns are. */
struct an_stat_widths { int unit, event; };
void an_stat_widths(const struct an_stat *s, struct an_stat_widths *w);
/* "value unit event # metrics", without a line break; the event is padded only
 * where something follows. */
int an_stat_row_text(const struct an_stat *s, const struct an_stat_row *r,
		     const struct an_stat_widths *w, double spread,
		     struct err *err);

/* By place: the lines of text, each behind a label and a number of CPUs. */
void an_stat_places_title(const struct an_stat *s);
int an_stat_places_intervals(const struct an_stat *s,
			     const struct an_stat_widths *w, struct err *err);
int an_stat_places_summary(const struct an_stat *s,
			   const struct an_stat_widths *w, struct err *err);

/* Whether what the groups came to in a tick is to be printed now. */
bool an_stat_tick_is_due(const struct an_stat *s, uint32_t tick);
/* Seconds since the first reading, as perf stat -I has them. */
void an_stat_print_time(const struct an_stat *s, uint64_t end_ns);

/* With a separator. */
int an_stat_fields_intervals(const struct an_stat *s, struct err *err);
int an_stat_fields_summary(const struct an_stat *s, struct err *err);

/* The cells of the CSV that both have: from the value on. A row is for the first
 * metric; one for each further metric has no value. */
#define AN_STAT_CELLS                                                          \
	{ "value", "value", AN_CELL_TEXT, true, 0 },                           \
	{ "unit", "unit", AN_CELL_TEXT, false, 0 },                            \
	{ "event", "event", AN_CELL_TEXT, false, 0 }
#define AN_STAT_CELLS_BEHIND                                                   \
	{ "running_ns", "running_ns", AN_CELL_U64, true, 0 },                  \
	{ "running_percent", "running_percent", AN_CELL_TEXT, true, 0 },       \
	{ "metric", "metric", AN_CELL_TEXT, true, 0 },                         \
	{ "metric_unit", "metric_unit", AN_CELL_TEXT, false, 0 },              \
	{ "device", "device", AN_CELL_TEXT, false, 0 },                        \
	{ "part", "part", AN_CELL_TEXT, false, 0 },                            \
	{ "cpu", "cpu", AN_CELL_TEXT, true, 0 },                               \
	{ "pid", "pid", AN_CELL_U64, true, 0 },                                \
	{ "command", "command", AN_CELL_TEXT, false, 0 },                      \
	{ "client", "client", AN_CELL_U64, true, 0 },                          \
	{ "run", "run", AN_CELL_U64, true, 0 },                                \
	{ "length_ns", "length_ns", AN_CELL_U64, true, 0 }
void an_stat_cells(const struct an_stat *s, struct an_table *t,
		   const struct an_stat_row *r, size_t metric);
void an_stat_cells_behind(const struct an_stat *s, struct an_table *t,
			  const struct an_stat_row *r, size_t metric);

#endif
