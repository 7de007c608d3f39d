/* Functions and build-id of an ELF file. With elf_*.c the only user of libelf
 * and libdw; meant for a process that may die of what it reads (loader.h). */
#ifndef RECORD_SYMBOL_ELF_H
#define RECORD_SYMBOL_ELF_H

#include "format/base/err.h"
#include "format/base/span.h"
#include "record/symbol/symtab.h"

#include <stddef.h>
#include <stdint.h>

#define REC_ELF_MAX_BUILD_ID 64

struct rec_elf_source {
	int fd;              /* or -1: `bytes` is the file */
	int debug_fd;        /* its separate debug file; -1: none is known */
	struct span bytes;
	struct span build_id; /* what it must have; empty: not known */
};

struct rec_elf {
	struct rec_symtab symtab; /* addresses are file offsets */
	uint8_t build_id[REC_ELF_MAX_BUILD_ID];
	size_t build_id_size; /* 0: it has none */
};

/* On failure *out is empty. Release with rec_elf_fini(). */
int rec_elf_read(struct rec_elf *out, const struct rec_elf_source *source,
		 struct err *err);
void rec_elf_fini(struct rec_elf *e);

#endif
