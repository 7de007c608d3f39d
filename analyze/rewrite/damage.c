#include "analyze/rewrite/damage.h"

#include "analyze/ending.h"

#include <inttypes.h>

void an_damage_put(const struct an_trace *t, struct buf *to)
{
	uint64_t n = an_trace_damage(t);

	if (n)
		buf_printf(to, "%" PRIu64 " place%s left out", n,
			   n == 1 ? "" : "s");
}

void an_damage_put_note(const struct an_trace *t, struct buf *to)
{
	const struct tf_reader *r = an_trace_reader(t);
	uint64_t n = an_trace_damage(t);

	if (n)
		buf_printf(to, "%" PRIu64 " damaged place%s left out", n,
			   n == 1 ? " was" : "s were");
	if (tf_reader_ending(r) == TF_UNCLOSED || tf_reader_ending(r) == TF_CUT)
		buf_printf(to, "%sthe file was %s: what was to come behind its "
			   "last rows is not known", n ? "; " : "",
			   an_ending_word(r));
}
