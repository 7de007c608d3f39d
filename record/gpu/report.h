/* What is recorded of the GPU, and what is missing and why. */
#ifndef RECORD_GPU_REPORT_H
#define RECORD_GPU_REPORT_H

#include "format/base/buf.h"
#include "format/base/err.h"
#include "format/base/log.h"

#include <stdbool.h>
#include <stddef.h>

struct rec_gpu_report {
	bool asked;          /* --gpu */
	struct buf sources;  /* what is taken: names with blanks between */
	struct rec_gpu_missing {
		char *name, *why;
	} *missing;
	size_t n, cap;
};

void rec_gpu_report_fini(struct rec_gpu_report *r); /* zeroed is fine */

/* Names that are there already are left as they are. */
int rec_gpu_take(struct rec_gpu_report *r, const char *name, struct err *err);
int rec_gpu_miss(struct rec_gpu_report *r, struct err *err, const char *name,
		 const char *fmt, ...) __attribute__((format(printf, 4, 5)));

/* The names, for printf; "" where nothing is. */
const char *rec_gpu_taken(const struct rec_gpu_report *r);

void rec_gpu_tell(const struct rec_gpu_report *r, const struct log *log);

#endif
