#include "tests/support/failalloc.h"

#include <errno.h>
#include <stddef.h>

void *__real_malloc(size_t size);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *p, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *p, size_t size);

/* Allocations left until the one that fails; 0: none will. Threads of the
 * code under test allocate, too. */
static long left;
static bool hit;

void failalloc_at(long n)
{
	__atomic_store_n(&hit, false, __ATOMIC_RELAXED);
	__atomic_store_n(&left, n, __ATOMIC_RELEASE);
}

void failalloc_off(void)
{
	__atomic_store_n(&left, 0, __ATOMIC_RELEASE);
}

bool failalloc_hit(void)
{
	return __atomic_load_n(&hit, __ATOMIC_ACQUIRE);
}

static bool fails(void)
{
	if (__atomic_load_n(&left, __ATOMIC_ACQUIRE) <= 0 ||
	    __atomic_sub_fetch(&left, 1, __ATOMIC_ACQ_REL))
		return false;
	__atomic_store_n(&hit, true, __ATOMIC_RELEASE);
	errno = ENOMEM;
	return true;
}

void *__wrap_malloc(size_t size)
{
	return fails() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t n, size_t size)
{
	return fails() ? NULL : __real_calloc(n, size);
}

void *__wrap_realloc(void *p, size_t size)
{
	return fails() ? NULL : __real_realloc(p, size);
}
