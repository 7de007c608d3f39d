/* How amounts of series are shown to people: times in ms, bytes in MiB,
 * thousands apart. Programs get the amount in the unit of its series. */
#ifndef ANALYZE_COUNTER_AMOUNT_H
#define ANALYZE_COUNTER_AMOUNT_H

#include "analyze/trace.h"

#define AN_AMOUNT_TEXT 48

struct an_amount {
	double value;
	const char *unit; /* lives as long as the trace */
	unsigned decimals;
};

/* `amount` is in the unit of the series. */
struct an_amount an_amount_of(const struct an_trace *t,
			      const struct an_series *s, double amount);

/* "1,234,567" or "450.210". */
void an_amount_text(char to[AN_AMOUNT_TEXT], const struct an_amount *a);
void an_number_text(char to[AN_AMOUNT_TEXT], double value, unsigned decimals);

/* The clock that a task or CPU ran by: task-clock, cpu-clock. */
bool an_series_is_clock(const struct an_trace *t, const struct an_series *s);

#endif
