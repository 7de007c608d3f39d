#include "analyze/counter/amount.h"

#include "analyze/counter/series.h"

#include "format/base/mem.h"
#include "format/catalog.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define MIB 1048576.0
/* Beyond this digits mean nothing, and no longer fit. */
#define MOST 1e15

/* "cpu-clock", "cpu-clock:u". */
static bool begins(const char *name, const char *with)
{
	size_t n = strlen(with);

	return strncmp(name, with, n) == 0 && (!name[n] || name[n] == ':');
}

bool an_series_is_clock(const struct an_trace *t, const struct an_series *s)
{
	const char *name = an_text(t, s->name);

	return s->source == TF_SERIES_PMU && an_series_time_unit(t, s) > 0 &&
	       (begins(name, "task-clock") || begins(name, "cpu-clock"));
}

static unsigned decimals_of(const struct an_series *s, double value)
{
	if (s->kind == TF_SERIES_INTEGRAL || s->kind == TF_SERIES_SUM)
		return fabs(value) < 10 ? 2 : 0;
	/* As perf: whole numbers where nothing is scaled. */
	return s->scale < 1 || s->scale > 1 ? 2 : 0;
}

struct an_amount an_amount_of(const struct an_trace *t,
			      const struct an_series *s, double amount)
{
	const char *unit = an_text(t, s->unit);
	double ns = an_series_time_unit(t, s);

	if (an_series_is_clock(t, s))
		return (struct an_amount){ amount * ns / 1e6, "msec", 2 };
	if (ns > 0)
		return (struct an_amount){ amount * ns / 1e6, "ms", 3 };
	if (strcmp(unit, "bytes") == 0)
		return (struct an_amount){ amount / MIB, "MiB", 2 };
	if (strcmp(unit, "Hz") == 0)
		return (struct an_amount){ amount / 1e6, "MHz", 0 };
	return (struct an_amount){ amount, unit, decimals_of(s, amount) };
}

void an_number_text(char to[AN_AMOUNT_TEXT], double value, unsigned decimals)
{
	char plain[AN_AMOUNT_TEXT];
	size_t n, point, at = 0;

	if (!(fabs(value) < MOST)) {
		snprintf(to, AN_AMOUNT_TEXT, "%.6g", value);
		return;
	}
	if (fabs(value) < 1e-12)
		value = 0; /* no "-0" */
	n = (size_t)snprintf(plain, sizeof(plain), "%.*f", (int)decimals,
			     value);
	point = strcspn(plain, ".");
	for (size_t i = 0; i < n && at + 2 < AN_AMOUNT_TEXT; i++) {
		size_t left = point - i; /* digits before the point */

		if (i && i < point && left % 3 == 0 && plain[i - 1] != '-')
			to[at++] = ',';
		to[at++] = plain[i];
	}
	to[at] = 0;
}

void an_amount_text(char to[AN_AMOUNT_TEXT], const struct an_amount *a)
{
	an_number_text(to, a->value, a->decimals);
}
