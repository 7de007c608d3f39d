/* The running kernel's functions, those of its modules and of its BPF
 * programs, from /proc/kallsyms and /proc/modules. */
#ifndef RECORD_SYMBOL_KALLSYMS_H
#define RECORD_SYMBOL_KALLSYMS_H

#include "format/base/err.h"
#include "format/base/span.h"
#include "record/symbol/symtab.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rec_kallsyms_module {
	uint64_t base, size;
	uint32_t name, name_size; /* "[name]" in `modules` */
};

/* Zeroed is empty and ready. */
struct rec_kallsyms {
	struct rec_symtab symtab; /* by absolute address */
	uint64_t text;            /* the address of _text */
	struct buf modules_text;
	struct rec_kallsyms_module *modules;
	size_t n_modules;
	size_t modules_cap;
};

/* Reads both files anew (-1: there is none). ERR_DENIED: the kernel does not
 * show addresses to whoever opened them. On failure *k is empty. */
int rec_kallsyms_read(struct rec_kallsyms *k, int kallsyms, int modules,
		      struct err *err);
void rec_kallsyms_fini(struct rec_kallsyms *k);

/* The function at an offset from _text; also of modules and BPF programs. */
bool rec_kallsyms_find(const struct rec_kallsyms *k, uint64_t offset,
		       struct rec_symtab_hit *out);

/* `name` is "[name]". NULL: it was not there when the files were read. */
const struct rec_kallsyms_module *
rec_kallsyms_module(const struct rec_kallsyms *k, const char *name);

/* The function at an offset from a module's start. */
bool rec_kallsyms_find_in(const struct rec_kallsyms *k,
			  const struct rec_kallsyms_module *module,
			  uint64_t offset, struct rec_symtab_hit *out);

#endif
