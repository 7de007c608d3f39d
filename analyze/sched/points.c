#include "analyze/sched/points.h"

#include "analyze/sched/unread.h"
#include "analyze/trace_data.h"
#include "analyze/tracepoint/layout.h"

#include "format/catalog.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* TRACE_FLAG_HARDIRQ and TRACE_FLAG_SOFTIRQ, since 2.6. */
#define INTERRUPT_FLAGS 0x18u

/* What is known of an event. */
struct bound {
	uint32_t kind; /* AN_NONE: not looked for */
	int at[AN_POINT_FIELDS];
	int flags;     /* column of the record's flags, or -1 */
	const struct tf_table *table; /* that these columns are of */
};

struct points {
	struct an_trace *t;
	const struct an_point_kind *kinds;
	struct bound *bound; /* by event */
	size_t n_events;
	struct an_selection sel;
	an_point_fn *each;
	void *ctx;
	uint64_t left;       /* rows that may still come */
};

uint64_t an_point_number(const struct an_point *p, unsigned field)
{
	const struct tf_values *c;

	if (!an_point_has(p, field) ||
	    p->view->table->columns[p->at[field]].type == TF_REF)
		return 0;
	c = &p->view->columns[p->at[field]];
	return c->v ? c->v[p->row] : 0;
}

bool an_point_has(const struct an_point *p, unsigned field)
{
	return p->at && p->at[field] >= 0 &&
	       p->view->columns[p->at[field]].present;
}

uint32_t an_point_text(const struct an_point *p, unsigned field)
{
	const uint32_t *ids;
	uint64_t row;
	size_t n;

	if (!an_point_has(p, field) ||
	    p->view->table->columns[p->at[field]].type != TF_REF)
		return 0;
	ids = an_trace_ids(p->t, p->view->epoch, AN_SPACE_STRING, &n);
	row = p->view->columns[p->at[field]].v[p->row];
	return row < n && ids[row] != AN_NONE ? ids[row] : 0;
}

/* The words of a text, one after another: *at begins at the text. */
static bool next_word(const char **at, struct span *word)
{
	size_t n;

	*at += strspn(*at, " ");
	n = strcspn(*at, " ");
	*word = span_of(*at, n);
	*at += n;
	return n > 0;
}

/* A word that ends with * is any name that begins so. */
static bool is_named(struct span word, const char *name)
{
	if (word.p[word.n - 1] == '*')
		return strncmp(name, (const char *)word.p, word.n - 1) == 0;
	return strlen(name) == word.n && memcmp(word.p, name, word.n) == 0;
}

static bool names(const char *words, const char *name)
{
	struct span word;

	while (next_word(&words, &word))
		if (is_named(word, name))
			return true;
	return false;
}

uint32_t an_point_kind_of(const struct an_trace *t, uint32_t event,
			  const struct an_point_kind *kinds, size_t n)
{
	const struct an_event *e = an_event_of(t, event);
	const struct an_tracepoint *tp;
	char name[256], key[264];
	const char *alias;

	if (e->tracepoint == AN_NONE)
		return AN_NONE;
	tp = an_tracepoint_of(t, e->tracepoint);
	snprintf(name, sizeof(name), "%s:%s", an_text(t, tp->system),
		 an_text(t, tp->name));
	snprintf(key, sizeof(key), "alias.%s", name);
	alias = an_fact(t, key);
	for (uint32_t i = 0; i < n; i++)
		if (names(kinds[i].names, alias ? alias : name))
			return i;
	return AN_NONE;
}

static int find_column(const struct tf_table *table, const char *words)
{
	struct span word;
	int at;

	while (words && next_word(&words, &word)) {
		at = an_payload_column(table, word);
		if (at >= 0 && !table->columns[at].list)
			return at;
	}
	return -1;
}

static void bind_event(struct points *p, uint32_t event, size_t n)
{
	const struct an_event *e = an_event_of(p->t, event);
	struct bound *b = &p->bound[event];
	const struct tf_table *table =
		tf_schema_by_id(tf_reader_schema(an_trace_reader(p->t)),
				e->table);

	b->kind = table && table->id >= TF_TABLE_DYNAMIC ?
			  an_point_kind_of(p->t, event, p->kinds, n) : AN_NONE;
	if (b->kind == AN_NONE)
		return;
	for (unsigned i = 0; i < AN_POINT_FIELDS; i++)
		b->at[i] = find_column(table, p->kinds[b->kind].fields[i]);
	b->table = table;
	b->flags = tf_table_column(table, "common_flags");
	an_unread_restart(p->t, event);
	p->sel.event[event] = p->sel.event_rows[event] = true;
	if (e->key && e->of < p->n_events)
		p->sel.event_rows[e->of] = true;
}

static int bind_all(struct points *p, size_t n, struct err *err)
{
	p->n_events = an_n_events(p->t);
	p->bound = calloc(p->n_events + 1, sizeof(*p->bound));
	p->sel = (struct an_selection){
		.t_max = UINT64_MAX, .any = true, .t = p->t,
		.n_events = p->n_events,
		.event = calloc(p->n_events + 1, sizeof(bool)),
		.event_rows = calloc(p->n_events + 1, sizeof(bool)),
	};
	if (!p->bound || !p->sel.event || !p->sel.event_rows)
		return err_nomem(err);
	for (uint32_t i = 0; i < p->n_events; i++)
		bind_event(p, i, n);
	return 0;
}

static bool is_interrupt(const struct tf_view *v, int column, uint32_t row)
{
	const struct tf_values *c;

	if (column < 0)
		return false;
	c = &v->columns[column];
	return c->present && c->v && c->v[row] & INTERRUPT_FLAGS;
}

static unsigned bits_in(uint32_t v)
{
	return (unsigned)__builtin_popcount(v);
}

/* What a row lacks of the set that it comes next to. */
static uint32_t lacks(const struct an_point *p, const uint32_t needs[2])
{
	uint32_t has = 0, best = needs[0];

	for (uint32_t left = needs[0] | needs[1]; left; left &= left - 1)
		if (an_point_has(p, (unsigned)__builtin_ctz(left)))
			has |= left & -left;
	best &= ~has;
	if (needs[1] && bits_in(needs[1] & ~has) < bits_in(best))
		best = needs[1] & ~has;
	return best;
}

/* 1: the row tells nothing, and is counted. */
static int pass_over(struct points *p, const struct an_point *point,
		     struct err *err)
{
	const struct an_point_kind *kind = &p->kinds[point->kind];
	uint32_t missing = lacks(point, kind->needs);
	int rc;

	if (!missing)
		return 0;
	rc = an_unread_add(p->t, point->event,
			   kind->fields[__builtin_ctz(missing)], err);
	return rc ? rc : 1;
}

static int give(struct points *p, const struct an_batch *b, size_t i,
		struct err *err)
{
	const struct bound *bound;
	struct an_point point = {
		.kind = AN_POINT_SWITCH,
		.time = b->time[i], .cpu = b->cpu[i], .thread = b->thread[i],
		.event = b->event[i], .ip = b->ip[i], .kstack = b->kstack[i],
		.ustack = b->ustack[i], .flags = b->flags[i],
		.t = p->t, .view = b->view, .row = b->row[i],
	};
	int rc;

	if (b->view->table->id == TF_TABLE_SWITCH) {
		point.other = b->other ? b->other[b->row[i]] : 0;
	} else {
		if (point.event >= p->n_events)
			return 0;
		bound = &p->bound[point.event];
		if (bound->kind == AN_NONE || bound->table != b->view->table)
			return 0;
		point.kind = bound->kind;
		point.at = bound->at;
		rc = pass_over(p, &point, err);
		if (rc)
			return rc < 0 ? rc : 0;
		point.in_interrupt = is_interrupt(b->view, bound->flags,
						  b->row[i]);
	}
	if (!p->left--)
		return err_set(err, ERR_LIMIT, "%s: more rows than a file of "
			       "this size can hold", an_trace_path(p->t));
	return p->each(p->ctx, &point, err);
}

static int walk(struct points *p, bool switches, struct err *err)
{
	struct an_samples *samples = NULL;
	const struct an_batch *b;
	unsigned columns = AN_S_ALL | AN_S_PAYLOAD |
			   (switches ? AN_S_SWITCHES : 0);
	int rc = an_samples_new(&samples, p->t, &p->sel, columns, err);

	while (!rc) {
		rc = an_samples_next(samples, &b, err);
		if (rc)
			break;
		for (size_t i = 0; i < b->n && !rc; i++)
			rc = give(p, b, i, err);
	}
	an_samples_free(samples);
	return rc < 0 ? rc : 0;
}

int an_points_walk(struct an_trace *t, const struct an_point_kind *kinds,
		   size_t n, bool switches, an_point_fn *each, void *ctx,
		   struct err *err)
{
	struct points p = { .t = t, .kinds = kinds, .each = each, .ctx = ctx,
			    .left = an_trace_rows_limit(t) };
	int rc = bind_all(&p, n, err);

	if (!rc)
		rc = walk(&p, switches, err);
	if (!rc)
		an_unread_say(t);
	an_selection_fini(&p.sel);
	free(p.bound);
	return rc;
}
