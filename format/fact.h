/* What is special about some facts (spec/tables.md). */
#ifndef FORMAT_FACT_H
#define FORMAT_FACT_H

#include "format/base/span.h"

/* Of several facts with this key each value stays; of others the last one. */
bool tf_fact_keeps_each(struct span key);

#endif
