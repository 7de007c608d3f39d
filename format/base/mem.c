#include "mem.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define HUGE_PAGE ((uintptr_t)2 << 20)

void mem_huge(void *p, size_t size)
{
	uintptr_t begin = ((uintptr_t)p + HUGE_PAGE - 1) & ~(HUGE_PAGE - 1);
	uintptr_t end = ((uintptr_t)p + size) & ~(HUGE_PAGE - 1);

	if (size >= 2 * HUGE_PAGE && end > begin)
		(void)madvise((void *)begin, end - begin, MADV_HUGEPAGE);
}

void *mem_table(size_t size)
{
	void *p;

	if (size < HUGE_PAGE)
		return calloc(1, size);
	if (posix_memalign(&p, HUGE_PAGE, size))
		return NULL;
	(void)madvise(p, size, MADV_HUGEPAGE);
	return memset(p, 0, size);
}

bool mem_grow(void *array, size_t *cap, size_t need, size_t size)
{
	size_t want, bytes;
	void *old, *grown;

	if (need <= *cap)
		return true;
	if (ckd_add(&want, *cap, *cap / 2) || want < need)
		want = need;
	if (want < 16)
		want = 16;
	if (ckd_mul(&bytes, want, size))
		return false;
	memcpy(&old, array, sizeof(old));
	grown = realloc(old, bytes);
	if (!grown)
		return false;
	mem_huge(grown, bytes);
	memcpy(array, &grown, sizeof(grown));
	*cap = want;
	return true;
}
