#include "mem.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define HUGE_PAGE ((uintptr_t)2 << 20)
#define PAGE ((size_t)64 << 10) /* the largest that a kernel has */

static size_t whole_pages(size_t size)
{
	return (size + PAGE - 1) & ~(PAGE - 1);
}

void mem_huge(void *p, size_t size)
{
	uintptr_t begin = ((uintptr_t)p + HUGE_PAGE - 1) & ~(HUGE_PAGE - 1);
	uintptr_t end = ((uintptr_t)p + size) & ~(HUGE_PAGE - 1);

	if (size >= 2 * HUGE_PAGE && end > begin)
		(void)madvise((void *)begin, end - begin, MADV_HUGEPAGE);
}

/* Fresh from the kernel, which has cleared it; of what is mapped what lies around
 * whole huge pages is given back. */
static void *huge_table(size_t size)
{
	size_t all = size + HUGE_PAGE, before;
	uint8_t *p = mmap(NULL, all, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED)
		return NULL;
	before = (HUGE_PAGE - ((uintptr_t)p & (HUGE_PAGE - 1))) &
		 (HUGE_PAGE - 1);
	if (before)
		(void)munmap(p, before);
	(void)munmap(p + before + size, all - before - size);
	(void)madvise(p + before, size, MADV_HUGEPAGE);
	return p + before;
}

void *mem_table(size_t size)
{
	return size < HUGE_PAGE ? calloc(1, size) :
				  huge_table(whole_pages(size));
}

void mem_table_free(void *p, size_t size)
{
	if (size < HUGE_PAGE)
		free(p);
	else
		(void)munmap(p, whole_pages(size));
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
