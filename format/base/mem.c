#include "mem.h"

#include <stdlib.h>
#include <string.h>

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
	memcpy(array, &grown, sizeof(grown));
	*cap = want;
	return true;
}
