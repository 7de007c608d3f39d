#include "analyze/report/print.h"

#include "analyze/head.h"

#include <string.h>

#define JSON_VERSION 1

/* One event while it is printed. */
struct section {
	const struct an_report *r;
	const struct an_event_profile *e;
	enum an_weight weight;
	struct an_hist hist;
	bool graphs;
	struct an_graph graph;
};

static void section_fini(struct section *s)
{
	an_calltree_free(s->graph.tree);
	an_graph_fini(&s->graph);
	an_hist_fini(&s->hist);
}

/* The row that stands for "of no event" in other tables. */
static bool is_no_event(const struct an_trace *t,
			const struct an_event_profile *e)
{
	return !e->total.samples && !an_event_of(t, e->event)->name;
}

static bool has_stacks(const struct an_event_profile *e)
{
	for (size_t i = 0; i < e->n; i++)
		if (e->places[i].kstack || e->places[i].ustack)
			return true;
	return false;
}

static bool begins_with_symbol(const struct an_sort *s)
{
	return s->n && strcmp(s->keys[0]->name, "symbol") == 0;
}

static int section_make(struct section *s, const enum an_weight *weight,
			struct err *err)
{
	const struct an_report *r = s->r;
	bool stacks = has_stacks(s->e);
	struct an_hist_options o = { .by_total = r->children };
	int rc;

	s->graphs = stacks && !r->graph.none && r->format != AN_FORMAT_CSV;
	s->weight = weight ? *weight :
		    s->e->total.period ? AN_WEIGHT_PERIOD : AN_WEIGHT_SAMPLES;
	o.weight = s->weight;
	o.stacks = stacks && (r->children || s->graphs);
	rc = an_hist_make(&s->hist, r->t, s->e, r->grouping, &r->sort, &o, err);
	s->graph = (struct an_graph){
		.t = r->t, .g = r->grouping,
		.h = &s->hist, .order = r->graph.tree.order,
		.says_symbol = begins_with_symbol(&r->sort),
	};
	if (!rc && s->graphs)
		rc = an_calltree_new(&s->graph.tree, &s->hist, r->t,
				     r->grouping, &r->graph.tree, err);
	return rc;
}

static const char *weight_name(enum an_weight w)
{
	switch (w) {
	case AN_WEIGHT_SAMPLES:
		return "samples";
	case AN_WEIGHT_PERIOD:
		return "period";
	case AN_WEIGHT_TIME:
		return "time";
	}
	return "";
}

static void print_weight(const struct section *s, FILE *to)
{
	const char *name = weight_name(s->weight);
	const char *unit = an_weight_unit(s->r->t, s->e->event, s->weight);

	fprintf(to, "# Weight: %s", name);
	if (strcmp(name, unit) != 0)
		fprintf(to, " (%s)", unit);
	putc('\n', to);
}

static int text_graph(void *ctx, size_t row, FILE *to, struct err *err)
{
	struct section *s = ctx;

	return an_graph_text(&s->graph, s->hist.sorted[row], to, err);
}

static int json_graph(void *ctx, size_t row, struct json *j, struct err *err)
{
	struct section *s = ctx;

	return an_graph_json(&s->graph, s->hist.sorted[row], j, err);
}

/* The rows of one event in a table of their own. */
static int print_rows(struct section *s, FILE *to, struct json *j,
		      struct err *err)
{
	struct an_row_extra extra = { text_graph, json_graph, s };
	const struct an_row_extra *graphs = s->graphs ? &extra : NULL;
	struct an_report_columns columns;
	struct an_table *table;
	int rc;

	an_report_columns_make(&columns, s->r);
	rc = an_table_new(&table, columns.of, columns.n, err);
	if (rc < 0)
		return rc;
	rc = an_report_add_rows(table, s->r, s->e->event, &s->hist, err);
	if (!rc && j)
		rc = an_table_print_json(table, j, "rows", graphs, err);
	else if (!rc)
		rc = an_table_print_text(table, to, graphs, err);
	an_table_free(table);
	return rc;
}

static int text_section(struct section *s, FILE *to, struct err *err)
{
	fputs("#\n", to);
	an_head_event(s->r->t, s->e, to);
	if (!s->e->total.samples) {
		fputs("# No samples of this event\n", to);
		return 0;
	}
	print_weight(s, to);
	fputs("#\n", to);
	return print_rows(s, to, NULL, err);
}

static int print_text(const struct an_report *r, const struct an_profile *p,
		      const enum an_weight *weight, FILE *to, struct err *err)
{
	bool any = false;
	int rc = 0;

	an_head_print(r->t, to);
	for (size_t i = 0; i < p->n && !rc; i++) {
		struct section s = { .r = r, .e = &p->events[i] };

		if (is_no_event(r->t, s.e))
			continue;
		if (any)
			putc('\n', to);
		any = true;
		rc = section_make(&s, weight, err);
		if (!rc)
			rc = text_section(&s, to, err);
		section_fini(&s);
	}
	return rc;
}

static int print_csv(const struct an_report *r, const struct an_profile *p,
		     const enum an_weight *weight, FILE *to, struct err *err)
{
	struct an_report_columns columns;
	struct an_table *table;
	int rc;

	an_report_columns_make(&columns, r);
	rc = an_table_new(&table, columns.of, columns.n, err);
	if (rc < 0)
		return rc;
	for (size_t i = 0; i < p->n && !rc; i++) {
		struct section s = { .r = r, .e = &p->events[i] };

		rc = section_make(&s, weight, err);
		if (!rc)
			rc = an_report_add_rows(table, r, s.e->event, &s.hist,
						err);
		section_fini(&s);
	}
	if (!rc)
		rc = an_table_print_csv(table, to, err);
	an_table_free(table);
	return rc;
}

static int json_section(struct section *s, struct json *j, struct err *err)
{
	const struct an_trace *t = s->r->t;
	struct an_quality q;
	int rc;

	an_quality_of(t, s->e, &q);
	json_break(j);
	json_object(j, NULL);
	json_text(j, "name", an_string(t, an_event_of(t, s->e->event)->name));
	json_cstr(j, "weight", weight_name(s->weight));
	json_cstr(j, "unit", an_weight_unit(t, s->e->event, s->weight));
	json_u64(j, "total", s->hist.total);
	json_u64(j, "samples", s->e->total.samples);
	json_u64(j, "lost", q.lost);
	json_bool(j, "more_lost", q.unknown_loss || q.lost_among);
	json_f64(j, "unknown_percent", 100 * q.unknown);
	json_f64(j, "truncated_percent", 100 * q.truncated);
	rc = print_rows(s, NULL, j, err);
	json_end_object(j);
	return rc;
}

static void json_head(const struct an_report *r, struct json *j)
{
	json_object(j, NULL);
	json_u64(j, "version", JSON_VERSION);
	an_head_json(r->t, j);
	json_bool(j, "children", r->children);
	json_cstr(j, "order",
		  r->graph.tree.order == AN_CALLER ? "caller" : "callee");
	json_array(j, "sort");
	for (size_t i = 0; i < r->sort.n; i++)
		json_cstr(j, NULL, r->sort.keys[i]->name);
	json_end_array(j);
}

static int print_json(const struct an_report *r, const struct an_profile *p,
		      const enum an_weight *weight, FILE *to, struct err *err)
{
	struct json j;
	int rc = 0;

	json_init(&j, to);
	json_head(r, &j);
	json_array(&j, "events");
	for (size_t i = 0; i < p->n && !rc; i++) {
		struct section s = { .r = r, .e = &p->events[i] };

		if (is_no_event(r->t, s.e))
			continue;
		rc = section_make(&s, weight, err);
		if (!rc)
			rc = json_section(&s, &j, err);
		section_fini(&s);
	}
	json_end_array(&j);
	json_end_object(&j);
	putc('\n', to);
	return rc;
}

int an_report_print(const struct an_report *r, const struct an_profile *p,
		    const enum an_weight *weight, FILE *to, struct err *err)
{
	switch (r->format) {
	case AN_FORMAT_TEXT:
		return print_text(r, p, weight, to, err);
	case AN_FORMAT_CSV:
		return print_csv(r, p, weight, to, err);
	case AN_FORMAT_JSON:
		return print_json(r, p, weight, to, err);
	}
	return err_set(err, ERR_USAGE, "unknown format");
}

bool an_report_has_stacks(const struct an_profile *p)
{
	for (size_t i = 0; i < p->n; i++)
		if (has_stacks(&p->events[i]))
			return true;
	return false;
}
