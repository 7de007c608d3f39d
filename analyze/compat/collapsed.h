/* Stacks of names with weights, written as stackcollapse-perf.pl does: a line a
 * stack, in the order of the lines' bytes. */
#ifndef ANALYZE_COMPAT_COLLAPSED_H
#define ANALYZE_COMPAT_COLLAPSED_H

#include "format/base/intern.h"
#include "format/base/map64.h"
#include "format/base/span.h"

#include <stdint.h>
#include <stdio.h>

struct an_collapsed_node {
	uint32_t parent; /* a lower node */
	uint32_t name;
	uint64_t weight; /* of the stack that ends here */
};

struct an_collapsed {
	struct intern names;
	struct map64 children;           /* (parent, name) to node */
	struct an_collapsed_node *nodes; /* 0 is the root, without a name */
	size_t n, cap;
};

/* A zeroed one is ready. All return 0 or -errno and leave it usable. */
void an_collapsed_fini(struct an_collapsed *c);

/* The child of a node by its name, which has no ';', made where it is new. */
int an_collapsed_child(struct an_collapsed *c, uint32_t parent,
		       struct span name, uint32_t *out);

/* -EOVERFLOW: the weight would not fit; nothing is added. */
int an_collapsed_add(struct an_collapsed *c, uint32_t node, uint64_t weight);

int an_collapsed_write(const struct an_collapsed *c, FILE *to);

#endif
