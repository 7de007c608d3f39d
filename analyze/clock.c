#include "analyze/clock.h"

#include "analyze/breaks.h"
#include "analyze/clean.h"

#include "format/base/json.h"
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

/* The first row's time, but of what was made of such a trace: that has the time in
 * its header, and maybe not that row. */
bool an_clock_began(const struct an_trace *t, uint64_t *unix_ns)
{
	struct an_break rows = an_rows_span(an_trace_reader(t));
	bool made = an_fact(t, "note.cut") || an_fact(t, "sources");

	*unix_ns = tf_reader_header(an_trace_reader(t))->start_unix_ns;
	if (!an_fact(t, "import.format"))
		return true;
	for (uint32_t i = 0; i < an_n_clocks(t); i++) {
		const struct an_clock *c = an_clock_of(t, i);

		if (!c->realtime || !rows.to)
			continue;
		if (!made)
			*unix_ns = rows.from + (c->realtime - c->monotonic);
		return true;
	}
	return false;
}

void an_clock_print_began(const struct an_trace *t, FILE *to)
{
	const char *source = an_fact(t, "import.source");
	uint64_t unix_ns;
	bool known = an_clock_began(t, &unix_ns);

	an_print_date(to, unix_ns);
	if (!known)
		fputs(source && strcmp(source, "(pipe)") == 0 ?
			      " (when it was imported)" :
			      " (when its file was written)", to);
}

void an_clock_json_began(const struct an_trace *t, struct json *j)
{
	uint64_t unix_ns;

	if (an_clock_began(t, &unix_ns))
		json_u64(j, "began_unix_ns", unix_ns);
	else
		json_null(j, "began_unix_ns");
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
