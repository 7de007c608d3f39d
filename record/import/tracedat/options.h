/* The options of a trace.dat file: what was recorded where, and how. */
#ifndef RECORD_IMPORT_TRACEDAT_OPTIONS_H
#define RECORD_IMPORT_TRACEDAT_OPTIONS_H

#include "format/base/arena.h"
#include "format/base/buf.h"
#include "format/base/err.h"
#include "format/base/span.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Both versions; 16 to 21 lead to the parts of meta.h. */
enum rec_dat_option {
	REC_DAT_O_DONE = 0,
	REC_DAT_O_DATE = 1,
	REC_DAT_O_CPUSTAT = 2,
	REC_DAT_O_BUFFER = 3,
	REC_DAT_O_TRACECLOCK = 4,
	REC_DAT_O_UNAME = 5,
	REC_DAT_O_HOOK = 6,
	REC_DAT_O_OFFSET = 7,
	REC_DAT_O_CPUCOUNT = 8,
	REC_DAT_O_VERSION = 9,
	REC_DAT_O_PROCMAPS = 10,
	REC_DAT_O_TRACEID = 11,
	REC_DAT_O_TIME_SHIFT = 12,
	REC_DAT_O_GUEST = 13,
	REC_DAT_O_TSC2NSEC = 14,
	REC_DAT_O_FIRST_PART = 16,
	REC_DAT_O_LAST_PART = 21,
	REC_DAT_O_BUFFER_TEXT = 22,
};

#define REC_DAT_O_PARTS (REC_DAT_O_LAST_PART - REC_DAT_O_FIRST_PART + 1)

/* Places of pages, of all CPUs of all buffers; Linux has at most 8192 CPUs. */
#define REC_DAT_EXTENTS_MAX 16384u

/* Where the pages of a CPU lie. */
struct rec_dat_extent {
	uint32_t cpu;
	uint64_t at, size;
};

/* What one instance of the kernel's tracer recorded. */
struct rec_dat_buffer {
	struct span name;  /* empty: the main one */
	struct span clock; /* empty: as the file says */
	uint64_t at;       /* version 7: its section */
	uint32_t page_size;
	bool text;         /* as the kernel printed it, no events */
	bool packed;
	struct rec_dat_extent *cpus; /* n */
	size_t n;
};

/* What a CPU's ring says of itself. */
struct rec_dat_stat {
	uint32_t cpu;
	uint64_t lost; /* overwritten, or dropped */
};

struct rec_dat_options {
	struct arena memory; /* of the spans */
	struct rec_dat_buffer *buffers; /* version 6: without the main one */
	size_t n_buffers;
	size_t buffers_cap;
	size_t n_extents;   /* of all of them */
	struct rec_dat_stat *stats;
	size_t n_stats;
	size_t stats_cap;
	uint64_t parts[REC_DAT_O_PARTS]; /* of version 7; 0: none */
	struct span clocks; /* trace_clock: the one in brackets is meant */
	struct span uname, version;
	struct buf maps;    /* PROCMAPS, all of them */
	bool has_clock;     /* version 6: it stands behind the extents */
	uint32_t cpus;      /* 0: not told */
	int64_t date;       /* us from the file's times to Unix time */
	int64_t offset;     /* ns to be added to the file's times */
	bool has_date, has_offset;
	bool shifted;       /* of a guest, whose host's times are known */
	unsigned guests;    /* of a host */
	uint32_t tsc_mult, tsc_shift; /* mult 0: not told */
	unsigned unknown;   /* options, skipped */
};

/* Takes options up to the one that ends them, and the rest is left in *in.
 * `next`: where they go on, 0: nowhere. ERR_FORMAT: they are cut short, or one
 * makes no sense; what is before is taken. */
int rec_dat_options_take(struct rec_dat_options *o, struct span *in, bool big,
			 int version, uint64_t *next, struct err *err);
void rec_dat_options_fini(struct rec_dat_options *o); /* zeroed is fine */

/* The name of the clock: of the buffer, else the one that is meant in the list
 * of the file; empty: not told. */
struct span rec_dat_clock(const struct rec_dat_options *o,
			  const struct rec_dat_buffer *b);

/* A further buffer. NULL: out of memory. */
struct rec_dat_buffer *rec_dat_buffer_add(struct rec_dat_options *o);

/* Room for the places of n CPUs of it. ERR_LIMIT: there are too many. */
int rec_dat_extents_add(struct rec_dat_options *o, struct rec_dat_buffer *b,
			uint32_t n, struct err *err);

#endif
