/* Any bytes as an ELF file: what is accepted can be searched and sent. */
#include "record/symbol/elf.h"

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void search(const struct rec_symtab *t)
{
	for (size_t i = 0; i < t->n && i < 1000; i++) {
		struct rec_symtab_hit hit;
		uint64_t at = t->rows[i].end - 1;

		if (rec_symtab_find(t, at, &hit) &&
		    (hit.start > at || at - hit.start >= hit.size))
			abort();
	}
}

static void send(const struct rec_symtab *t)
{
	struct rec_symtab got;
	struct span in;
	struct buf b;

	buf_init(&b, 0);
	rec_symtab_put(&b, t);
	in = span_of(b.p, b.n);
	if (rec_symtab_take(&got, &in, NULL) < 0 || in.n || got.n != t->n)
		abort();
	rec_symtab_fini(&got);
	buf_fini(&b);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct rec_elf_source source = { -1, -1, { data, size }, { NULL, 0 } };
	struct rec_elf e;

	if (rec_elf_read(&e, &source, NULL) < 0)
		return 0;
	search(&e.symtab);
	send(&e.symtab);
	rec_elf_fini(&e);
	return 0;
}
