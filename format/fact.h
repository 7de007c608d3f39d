/* What is special about some facts (spec/tables.md). */
#ifndef FORMAT_FACT_H
#define FORMAT_FACT_H

#include "format/base/span.h"

/* Of several facts with this key each value stays; of others the last one. */
bool tf_fact_keeps_each(struct span key);

/* The key as its source had it: without the "source.N." of a merged trace. */
struct span tf_fact_own_key(struct span key);

#endif
