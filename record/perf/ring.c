#include "record/perf/ring.h"

#include "record/perf/words.h"

#include <errno.h>
#include <inttypes.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define HEADER_SIZE 8u
#define RECORD_MAX 65536u /* sizes are 16 bits */

struct rec_ring {
	struct perf_event_mmap_page *control;
	uint8_t *data;
	size_t mapped; /* bytes, control page included */
	size_t size;   /* bytes of data, a power of two */
	uint64_t head; /* as of the last refresh */
	uint64_t tail; /* next record; ahead of what the kernel knows */
	uint64_t last; /* size of the record at tail, once peeked */
	uint8_t whole[RECORD_MAX]; /* a record that wraps, put together */
};

int rec_ring_new(struct rec_ring **out, int fd, size_t size, struct err *err)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	struct rec_ring *r;
	void *p;

	if (size < page || size & (size - 1))
		return err_set(err, ERR_USAGE, "a ring of %zu bytes is no "
			       "power of two of pages", size);
	r = malloc(sizeof(*r));
	if (!r)
		return err_nomem(err);
	p = mmap(NULL, page + size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (p == MAP_FAILED) {
		int rc = err_sys(err, errno, "cannot map a ring of %zu KiB",
				 size / 1024);

		free(r);
		return rc;
	}
	r->control = p;
	r->data = (uint8_t *)p + page;
	r->mapped = page + size;
	r->size = size;
	r->head = r->tail = r->last = 0;
	*out = r;
	return 0;
}

void rec_ring_free(struct rec_ring *r)
{
	if (!r)
		return;
	munmap(r->control, r->mapped);
	free(r);
}

size_t rec_ring_refresh(struct rec_ring *r)
{
	/* Pairs with the kernel's barrier between data and data_head. */
	r->head = __atomic_load_n(&r->control->data_head, __ATOMIC_ACQUIRE);
	return (size_t)(r->head - r->tail);
}

/* The first n bytes from `tail` on, which may go around the end. */
static void gather(struct rec_ring *r, size_t n)
{
	size_t at = (size_t)r->tail & (r->size - 1);
	size_t first = r->size - at < n ? r->size - at : n;

	memcpy(r->whole, r->data + at, first);
	memcpy(r->whole + first, r->data, n - first);
}

static int nonsense(struct rec_ring *r, uint64_t size, struct err *err)
{
	uint64_t waiting = r->head - r->tail;

	r->tail = r->head;
	r->last = 0;
	return err_set(err, ERR_FORMAT, "ring with a record of %" PRIu64
		       " bytes where %" PRIu64 " wait, in a ring of %zu",
		       size, waiting, r->size);
}

int rec_ring_peek(struct rec_ring *r, struct span *record, struct err *err)
{
	uint64_t waiting = r->head - r->tail;
	size_t at = (size_t)r->tail & (r->size - 1);
	uint64_t size;

	if (!waiting)
		return 1;
	if (waiting > r->size || waiting < HEADER_SIZE || at % HEADER_SIZE)
		return nonsense(r, waiting, err);
	/* Records are multiples of 8 bytes: a header never wraps. */
	size = word_at(r->data + at) >> 48;
	if (size < HEADER_SIZE || size > waiting || size % HEADER_SIZE)
		return nonsense(r, size, err);
	r->last = size;
	if (size <= r->size - at) {
		*record = span_of(r->data + at, (size_t)size);
		return 0;
	}
	gather(r, (size_t)size);
	*record = span_of(r->whole, (size_t)size);
	return 0;
}

void rec_ring_next(struct rec_ring *r)
{
	r->tail += r->last;
	r->last = 0;
}

void rec_ring_release(struct rec_ring *r)
{
	/* All reads of the data come before the kernel may overwrite it. */
	__atomic_store_n(&r->control->data_tail, r->tail, __ATOMIC_RELEASE);
}
