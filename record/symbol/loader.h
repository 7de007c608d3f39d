/* Reads an ELF file in a process of its own that is thrown away afterwards: one
 * that crashes, spins or eats memory over a bad file costs the names of that
 * file only. */
#ifndef RECORD_SYMBOL_LOADER_H
#define RECORD_SYMBOL_LOADER_H

#include "format/base/err.h"
#include "record/symbol/elf.h"

struct rec_loader {
	/* What the process runs: rec_elf_read, or a stand-in in tests. */
	int (*read)(struct rec_elf *out, const struct rec_elf_source *source,
		    struct err *err);
	uint64_t patience_ns; /* how long it may take, disks included */
	unsigned cpu_seconds; /* how long it may run */
};

extern const struct rec_loader rec_loader_elf;

struct rec_nursery;

/* As rec_elf_read(); what the process sends is checked. It is forked by `n`, or
 * here where that is not there or `source` is no file. */
int rec_loader_run(const struct rec_loader *l, struct rec_nursery *n,
		   struct rec_elf *out, const struct rec_elf_source *source,
		   struct err *err);

/* What that process does. */
_Noreturn void rec_loader_read(const struct rec_loader *l, int to,
			       const struct rec_elf_source *source);

#endif
