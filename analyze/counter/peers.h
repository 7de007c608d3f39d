/* Series that tell more together: of the same process, CPU, run, client and
 * engine, by name. */
#ifndef ANALYZE_COUNTER_PEERS_H
#define ANALYZE_COUNTER_PEERS_H

#include "analyze/trace.h"

struct an_peer;

struct an_peers {
	const struct an_trace *t;
	struct an_peer *v;
	size_t n;
};

int an_peers_make(struct an_peers *out, const struct an_trace *t,
		  struct err *err);
void an_peers_fini(struct an_peers *p); /* a zeroed one is fine */

/* The series of that very name beside another one, which may be itself; AN_NONE:
 * there is none. */
uint32_t an_peers_find(const struct an_peers *p, uint32_t series,
		       struct span name);

#endif
