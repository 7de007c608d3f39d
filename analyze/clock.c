#include "analyze/clock.h"

#include "analyze/clean.h"

#include "format/base/mem.h"

#include <string.h>

/* Names of CLOCK_… as perf's files have them, and of tracefs' trace_clock. */
static const struct {
	const char *name, *text;
} clocks[] = {
	{ "monotonic", "monotonic clock" },
	{ "monotonic_raw", "raw monotonic clock" },
	{ "mono_raw", "raw monotonic clock" },
	{ "realtime", "real-time clock" },
	{ "boottime", "boot-time clock" },
	{ "boot", "boot-time clock" },
	{ "tai", "TAI clock" },
	{ "perf", "perf's clock" },
	{ "local", "tracer's clock 'local', of each CPU" },
	{ "global", "tracer's clock 'global'" },
	{ "uptime", "uptime, ticks as ns" },
	{ "counter", "events counted as ns, not time" },
	{ "x86-tsc", "time-stamp counter" },
	{ "none", "made up, there are no times" },
	{ "unknown", "a clock that is not told" },
};

const char *an_clock_name(const struct an_trace *t)
{
	const char *name = an_fact(t, "clock");

	if (!name || !*name)
		name = an_fact(t, "source.0.clock");
	if (name && *name)
		return name;
	return an_fact(t, "import.format") ? "unknown" : "monotonic";
}

void an_clock_print(const struct an_trace *t, FILE *to)
{
	const char *name = an_clock_name(t);

	for (size_t i = 0; i < ARRAY_LEN(clocks); i++)
		if (strcmp(clocks[i].name, name) == 0) {
			fputs(clocks[i].text, to);
			return;
		}
	fputs("clock '", to);
	an_clean_print(to, span_of(name, strlen(name)));
	fputc('\'', to);
}
