#include "record/symbol/vdso.h"

#include "format/base/mem.h"

#include <elf.h>
#include <stdint.h>
#include <string.h>
#include <sys/auxv.h>

#define HEAD_SIZE 64
#define MAX_SIZE (256u << 10) /* the largest in use are 16 KiB */

static bool take_head(struct span in, bool wide, uint64_t *at, uint16_t *size,
		      uint16_t *n)
{
	uint32_t narrow = 0;

	if (wide)
		return span_skip(&in, offsetof(Elf64_Ehdr, e_shoff)) &&
		       span_u64(&in, at) && span_skip(&in, 4 + 2 + 2 + 2) &&
		       span_u16(&in, size) && span_u16(&in, n);
	if (!span_skip(&in, offsetof(Elf32_Ehdr, e_shoff)) ||
	    !span_u32(&in, &narrow) || !span_skip(&in, 4 + 2 + 2 + 2) ||
	    !span_u16(&in, size) || !span_u16(&in, n))
		return false;
	*at = narrow;
	return true;
}

/* The kernel's image ends with its section headers, within a page. */
size_t rec_vdso_size(struct span head)
{
	uint16_t width, n;
	uint64_t at, size;

	if (head.n < HEAD_SIZE || memcmp(head.p, ELFMAG, SELFMAG) != 0 ||
	    head.p[EI_DATA] != ELFDATA2LSB ||
	    !take_head(head, head.p[EI_CLASS] == ELFCLASS64, &at, &width, &n))
		return 0;
	if (ckd_add(&size, at, (uint64_t)width * n) || size > MAX_SIZE)
		return 0;
	return (size_t)size;
}

struct span rec_vdso_image(void)
{
	const uint8_t *at = (const uint8_t *)getauxval(AT_SYSINFO_EHDR);

	if (!at)
		return (struct span){ 0 };
	return span_of(at, rec_vdso_size(span_of(at, HEAD_SIZE)));
}
