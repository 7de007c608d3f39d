/* Makes perf.data files, field by field as the kernel's and perf's headers lay
 * them out, in either byte order. */
#ifndef TESTS_SUPPORT_PERFDATABUILD_H
#define TESTS_SUPPORT_PERFDATABUILD_H

#include "format/base/buf.h"
#include "format/base/span.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pdb {
	struct buf b;
	bool big; /* byte order */
};

void pdb_u16(struct pdb *p, uint16_t v);
void pdb_u32(struct pdb *p, uint32_t v);
void pdb_u64(struct pdb *p, uint64_t v);
void pdb_pair(struct pdb *p, uint32_t a, uint32_t b); /* as pid and tid */
void pdb_room(struct pdb *p, const char *text, size_t room); /* NUL-padded */
void pdb_bytes(struct pdb *p, const void *bytes, size_t n);
void pdb_string(struct pdb *p, const char *text); /* size, then its room */

/* A record: what is put between these is its body, padded to words. */
size_t pdb_begin(struct pdb *p, uint32_t type, uint16_t misc);
void pdb_end(struct pdb *p, size_t begin);

struct pdb_attr {
	uint32_t type, size;
	uint64_t config, period, sample_type, read_format;
	uint64_t flags;       /* bits as a little-endian machine has them */
	uint64_t branch_type, regs_user;
	const uint64_t *ids;
	size_t n_ids;
};

#define PDB_FREQ (UINT64_C(1) << 10)
#define PDB_SAMPLE_ID_ALL (UINT64_C(1) << 18)
#define PDB_EXCLUDE_GUEST (UINT64_C(1) << 20)

void pdb_attr(struct pdb *p, const struct pdb_attr *a);

struct pdb_feature {
	unsigned number;
	struct span body;
};

struct pdb_file {
	const struct pdb_attr *attrs;
	size_t n_attrs;
	size_t more;          /* bytes between an attribute and the next one's
			       * ids that nobody knows */
	struct span data;
	const struct pdb_feature *features; /* by number */
	size_t n_features;
	bool old, killed;
};

/* Header, ids, attributes, data, features. */
void pdb_file(struct pdb *p, const struct pdb_file *f);

/* The 16 bytes before what is written to a pipe, and an event in it. */
void pdb_pipe(struct pdb *p);
void pdb_pipe_attr(struct pdb *p, const struct pdb_attr *a);

#endif
