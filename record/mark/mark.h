/* A mark: what is said into a running recording, and how it travels there. */
#ifndef RECORD_MARK_MARK_H
#define RECORD_MARK_MARK_H

#include "format/base/buf.h"
#include "format/base/err.h"
#include "format/base/span.h"
#include "format/catalog.h"

#include <stdint.h>

/* Longer texts are refused where they are given and cut where they are found.*/
#define REC_MARK_TEXT_MAX ((size_t)4096)

struct rec_mark {
	uint64_t time;     /* ns, monotonic: when it was said */
	enum tf_mark_source source;
	uint32_t pid;      /* who said it, 0: not known */
	struct span text;
};

/* The datagram of `rec mark`: 8 bytes that name it, the time, the text. */
#define REC_MARK_HEAD ((size_t)16)
#define REC_MARK_DATAGRAM_MAX (REC_MARK_HEAD + REC_MARK_TEXT_MAX)

void rec_mark_encode(const struct rec_mark *m, struct buf *to);

/* The text stays in `bytes`. On failure *out is untouched. */
int rec_mark_decode(struct span bytes, struct rec_mark *out, struct err *err);

/* What is wrong with a text, or 0. */
int rec_mark_check(struct span text, struct err *err);

#endif
