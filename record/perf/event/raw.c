/* rNNN: the number that the CPU's manual gives an event. */
#include "record/perf/event/kind.h"

#include "record/perf/event/hybrid.h"

#include <ctype.h>
#include <stdlib.h>

static int raw_parse(struct rec_events *to, const char *name, struct err *err)
{
	size_t n;

	if (name[0] != 'r')
		return 1;
	for (n = 1; isxdigit((unsigned char)name[n]); n++)
		;
	if (n == 1 || name[n])
		return 1;
	if (n > 17)
		return err_set(err, ERR_USAGE, "raw event '%s' has more than "
			       "16 digits", name);
	return rec_hybrid_append(to, name, PERF_TYPE_RAW,
				 strtoull(name + 1, NULL, 16), err);
}

const struct rec_event_kind rec_kind_raw = { raw_parse, NULL };
