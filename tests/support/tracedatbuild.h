/* Builds trace.dat files of version 6 and 7 in memory, in either byte order, out
 * of records that are packed by hand. Layouts: trace-cmd.dat.v6(5) and v7(5),
 * include/linux/ring_buffer.h. */
#ifndef TESTS_TRACEDATBUILD_H
#define TESTS_TRACEDATBUILD_H

#include "format/base/buf.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TDB_PAGE 512u
#define TDB_CPUS 2u
#define TDB_BUFFERS 2u /* the main one, and instance "foo" */

/* Numbers of the events that have formats. */
enum {
	TDB_PRINT = 5,
	TDB_KERNEL_STACK = 4,
	TDB_BPRINT = 6,
	TDB_USER_STACK = 12,
	TDB_BPUTS = 14,
	TDB_RAW_DATA = 18,
	TDB_SWITCH = 300, /* sched:sched_switch */
	TDB_ALL = 301,    /* test:all: a field of each kind */
};

struct tdb_option {
	uint16_t id;
	const void *p;
	size_t n;
};

struct tdb {
	int version;
	bool big;
	unsigned long_size;
	const char *codec;       /* version 7: "none", "zstd", "zlib" */
	bool instances;          /* buffer 1 is in the file */
	const char *clock;
	const char *kallsyms, *printk, *comms;
	const struct tdb_option *options;
	size_t n_options;
	uint32_t cpus;           /* version 6: that have pages; 0: all */
	uint32_t said;           /* version 6: number of CPUs in front of the
				  * options; 0: as many as have pages */

	/* Made by the functions below. */
	struct buf pages[TDB_BUFFERS][TDB_CPUS];
	size_t open[TDB_BUFFERS][TDB_CPUS]; /* where the last page begins */
	struct buf payload;
};

/* Sets what is usual; options may be changed afterwards. */
void tdb_init(struct tdb *t, int version, bool big, unsigned long_size);
void tdb_fini(struct tdb *t);

/* A page; records after it belong to it. `lost`: 0 nothing, UINT64_MAX it is not
 * said how much. */
void tdb_page(struct tdb *t, unsigned buffer, unsigned cpu, uint64_t time,
	      uint64_t lost);

/* The payload of the next record, field by field; each is aligned to its size,
 * as the compiler of a kernel does it. */
void tdb_begin(struct tdb *t, unsigned id, int32_t pid);
void tdb_number(struct tdb *t, size_t size, uint64_t v);
void tdb_long(struct tdb *t, uint64_t v);
void tdb_bytes(struct tdb *t, const void *p, size_t n);

/* Ends it: `delta` ns (below 2^27) after what is before it in the page. */
void tdb_commit(struct tdb *t, unsigned buffer, unsigned cpu, uint32_t delta);
/* Things that are no records: 29 padding of a discarded one (with `size` bytes
 * behind its head), 30 time extend, 31 time stamp. */
void tdb_event(struct tdb *t, unsigned buffer, unsigned cpu, unsigned type,
	       uint64_t value, uint32_t size);

/* The file. */
void tdb_file(struct tdb *t, struct buf *out);

#endif
