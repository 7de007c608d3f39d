/* The tracefs that perf packs into its file for tracepoints: the formats of the
 * events, texts that payloads point to, names of threads. */
#ifndef RECORD_IMPORT_PERFDATA_TRACING_H
#define RECORD_IMPORT_PERFDATA_TRACING_H

#include "format/base/arena.h"
#include "format/base/err.h"
#include "format/base/map64.h"
#include "format/base/span.h"
#include "record/import/perfdata/bytes.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rec_pd_format {
	const char *system, *name;
	struct span text; /* of the format file */
};

struct rec_pd_tracing {
	struct arena arena;  /* what the others point into */
	struct rec_pd_format *items;
	size_t n, cap;
	struct map64 by_id;  /* number of a tracepoint → index */
	uint8_t long_size;   /* bytes, of the recorded machine; 0: not told */
	uint32_t page_size;
	struct span kallsyms; /* of the recorded kernel; empty in what newer
			       * versions of perf write */
	struct span printk;  /* file printk_formats */
	struct span comms;   /* file saved_cmdlines: "PID NAME" a line */
};

void rec_pd_tracing_fini(struct rec_pd_tracing *t); /* zeroed is fine */

/* Takes what stands in `in`, whose window holds a format in one piece
 * (REC_PD_TRACING_WINDOW). On failure what came before is there. */
#define REC_PD_TRACING_WINDOW ((size_t)1 << 20)
int rec_pd_tracing_read(struct rec_pd_tracing *t, struct rec_pd_bytes *in,
			struct err *err);

/* That of a tracepoint by its number; NULL: it did not come. */
const struct rec_pd_format *rec_pd_tracing_of(const struct rec_pd_tracing *t,
					      uint64_t id);

/* The next line "PID NAME"; false: there are no more. */
bool rec_pd_tracing_comm(struct span *lines, int32_t *tid, struct span *name);

#endif
