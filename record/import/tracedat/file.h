/* A trace.dat file: its first bytes, and what lies at places in it. */
#ifndef RECORD_IMPORT_TRACEDAT_FILE_H
#define RECORD_IMPORT_TRACEDAT_FILE_H

#include "format/base/err.h"
#include "format/base/span.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ZSTD_DCtx_s;

/* Kept in memory at a time, of pages and of what is told about them; real
 * files need some tens of MiB, a small one that asks for more is refused. */
#define REC_DAT_MEMORY_MAX (256u << 20)

/* Bytes of a page of the ring. Since Linux 6.8 it can be larger than a page of
 * memory. */
#define REC_DAT_PAGE_MIN 64u
#define REC_DAT_PAGE_MAX (16u << 20)

enum rec_dat_codec { REC_DAT_PLAIN, REC_DAT_ZSTD, REC_DAT_ZLIB };

struct rec_dat_file {
	int fd; /* not owned */
	uint64_t size;
	int version; /* 6 or 7 */
	bool big;    /* endian */
	unsigned long_size; /* of the recorded kernel: 4 or 8 */
	uint32_t page_size;
	enum rec_dat_codec codec;
	uint64_t body;    /* where the rest begins */
	uint64_t options; /* version 7: the first section of options */
	struct ZSTD_DCtx_s *zstd;
	size_t held;      /* bytes of memory out of REC_DAT_MEMORY_MAX */
};

/* Owned bytes of the file. */
struct rec_dat_part {
	uint8_t *p;
	size_t n;
};

#define REC_DAT_SECTION_HEADER 16u

/* What begins a section of version 7. */
struct rec_dat_section {
	uint16_t id;
	bool packed;
	uint64_t at, size; /* of what follows */
};

/* Whether it begins as one of any version does. */
bool rec_dat_is(struct span head);

/* Reads the first bytes. ERR_UNSUPPORTED: a version or compression that is
 * not known. */
int rec_dat_file_open(struct rec_dat_file *f, int fd, uint64_t size,
		      struct err *err);
void rec_dat_file_close(struct rec_dat_file *f); /* zeroed is fine */

/* Exactly n bytes from `at` on. ERR_FORMAT: the file ends before. */
int rec_dat_file_read(const struct rec_dat_file *f, uint64_t at, void *to,
		      size_t n, struct err *err);

/* n bytes of memory out of the common limit. On failure *to is untouched. */
int rec_dat_part_new(struct rec_dat_part *to, struct rec_dat_file *f,
		     uint64_t n, struct err *err);
void rec_dat_part_fini(struct rec_dat_part *p, struct rec_dat_file *f);

/* A part of the file as it is, in memory. */
int rec_dat_part_load(struct rec_dat_part *to, struct rec_dat_file *f,
		      uint64_t at, uint64_t n, struct err *err);

int rec_dat_section_at(struct rec_dat_section *out,
		       const struct rec_dat_file *f, uint64_t at,
		       struct err *err);
/* All of a section, unpacked where it is packed. */
int rec_dat_section_load(struct rec_dat_part *to, struct rec_dat_file *f,
			 const struct rec_dat_section *s, struct err *err);

/* Decompresses exactly n bytes. */
int rec_dat_unpack(struct rec_dat_file *f, struct span from, void *to,
		   size_t n, struct err *err);

#endif
