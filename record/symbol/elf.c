#include "record/symbol/elf.h"

#include "format/base/mem.h"
#include "record/symbol/elf_file.h"

#include <ctype.h>
#include <string.h>

/* A symbol table that is being read. */
struct table {
	Elf_Data *symbols;
	Elf_Data *versions; /* NULL: of .dynsym only */
	size_t names;       /* where its strings begin in symtab->names */
};

/* "memcpy@@GLIBC_2.14": the linker writes versions into .symtab. Strings may
 * share their tails, so a cut here is a cut for each that has this version.
 * true: "@", an old version that new programs do not get. */
static bool cut_version(char *name)
{
	char *at = strrchr(name, '@');
	size_t n;

	if (!at || at == name || !(isalpha((unsigned char)at[1]) || at[1] == '_'))
		return false;
	for (n = 1; at[n]; n++)
		if (!isalnum((unsigned char)at[n]) && !strchr("_.", at[n]))
			return false;
	*at = '\0';
	if (at - 1 == name || at[-1] != '@')
		return true;
	at[-1] = '\0';
	return false;
}

/* Bit 15 hides a version from new programs. */
static bool is_hidden(const struct table *t, int i)
{
	GElf_Versym version;

	return t->versions && gelf_getversym(t->versions, i, &version) &&
	       version & 0x8000;
}

static bool is_mapping_symbol(const struct rec_elf_file *f, const char *name)
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

/* The old name of a function ("cfree") gives way to any other. */
static unsigned rank_of(const GElf_Sym *sym, bool old)
{
	unsigned bind = GELF_ST_BIND(sym->st_info);
	unsigned rank = sym->st_size ? 0 : REC_SYM_SIZELESS;

	if (old)
		return rank | REC_SYM_WEAK | REC_SYM_LOCAL;
	if (bind == STB_WEAK)
		return rank | REC_SYM_WEAK;
	return bind == STB_LOCAL ? rank | REC_SYM_LOCAL : rank;
}

static int add_symbol(struct rec_elf_file *f, const struct table *t, int i,
		      const GElf_Sym *sym, struct err *err)
{
	const size_t name = t->names + sym->st_name;
	const struct rec_elf_section *s;
	uint64_t value = sym->st_value, size, start, end;
	char *text;
	bool old;

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
	old = cut_version(text) || is_hidden(t, i);
	size = sym->st_size ? sym->st_size : s->end - value;
	if (!rec_elf_file_offset(f, value, &start) || ckd_add(&end, start, size))
		return 0;
	return rec_symtab_add(f->symtab, start, end, (uint32_t)name,
			      rank_of(sym, old), err);
}

static int copy_names(struct rec_elf_file *f, size_t strings, size_t *at,
		      struct err *err)
{
	Elf_Scn *scn = elf_getscn(f->elf, strings);
	Elf_Data *data = scn ? elf_rawdata(scn, NULL) : NULL;

	/* A section may say that it takes no room in the file, and yet a size. */
	if (!data || !data->d_buf)
		return rec_elf_refused(err, "string table");
	*at = f->symtab->names.n;
	buf_put(&f->symtab->names, data->d_buf, data->d_size);
	buf_u8(&f->symtab->names, 0);
	return buf_failed(&f->symtab->names) ? err_nomem(err) : 0;
}

/* The versions of a table's symbols, or NULL. */
static Elf_Data *find_versions(struct rec_elf_file *f, Elf_Scn *table)
{
	Elf_Scn *scn = NULL;

	while ((scn = elf_nextscn(f->elf, scn))) {
		Elf_Data *data;
		GElf_Shdr h;

		if (!gelf_getshdr(scn, &h) || h.sh_type != SHT_GNU_versym ||
		    h.sh_link != elf_ndxscn(table))
			continue;
		data = elf_getdata(scn, NULL);
		return data && data->d_buf ? data : NULL;
	}
	return NULL;
}

static int read_symbols(struct rec_elf_file *f, Elf_Scn *scn, size_t strings,
			struct err *err)
{
	struct table t = { elf_getdata(scn, NULL), find_versions(f, scn), 0 };
	size_t width = gelf_fsize(f->elf, ELF_T_SYM, 1, EV_CURRENT);
	size_t n;
	int rc;

	if (!t.symbols || !t.symbols->d_buf || !width)
		return rec_elf_refused(err, "symbol table");
	n = t.symbols->d_size / width;
	if (n > REC_SYMTAB_MAX_ROWS)
		return err_set(err, ERR_LIMIT, "%zu symbols, limit %u", n,
			       REC_SYMTAB_MAX_ROWS);
	rc = copy_names(f, strings, &t.names, err);
	for (size_t i = 1; !rc && i < n; i++) {
		GElf_Sym sym;

		if (!gelf_getsym(t.symbols, (int)i, &sym))
			return rec_elf_refused(err, "symbol");
		rc = add_symbol(f, &t, (int)i, &sym, err);
	}
	return rc;
}

/* 1: it has no such table. */
static int read_table(struct rec_elf_file *f, uint32_t type, struct err *err)
{
	Elf_Scn *scn = NULL;

	while ((scn = elf_nextscn(f->elf, scn))) {
		GElf_Shdr h;

		if (gelf_getshdr(scn, &h) && h.sh_type == type && h.sh_size)
			return read_symbols(f, scn, h.sh_link, err);
	}
	return 1;
}

static int read_symtab(struct rec_elf_file *f, struct err *err)
{
	return read_table(f, SHT_SYMTAB, err);
}

static int read_dynsym(struct rec_elf_file *f, struct err *err)
{
	return read_table(f, SHT_DYNSYM, err);
}

/* A separate debug file has the section headers and symbols of the file, but
 * says nothing that can be believed of where its code lies. Where it is damaged
 * there is still the file. */
static int read_debug_symtab(struct rec_elf_file *f, struct err *err)
{
	struct rec_elf_file d = { .symtab = f->symtab };
	struct rec_elf_source source = { .fd = f->debug_fd, .debug_fd = -1 };
	int rc = 1;

	(void)err;
	if (f->debug_fd < 0 || !f->build_id.n)
		return 1;
	if (!rec_elf_file_open(&d, &source, NULL) &&
	    rec_elf_file_is(&d, f->build_id)) {
		memcpy(d.segments, f->segments, sizeof(d.segments));
		d.n_segments = f->n_segments;
		rc = read_table(&d, SHT_SYMTAB, NULL);
	}
	rec_elf_file_close(&d);
	if (rc >= 0)
		return rc;
	f->symtab->n = 0;
	return 1;
}

/* Where functions come from: the first source that the file has is taken,
 * since each holds what the ones below it do. */
static int (*const sources[])(struct rec_elf_file *f, struct err *err) = {
	read_symtab,
	read_debug_symtab,
	read_dynsym,
};

static int check_build_id(struct rec_elf_file *f, struct rec_elf *out,
			  struct span expected, struct err *err)
{
	if (f->build_id.n)
		memcpy(out->build_id, f->build_id.p, f->build_id.n);
	out->build_id_size = f->build_id.n;
	if (expected.n && !rec_elf_file_is(f, expected))
		return err_set(err, ERR_FORMAT,
			       "build-id differs: the file was replaced");
	return 0;
}

static int read_functions(struct rec_elf_file *f, struct err *err)
{
	int rc = 1;

	for (size_t i = 0; rc == 1 && i < ARRAY_LEN(sources); i++)
		rc = sources[i](f, err);
	if (rc < 0)
		return rc;
	rec_symtab_finish(f->symtab);
	rc = rec_elf_read_plts(f, err);
	if (rc < 0)
		return rc;
	rec_symtab_finish(f->symtab);
	return 0;
}

int rec_elf_read(struct rec_elf *out, const struct rec_elf_source *source,
		 struct err *err)
{
	struct rec_elf_file f = { .symtab = &out->symtab };
	int rc;

	*out = (struct rec_elf){ 0 };
	buf_init(&out->symtab.names, REC_SYMTAB_MAX_NAMES);
	rc = rec_elf_file_open(&f, source, err);
	if (rc < 0)
		goto out;
	rc = check_build_id(&f, out, source->build_id, err);
	if (rc < 0)
		goto out;
	rc = read_functions(&f, err);
out:
	if (rc < 0)
		rec_elf_fini(out);
	rec_elf_file_close(&f);
	return rc;
}

void rec_elf_fini(struct rec_elf *e)
{
	rec_symtab_fini(&e->symtab);
	*e = (struct rec_elf){ 0 };
}
