/* Byte strings to dense ids 0, 1, 2 … in the order of their first sight. */
#ifndef BASE_INTERN_H
#define BASE_INTERN_H

#include "arena.h"
#include "span.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct intern {
	struct arena bytes;
	struct span *items; /* by id */
	size_t n;
	size_t items_cap;
	uint32_t *slots; /* id + 1, or 0 */
	size_t cap;      /* 0 or a power of two */
};

void intern_fini(struct intern *in); /* a zeroed one is ready to use */

/* false: out of memory, nothing changed. *is_new may be NULL. */
bool intern_put(struct intern *in, const void *p, size_t n, uint32_t *id,
		bool *is_new);
bool intern_find(const struct intern *in, const void *p, size_t n,
		 uint32_t *id);

/* The bytes of an id, NUL-terminated behind their length; they live as long
 * as the table. An id that was never given out is the empty span. */
struct span intern_get(const struct intern *in, uint32_t id);

size_t intern_size(const struct intern *in); /* bytes of memory held */

#endif
