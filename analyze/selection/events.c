/* --event */
#include "analyze/selection/choose.h"
#include "analyze/selection/kinds.h"

#include <string.h>

bool an_word_is_event(struct span word, struct span name)
{
	static const char modifiers[] = "ukhGHpPISDWe";

	if (an_word_is(word, name))
		return true;
	while (name.n && memchr(modifiers, name.p[name.n - 1],
				sizeof(modifiers) - 1))
		name.n--;
	return name.n && name.p[name.n - 1] == ':' &&
	       an_word_is(word, span_of(name.p, name.n - 1));
}

/* Behind the events come series of readings. */
static uint32_t name_of(const struct an_trace *t, uint32_t i)
{
	uint32_t n = (uint32_t)an_n_events(t);

	return i < n ? an_event_of(t, i)->name : an_series_of(t, i - n)->name;
}

static bool is_event(const struct an_trace *t, uint32_t i, struct span word)
{
	return an_word_is_event(word, an_string(t, name_of(t, i)));
}

static void show_event(const struct an_trace *t, uint32_t i, struct buf *to)
{
	buf_printf(to, "%s", an_text(t, name_of(t, i)));
}

static const struct an_kind by_event = { "event", "event", false, is_event,
					 show_event };

/* The rows of a split event name the one that it is split from. */
static void mark_rows(struct an_selection *sel, const struct an_trace *t,
		      uint32_t i)
{
	const struct an_event *e = an_event_of(t, i);

	if (!sel->event[i])
		return;
	sel->event_rows[i] = true;
	if (e->key && e->of < sel->n_events)
		sel->event_rows[e->of] = true;
}

int an_select_events(struct an_selection *sel,
		     const struct an_selection_args *args,
		     const struct an_trace *t, struct err *err)
{
	uint32_t n = (uint32_t)an_n_events(t);
	uint32_t all = n + (uint32_t)an_n_series(t);
	int rc;

	if (!args->event.n)
		return 0;
	sel->n_events = n;
	sel->event = an_marks_new(all, err);
	sel->event_rows = sel->event ? an_marks_new(n, err) : NULL;
	if (!sel->event_rows)
		return ERR_NOMEM;
	rc = an_choose(&args->event, &by_event, t, all, sel->event, err);
	for (uint32_t i = 0; i < n; i++)
		mark_rows(sel, t, i);
	return rc;
}
