#include "record/symbol/elf_file.h"

#include "format/base/mem.h"
#include "record/symbol/plt.h"

#include <stdlib.h>
#include <string.h>

/* An indirect function has no name in its relocation, only the address of
 * its resolver. */
static int name_slot(struct rec_elf_file *f, const char *name,
		     uint64_t resolver, struct err *err)
{
	struct buf *names = &f->symtab->names;
	struct rec_symtab_hit hit;
	uint64_t offset;

	if (*name)
		buf_put(names, name, strlen(name));
	else if (rec_elf_file_offset(f, resolver, &offset) &&
		 rec_symtab_find(f->symtab, offset, &hit) &&
		 hit.start == offset)
		buf_printf(names, "%s", rec_symtab_name(f->symtab, hit.row));
	else
		buf_printf(names, "*ABS*+0x%llx",
			   (unsigned long long)resolver);
	buf_put(names, "@plt", sizeof("@plt"));
	return buf_failed(names) ? err_nomem(err) : 0;
}

static bool is_indirect(const Elf64_Rela *r)
{
	return ELF64_R_TYPE(r->r_info) == R_X86_64_IRELATIVE;
}

static bool fills_slot(const Elf64_Rela *r)
{
	uint64_t type = ELF64_R_TYPE(r->r_info);

	return type == R_X86_64_JUMP_SLOT || type == R_X86_64_GLOB_DAT ||
	       is_indirect(r);
}

static int add_slot(struct rec_elf_file *f, const Elf64_Rela *r,
		    Elf_Data *symbols, size_t strings, struct err *err)
{
	struct rec_elf_slot slot = { r->r_offset, (uint32_t)f->symtab->names.n };
	const char *name = "";
	GElf_Sym sym;
	int rc;

	if (!is_indirect(r)) {
		if (!gelf_getsym(symbols, (int)ELF64_R_SYM(r->r_info), &sym))
			return 0;
		name = elf_strptr(f->elf, strings, sym.st_name);
		if (!name || !*name)
			return 0;
	}
	if (!mem_grow(&f->slots, &f->slots_cap, f->n_slots + 1,
		      sizeof(*f->slots)))
		return err_nomem(err);
	rc = name_slot(f, name, (uint64_t)r->r_addend, err);
	if (!rc)
		f->slots[f->n_slots++] = slot;
	return rc;
}

static int read_slots(struct rec_elf_file *f, const char *section,
		      struct err *err)
{
	GElf_Shdr h, symbols_head = { 0 };
	Elf_Scn *scn = rec_elf_file_section(f, section, &h);
	Elf_Scn *symbols = scn ? elf_getscn(f->elf, h.sh_link) : NULL;
	Elf_Data *data = scn ? elf_getdata(scn, NULL) : NULL;
	Elf_Data *symbol_data = NULL;
	size_t n;
	int rc = 0;

	if (!data || !data->d_buf || h.sh_type != SHT_RELA ||
	    gelf_getclass(f->elf) != ELFCLASS64)
		return 0;
	if (symbols && gelf_getshdr(symbols, &symbols_head) &&
	    symbols_head.sh_type == SHT_DYNSYM)
		symbol_data = elf_getdata(symbols, NULL);
	if (symbol_data && !symbol_data->d_buf)
		symbol_data = NULL;
	n = data->d_size / sizeof(Elf64_Rela);
	/* Not by gelf_getrela(): large files have a million, nearly all of them
	 * of data. */
	for (size_t i = 0; !rc && i < n; i++) {
		Elf64_Rela r;

		memcpy(&r, (const char *)data->d_buf + i * sizeof(r),
		       sizeof(r));
		if (fills_slot(&r) && (symbol_data || is_indirect(&r)))
			rc = add_slot(f, &r, symbol_data, symbols_head.sh_link,
				      err);
	}
	return rc;
}

static int by_address(const void *a, const void *b)
{
	const struct rec_elf_slot *x = a, *y = b;

	return CMP(x->address, y->address);
}

static int add_plt_entry(struct rec_elf_file *f, struct span code,
			 uint64_t address, struct err *err)
{
	struct rec_elf_slot key = { 0 };
	const struct rec_elf_slot *slot;
	uint64_t offset;

	if (!rec_plt_slot(code, address, &key.address) ||
	    !rec_elf_file_offset(f, address, &offset))
		return 0;
	slot = bsearch(&key, f->slots, f->n_slots, sizeof(*slot), by_address);
	if (!slot)
		return 0;
	return rec_symtab_add(f->symtab, offset, offset + code.n, slot->name, 0,
			      err);
}

static int read_plt(struct rec_elf_file *f, const char *section,
		    struct err *err)
{
	GElf_Shdr h;
	Elf_Scn *scn = rec_elf_file_section(f, section, &h);
	Elf_Data *data = scn ? elf_rawdata(scn, NULL) : NULL;
	struct span code, entry;
	size_t width;
	int rc = 0;

	if (!data || !data->d_buf || h.sh_type != SHT_PROGBITS)
		return 0;
	width = h.sh_entsize == 8 ? 8 : 16;
	code = span_of(data->d_buf, data->d_size);
	for (uint64_t at = h.sh_addr; !rc && span_take(&code, width, &entry);
	     at += width)
		rc = add_plt_entry(f, entry, at, err);
	return rc;
}

/* Names for the jumps into other libraries. Only the code says which slot of
 * the offset table an entry uses: their orders differ between linkers. */
int rec_elf_read_plts(struct rec_elf_file *f, struct err *err)
{
	static const char *const slots[] = { ".rela.plt", ".rela.dyn" };
	static const char *const plts[] = { ".plt", ".plt.sec", ".plt.got" };
	int rc = 0;

	if (f->head.e_machine != EM_X86_64)
		return 0;
	for (size_t i = 0; !rc && i < ARRAY_LEN(slots); i++)
		rc = read_slots(f, slots[i], err);
	if (rc || !f->n_slots)
		return rc;
	qsort(f->slots, f->n_slots, sizeof(*f->slots), by_address);
	for (size_t i = 0; !rc && i < ARRAY_LEN(plts); i++)
		rc = read_plt(f, plts[i], err);
	return rc;
}
