#include "analyze/tracepoint/sources.h"

#include "analyze/tracepoint/layout.h"

#include "analyze/selection/prune.h"

#include "format/catalog.h"

#include <stdlib.h>

static bool is_source(const struct tf_table *have)
{
	const struct tf_table *want = tf_catalog_table(TF_TABLE_SAMPLE);
	struct an_columns c;

	if (have->id == TF_TABLE_SAMPLE)
		return true;
	if (have->id < TF_TABLE_DYNAMIC || have->kind != TF_KIND_EVENT)
		return false;
	an_columns_match(&c, want, have, UINT64_MAX);
	for (uint32_t i = 0; i < want->n_columns; i++)
		if (c.at[i] < 0)
			return false;
	return true;
}

static bool is_wanted(const struct an_trace *t, const struct an_selection *sel,
		      uint32_t table)
{
	if (!sel || !sel->event)
		return true;
	for (uint32_t i = 0; i < sel->n_events; i++)
		if (sel->event[i] && an_event_of(t, i)->table == table)
			return true;
	return false;
}

static bool is_split(const struct an_trace *t, uint32_t table)
{
	for (uint32_t i = 0; i < an_n_events(t); i++)
		if (an_event_of(t, i)->split &&
		    an_event_of(t, i)->table == table)
			return true;
	return false;
}

static int key_column(const struct tf_table *have)
{
	int at = an_payload_column(have, span_of("id", 2));

	if (at < 0 || have->columns[at].list ||
	    (have->columns[at].type != TF_U64 &&
	     have->columns[at].type != TF_I64))
		return -1;
	return at;
}

static struct an_source source_of(const struct an_trace *t,
				  const struct tf_table *have, uint64_t wanted)
{
	struct an_source s = { .table = have->id, .key = -1, .other = -1 };

	if (have->id == TF_TABLE_SWITCH)
		s.other = tf_table_column(have, "other");
	else if (wanted >> TF_SAMPLE_EVENT & 1 && is_split(t, have->id))
		s.key = key_column(have);
	an_columns_match(&s.columns, tf_catalog_table(TF_TABLE_SAMPLE), have,
			 wanted);
	return s;
}

int an_sources_find(struct an_sources *out, const struct an_trace *t,
		    const struct an_selection *sel, uint64_t wanted,
		    bool switches, struct err *err)
{
	const struct tf_schema *schema = tf_reader_schema(an_trace_reader(t));
	struct an_sources s = { 0 };

	s.v = calloc(schema->n + 1, sizeof(*s.v));
	if (!s.v)
		return err_nomem(err);
	for (size_t i = 0; i < schema->n; i++) {
		const struct tf_table *have = schema->tables[i];
		bool is_switch = switches && have->id == TF_TABLE_SWITCH;

		if (is_switch || (is_source(have) &&
				  is_wanted(t, sel, have->id)))
			s.v[s.n++] = source_of(t, have, wanted);
	}
	*out = s;
	return 0;
}

void an_sources_fini(struct an_sources *s)
{
	free(s->v);
	*s = (struct an_sources){ 0 };
}

const struct an_source *an_sources_of(const struct an_sources *s,
				      uint32_t table)
{
	size_t low = 0, high = s->n;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (s->v[mid].table < table)
			low = mid + 1;
		else
			high = mid;
	}
	return low < s->n && s->v[low].table == table ? &s->v[low] : NULL;
}

/* Columns from 64 on are there without being asked for. */
static uint64_t bit(int position)
{
	return position >= 0 && position < 64 ? (uint64_t)1 << position : 0;
}

int an_sources_queries(struct tf_query **out, const struct an_sources *s,
		       const struct an_selection *sel, bool payload,
		       struct err *err)
{
	struct tf_query *q = calloc(s->n + 1, sizeof(*q));

	if (!q)
		return err_nomem(err);
	for (size_t i = 0; i < s->n; i++) {
		q[i].table = s->v[i].table;
		q[i].columns = s->v[i].columns.mask | bit(s->v[i].key) |
			       bit(s->v[i].other);
		if (payload && q[i].table >= TF_TABLE_DYNAMIC)
			q[i].columns = UINT64_MAX;
		q[i].t_min = sel ? sel->t_min : 0;
		q[i].t_max = sel ? sel->t_max : UINT64_MAX;
		an_selection_only(sel, &s->v[i].columns, q[i].only);
	}
	*out = q;
	return 0;
}
