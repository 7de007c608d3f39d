/* How long the things of groups lasted: what is typical, and what is not. */
#ifndef ANALYZE_LENGTHS_H
#define ANALYZE_LENGTHS_H

#include "format/base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct an_lengths {
	struct an_length { uint32_t group; uint64_t ns; } *v;
	size_t n, cap;
};

int an_lengths_add(struct an_lengths *l, uint32_t group, uint64_t ns,
		   struct err *err);
void an_lengths_fini(struct an_lengths *l); /* a zeroed one is fine */

/* By the nearest rank: the smallest length that so many percent are not
 * above. */
struct an_quantiles { uint64_t p50_ns, p95_ns, p99_ns, max_ns; };

void an_lengths_sort(struct an_lengths *l);

/* Of sorted ones the next group that has any; *at begins at 0. false: no
 * more. */
bool an_lengths_next(const struct an_lengths *l, size_t *at, uint32_t *group,
		     struct an_quantiles *out);

#endif
