#include "analyze/flame.h"

#include "analyze/samples.h"

#include <errno.h>
#include <inttypes.h>

int an_flame_err(int rc, struct err *err, const char *what)
{
	if (rc == -ENOMEM)
		return err_nomem(err);
	if (rc == -EOVERFLOW)
		return err_set(err, ERR_LIMIT, "%s: the weights add up to more "
			       "than 2^64", what);
	return err_sys(err, -rc, "cannot write %s", what);
}

struct an_event_profile *an_flame_pick(const struct an_trace *t,
				       const struct an_profile *p,
				       const struct log *log)
{
	struct an_event_profile *first = NULL;
	size_t others = 0;

	for (size_t i = 0; i < p->n; i++) {
		struct an_event_profile *e = &p->events[i];

		if (!e->total.samples)
			continue;
		if (e->event == AN_NONE)
			log_warn(log, "%s: %" PRIu64 " samples of an event "
				 "whose definition is damaged%s",
				 an_trace_path(t),
				 e->total.samples, first ? "; left out" : "");
		else if (first)
			others++;
		if (!first)
			first = e;
	}
	if (others)
		log_info(log, "event '%s' is shown, %zu more %s samples "
			 "(choose with -e, see: analyze info)",
			 an_text(t, an_event_of(t, first->event)->name),
			 others, others > 1 ? "have" : "has");
	return first;
}

void an_flame_say_none(const struct an_trace *t, const struct an_profile *p,
		       const struct log *log)
{
	uint64_t t_min, t_max;
	int rc = an_samples_bounds(t, &t_min, &t_max, NULL);

	if (rc == 0)
		log_warn(log, "no samples are selected in '%s'",
			 an_trace_path(t));
	else
		log_warn(log, "no samples in '%s' (%zu events, %zu threads; "
			 "see: analyze info)", an_trace_path(t), p->n,
			 an_n_threads(t));
}
