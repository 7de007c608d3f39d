/* An open ELF file, for the readers of its parts: what of libelf they share. */
#ifndef RECORD_SYMBOL_ELF_FILE_H
#define RECORD_SYMBOL_ELF_FILE_H

#include "record/symbol/elf.h"

#include <gelf.h>
#include <stdbool.h>

#define REC_ELF_MAX_SEGMENTS 256 /* executable ones; linkers make one or two */

struct rec_elf_segment {
	uint64_t address, offset, size;
};

struct rec_elf_section {
	uint64_t address, end;
	bool code;
};

/* A slot of the global offset table, and what a jump through it is called. */
struct rec_elf_slot {
	uint64_t address;
	uint32_t name; /* in symtab->names */
};

struct rec_elf_file {
	Elf *elf;
	uint8_t *copy; /* of a file in memory: libelf may write into it */
	GElf_Ehdr head;
	int debug_fd;
	struct span build_id; /* empty: it has none */
	struct rec_elf_segment segments[REC_ELF_MAX_SEGMENTS];
	size_t n_segments;
	struct rec_elf_section *sections; /* by index */
	size_t n_sections;
	struct rec_elf_slot *slots;
	size_t n_slots;
	size_t slots_cap;
	struct rec_symtab *symtab;
};

/* Opens it and reads where its code lies. Close it also after a failure. */
int rec_elf_file_open(struct rec_elf_file *f,
		      const struct rec_elf_source *source, struct err *err);
void rec_elf_file_close(struct rec_elf_file *f);

bool rec_elf_file_is(const struct rec_elf_file *f, struct span build_id);

/* false: there is no code of the file at this address. */
bool rec_elf_file_offset(const struct rec_elf_file *f, uint64_t address,
			 uint64_t *offset);

/* NULL: it has none of this name. */
Elf_Scn *rec_elf_file_section(struct rec_elf_file *f, const char *name,
			      GElf_Shdr *h);

/* "WHAT: " and what libelf says. */
int rec_elf_refused(struct err *err, const char *what);

/* Adds names for the jumps into other libraries; f->symtab must be finished,
 * and finished again afterwards. */
int rec_elf_read_plts(struct rec_elf_file *f, struct err *err);

#endif
