/* Which GPU readings are of. */
#ifndef ANALYZE_FINDINGS_CARDS_H
#define ANALYZE_FINDINGS_CARDS_H

#include "analyze/findings/findings.h"

/* Finds out the cards of `f`, and of which device each series is. A PMU is of the
 * GPU whose address its name tells, where others tell of that GPU, too. */
int an_cards_find(struct an_findings *f, struct err *err);

#endif
