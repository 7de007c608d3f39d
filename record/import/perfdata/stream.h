/* The records of a file one after another, as they stand there. */
#ifndef RECORD_IMPORT_PERFDATA_STREAM_H
#define RECORD_IMPORT_PERFDATA_STREAM_H

#include "format/base/err.h"
#include "format/base/span.h"
#include "record/import/perfdata/bytes.h"

#include <stdbool.h>
#include <stdint.h>

/* Of perf itself, not of the kernel. */
enum rec_pd_type {
	REC_PD_HEADER_ATTR = 64,
	REC_PD_HEADER_EVENT_TYPE = 65,
	REC_PD_HEADER_TRACING_DATA = 66,
	REC_PD_HEADER_BUILD_ID = 67,
	REC_PD_FINISHED_ROUND = 68,
	REC_PD_ID_INDEX = 69,
	REC_PD_AUXTRACE_INFO = 70,
	REC_PD_AUXTRACE = 71,
	REC_PD_AUXTRACE_ERROR = 72,
	REC_PD_THREAD_MAP = 73,
	REC_PD_CPU_MAP = 74,
	REC_PD_STAT_CONFIG = 75,
	REC_PD_STAT = 76,
	REC_PD_STAT_ROUND = 77,
	REC_PD_EVENT_UPDATE = 78,
	REC_PD_TIME_CONV = 79,
	REC_PD_HEADER_FEATURE = 80,
	REC_PD_COMPRESSED = 81,
	REC_PD_FINISHED_INIT = 82,
	REC_PD_COMPRESSED2 = 83,
	REC_PD_BPF_METADATA = 84,
	/* simpleperf's own begin here; they may be larger than 64 KiB. */
	REC_PD_SIMPLEPERF = 32768,
};

#define REC_PD_RECORD_HEAD 8u

struct rec_pd_stream {
	struct rec_pd_bytes bytes;
	bool foreign;
	bool complete;    /* none is missing at the end: a record that goes on
			   * beyond is broken */
};

/* A record: its head in native form, its bytes as they came. */
struct rec_pd_raw {
	uint64_t at;      /* offset in the file */
	uint32_t type;
	uint16_t misc;
	uint64_t size;
	struct span bytes; /* head included; of simpleperf's only the head */
	uint64_t behind;  /* bytes that belong to it, but follow it */
};

/* Reads the head that *bytes begin with; false: there are less than 8. */
bool rec_pd_raw_head(struct rec_pd_raw *out, struct span bytes, bool foreign);

/* The next record. 1: the end. ERR_FORMAT: what follows is none. It stays there
 * until rec_pd_stream_next(), which also skips what follows it. */
int rec_pd_stream_peek(struct rec_pd_stream *s, struct rec_pd_raw *out,
		       struct err *err);
int rec_pd_stream_next(struct rec_pd_stream *s, const struct rec_pd_raw *r,
		       struct err *err);

#endif
