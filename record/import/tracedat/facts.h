/* What is known about the recording, and what there is to say about it. */
#ifndef RECORD_IMPORT_TRACEDAT_FACTS_H
#define RECORD_IMPORT_TRACEDAT_FACTS_H

#include "record/import/intake.h"
#include "record/import/tracedat/give.h"
#include "record/import/tracedat/meta.h"

/* Before the rows. Mappings of processes are told, too. */
int rec_dat_facts(struct rec_intake *to, const struct rec_dat_file *f,
		  const struct rec_dat_meta *m, struct err *err);

/* Of the clock; `first`: time of the first row, as it is in the file. */
void rec_dat_facts_clock(struct rec_intake *to, const struct rec_dat_meta *m,
			 uint64_t first);

/* After them. */
void rec_dat_facts_end(const struct rec_dat_give *g,
		       const struct rec_dat_formats *formats);

#endif
