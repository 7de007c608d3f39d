/* The records of a perf.data on their way to the intake: taken out of compressed
 * ones, turned into native form, put in order. */
#ifndef RECORD_IMPORT_PERFDATA_SESSION_H
#define RECORD_IMPORT_PERFDATA_SESSION_H

#include "format/base/err.h"
#include "record/import/perfdata/features.h"
#include "record/import/perfdata/folder.h"
#include "record/import/perfdata/header.h"
#include "record/import/perfdata/inflate.h"
#include "record/import/perfdata/order.h"
#include "record/import/perfdata/skipped.h"
#include "record/import/perfdata/stream.h"
#include "record/import/perfdata/take.h"
#include "record/import/perfdata/unused.h"

#include <stdint.h>

struct rec_pd_session {
	struct rec_pd_described *d;
	const struct rec_pd_folder *folder; /* NULL: one file is all */
	uint64_t file;        /* which of it: see REC_PD_PLACE_FILE */
	struct rec_pd_stream stream;
	struct rec_pd_inflate inflate;
	struct rec_pd_order order;
	struct rec_pd_take take;
	struct rec_pd_skipped skipped;
	struct rec_pd_unused unused;
	bool asked_for_build_ids; /* an event of the recording, for those of
				   * what is mapped */
	uint8_t *native;      /* a record that had to be changed */
	uint64_t last;        /* time of the record before */
	uint64_t newest;      /* of this round and those before it */
	uint64_t settled;     /* nothing older can come behind the next round */
	uint64_t records;
	bool broken;          /* the compressed stream is, from some place on */
	struct err broken_why;
	struct err trouble;   /* with a file, the first one; "": none */
};

/* The records of `fd`. With more files, set ->folder before the run. `order`:
 * zero, or as tests want it. */
int rec_pd_session_init(struct rec_pd_session *s, struct rec_pd_described *d,
			const struct rec_pd_header *h, int fd,
			const struct rec_pd_order_config *order,
			struct err *err);
void rec_pd_session_fini(struct rec_pd_session *s); /* zeroed is fine */

/* All records. 1: as far as they are sound, *err tells what is wrong behind. */
int rec_pd_session_run(struct rec_pd_session *s, struct err *err);

#endif
