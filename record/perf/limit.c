#include "record/perf/limit.h"

#include "format/base/mem.h"

#include <sys/resource.h>

/* What else is open: the output, the symbolizer's files, libraries. */
#define OTHERS 128

bool rec_limit_raise(size_t needed)
{
	struct rlimit lim, more;
	rlim_t wanted;

	if (getrlimit(RLIMIT_NOFILE, &lim) ||
	    ckd_add(&wanted, (rlim_t)needed, (rlim_t)OTHERS))
		return true; /* the kernel will tell */
	if (lim.rlim_cur >= wanted)
		return true;
	more = (struct rlimit){ lim.rlim_max, lim.rlim_max };
	if (lim.rlim_max >= wanted)
		return !setrlimit(RLIMIT_NOFILE, &more);
	/* A privileged user's hard limit is no limit. */
	more = (struct rlimit){ wanted, wanted };
	if (!setrlimit(RLIMIT_NOFILE, &more))
		return true;
	more = (struct rlimit){ lim.rlim_max, lim.rlim_max };
	(void)setrlimit(RLIMIT_NOFILE, &more);
	return lim.rlim_max >= needed;
}
