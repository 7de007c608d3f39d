/* Definitions that are kept for what they say, not because a row refers to
 * them. */
#include "analyze/rewrite/keep_state.h"
#include "analyze/symbols.h"

#include "format/base/mem.h"
#include "format/catalog.h"

#include <stdlib.h>

typedef bool rule(const struct an_keep *k, const struct tf_view *v,
		  uint32_t row);

/* An event that is not selected is not missed, also not by its losses. */
static bool keep_event(const struct an_keep *k, const struct tf_view *v,
		       uint32_t row)
{
	const struct an_selection *sel = k->sel;
	uint64_t at = v->base_row + row;
	const uint32_t *ids;
	size_t n;

	if (!sel->event)
		return true;
	ids = an_trace_ids(k->t, v->epoch, AN_SPACE_EVENT, &n);
	return at < n && ids[at] < sel->n_events &&
	       (sel->event[ids[at]] || sel->event_rows[ids[at]]);
}

static bool keep_thread(const struct an_keep *k, const struct tf_view *v,
			uint32_t row)
{
	uint32_t at;

	return map64_get(&k->tids,
			 (uint32_t)an_keep_value(v, TF_THREAD_TID, row), &at);
}

static bool has_pid(const struct an_keep *k, uint64_t pid)
{
	uint32_t at;

	return map64_get(&k->pids, pid, &at);
}

static bool keep_process(const struct an_keep *k, const struct tf_view *v,
			 uint32_t row)
{
	return has_pid(k, an_keep_value(v, TF_PROCESS_PID, row));
}

static bool keep_mapping(const struct an_keep *k, const struct tf_view *v,
			 uint32_t row)
{
	return has_pid(k, an_keep_value(v, TF_MAPPING_PID, row)) &&
	       an_wanted_has(&k->need, v->epoch,
			   an_shape_find(&k->shape, TF_TABLE_IMAGE),
			   an_keep_value(v, TF_MAPPING_IMAGE, row));
}

/* Rows of symbols have their number in the trace by their order in the file. */
static bool keep_symbol(const struct an_keep *k, const struct tf_view *v,
			uint32_t row)
{
	size_t at = (size_t)k->next_symbol + row;

	(void)v;
	return at < an_n_symbols(k->t) && k->symbols[at];
}

static bool keep_loss(const struct an_keep *k, const struct tf_view *v,
		      uint32_t row)
{
	uint64_t time = an_keep_value(v, TF_LOSS_TIME, row);
	uint64_t event = an_keep_value(v, TF_LOSS_EVENT, row);

	return time >= k->sel->t_min && time <= k->sel->t_max &&
	       (!event ||
		an_wanted_has(&k->need, v->epoch,
			    an_shape_find(&k->shape, TF_TABLE_EVENT),
			    event - 1));
}

static const struct {
	uint32_t table;
	rule *keeps;
} rules[] = {
	{ TF_TABLE_EVENT, keep_event },
	{ TF_TABLE_THREAD, keep_thread },
	{ TF_TABLE_PROCESS, keep_process },
	{ TF_TABLE_MAPPING, keep_mapping },
	{ TF_TABLE_SYMBOL, keep_symbol },
	{ TF_TABLE_LOSS, keep_loss },
};

bool an_keep_by_rule(struct an_keep *k, const struct an_keep_table *tb,
		     const struct tf_view *v, uint32_t row)
{
	for (size_t i = 0; i < ARRAY_LEN(rules); i++)
		if (rules[i].table == tb->table->id)
			return rules[i].keeps(k, v, row);
	return !tb->is_target;
}

struct place { /* a function of the kernel, at its address */
	uint64_t start;
	uint32_t symbol;
};

static int by_start(const void *a, const void *b)
{
	const struct place *x = a, *y = b;
	int order = CMP(x->start, y->start);

	return order ? order : CMP(x->symbol, y->symbol);
}

/* All that begin where the last one at or before the address does: whoever
 * prints the payload finds one of them. */
static void mark_at(struct an_keep *k, const struct place *v, size_t n,
		    uint64_t address)
{
	size_t low = 0, high = n;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (v[mid].start <= address)
			low = mid + 1;
		else
			high = mid;
	}
	for (size_t i = low; i-- > 0 && v[i].start == v[low - 1].start;)
		k->symbols[v[i].symbol] = true;
}

static bool kernel_text(const struct an_trace *t, uint64_t *text)
{
	const char *fact = an_fact(t, "kernel_text");
	char *end;

	if (!fact || !*fact)
		return false;
	*text = strtoull(fact, &end, 0);
	return !*end && *text;
}

static int mark_pointers(struct an_keep *k, struct err *err)
{
	uint64_t text, address;
	struct place *v;
	size_t n = 0, at = 0;

	if (!k->pointers.n || !kernel_text(k->t, &text))
		return 0;
	v = calloc(an_n_symbols(k->t) + 1, sizeof(*v));
	if (!v)
		return err_nomem(err);
	for (uint32_t i = 0; i < an_n_symbols(k->t); i++) {
		const struct an_symbol *s = an_symbol_of(k->t, i);

		if (an_image_of(k->t, s->image)->kind == TF_IMAGE_KERNEL &&
		    s->name && !ckd_add(&v[n].start, text, s->start))
			v[n++].symbol = i;
	}
	if (n)
		qsort(v, n, sizeof(*v), by_start);
	while (map64_next(&k->pointers, &at, &address))
		mark_at(k, v, n, address);
	free(v);
	return 0;
}

int an_keep_symbols(struct an_keep *k, struct err *err)
{
	int rc = an_symbols_mark(k->t, k->frames, k->symbols, err);

	return rc ? rc : mark_pointers(k, err);
}
