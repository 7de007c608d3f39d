#include "record/perf/event/kind.h"

#include "format/base/mem.h"

/* The first that knows the name has it: "branches" is a generic event before
 * it is a cache. */
const struct rec_event_kind *const rec_event_kinds[] = {
	&rec_kind_named,
	&rec_kind_cache,
	&rec_kind_raw,
	&rec_kind_breakpoint,
	&rec_kind_tracepoint,
	&rec_kind_alias,
};

const size_t rec_n_event_kinds = ARRAY_LEN(rec_event_kinds);
