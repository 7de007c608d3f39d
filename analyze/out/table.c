#include "analyze/out/table.h"

#include "format/base/buf.h"
#include "format/base/json.h"
#include "format/base/mem.h"
#include "format/base/time.h"
#include "format/base/utf8.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct cell {
	union {
		uint64_t u;
		double f;
		size_t at; /* in text */
	};
	size_t n; /* bytes of text */
};

struct an_table {
	const struct an_cell_column *columns;
	size_t n_columns;
	struct cell *cells; /* row by row */
	size_t n, cap;
	struct buf text;
	struct buf scratch; /* one cell as it is shown */
	size_t *width;      /* by column */
	bool failed;
};

int an_format_choose(enum an_format *out, bool csv, bool json, struct err *err)
{
	if (csv && json)
		return err_set(err, ERR_USAGE,
			       "options '--csv' and '--json' exclude each other");
	*out = csv ? AN_FORMAT_CSV : json ? AN_FORMAT_JSON : AN_FORMAT_TEXT;
	return 0;
}

int an_table_new(struct an_table **out, const struct an_cell_column *columns,
		 size_t n, struct err *err)
{
	struct an_table *t = calloc(1, sizeof(*t));

	if (!t)
		return err_nomem(err);
	t->columns = columns;
	t->n_columns = n;
	t->width = calloc(n, sizeof(*t->width));
	if (!t->width) {
		an_table_free(t);
		return err_nomem(err);
	}
	*out = t;
	return 0;
}

void an_table_free(struct an_table *t)
{
	if (!t)
		return;
	buf_fini(&t->text);
	buf_fini(&t->scratch);
	free(t->cells);
	free(t->width);
	free(t);
}

static void add(struct an_table *t, struct cell cell)
{
	t->failed = t->failed ||
		    !mem_grow(&t->cells, &t->cap, t->n + 1, sizeof(cell));
	if (!t->failed)
		t->cells[t->n++] = cell;
}

void an_table_text(struct an_table *t, struct span text)
{
	struct cell cell = { .at = t->text.n, .n = text.n };

	buf_put(&t->text, text.p, text.n);
	add(t, cell);
}

void an_table_word(struct an_table *t, const char *text)
{
	an_table_text(t, span_of(text, strlen(text)));
}

void an_table_u64(struct an_table *t, uint64_t v)
{
	add(t, (struct cell){ .u = v });
}

void an_table_f64(struct an_table *t, double v)
{
	add(t, (struct cell){ .f = v });
}

size_t an_table_rows(const struct an_table *t)
{
	return t->n_columns ? t->n / t->n_columns : 0;
}

static const struct cell *cell_of(const struct an_table *t, size_t row,
				  size_t column)
{
	return &t->cells[row * t->n_columns + column];
}

static struct span cell_text(const struct an_table *t, const struct cell *c)
{
	return c->n ? span_of(t->text.p + c->at, c->n) : span_of("", 0);
}

/* The cell as people read it. */
static struct span shown(struct an_table *t, size_t row, size_t column)
{
	const struct cell *c = cell_of(t, row, column);
	char time[TIME_TEXT];
	struct buf *b = &t->scratch;

	buf_clear(b);
	switch (t->columns[column].kind) {
	case AN_CELL_TEXT:
		utf8_clean(b, cell_text(t, c));
		break;
	case AN_CELL_U64:
		buf_printf(b, "%" PRIu64, c->u);
		break;
	case AN_CELL_F64:
		if (!isnan(c->f))
			buf_printf(b, "%.3f", c->f);
		break;
	case AN_CELL_PERCENT:
		if (!isnan(c->f))
			buf_printf(b, "%.2f%%", c->f);
		break;
	case AN_CELL_TIME:
		time_format(time, c->u);
		buf_printf(b, "%s", time);
		break;
	case AN_CELL_MOMENT:
		if (c->u)
			buf_printf(b, TIME_MOMENT, TIME_MOMENT_OF(c->u));
		break;
	case AN_CELL_HEX:
		buf_printf(b, "0x%" PRIx64, c->u);
		break;
	}
	t->failed = t->failed || buf_failed(b);
	return b->n ? span_of(b->p, b->n) : span_of("", 0);
}

static void measure(struct an_table *t)
{
	for (size_t c = 0; c < t->n_columns; c++) {
		const struct an_cell_column *col = &t->columns[c];
		size_t w = utf8_width(span_of(col->title, strlen(col->title)));

		if (w < col->width)
			w = col->width;
		for (size_t r = 0; r < an_table_rows(t); r++) {
			size_t n = utf8_width(shown(t, r, c));

			if (n > w)
				w = n;
		}
		t->width[c] = w;
	}
}

static void pad(FILE *to, size_t n, char with)
{
	while (n--)
		putc(with, to);
}

/* The last column ends where its text ends, as lines end nowhere else. */
static void put_cell(const struct an_table *t, size_t c, struct span text,
		     FILE *to)
{
	size_t n = t->width[c] - utf8_width(text);
	bool right = t->columns[c].right;

	if (right)
		pad(to, n, ' ');
	fwrite(text.p, 1, text.n, to);
	if (!right && c + 1 < t->n_columns)
		pad(to, n, ' ');
}

static void put_titles(const struct an_table *t, FILE *to)
{
	for (size_t c = 0; c < t->n_columns; c++) {
		const char *title = t->columns[c].title;

		fputs(c ? "  " : "# ", to);
		put_cell(t, c, span_of(title, strlen(title)), to);
	}
	putc('\n', to);
	for (size_t c = 0; c < t->n_columns; c++) {
		fputs(c ? "  " : "# ", to);
		pad(to, t->width[c], '.');
	}
	fputs("\n#\n", to);
}

static int check(const struct an_table *t, struct err *err)
{
	if (t->failed || buf_failed(&t->text))
		return err_nomem(err);
	return 0;
}

int an_table_print_text(struct an_table *t, FILE *to,
			const struct an_row_extra *extra, struct err *err)
{
	int rc = check(t, err);

	if (!rc)
		measure(t);
	if (!rc)
		rc = check(t, err);
	if (rc < 0)
		return rc;
	put_titles(t, to);
	for (size_t r = 0; r < an_table_rows(t) && !rc; r++) {
		for (size_t c = 0; c < t->n_columns; c++) {
			fputs("  ", to);
			put_cell(t, c, shown(t, r, c), to);
		}
		putc('\n', to);
		if (extra && extra->text)
			rc = extra->text(extra->ctx, r, to, err);
	}
	return rc ? rc : check(t, err);
}

static void put_quoted(struct span text, FILE *to)
{
	bool quote = memchr(text.p, '"', text.n) || memchr(text.p, ',', text.n);

	if (!quote) {
		fwrite(text.p, 1, text.n, to);
		return;
	}
	putc('"', to);
	for (size_t i = 0; i < text.n; i++) {
		if (text.p[i] == '"')
			putc('"', to);
		putc(text.p[i], to);
	}
	putc('"', to);
}

static void put_csv_cell(struct an_table *t, size_t r, size_t c, FILE *to)
{
	const struct cell *cell = cell_of(t, r, c);

	switch (t->columns[c].kind) {
	case AN_CELL_U64:
	case AN_CELL_TIME:
	case AN_CELL_MOMENT:
		fprintf(to, "%" PRIu64, cell->u);
		break;
	case AN_CELL_F64:
		if (!isnan(cell->f))
			fprintf(to, "%.15g", cell->f);
		break;
	case AN_CELL_PERCENT:
		if (!isnan(cell->f))
			fprintf(to, "%.4f", cell->f);
		break;
	default:
		put_quoted(shown(t, r, c), to);
	}
}

int an_table_print_csv(struct an_table *t, FILE *to, struct err *err)
{
	int rc = check(t, err);

	if (rc < 0)
		return rc;
	for (size_t c = 0; c < t->n_columns; c++)
		fprintf(to, "%s%s", c ? "," : "", t->columns[c].key);
	putc('\n', to);
	return an_table_print_csv_rows(t, to, err);
}

int an_table_print_csv_rows(struct an_table *t, FILE *to, struct err *err)
{
	int rc = check(t, err);

	if (rc < 0)
		return rc;
	for (size_t r = 0; r < an_table_rows(t); r++) {
		for (size_t c = 0; c < t->n_columns; c++) {
			if (c)
				putc(',', to);
			put_csv_cell(t, r, c, to);
		}
		putc('\n', to);
	}
	return check(t, err);
}

static void put_json_cell(struct an_table *t, size_t r, size_t c,
			  struct json *j)
{
	const struct an_cell_column *col = &t->columns[c];
	const struct cell *cell = cell_of(t, r, c);

	switch (col->kind) {
	case AN_CELL_TEXT:
		json_text(j, col->key, cell_text(t, cell));
		break;
	case AN_CELL_HEX:
		json_text(j, col->key, shown(t, r, c));
		break;
	case AN_CELL_F64:
	case AN_CELL_PERCENT:
		json_f64(j, col->key, cell->f);
		break;
	default:
		json_u64(j, col->key, cell->u);
	}
}

int an_table_print_json(struct an_table *t, struct json *j, const char *key,
			const struct an_row_extra *extra, struct err *err)
{
	int rc = check(t, err);

	if (rc < 0)
		return rc;
	json_array(j, key);
	for (size_t r = 0; r < an_table_rows(t) && !rc; r++) {
		json_break(j);
		json_object(j, NULL);
		for (size_t c = 0; c < t->n_columns; c++)
			put_json_cell(t, r, c, j);
		if (extra && extra->json)
			rc = extra->json(extra->ctx, r, j, err);
		json_end_object(j);
	}
	json_end_array(j);
	return rc ? rc : check(t, err);
}

int an_table_print(struct an_table *t, enum an_format format, FILE *to,
		   struct err *err)
{
	struct json j;
	int rc;

	if (format == AN_FORMAT_TEXT)
		return an_table_print_text(t, to, NULL, err);
	if (format == AN_FORMAT_CSV)
		return an_table_print_csv(t, to, err);
	json_init(&j, to);
	rc = an_table_print_json(t, &j, NULL, NULL, err);
	putc('\n', to);
	return rc;
}
