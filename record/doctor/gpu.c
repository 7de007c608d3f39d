#include "record/doctor/gpu.h"

#include "record/gpu/events.h"

/* All in one line, as the reasons of the others are. */
static const char *summary(struct rec_doctor *d,
			   const struct rec_gpu_report *r)
{
	const char *text = rec_doctor_text(d, "takes %s", rec_gpu_taken(r));

	for (size_t i = 0; i < r->n; i++)
		text = rec_doctor_text(d, "%s; not %s: %s", text,
				       r->missing[i].name, r->missing[i].why);
	return text;
}

void rec_doctor_gpu(struct rec_doctor *d, struct rec_finding *f)
{
	struct rec_events events = { .root = d->m->root };
	struct rec_gpu_report report = { 0 };
	struct err err = { 0 };
	int rc;

	f->verdict = REC_NO;
	f->why = "this needs tracepoints";
	if (rec_machine_reach(d->m) || d->m->tracing != REC_TRACING_OPEN ||
	    rec_machine_try_tracepoint(d->m))
		return;
	rc = rec_gpu_events(&events, &report, true, &err);
	if (rc == ERR_NOMEM)
		d->failed = true;
	if (rc < 0) {
		f->why = rec_doctor_text(d, "%s", err.text);
	} else {
		f->verdict = report.n ? REC_PARTLY : REC_YES;
		f->why = summary(d, &report);
	}
	rec_events_fini(&events);
	rec_gpu_report_fini(&report);
}
