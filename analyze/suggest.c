#include "analyze/suggest.h"

#include <string.h>

#define MAX_WORD 32u

static unsigned least(unsigned a, unsigned b)
{
	return a < b ? a : b;
}

unsigned an_distance(const char *a, const char *b)
{
	unsigned row[3][MAX_WORD + 1];
	size_t na = strlen(a), nb = strlen(b);

	if (na > MAX_WORD || nb > MAX_WORD)
		return 99;
	for (size_t j = 0; j <= nb; j++)
		row[0][j] = (unsigned)j;
	for (size_t i = 1; i <= na; i++) {
		unsigned *now = row[i % 3], *above = row[(i + 2) % 3];
		const unsigned *two = row[(i + 1) % 3];

		now[0] = (unsigned)i;
		for (size_t j = 1; j <= nb; j++) {
			unsigned same = a[i - 1] == b[j - 1] ? 0 : 1;

			now[j] = least(above[j - 1] + same,
				       least(above[j], now[j - 1]) + 1);
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] &&
			    a[i - 2] == b[j - 1])
				now[j] = least(now[j], two[j - 2] + 1);
		}
	}
	return row[na % 3][nb];
}

const char *an_nearest(const char *text, const char *const *words, size_t n)
{
	unsigned best = 1 + (unsigned)strlen(text) / 3;
	const char *found = NULL;

	for (size_t i = 0; i < n; i++) {
		unsigned d = an_distance(text, words[i]);

		if (d <= best && (!found || d < best)) {
			found = words[i];
			best = d;
		}
	}
	return found;
}
