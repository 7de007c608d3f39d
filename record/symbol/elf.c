#include "record/symbol/elf.h"

#include "format/base/mem.h"
#include "record/symbol/plt.h"

#include <ctype.h>
#include <elfutils/libdwelf.h>
#include <gelf.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define MAX_SEGMENTS 256 /* executable ones; linkers make one or two */
#define MAX_SECTIONS (1u << 20)

struct segment {
	uint64_t address, offset, size;
};

struct section {
	uint64_t address, end;
	bool code;
};

/* A slot of the global offset table and the function that it leads to. */
struct slot {
	uint64_t address;
	uint32_t name; /* in symtab->names, without "@plt" */
};

struct elf_file {
	Elf *elf;
	uint8_t *copy; /* of a file in memory: libelf may write into it */
	GElf_Ehdr head;
	struct segment segments[MAX_SEGMENTS];
	size_t n_segments;
	struct section *sections; /* by index */
	size_t n_sections;
	struct slot *slots;
	size_t n_slots;
	size_t slots_cap;
	struct rec_symtab *symtab;
};

static int elf_refused(struct err *err, const char *what)
{
	const char *why = elf_errmsg(-1);

	return err_set(err, ERR_FORMAT, "%s: %s", what,
		       why ? why : "it makes no sense");
}

/* ELF_C_READ and not a mapping: a file that shrinks meanwhile would kill us. */
static int open_elf(struct elf_file *f, const struct rec_elf_source *source,
		    struct err *err)
{
	elf_version(EV_CURRENT);
	if (source->fd >= 0) {
		f->elf = elf_begin(source->fd, ELF_C_READ, NULL);
	} else {
		f->copy = malloc(source->bytes.n ? source->bytes.n : 1);
		if (!f->copy)
			return err_nomem(err);
		if (source->bytes.n)
			memcpy(f->copy, source->bytes.p, source->bytes.n);
		f->elf = elf_memory((char *)f->copy, source->bytes.n);
	}
	if (!f->elf)
		return elf_refused(err, "cannot read it");
	if (elf_kind(f->elf) != ELF_K_ELF || !gelf_getehdr(f->elf, &f->head))
		return err_set(err, ERR_FORMAT, "not an ELF file");
	if (f->head.e_type != ET_EXEC && f->head.e_type != ET_DYN)
		return err_set(err, ERR_FORMAT, "not a program or library");
	return 0;
}

static void close_elf(struct elf_file *f)
{
	elf_end(f->elf);
	free(f->copy);
	free(f->sections);
	free(f->slots);
}

static int read_segments(struct elf_file *f, struct err *err)
{
	size_t n;

	if (elf_getphdrnum(f->elf, &n) < 0)
		return elf_refused(err, "program headers");
	for (size_t i = 0; i < n && f->n_segments < MAX_SEGMENTS; i++) {
		GElf_Phdr p;

		if (!gelf_getphdr(f->elf, (int)i, &p))
			return elf_refused(err, "program header");
		if (p.p_type == PT_LOAD && p.p_flags & PF_X)
			f->segments[f->n_segments++] = (struct segment){
				p.p_vaddr, p.p_offset, p.p_filesz };
	}
	return 0;
}

static bool file_offset(const struct elf_file *f, uint64_t address,
			uint64_t *offset)
{
	for (size_t i = 0; i < f->n_segments; i++) {
		const struct segment *s = &f->segments[i];

		if (address >= s->address && address - s->address < s->size) {
			*offset = address - s->address + s->offset;
			return true;
		}
	}
	return false;
}

static int read_sections(struct elf_file *f, struct err *err)
{
	Elf_Scn *scn = NULL;
	size_t n;

	if (elf_getshdrnum(f->elf, &n) < 0)
		return elf_refused(err, "section headers");
	if (n > MAX_SECTIONS)
		return err_set(err, ERR_LIMIT, "%zu sections, limit %u", n,
			       MAX_SECTIONS);
	f->sections = calloc(n ? n : 1, sizeof(*f->sections));
	if (!f->sections)
		return err_nomem(err);
	f->n_sections = n;
	while ((scn = elf_nextscn(f->elf, scn))) {
		size_t at = elf_ndxscn(scn);
		struct section *s;
		GElf_Shdr h;

		if (at >= n || !gelf_getshdr(scn, &h))
			return elf_refused(err, "section header");
		s = &f->sections[at];
		s->address = h.sh_addr;
		s->code = h.sh_flags & SHF_ALLOC &&
			  h.sh_flags & SHF_EXECINSTR &&
			  !ckd_add(&s->end, h.sh_addr, h.sh_size);
	}
	return 0;
}

static Elf_Scn *find_section(struct elf_file *f, const char *name, GElf_Shdr *h)
{
	Elf_Scn *scn = NULL;
	size_t names;

	if (elf_getshdrstrndx(f->elf, &names) < 0)
		return NULL;
	while ((scn = elf_nextscn(f->elf, scn))) {
		const char *is;

		if (!gelf_getshdr(scn, h))
			continue;
		is = elf_strptr(f->elf, names, h->sh_name);
		if (is && !strcmp(is, name))
			return scn;
	}
	return NULL;
}

/* "memcpy@@GLIBC_2.14": the linker writes versions into .symtab. Strings may
 * share their tails, so a cut here is a cut for each that has this version. */
static void cut_version(char *name)
{
	char *at = strrchr(name, '@');
	size_t n;

	if (!at || at == name || !(isalpha((unsigned char)at[1]) || at[1] == '_'))
		return;
	for (n = 1; at[n]; n++)
		if (!isalnum((unsigned char)at[n]) && !strchr("_.", at[n]))
			return;
	if (at - 1 > name && at[-1] == '@')
		at--;
	*at = '\0';
}

static bool is_mapping_symbol(const struct elf_file *f, const char *name)
{
	return (f->head.e_machine == EM_ARM ||
		f->head.e_machine == EM_AARCH64 ||
		f->head.e_machine == EM_RISCV) &&
	       name[0] == '$' && name[1] && strchr("adtx", name[1]) &&
	       (!name[2] || name[2] == '.' || f->head.e_machine == EM_RISCV);
}

static bool is_function(const GElf_Sym *sym)
{
	unsigned type = GELF_ST_TYPE(sym->st_info);

	return type == STT_FUNC || type == STT_GNU_IFUNC || type == STT_NOTYPE;
}

static unsigned rank_of(const GElf_Sym *sym)
{
	unsigned bind = GELF_ST_BIND(sym->st_info);
	unsigned rank = sym->st_size ? 0 : REC_SYM_SIZELESS;

	if (bind == STB_WEAK)
		return rank | REC_SYM_WEAK;
	return bind == STB_LOCAL ? rank | REC_SYM_LOCAL : rank;
}

/* `name_at` is where the names of this table begin in symtab->names. */
static int add_symbol(struct elf_file *f, const GElf_Sym *sym, size_t name_at,
		      struct err *err)
{
	const size_t name = name_at + sym->st_name;
	const struct section *s;
	uint64_t value = sym->st_value, size, start, end;
	char *text;

	if (!is_function(sym) || !sym->st_name || name >= f->symtab->names.n ||
	    sym->st_shndx == SHN_UNDEF || sym->st_shndx >= f->n_sections)
		return 0;
	s = &f->sections[sym->st_shndx];
	if (f->head.e_machine == EM_ARM)
		value &= ~(uint64_t)1; /* bit 0 says Thumb */
	if (!s->code || value < s->address || value >= s->end)
		return 0;
	text = (char *)f->symtab->names.p + name;
	if (!*text || is_mapping_symbol(f, text))
		return 0;
	cut_version(text);
	size = sym->st_size ? sym->st_size : s->end - value;
	if (!file_offset(f, value, &start) || ckd_add(&end, start, size))
		return 0;
	return rec_symtab_add(f->symtab, start, end, (uint32_t)name,
			      rank_of(sym), err);
}

static int copy_names(struct elf_file *f, size_t strings, size_t *at,
		      struct err *err)
{
	Elf_Scn *scn = elf_getscn(f->elf, strings);
	Elf_Data *data = scn ? elf_rawdata(scn, NULL) : NULL;

	if (!data)
		return elf_refused(err, "string table");
	*at = f->symtab->names.n;
	buf_put(&f->symtab->names, data->d_buf, data->d_size);
	buf_u8(&f->symtab->names, 0);
	return buf_failed(&f->symtab->names) ? err_nomem(err) : 0;
}

static int read_symbols(struct elf_file *f, Elf_Scn *scn, size_t strings,
			struct err *err)
{
	Elf_Data *data = elf_getdata(scn, NULL);
	size_t width = gelf_fsize(f->elf, ELF_T_SYM, 1, EV_CURRENT);
	size_t n, names = 0;
	int rc;

	if (!data || !width)
		return elf_refused(err, "symbol table");
	n = data->d_size / width;
	if (n > REC_SYMTAB_MAX_ROWS)
		return err_set(err, ERR_LIMIT, "%zu symbols, limit %u", n,
			       REC_SYMTAB_MAX_ROWS);
	rc = copy_names(f, strings, &names, err);
	for (size_t i = 1; !rc && i < n; i++) {
		GElf_Sym sym;

		if (!gelf_getsym(data, (int)i, &sym))
			return elf_refused(err, "symbol");
		rc = add_symbol(f, &sym, names, err);
	}
	return rc;
}

/* 1: it has no such table. */
static int read_table(struct elf_file *f, uint32_t type, struct err *err)
{
	Elf_Scn *scn = NULL;

	while ((scn = elf_nextscn(f->elf, scn))) {
		GElf_Shdr h;

		if (gelf_getshdr(scn, &h) && h.sh_type == type && h.sh_size)
			return read_symbols(f, scn, h.sh_link, err);
	}
	return 1;
}

static int read_symtab(struct elf_file *f, struct err *err)
{
	return read_table(f, SHT_SYMTAB, err);
}

static int read_dynsym(struct elf_file *f, struct err *err)
{
	return read_table(f, SHT_DYNSYM, err);
}

/* Where functions come from: the first source that the file has is taken,
 * since each holds what the ones below it do. */
static int (*const sources[])(struct elf_file *f, struct err *err) = {
	read_symtab,
	read_dynsym,
};

/* An indirect function has no name in its relocation, only the address of
 * its resolver. */
static int name_slot(struct elf_file *f, const char *name, uint64_t resolver,
		     struct err *err)
{
	struct buf *names = &f->symtab->names;
	struct rec_symtab_hit hit;
	uint64_t offset;

	if (*name)
		buf_put(names, name, strlen(name));
	else if (file_offset(f, resolver, &offset) &&
		 rec_symtab_find(f->symtab, offset, &hit) &&
		 hit.start == offset)
		buf_printf(names, "%s", rec_symtab_name(f->symtab, hit.row));
	else
		buf_printf(names, "*ABS*+0x%llx",
			   (unsigned long long)resolver);
	buf_put(names, "@plt", sizeof("@plt"));
	return buf_failed(names) ? err_nomem(err) : 0;
}

static int add_slot(struct elf_file *f, const GElf_Rela *r, Elf_Data *symbols,
		    size_t strings, struct err *err)
{
	struct slot slot = { r->r_offset, (uint32_t)f->symtab->names.n };
	const char *name = "";
	GElf_Sym sym;
	int rc;

	if (GELF_R_TYPE(r->r_info) != R_X86_64_IRELATIVE) {
		if (!gelf_getsym(symbols, (int)GELF_R_SYM(r->r_info), &sym))
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

static bool fills_slot(const GElf_Rela *r)
{
	uint64_t type = GELF_R_TYPE(r->r_info);

	return type == R_X86_64_JUMP_SLOT || type == R_X86_64_GLOB_DAT ||
	       type == R_X86_64_IRELATIVE;
}

static int read_slots(struct elf_file *f, const char *section, struct err *err)
{
	GElf_Shdr h, symbols_head = { 0 };
	Elf_Scn *scn = find_section(f, section, &h);
	Elf_Scn *symbols = scn ? elf_getscn(f->elf, h.sh_link) : NULL;
	Elf_Data *data = scn ? elf_getdata(scn, NULL) : NULL;
	Elf_Data *symbol_data = NULL;
	GElf_Rela r;
	int rc = 0;

	if (!data || h.sh_type != SHT_RELA)
		return 0;
	if (symbols && gelf_getshdr(symbols, &symbols_head) &&
	    symbols_head.sh_type == SHT_DYNSYM)
		symbol_data = elf_getdata(symbols, NULL);
	for (int i = 0; !rc && gelf_getrela(data, i, &r); i++) {
		bool indirect = GELF_R_TYPE(r.r_info) == R_X86_64_IRELATIVE;

		if (fills_slot(&r) && (symbol_data || indirect))
			rc = add_slot(f, &r, symbol_data, symbols_head.sh_link,
				      err);
	}
	return rc;
}

static int by_address(const void *a, const void *b)
{
	const struct slot *x = a, *y = b;

	return CMP(x->address, y->address);
}

static int add_plt_entry(struct elf_file *f, struct span code, uint64_t address,
			 struct err *err)
{
	struct slot key = { 0 };
	const struct slot *slot;
	uint64_t offset;

	if (!rec_plt_slot(code, address, &key.address) ||
	    !file_offset(f, address, &offset))
		return 0;
	slot = bsearch(&key, f->slots, f->n_slots, sizeof(*slot), by_address);
	if (!slot)
		return 0;
	return rec_symtab_add(f->symtab, offset, offset + code.n, slot->name, 0,
			      err);
}

static int read_plt(struct elf_file *f, const char *section, struct err *err)
{
	GElf_Shdr h;
	Elf_Scn *scn = find_section(f, section, &h);
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
static int read_plts(struct elf_file *f, struct err *err)
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

static int read_build_id(struct elf_file *f, struct rec_elf *out,
			 struct span expected, struct err *err)
{
	const void *id;
	ssize_t n = dwelf_elf_gnu_build_id(f->elf, &id);

	if (n > 0 && n <= REC_ELF_MAX_BUILD_ID) {
		memcpy(out->build_id, id, (size_t)n);
		out->build_id_size = (size_t)n;
	}
	if (expected.n &&
	    (expected.n != out->build_id_size ||
	     memcmp(expected.p, out->build_id, expected.n) != 0))
		return err_set(err, ERR_FORMAT,
			       "build-id differs: the file was replaced");
	return 0;
}

static int read_functions(struct elf_file *f, struct err *err)
{
	int rc = 1;

	for (size_t i = 0; rc == 1 && i < ARRAY_LEN(sources); i++)
		rc = sources[i](f, err);
	if (rc < 0)
		return rc;
	rec_symtab_finish(f->symtab);
	rc = read_plts(f, err);
	if (rc < 0)
		return rc;
	rec_symtab_finish(f->symtab);
	return 0;
}

int rec_elf_read(struct rec_elf *out, const struct rec_elf_source *source,
		 struct err *err)
{
	struct elf_file f = { .symtab = &out->symtab };
	int rc;

	*out = (struct rec_elf){ 0 };
	buf_init(&out->symtab.names, REC_SYMTAB_MAX_NAMES);
	rc = open_elf(&f, source, err);
	if (rc < 0)
		goto out;
	rc = read_build_id(&f, out, source->build_id, err);
	if (rc < 0)
		goto out;
	rc = read_segments(&f, err);
	if (rc < 0)
		goto out;
	rc = read_sections(&f, err);
	if (rc < 0)
		goto out;
	rc = read_functions(&f, err);
out:
	if (rc < 0)
		rec_elf_fini(out);
	close_elf(&f);
	return rc;
}

void rec_elf_fini(struct rec_elf *e)
{
	rec_symtab_fini(&e->symtab);
	*e = (struct rec_elf){ 0 };
}
