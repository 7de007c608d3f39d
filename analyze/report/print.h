/* A whole report: event by event, never added up. */
#ifndef ANALYZE_REPORT_PRINT_H
#define ANALYZE_REPORT_PRINT_H

#include "analyze/report/rows.h"

/* The events of `p` in r->format. `weight` NULL: the period, or samples where
 * an event's periods are all 0; every event with samples has such a weight. */
int an_report_print(const struct an_report *r, const struct an_profile *p,
		    const enum an_weight *weight, FILE *to, struct err *err);

/* Whether any sample came with more than the place it was at: only then is
 * there something to count for callers. */
bool an_report_has_stacks(const struct an_profile *p);

#endif
