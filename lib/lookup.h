/* What a lookup remembers. */
#ifndef LIB_LOOKUP_H
#define LIB_LOOKUP_H

#include "format/base/intern.h"
#include "lib/epochs.h"
#include "lib/private.h"

struct ct_facts {
	bool loaded;
	struct intern keys;  /* where each value stays, with a 0 and the value
			      * behind it */
	const char **values; /* by key; in `memory` */
	size_t cap;
	struct arena memory;
};

struct ct_lookup {
	const struct ct_trace *trace;
	struct ct_epochs epochs;
	struct ct_facts facts;
	struct err failure; /* the first one of ct_lookup_name(); code 0: none*/
};

void ct_facts_fini(struct ct_facts *f);

/* As the public functions of these names do, but for a cause that is an err. */
int ct_string(struct ct_lookup *l, uint32_t epoch, uint64_t id,
	      struct span *out, struct err *err);

#endif
