#include "record/symbol/buildid.h"

#include "record/symbol/notes.h"

#include <elf.h>
#include <string.h>
#include <unistd.h>

#define MAX_PROGRAM_HEADERS 64u
#define MAX_NOTES ((size_t)64 * 1024)

void rec_build_id_notes(struct rec_image *image, struct span notes)
{
	struct span id = rec_notes_build_id(notes);

	if (!id.n || id.n > sizeof(image->build_id))
		return;
	memcpy(image->build_id, id.p, id.n);
	image->build_id_size = (uint8_t)id.n;
}

static void read_notes(struct rec_image *image, int fd, uint64_t offset,
		       uint64_t size)
{
	uint8_t bytes[MAX_NOTES];
	ssize_t n;

	if (size > sizeof(bytes) || offset > INT64_MAX)
		return;
	n = pread(fd, bytes, (size_t)size, (off_t)offset);
	if (n > 0)
		rec_build_id_notes(image, span_of(bytes, (size_t)n));
}

/* One program header of either class, little-endian: type, offset, size. */
static bool take_header(struct span *s, bool wide, uint32_t *type,
			uint64_t *offset, uint64_t *size)
{
	struct span h;
	uint32_t a, b;

	if (!span_take(s, wide ? sizeof(Elf64_Phdr) : sizeof(Elf32_Phdr), &h) ||
	    !span_u32(&h, type))
		return false;
	if (wide)
		return span_skip(&h, 4) && span_u64(&h, offset) &&
		       span_skip(&h, 16) && span_u64(&h, size);
	if (!span_u32(&h, &a) || !span_skip(&h, 8) || !span_u32(&h, &b))
		return false;
	*offset = a;
	*size = b;
	return true;
}

static bool program_headers(struct span head, bool wide, uint64_t *offset,
			    uint16_t *n)
{
	uint32_t narrow;

	if (wide)
		return span_skip(&head, offsetof(Elf64_Ehdr, e_phoff)) &&
		       span_u64(&head, offset) &&
		       span_skip(&head, offsetof(Elf64_Ehdr, e_phnum) -
						offsetof(Elf64_Ehdr, e_phoff) -
						8) &&
		       span_u16(&head, n);
	if (!span_skip(&head, offsetof(Elf32_Ehdr, e_phoff)) ||
	    !span_u32(&head, &narrow) ||
	    !span_skip(&head, offsetof(Elf32_Ehdr, e_phnum) -
				      offsetof(Elf32_Ehdr, e_phoff) - 4))
		return false;
	*offset = narrow;
	return span_u16(&head, n);
}

void rec_build_id_read(struct rec_image *image, int fd)
{
	uint8_t head[sizeof(Elf64_Ehdr)];
	uint8_t table[MAX_PROGRAM_HEADERS * sizeof(Elf64_Phdr)];
	uint64_t offset, size;
	struct span s;
	uint32_t type;
	uint16_t n;
	ssize_t got;
	bool wide;

	if (fd < 0 || pread(fd, head, sizeof(head), 0) != sizeof(head) ||
	    memcmp(head, ELFMAG, SELFMAG) || head[EI_DATA] != ELFDATA2LSB)
		return;
	wide = head[EI_CLASS] == ELFCLASS64;
	if (!program_headers(span_of(head, sizeof(head)), wide, &offset, &n) ||
	    n > MAX_PROGRAM_HEADERS || offset > INT64_MAX)
		return;
	got = pread(fd, table, n * (wide ? sizeof(Elf64_Phdr)
					 : sizeof(Elf32_Phdr)),
		    (off_t)offset);
	s = span_of(table, got > 0 ? (size_t)got : 0);
	while (!image->build_id_size &&
	       take_header(&s, wide, &type, &offset, &size))
		if (type == PT_NOTE)
			read_notes(image, fd, offset, size);
}
