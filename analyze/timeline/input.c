#include "analyze/timeline/provider.h"

#include <string.h>

void an_input_fini(struct an_timeline_input *in)
{
	an_gpu_fini(&in->gpu);
	in->read = false;
}

static bool is_sched(const struct an_trace *t, uint32_t event)
{
	const struct an_event *e = an_event_of(t, event);

	return e->tracepoint != AN_NONE &&
	       strcmp(an_text(t, an_tracepoint_of(t, e->tracepoint)->system),
		      "sched") == 0;
}

/* Who asks for some events only does not mean what others tell. */
static bool wants_sched(const struct an_timeline_input *in)
{
	const struct an_selection *sel = in->sel;

	for (uint32_t i = 0; sel->event && i < sel->n_events; i++)
		if (sel->event[i] && is_sched(in->t, i))
			return true;
	return !sel->event;
}

int an_input_read(struct an_timeline_input *in, struct err *err)
{
	if (in->read)
		return 0;
	in->read = true;
	return an_gpu_make(&in->gpu, in->t, AN_CLIENT_IDLE_NS, err);
}

int an_input_sched(struct an_timeline_input *in, const struct an_sched **out,
		   struct err *err)
{
	int rc = an_input_read(in, err);

	*out = !rc && wants_sched(in) ? in->gpu.sched : NULL;
	return rc;
}
