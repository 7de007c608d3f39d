/* What a file says of itself before its records are read: from its header and
 * sections, or, where it was written to a pipe, from records among the others. */
#ifndef RECORD_IMPORT_PERFDATA_DESCRIBE_H
#define RECORD_IMPORT_PERFDATA_DESCRIBE_H

#include "format/base/err.h"
#include "record/import/perfdata/features.h"
#include "record/import/perfdata/header.h"

#include <stdint.h>

/* d->to is set. Build-ids of a pipe come last in it: they are found before its
 * samples are read. ERR_FORMAT: it has no events. */
int rec_pd_describe(struct rec_pd_described *d, const struct rec_pd_header *h,
		    int fd, uint64_t size, struct err *err);
void rec_pd_described_fini(struct rec_pd_described *d); /* zeroed is fine */

#endif
