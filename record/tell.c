#include "record/tell.h"

#include "record/about.h"

#include <inttypes.h>
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
	else if (!e->samples)
		log_warn(log,
			 "no samples: nothing ran long enough, or no "
			 "such event came");
	if (e->output->n_stayed)
		log_warn(log, "%" PRIu64 " older files could not be deleted",
			 e->output->n_stayed);
}

void rec_tell(const struct rec_ending *e, const struct log *log)
{
	const struct rec_output *o = e->output;
	const struct rec_event *thinned;
	size_t n_thinned = rec_perf_n_thinned(e->perf, &thinned);
	const char *name = strcmp(o->path, "-") ? o->path : "standard output";

	warn(e, log);
	if (n_thinned)
		log_info(log, REC_THINNED, thinned->name, n_thinned);
	if (e->by_size)
		log_info(log, "ended at the size that --max-size allows");
	if (o->split)
		log_info(log, "%" PRIu64 " samples, %" PRIu64 " bytes in %"
			 PRIu64 " files, the last one '%s'", e->samples,
			 e->bytes, o->n_files, o->now);
	else
		log_info(log, "%" PRIu64 " samples, %" PRIu64 " bytes in '%s'",
			 e->samples, e->bytes, name);
}
