#include "format/base/out.h"

#include <errno.h>
#include <poll.h>
#include <string.h>

/* An earlier write may have failed whose errno nobody kept: a pipe without a
 * reader still says so. */
static int reader_is_gone(FILE *out)
{
	struct pollfd p = { .fd = fileno(out), .events = POLLOUT };

	return p.fd >= 0 && poll(&p, 1, 0) == 1 && p.revents & POLLERR;
}

const char *out_finish(FILE *out)
{
	int failed = fflush(out);
	int errnum = errno;

	if (!failed && !ferror(out))
		return NULL;
	if ((failed && errnum == EPIPE) || reader_is_gone(out))
		return NULL;
	return failed ? strerror(errnum) : "an earlier write failed";
}
