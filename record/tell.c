#include "record/tell.h"

#include "record/about.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static void warn_loss(const struct rec_ending *e, const struct log *log,
		      enum tf_loss_kind kind, const char *what)
{
	if (e->losses->total[kind])
		log_warn(log, "%" PRIu64 " %s", e->losses->total[kind], what);
}

static void warn(const struct rec_ending *e, const struct log *log)
{
	const struct rec_escapes *escapes = &e->world->escapes;

	warn_loss(e, log, TF_LOSS_RING,
		  "samples were lost by the kernel (try a larger -m or a lower "
		  "-F)");
	warn_loss(e, log, TF_LOSS_SIDEBAND,
		  "mapping or process records were lost: some names may be "
		  "wrong or missing");
	warn_loss(e, log, TF_LOSS_DECODE,
		  "records made no sense and were skipped");
	warn_loss(e, log, TF_LOSS_SYMBOLS,
		  "addresses were not looked up and have no name");
	if (escapes->found)
		log_warn(log, REC_ESCAPED " (try: as root, with -a)",
			 escapes->found, (int)escapes->pid, escapes->comm);
	else if (!e->samples && rec_perf_n_events(e->perf))
		log_warn(log,
			 "no samples: nothing ran long enough, or no "
			 "such event came");
	if (e->output->n_stayed)
		log_warn(log, "%" PRIu64 " older files could not be deleted",
			 e->output->n_stayed);
}

static void say_what(char *to, size_t size, const struct rec_ending *e)
{
	uint64_t samples = e->samples, readings = e->counters->rows.written;

	if (!readings)
		snprintf(to, size, "%" PRIu64 " samples", samples);
	else if (!rec_perf_n_events(e->perf))
		snprintf(to, size, "%" PRIu64 " readings of counters",
			 readings);
	else
		snprintf(to, size, "%" PRIu64 " samples, %" PRIu64 " readings "
			 "of counters", samples, readings);
}

void rec_tell(const struct rec_ending *e, const struct log *log)
{
	const struct rec_output *o = e->output;
	const struct rec_event *thinned;
	size_t n_thinned = rec_perf_n_thinned(e->perf, &thinned);
	const char *name = strcmp(o->path, "-") ? o->path : "standard output";
	char what[128];

	say_what(what, sizeof(what), e);
	warn(e, log);
	if (n_thinned)
		log_info(log, REC_THINNED, thinned->name, n_thinned);
	if (e->by_size)
		log_info(log, "ended at the size that --max-size allows");
	if (e->counters->readings.dropped)
		log_warn(log, "%" PRIu64 " readings of counters were dropped",
			 e->counters->readings.dropped);
	if (o->split)
		log_info(log, "%s, %" PRIu64 " bytes in %" PRIu64 " files, the "
			 "last one '%s'", what, e->bytes, o->n_files, o->now);
	else
		log_info(log, "%s, %" PRIu64 " bytes in '%s'", what, e->bytes,
			 name);
}
