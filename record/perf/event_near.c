#include "record/perf/event_near.h"

#include "record/perf/event/kind.h"

#include <ctype.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define SHOWN_MAX 3
#define SLIPS_MAX 3

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

/* How far off a name is; the start of a name is as near as one slip. */
static size_t how_far(const char *name, const char *known)
{
	size_t len = strlen(name);

	if (len >= 3 && !strncasecmp(name, known, len))
		return 1;
	return distance(name, known);
}

/* The least distance to a name of any kind. */
static size_t nearest(const char *name)
{
	char known[REC_EVENT_NAME_MAX];
	size_t best = SIZE_MAX;

	for (size_t k = 0; k < rec_n_event_kinds; k++)
		for (size_t i = 0; rec_event_kinds[k]->name &&
				   rec_event_kinds[k]->name(i, known); i++) {
			size_t far = how_far(name, known);

			if (known[0] && far < best)
				best = far;
		}
	return best;
}

/* One slip in three letters, three at most. */
static bool is_near(const char *name, size_t far)
{
	size_t limit = strlen(name) / 3;

	return far <= (limit < SLIPS_MAX ? limit : SLIPS_MAX);
}

void rec_event_near(char *to, size_t size, const char *name)
{
	char known[REC_EVENT_NAME_MAX];
	size_t used = 0, shown = 0, best;

	to[0] = 0;
	if (strlen(name) >= REC_EVENT_NAME_MAX)
		return;
	best = nearest(name);
	if (!is_near(name, best))
		return;
	for (size_t k = 0; k < rec_n_event_kinds; k++)
		for (size_t i = 0; rec_event_kinds[k]->name &&
				   rec_event_kinds[k]->name(i, known); i++) {
			if (!known[0] || how_far(name, known) > best ||
			    shown == SHOWN_MAX || used + 96 > size)
				continue;
			used += (size_t)snprintf(
				to + used, size - used, "%s'%s'",
				shown++ ? ", " : " (did you mean ", known);
		}
	if (shown)
		snprintf(to + used, size - used, "?)");
}
