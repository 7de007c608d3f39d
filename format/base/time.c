#include "time.h"

#include "mem.h"

#include <stdio.h>
#include <string.h>

struct unit {
	const char *name;
	uint64_t ns;
};

static const struct unit units[] = {
	{ "ns", 1 },
	{ "us", 1000 },
	{ "ms", 1000000 },
	{ "s", NSEC_PER_SEC },
	{ "m", 60ull * NSEC_PER_SEC },
	{ "h", 3600ull * NSEC_PER_SEC },
	{ NULL, 0 },
};

uint64_t time_now_ns(clockid_t clock)
{
	struct timespec ts;

	if (clock_gettime(clock, &ts))
		return 0;
	return (uint64_t)ts.tv_sec * NSEC_PER_SEC + (uint64_t)ts.tv_nsec;
}

static bool unit_of(const char *text, uint64_t *unit)
{
	if (!*text)
		return true;
	for (const struct unit *u = units; u->name; u++) {
		if (strcmp(u->name, text) == 0) {
			*unit = u->ns;
			return true;
		}
	}
	return false;
}

static bool digit(char c)
{
	return c >= '0' && c <= '9';
}

bool time_parse(const char *text, uint64_t unit, uint64_t *ns)
{
	uint64_t whole = 0, part = 0, scale = 1, sum, frac;
	const char *at = text;

	if (!digit(*at))
		return false;
	for (; digit(*at); at++)
		if (ckd_mul(&whole, whole, (uint64_t)10) ||
		    ckd_add(&whole, whole, (uint64_t)(*at - '0')))
			return false;
	if (*at == '.')
		for (at++; digit(*at); at++) {
			if (scale >= 1000000000)
				continue; /* below a nanosecond of a second */
			part = part * 10 + (uint64_t)(*at - '0');
			scale *= 10;
		}
	if (!unit_of(at, &unit) || ckd_mul(&sum, whole, unit))
		return false;
	frac = (uint64_t)((double)part / (double)scale * (double)unit + 0.5);
	return !ckd_add(ns, sum, frac);
}

void time_format(char to[TIME_TEXT], uint64_t ns)
{
	if (ns >= NSEC_PER_SEC)
		snprintf(to, TIME_TEXT, "%.3f s", (double)ns / NSEC_PER_SEC);
	else if (ns >= 1000000)
		snprintf(to, TIME_TEXT, "%.3f ms", (double)ns / 1e6);
	else if (ns >= 1000)
		snprintf(to, TIME_TEXT, "%.3f us", (double)ns / 1e3);
	else
		snprintf(to, TIME_TEXT, "%u ns", (unsigned)ns);
}
