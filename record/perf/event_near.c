#include "record/perf/event_near.h"

#include "record/perf/event_kinds.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#define SHOWN_MAX 3

static size_t least(size_t a, size_t b, size_t c)
{
	size_t m = a < b ? a : b;

	return m < c ? m : c;
}

static bool same(char a, char b)
{
	return tolower((unsigned char)a) == tolower((unsigned char)b);
}

/* Letters to change, add or leave out to make b of a (Levenshtein). Both are
 * shorter than REC_EVENT_NAME_MAX. */
static size_t distance(const char *a, const char *b)
{
	size_t row[REC_EVENT_NAME_MAX + 1];
	size_t n = strlen(b);

	for (size_t j = 0; j <= n; j++)
		row[j] = j;
	for (size_t i = 0; a[i]; i++) {
		size_t diagonal = row[0];

		row[0] = i + 1;
		for (size_t j = 0; j < n; j++) {
			size_t above = row[j + 1];

			row[j + 1] = least(above + 1, row[j] + 1,
					   diagonal + !same(a[i], b[j]));
			diagonal = above;
		}
	}
	return row[n];
}

/* One slip in four letters, three at most; a start of the name is near, too. */
static bool near(const char *name, const char *known)
{
	size_t len = strlen(name);
	size_t limit = len / 4 < 3 ? len / 4 : 3;

	if (len >= 3 && !strncasecmp(name, known, len))
		return true;
	return distance(name, known) <= (limit ? limit : 1);
}

void rec_event_near(char *to, size_t size, const char *name)
{
	char known[REC_EVENT_NAME_MAX];
	size_t used = 0, shown = 0;

	to[0] = 0;
	if (strlen(name) >= REC_EVENT_NAME_MAX)
		return;
	for (size_t k = 0; k < rec_n_event_kinds; k++)
		for (size_t i = 0; rec_event_kinds[k].name &&
				   rec_event_kinds[k].name(i, known); i++) {
			if (!known[0] || !near(name, known) ||
			    shown == SHOWN_MAX || used + 96 > size)
				continue;
			used += (size_t)snprintf(
				to + used, size - used, "%s'%s'",
				shown++ ? ", " : " (did you mean ", known);
		}
	if (shown)
		snprintf(to + used, size - used, "?)");
}
