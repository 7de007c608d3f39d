#include "tests/support/elfbuild.h"

#include <elf.h>
#include <string.h>

#define CODE_AT 0x100u
#define CODE_SIZE 0x60u
#define PLT_AT 0x160u
#define PLT_SIZE 0x20u
#define NOTE_AT 0x180u
#define NOTE_SIZE 24u
#define SYMTAB_AT 0x1a0u
#define SYMTAB_SIZE (4 * 24u)
#define DYNSYM_AT 0x200u
#define DYNSYM_SIZE (2 * 24u)
#define RELA_AT 0x230u
#define RELA_SIZE 24u
#define STRINGS_AT 0x250u
#define NAMES_AT 0x280u
#define HEADERS_AT 0x300u
#define BASE 0x401000u
#define GOT 0x403018u

#define STRINGS "\0_start\0helper@@V_1\0label\0puts"
#define NAMES "\0.text\0.plt\0.note.gnu.build-id\0.symtab\0.dynsym\0"           \
	      ".rela.plt\0.strtab\0.shstrtab"

enum { TEXT = 1, PLT, NOTE, SYMTAB, DYNSYM, RELA, STRINGTAB, NAMETAB, SECTIONS };

static void pad(struct buf *b, size_t to)
{
	buf_zero(b, to - b->n);
}

static void put_head(struct buf *b)
{
	buf_put(b, ELFMAG "\2\1\1", 7);
	pad(b, EI_NIDENT);
	buf_u16(b, ET_EXEC);
	buf_u16(b, EM_X86_64);
	buf_u32(b, EV_CURRENT);
	buf_u64(b, BASE + CODE_AT);
	buf_u64(b, 64);
	buf_u64(b, HEADERS_AT);
	buf_u32(b, 0);
	buf_u16(b, 64);
	buf_u16(b, 56);
	buf_u16(b, 2);
	buf_u16(b, 64);
	buf_u16(b, SECTIONS);
	buf_u16(b, NAMETAB);
}

static void put_segment(struct buf *b, uint32_t type, uint32_t flags,
			uint64_t at, uint64_t size)
{
	buf_u32(b, type);
	buf_u32(b, flags);
	buf_u64(b, at);
	buf_u64(b, BASE + at);
	buf_u64(b, BASE + at);
	buf_u64(b, size);
	buf_u64(b, size);
	buf_u64(b, 0x1000);
}

static void put_code(struct buf *b)
{
	static const uint8_t entry[] = { 0xff, 0x25 };

	pad(b, PLT_AT + 16);
	buf_put(b, entry, sizeof(entry));
	buf_u32(b, GOT - (BASE + PLT_AT + 16 + 6));
	pad(b, NOTE_AT);
}

static void put_note(struct buf *b)
{
	buf_u32(b, 4);
	buf_u32(b, 8);
	buf_u32(b, NT_GNU_BUILD_ID);
	buf_put(b, "GNU", 4);
	for (uint8_t i = 1; i <= 8; i++)
		buf_u8(b, i);
	pad(b, SYMTAB_AT);
}

static void put_symbol(struct buf *b, uint32_t name, unsigned info,
		       uint16_t section, uint64_t value, uint64_t size)
{
	buf_u32(b, name);
	buf_u8(b, (uint8_t)info);
	buf_u8(b, 0);
	buf_u16(b, section);
	buf_u64(b, value);
	buf_u64(b, size);
}

static void put_symbols(struct buf *b)
{
	const unsigned function = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC);

	put_symbol(b, 0, 0, 0, 0, 0);
	put_symbol(b, 1, function, TEXT, BASE + CODE_AT, 0x10);
	put_symbol(b, 8, function, TEXT, BASE + CODE_AT + 0x10, 0x20);
	put_symbol(b, 20, ELF64_ST_INFO(STB_LOCAL, STT_NOTYPE), TEXT,
		   BASE + CODE_AT + 0x40, 0);
	put_symbol(b, 0, 0, 0, 0, 0);
	put_symbol(b, 26, function, SHN_UNDEF, 0, 0);
	buf_u64(b, GOT);
	buf_u64(b, ELF64_R_INFO((uint64_t)1, R_X86_64_JUMP_SLOT));
	buf_u64(b, 0);
	pad(b, STRINGS_AT);
}

struct section {
	const char *name;
	uint32_t type;
	uint64_t flags;
	uint64_t at, size;
	uint32_t link;
	uint64_t width;
};

static void put_section(struct buf *b, const struct section *s)
{
	static const char names[] = NAMES;
	uint32_t name = 0;

	while (s->name && strcmp(names + name, s->name) != 0)
		name += (uint32_t)strlen(names + name) + 1;
	buf_u32(b, name);
	buf_u32(b, s->type);
	buf_u64(b, s->flags);
	buf_u64(b, s->flags & SHF_ALLOC ? BASE + s->at : 0);
	buf_u64(b, s->at);
	buf_u64(b, s->size);
	buf_u32(b, s->link);
	buf_u32(b, 0);
	buf_u64(b, s->type ? 8 : 0);
	buf_u64(b, s->width);
}

static void put_sections(struct buf *b)
{
	const uint64_t code = SHF_ALLOC | SHF_EXECINSTR;
	const struct section sections[SECTIONS] = {
		[TEXT] = { ".text", SHT_PROGBITS, code, CODE_AT, CODE_SIZE, 0,
			   0 },
		[PLT] = { ".plt", SHT_PROGBITS, code, PLT_AT, PLT_SIZE, 0, 16 },
		[NOTE] = { ".note.gnu.build-id", SHT_NOTE, SHF_ALLOC, NOTE_AT,
			   NOTE_SIZE, 0, 0 },
		[SYMTAB] = { ".symtab", SHT_SYMTAB, 0, SYMTAB_AT, SYMTAB_SIZE,
			     STRINGTAB, 24 },
		[DYNSYM] = { ".dynsym", SHT_DYNSYM, 0, DYNSYM_AT, DYNSYM_SIZE,
			     STRINGTAB, 24 },
		[RELA] = { ".rela.plt", SHT_RELA, 0, RELA_AT, RELA_SIZE, DYNSYM,
			   24 },
		[STRINGTAB] = { ".strtab", SHT_STRTAB, 0, STRINGS_AT,
				sizeof(STRINGS), 0, 0 },
		[NAMETAB] = { ".shstrtab", SHT_STRTAB, 0, NAMES_AT,
			      sizeof(NAMES), 0, 0 },
	};

	for (size_t i = 0; i < SECTIONS; i++)
		put_section(b, &sections[i]);
}

void elfbuild(struct buf *out)
{
	buf_init(out, 0);
	put_head(out);
	put_segment(out, PT_LOAD, PF_R | PF_X, CODE_AT, 0x80);
	put_segment(out, PT_NOTE, PF_R, NOTE_AT, NOTE_SIZE);
	pad(out, CODE_AT);
	put_code(out);
	put_note(out);
	put_symbols(out);
	buf_put(out, STRINGS, sizeof(STRINGS));
	pad(out, NAMES_AT);
	buf_put(out, NAMES, sizeof(NAMES));
	pad(out, HEADERS_AT);
	put_sections(out);
}

void elfbuild_stripped(struct buf *out)
{
	const size_t type = HEADERS_AT + SYMTAB * 64 + 4;

	elfbuild(out);
	out->p[type] = SHT_PROGBITS;
}
