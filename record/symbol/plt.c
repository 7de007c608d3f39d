#include "record/symbol/plt.h"

#include <string.h>

static bool take_code(struct span *in, const char *code, size_t n)
{
	return in->n >= n && !memcmp(in->p, code, n) && span_skip(in, n);
}

/* endbr64 where branches are tracked, bnd where old linkers wrote for MPX,
 * then jmp *displacement(%rip). */
bool rec_plt_slot(struct span entry, uint64_t address, uint64_t *slot)
{
	const size_t size = entry.n;
	uint32_t displacement;

	take_code(&entry, "\xf3\x0f\x1e\xfa", 4);
	take_code(&entry, "\xf2", 1);
	if (!take_code(&entry, "\xff\x25", 2) ||
	    !span_u32(&entry, &displacement))
		return false;
	*slot = address + (size - entry.n) + displacement;
	if (displacement >> 31)
		*slot -= (uint64_t)1 << 32;
	return true;
}
