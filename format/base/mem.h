/* Checked arithmetic and growth of arrays. */
#ifndef BASE_MEM_H
#define BASE_MEM_H

#include <stdbool.h>
#include <stddef.h>

/* true: the sum or product does not fit, *r is undefined. */
#define ckd_add(r, a, b) __builtin_add_overflow((a), (b), (r))
#define ckd_sub(r, a, b) __builtin_sub_overflow((a), (b), (r))
#define ckd_mul(r, a, b) __builtin_mul_overflow((a), (b), (r))

/* An order as qsort wants it, without the overflow of a subtraction. */
#define CMP(a, b) (((a) > (b)) - ((a) < (b)))

#define ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))

/* Makes room for `need` items of `size` bytes in the array at *(void **)array;
 * grows by half. false: out of memory, the array is as it was. */
bool mem_grow(void *array, size_t *cap, size_t need, size_t size);

/* Asks for huge pages behind a block of megabytes that is about to be filled.
 * The first touch of a MiB costs 0.8 ms with small pages, 0.15 ms with huge ones
 * (measured in a virtual machine). */
void mem_huge(void *p, size_t size);

/* Zeroed memory for a table that is looked up at random: where it is large, in
 * huge pages if the kernel has them, since a miss of the TLB costs as much as one
 * of the cache. NULL: out of memory. Release with mem_table_free(), of the same
 * size; NULL of size 0 is fine. */
void *mem_table(size_t size);
void mem_table_free(void *p, size_t size);

#endif
