#include "format/scratch.h"

#include <assert.h>
#include <stdlib.h>

void tf_scratch_fini(struct tf_scratch *s)
{
	free(s->p);
	*s = (struct tf_scratch){ 0 };
}

int tf_scratch_reset(struct tf_scratch *s, size_t size, struct err *err)
{
	s->used = 0;
	if (size <= s->cap)
		return 0;
	/* Not realloc: what was there need not be copied. */
	free(s->p);
	s->cap = 0;
	s->p = malloc(size);
	if (!s->p)
		return err_nomem(err);
	s->cap = size;
	return 0;
}

void *tf_scratch_take(struct tf_scratch *s, size_t n)
{
	void *p = s->p + s->used;

	assert(tf_scratch_size(n) <= s->cap - s->used);
	s->used += tf_scratch_size(n);
	return p;
}
