#include "record/symbol/elf_file.h"

#include "format/base/mem.h"

#include <elfutils/libdwelf.h>
#include <stdlib.h>
#include <string.h>

#define MAX_SECTIONS (1u << 20)

int rec_elf_refused(struct err *err, const char *what)
{
	const char *why = elf_errmsg(-1);

	return err_set(err, ERR_FORMAT, "%s: %s", what,
		       why ? why : "it makes no sense");
}

static void read_build_id(struct rec_elf_file *f)
{
	const void *id;
	ssize_t n = dwelf_elf_gnu_build_id(f->elf, &id);

	if (n > 0 && n <= REC_ELF_MAX_BUILD_ID)
		f->build_id = span_of(id, (size_t)n);
}

bool rec_elf_file_is(const struct rec_elf_file *f, struct span build_id)
{
	return f->build_id.n == build_id.n &&
	       (!build_id.n ||
		!memcmp(f->build_id.p, build_id.p, build_id.n));
}

/* Mapped, as most of a file is not looked at. One that shrinks meanwhile kills
 * this process, which the loader's other side takes for a damaged file. */
static int open_elf(struct rec_elf_file *f, const struct rec_elf_source *source,
		    struct err *err)
{
	elf_version(EV_CURRENT);
	f->debug_fd = source->debug_fd;
	if (source->fd >= 0) {
		f->elf = elf_begin(source->fd, ELF_C_READ_MMAP_PRIVATE,
				   NULL);
	} else {
		f->copy = malloc(source->bytes.n ? source->bytes.n : 1);
		if (!f->copy)
			return err_nomem(err);
		if (source->bytes.n)
			memcpy(f->copy, source->bytes.p, source->bytes.n);
		f->elf = elf_memory((char *)f->copy, source->bytes.n);
	}
	if (!f->elf)
		return rec_elf_refused(err, "cannot read it");
	if (elf_kind(f->elf) != ELF_K_ELF || !gelf_getehdr(f->elf, &f->head))
		return err_set(err, ERR_FORMAT, "not an ELF file");
	if (f->head.e_type != ET_EXEC && f->head.e_type != ET_DYN)
		return err_set(err, ERR_FORMAT, "not a program or library");
	read_build_id(f);
	return 0;
}

void rec_elf_file_close(struct rec_elf_file *f)
{
	elf_end(f->elf);
	free(f->copy);
	free(f->sections);
	free(f->slots);
}

static int read_segments(struct rec_elf_file *f, struct err *err)
{
	size_t n;

	if (elf_getphdrnum(f->elf, &n) < 0)
		return rec_elf_refused(err, "program headers");
	for (size_t i = 0; i < n && f->n_segments < REC_ELF_MAX_SEGMENTS; i++) {
		GElf_Phdr p;

		if (!gelf_getphdr(f->elf, (int)i, &p))
			return rec_elf_refused(err, "program header");
		if (p.p_type == PT_LOAD && p.p_flags & PF_X)
			f->segments[f->n_segments++] = (struct rec_elf_segment){
				p.p_vaddr, p.p_offset, p.p_filesz };
	}
	return 0;
}

bool rec_elf_file_offset(const struct rec_elf_file *f, uint64_t address,
			uint64_t *offset)
{
	for (size_t i = 0; i < f->n_segments; i++) {
		const struct rec_elf_segment *s = &f->segments[i];

		if (address >= s->address && address - s->address < s->size)
			return !ckd_add(offset, address - s->address,
					s->offset);
	}
	return false;
}

static int read_sections(struct rec_elf_file *f, struct err *err)
{
	Elf_Scn *scn = NULL;
	size_t n;

	if (elf_getshdrnum(f->elf, &n) < 0)
		return rec_elf_refused(err, "section headers");
	if (n > MAX_SECTIONS)
		return err_set(err, ERR_LIMIT, "%zu sections, limit %u", n,
			       MAX_SECTIONS);
	f->sections = calloc(n ? n : 1, sizeof(*f->sections));
	if (!f->sections)
		return err_nomem(err);
	f->n_sections = n;
	while ((scn = elf_nextscn(f->elf, scn))) {
		size_t at = elf_ndxscn(scn);
		struct rec_elf_section *s;
		GElf_Shdr h;

		if (at >= n || !gelf_getshdr(scn, &h))
			return rec_elf_refused(err, "section header");
		s = &f->sections[at];
		s->address = h.sh_addr;
		s->code = h.sh_flags & SHF_ALLOC &&
			  h.sh_flags & SHF_EXECINSTR &&
			  !ckd_add(&s->end, h.sh_addr, h.sh_size);
	}
	return 0;
}

Elf_Scn *rec_elf_file_section(struct rec_elf_file *f, const char *name,
			      GElf_Shdr *h)
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

int rec_elf_file_open(struct rec_elf_file *f,
		      const struct rec_elf_source *source, struct err *err)
{
	int rc = open_elf(f, source, err);

	if (!rc)
		rc = read_segments(f, err);
	if (!rc)
		rc = read_sections(f, err);
	return rc;
}
