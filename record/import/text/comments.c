#include "record/import/text/comments.h"

#include "format/base/mem.h"
#include "record/import/intake.h"
#include "record/import/text/scan.h"

static const struct {
	const char *key, *fact;
} facts[] = {
	{ "hostname", "hostname" },
	{ "os release", "kernel" },
	{ "arch", "arch" },
	{ "nrcpus online", "cpus" },
	{ "cpudesc", "cpu_model" },
	{ "cmdline", "command" },
	{ "perf version", "import.version" },
	{ "captured on", "import.captured" },
};

void rec_text_comment(struct span line, struct rec_intake *to)
{
	const uint8_t *colon;
	struct span key, value;

	while (line.n && (line.p[0] == '#' || rec_text_blank(line.p[0])))
		line = rec_text_from(line, 1);
	colon = line.n ? memchr(line.p, ':', line.n) : NULL;
	if (!colon)
		return;
	key = rec_text_trim(span_of(line.p, (size_t)(colon - line.p)));
	value = rec_text_trim(rec_text_from(line,
					    (size_t)(colon - line.p) + 1));
	if (value.n > 4096)
		value.n = 4096;
	for (size_t i = 0; i < ARRAY_LEN(facts); i++)
		if (value.n && span_is(key, facts[i].key))
			rec_intake_fact(to, facts[i].fact, "%.*s",
					(int)value.n, (const char *)value.p);
}
