#include "record/import/perfdata/bytes.h"

#include "format/base/mem.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int rec_pd_bytes_init(struct rec_pd_bytes *b, int fd, uint64_t at, uint64_t end,
		      size_t window, struct err *err)
{
	*b = (struct rec_pd_bytes){ .fd = fd, .at = at, .size = window };
	b->end = end < at ? at : end;
	if (b->size > b->end - at)
		b->size = (size_t)(b->end - at) + 1;
	b->window = malloc(b->size ? b->size : 1);
	return b->window ? 0 : err_nomem(err);
}

void rec_pd_bytes_fini(struct rec_pd_bytes *b)
{
	free(b->window);
	*b = (struct rec_pd_bytes){ 0 };
}

/* Up to `n` bytes; *got fewer: the file ends there. */
static int read_at(int fd, uint8_t *to, size_t n, uint64_t at, size_t *got,
		   struct err *err)
{
	*got = 0;
	while (*got < n) {
		ssize_t r = pread(fd, to + *got, n - *got, (off_t)(at + *got));

		if (r < 0 && errno == EINTR)
			continue;
		if (r < 0)
			return err_sys(err, errno, "cannot read at offset %"
				       PRIu64, at + *got);
		if (r == 0)
			break;
		*got += (size_t)r;
	}
	return 0;
}

/* Fills the window behind what waits in it. */
static int fill(struct rec_pd_bytes *b, struct err *err)
{
	size_t waits = b->filled - b->from, want = b->size - waits, got;
	uint64_t left;
	int rc;

	memmove(b->window, b->window + b->from, waits);
	b->from = 0;
	b->filled = waits;
	left = b->end - b->at - waits;
	if (want > left)
		want = (size_t)left;
	rc = read_at(b->fd, b->window + waits, want, b->at + waits, &got, err);
	if (rc)
		return rc;
	b->filled += got;
	/* Shorter than was said. */
	if (got < want)
		b->end = b->at + b->filled;
	return 0;
}

int rec_pd_bytes_read(struct rec_pd_bytes *b, size_t n, struct span *out,
		      struct err *err)
{
	int rc;

	if (b->end - b->at > b->filled - b->from) {
		rc = fill(b, err);
		if (rc)
			return rc;
	}
	*out = span_of(b->window + b->from, b->filled - b->from);
	if (out->n < n)
		return 1;
	out->n = n;
	return 0;
}

bool rec_pd_bytes_jump(struct rec_pd_bytes *b, uint64_t n)
{
	bool there = n <= b->end - b->at;

	if (!there)
		n = b->end - b->at;
	b->from = b->filled = 0;
	b->at += n;
	return there;
}

int rec_pd_load(uint8_t **out, int fd, uint64_t at, uint64_t n, size_t max,
		struct err *err)
{
	uint8_t *p;
	size_t got;
	int rc;

	if (n > max)
		return err_set(err, ERR_LIMIT, "%" PRIu64 " bytes at offset %"
			       PRIu64 ", limit %zu", n, at, max);
	p = malloc(n ? (size_t)n : 1);
	if (!p)
		return err_nomem(err);
	rc = read_at(fd, p, (size_t)n, at, &got, err);
	if (!rc && got < n)
		rc = err_set(err, ERR_FORMAT, "%" PRIu64 " bytes at offset %"
			     PRIu64 ", of which %zu are there", n, at, got);
	if (rc) {
		free(p);
		return rc;
	}
	*out = p;
	return 0;
}
