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

struct span tf_fact_own_key(struct span key)
{
	static const char before[] = "source.";
	size_t n = sizeof(before) - 1;
	const uint8_t *dot;

	if (!span_begins(key, before) || key.n == n)
		return key;
	dot = memchr(key.p + n, '.', key.n - n);
	if (!dot)
		return key;
	n = (size_t)(dot + 1 - key.p);
	return span_of(key.p + n, key.n - n);
}
