#include "analyze/counter/about.h"

#include "format/base/time.h"

#include <inttypes.h>

void an_readings_print(const struct an_trace *t, const struct an_overview *o,
		       FILE *to, int left)
{
	char text[TIME_TEXT];

	if (!o->readings)
		return;
	time_format(text, o->r_max - o->r_min);
	fprintf(to, "%-*s%s, from %" PRIu64 ".%09" PRIu64 " to %" PRIu64
		".%09" PRIu64 " s, %" PRIu64 " of %zu counters\n", left,
		"readings", text, o->r_min / NSEC_PER_SEC,
		o->r_min % NSEC_PER_SEC, o->r_max / NSEC_PER_SEC,
		o->r_max % NSEC_PER_SEC, o->readings, an_n_series(t));
}

void an_readings_json(const struct an_trace *t, const struct an_overview *o,
		      struct json *j)
{
	if (!o->readings)
		return;
	json_object(j, "readings");
	json_u64(j, "count", o->readings);
	json_u64(j, "counters", an_n_series(t));
	json_u64(j, "first_ns", o->r_min);
	json_u64(j, "last_ns", o->r_max);
	json_end_object(j);
}
