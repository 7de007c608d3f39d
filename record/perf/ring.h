/* A kernel ring buffer of perf records, mapped. Reading does not allocate. */
#ifndef RECORD_PERF_RING_H
#define RECORD_PERF_RING_H

#include "format/base/err.h"
#include "format/base/span.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rec_ring;

/* Maps `size` bytes (a power of two of pages, plus the control page) on the
 * event `fd`, which must stay open. */
int rec_ring_new(struct rec_ring **out, int fd, size_t size, struct err *err);
void rec_ring_free(struct rec_ring *r); /* NULL is fine */

/* Looks once at how far the kernel has written. Records that come later are
 * not seen until the next refresh. Returns the bytes waiting. */
size_t rec_ring_refresh(struct rec_ring *r);

/* 0: *record is the next one, whole and contiguous, until the next call;
 * 1: none left; ERR_FORMAT: the ring makes no sense, what was waiting is
 * skipped. Peeking does not move; rec_ring_next() does. */
int rec_ring_peek(struct rec_ring *r, struct span *record, struct err *err);
void rec_ring_next(struct rec_ring *r);

/* Gives the room of what was taken back to the kernel. */
void rec_ring_release(struct rec_ring *r);

#endif
