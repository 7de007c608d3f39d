#include "record/segment/name.h"

#include "format/base/time.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

bool rec_segment_name(char to[PATH_MAX], const char *path, uint64_t unix_ns)
{
	const char *slash = strrchr(path, '/');
	const char *base = slash ? slash + 1 : path;
	const char *dot = strrchr(base, '.');
	time_t seconds = (time_t)(unix_ns / NSEC_PER_SEC);
	struct tm tm;
	char stamp[32];
	int n;

	if (!dot || dot == base)
		dot = base + strlen(base);
	if (!localtime_r(&seconds, &tm) ||
	    !strftime(stamp, sizeof(stamp), "%Y%m%d-%H%M%S", &tm))
		return false;
	n = snprintf(to, PATH_MAX, "%.*s.%s.%02u%s", (int)(dot - path), path,
		     stamp,
		     (unsigned)(unix_ns % NSEC_PER_SEC / REC_SEGMENT_STEP_NS),
		     dot);
	return n >= 0 && n < PATH_MAX;
}
