/* Result rows: one set of cells, printed as aligned text, CSV or JSON. */
#ifndef ANALYZE_OUT_TABLE_H
#define ANALYZE_OUT_TABLE_H

#include "format/base/err.h"
#include "format/base/span.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct json;

enum an_format { AN_FORMAT_TEXT, AN_FORMAT_CSV, AN_FORMAT_JSON };

/* As options '--csv' and '--json' say. ERR_USAGE: both. */
int an_format_choose(enum an_format *out, bool csv, bool json,
		     struct err *err);

enum an_cell_kind {
	AN_CELL_TEXT,    /* UTF-8 or any bytes: control characters are escaped,
			  * invalid UTF-8 becomes U+FFFD in JSON */
	AN_CELL_U64,
	AN_CELL_F64,     /* NAN: not known, left empty (null) */
	AN_CELL_PERCENT, /* 0..100, two decimals and % in text; a number else;
			  * NAN as above */
	AN_CELL_TIME,    /* ns: "1.234 ms" in text; a number of ns else */
	AN_CELL_MOMENT,  /* ns of the trace's clock: seconds, "12.034567", in
			  * text, empty where it is 0; a number of ns else */
	AN_CELL_HEX,
};

struct an_cell_column {
	const char *key;   /* in CSV and JSON: "overhead_percent" */
	const char *title; /* in text: "Overhead" */
	enum an_cell_kind kind;
	bool right;        /* aligned right in text */
	unsigned width;    /* at least so wide in text */
};

struct an_table; /* rows are kept until printed */

/* `columns` must outlive the table. */
int an_table_new(struct an_table **out, const struct an_cell_column *columns,
		 size_t n, struct err *err);
void an_table_free(struct an_table *t); /* NULL is fine */

/* A row: one call per column, left to right; text is copied. */
void an_table_text(struct an_table *t, struct span text);
void an_table_word(struct an_table *t, const char *text);
void an_table_u64(struct an_table *t, uint64_t v);
void an_table_f64(struct an_table *t, double v);

size_t an_table_rows(const struct an_table *t);

/* Text as perf's --stdio: titles, dots under them, "# " before both. CSV: a
 * line of keys, RFC 4180 quoting, text cleaned as for a terminal. JSON: an
 * array of objects, a line each. A failed allocation while rows were added is
 * reported here, before anything is written. */
int an_table_print(struct an_table *t, enum an_format format, FILE *to,
		   struct err *err);

/* Something that belongs to each row: called in text behind its line, in JSON
 * inside its object. CSV has no place for it. */
struct an_row_extra {
	int (*text)(void *ctx, size_t row, FILE *to, struct err *err);
	int (*json)(void *ctx, size_t row, struct json *j, struct err *err);
	void *ctx;
};

/* The same, `extra` may be NULL. */
int an_table_print_text(struct an_table *t, FILE *to,
			const struct an_row_extra *extra, struct err *err);
int an_table_print_csv(struct an_table *t, FILE *to, struct err *err);
/* Without the line of keys: further rows, in a table of their own. */
int an_table_print_csv_rows(struct an_table *t, FILE *to, struct err *err);
int an_table_print_json(struct an_table *t, struct json *j, const char *key,
			const struct an_row_extra *extra, struct err *err);

#endif
