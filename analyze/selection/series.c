/* Which series of readings go with the selected rows. */
#include "analyze/selection/choose.h"
#include "analyze/selection/kinds.h"

#include <string.h>

static bool is_any(const struct an_trace *t, const struct an_series *s,
		   const struct opt_list *l,
		   bool (*is)(const struct an_trace *t,
			      const struct an_series *s, struct span word))
{
	for (size_t i = 0; i < l->n; i++) {
		const char *at = l->items[i];

		/* A whole value, or the words in it. */
		if (is(t, s, an_word(at)))
			return true;
		for (; *at; at += *at == ',') {
			size_t n = strcspn(at, ",");

			if (is(t, s, span_of(at, n)))
				return true;
			at += n;
		}
	}
	return false;
}

bool an_series_is_pid(const struct an_trace *t, const struct an_series *s,
		      struct span word)
{
	uint64_t number;

	(void)t;
	return an_word_number(word, INT32_MAX, &number) && number &&
	       s->pid == (int32_t)number;
}

bool an_series_is_comm(const struct an_trace *t, const struct an_series *s,
		       struct span word)
{
	return s->pid && an_word_is(word, an_string(t, s->label));
}

bool an_series_is_name(const struct an_trace *t, const struct an_series *s,
		       struct span word)
{
	return an_word_is_event(word, an_string(t, s->name));
}

static bool is_cpu(const struct an_selection *sel, int32_t cpu)
{
	size_t word = (size_t)cpu / 64;

	return word < sel->n_cpu_words && sel->cpu_bits[word] >> (cpu % 64) & 1;
}

static bool is_event(const struct an_selection *sel, const struct an_series *s)
{
	return s->event < sel->n_events && sel->event[s->event];
}

/* Series of no process and no CPU are of all of them. */
static bool is_selected(const struct an_selection *sel,
			const struct an_selection_args *args,
			const struct an_trace *t, const struct an_series *s)
{
	if (args->pid.n && s->pid &&
	    !is_any(t, s, &args->pid, an_series_is_pid))
		return false;
	if (args->comm.n && s->pid &&
	    !is_any(t, s, &args->comm, an_series_is_comm))
		return false;
	if (args->event.n && !is_event(sel, s) &&
	    !is_any(t, s, &args->event, an_series_is_name))
		return false;
	return !sel->cpu_bits || s->cpu < 0 || is_cpu(sel, s->cpu);
}

int an_select_series(struct an_selection *sel,
		     const struct an_selection_args *args,
		     const struct an_trace *t, struct err *err)
{
	uint32_t n = (uint32_t)an_n_series(t);

	if (!n || !(args->pid.n || args->comm.n || args->event.n ||
		    sel->cpu_bits))
		return 0;
	sel->n_series = n;
	sel->series = an_marks_new(n, err);
	if (!sel->series)
		return ERR_NOMEM;
	for (uint32_t i = 0; i < n; i++)
		sel->series[i] = is_selected(sel, args, t,
					     an_series_of(t, i));
	return 0;
}
