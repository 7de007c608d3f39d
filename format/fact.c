#include "format/fact.h"

#include "format/base/mem.h"

/* What limits a file among several, or what a trace was made of, limits all of
 * it. A merged trace has the keys of a source with its number in front. */
bool tf_fact_keeps_each(struct span key)
{
	static const char *const ends[] = {
		"recovered", "incomplete", ".cut", ".damaged", ".joined",
		".overlap",
	};

	for (size_t i = 0; i < ARRAY_LEN(ends); i++)
		if (span_ends(key, ends[i]))
			return true;
	return false;
}
