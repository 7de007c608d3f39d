/* What perf script and stackcollapse-perf.pl print together, from any trace. */
#ifndef ANALYZE_COMPAT_COMPAT_H
#define ANALYZE_COMPAT_COMPAT_H

#include "analyze/compat/event.h"
#include "analyze/compat/names.h"

#include <stdio.h>

/* Writes the stacks of the events that were chosen. */
int an_compat_write(struct an_trace *t, const struct an_selection *sel,
		    const struct an_compat_choice *choice,
		    const struct an_compat_options *opt, FILE *to,
		    struct err *err);

#endif
