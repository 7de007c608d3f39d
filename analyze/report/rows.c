#include "analyze/report/rows.h"

#define PERCENT_WIDTH 8  /* as perf's */
#define SAMPLES_WIDTH 12

static void add(struct an_report_columns *c, struct an_cell_column column)
{
	c->of[c->n++] = column;
}

static void add_percent(struct an_report_columns *c, const char *key,
			const char *title)
{
	add(c, (struct an_cell_column){ key, title, AN_CELL_PERCENT, true,
					PERCENT_WIDTH });
}

static void add_number(struct an_report_columns *c, const char *key)
{
	add(c, (struct an_cell_column){ key, "", AN_CELL_U64, true, 0 });
}

static void make_text(struct an_report_columns *c, const struct an_report *r)
{
	if (r->children)
		add_percent(c, "", "Children");
	add_percent(c, "", r->children ? "Self" : "Overhead");
	if (r->samples)
		add(c, (struct an_cell_column){ "", "Samples", AN_CELL_U64,
						true, SAMPLES_WIDTH });
	for (size_t i = 0; i < r->sort.n; i++)
		add(c, (struct an_cell_column){ "", r->sort.keys[i]->title,
						AN_CELL_TEXT, false, 0 });
}

static void add_fields(struct an_report_columns *c, const struct an_key *key)
{
	for (size_t i = 0; i < AN_KEY_FIELDS && key->fields[i].column; i++)
		add(c, (struct an_cell_column){ key->fields[i].column, "",
						key->fields[i].kind, false,
						0 });
}

static void make_fields(struct an_report_columns *c, const struct an_report *r)
{
	if (r->format == AN_FORMAT_CSV)
		add(c, (struct an_cell_column){ "event", "", AN_CELL_TEXT,
						false, 0 });
	if (r->children) {
		add_percent(c, "children_percent", "");
		add_number(c, "children");
	}
	add_percent(c, "self_percent", "");
	add_number(c, "self");
	add_number(c, "samples");
	for (size_t i = 0; i < r->sort.n; i++)
		add_fields(c, r->sort.keys[i]);
}

void an_report_columns_make(struct an_report_columns *out,
			    const struct an_report *r)
{
	*out = (struct an_report_columns){ .n = 0 };
	if (r->format == AN_FORMAT_TEXT)
		make_text(out, r);
	else
		make_fields(out, r);
}

static double percent(uint64_t part, const struct an_hist *h)
{
	return h->total ? 100.0 * (double)part / (double)h->total : 0;
}

size_t an_report_n_rows(const struct an_report *r, const struct an_hist *h)
{
	size_t n = 0;

	for (; n < h->n_sorted; n++) {
		const struct an_entry *e = &h->entries[h->sorted[n]];

		if (percent(r->children ? e->total : e->self, h) <
		    r->percent_limit)
			break;
	}
	return n;
}

struct adder {
	struct an_table *table;
	const struct an_report *r;
	struct span event;
	const struct an_hist *h;
	struct buf text; /* scratch */
	bool failed;
};

static uint32_t shown_id(const struct adder *a, const struct an_entry *e,
			 const struct an_key *key)
{
	const struct an_grouping *g = a->r->grouping;

	return key->side == AN_SIDE_THREAD ? g->threads.shown[e->threads] :
					     g->rows.shown[e->row];
}

static void add_text(struct adder *a, uint32_t id,
		     void (*show)(const struct an_trace *t, uint32_t id,
				  struct buf *to))
{
	struct buf *b = &a->text;

	buf_clear(b);
	show(a->r->t, id, b);
	a->failed = a->failed || buf_failed(b);
	an_table_text(a->table, b->n ? span_of(b->p, b->n) : span_of("", 0));
}

static void add_text_row(struct adder *a, const struct an_entry *e)
{
	const struct an_report *r = a->r;

	if (r->children)
		an_table_f64(a->table, percent(e->total, a->h));
	an_table_f64(a->table, percent(e->self, a->h));
	if (r->samples)
		an_table_u64(a->table, e->samples);
	for (size_t i = 0; i < r->sort.n; i++)
		add_text(a, shown_id(a, e, r->sort.keys[i]),
			 r->sort.keys[i]->show);
}

static void add_key_cells(struct adder *a, const struct an_entry *e,
			  const struct an_key *key)
{
	uint32_t id = shown_id(a, e, key);

	for (size_t i = 0; i < AN_KEY_FIELDS && key->fields[i].column; i++) {
		if (key->fields[i].number)
			an_table_u64(a->table,
				     key->fields[i].number(a->r->t, id));
		else
			add_text(a, id, key->fields[i].text);
	}
}

static void add_field_row(struct adder *a, const struct an_entry *e)
{
	const struct an_report *r = a->r;

	if (r->format == AN_FORMAT_CSV)
		an_table_text(a->table, a->event);
	if (r->children) {
		an_table_f64(a->table, percent(e->total, a->h));
		an_table_u64(a->table, e->total);
	}
	an_table_f64(a->table, percent(e->self, a->h));
	an_table_u64(a->table, e->self);
	an_table_u64(a->table, e->samples);
	for (size_t i = 0; i < r->sort.n; i++)
		add_key_cells(a, e, r->sort.keys[i]);
}

int an_report_add_rows(struct an_table *table, const struct an_report *r,
		       uint32_t event, const struct an_hist *h,
		       struct err *err)
{
	struct adder a = {
		.table = table, .r = r, .h = h,
		.event = an_string(r->t, an_event_of(r->t, event)->name),
	};
	size_t n = an_report_n_rows(r, h);

	for (size_t i = 0; i < n; i++) {
		const struct an_entry *e = &h->entries[h->sorted[i]];

		if (r->format == AN_FORMAT_TEXT)
			add_text_row(&a, e);
		else
			add_field_row(&a, e);
	}
	buf_fini(&a.text);
	return a.failed ? err_nomem(err) : 0;
}
