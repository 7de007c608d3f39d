/* What perf noted about machine and recording: the feature sections of a file,
 * the same as records of a pipe. */
#ifndef RECORD_IMPORT_PERFDATA_FEATURES_H
#define RECORD_IMPORT_PERFDATA_FEATURES_H

#include "format/base/err.h"
#include "format/base/span.h"
#include "record/import/intake.h"
#include "record/import/perfdata/attrs.h"
#include "record/import/perfdata/header.h"
#include "record/import/perfdata/tracing.h"

#include <stdbool.h>
#include <stdint.h>

struct rec_pd_described {
	struct rec_pd_attrs attrs;
	struct rec_pd_tracing tracing;
	struct rec_intake *to;  /* facts and build-ids go there */
	bool foreign;
	bool folder;            /* all files of a folder are read */
	bool has_clock;         /* a reading of the file's clock was there */
	char lost[200];         /* names of features that were cut off; "" */
	char trouble[200];      /* what of this could not be used, the first; ""*/
};

/* A feature of any number; those without use are left alone. What is wrong
 * with it is noted and no failure. */
int rec_pd_feature(struct rec_pd_described *d, unsigned number,
		   struct span body, struct err *err);

/* All features of a file of `size` bytes. */
int rec_pd_features(struct rec_pd_described *d, const struct rec_pd_header *h,
		    int fd, uint64_t size, struct err *err);

/* A build-id as section and record of a pipe have it, its header included. */
int rec_pd_build_id(struct rec_pd_described *d, struct span record,
		    struct err *err);

/* A section or its like with the files of tracefs. */
int rec_pd_tracing_section(struct rec_pd_described *d,
			   const struct rec_pd_section *s, int fd,
			   struct err *err);

/* Of a clockid_t of Linux. */
const char *rec_pd_clock_name(uint32_t id);

/* Notes what could not be used, where it is the first. */
void rec_pd_trouble(struct rec_pd_described *d, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

#endif
