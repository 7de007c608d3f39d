/* A sample, gathered line by line until it is whole. */
#ifndef RECORD_IMPORT_TEXT_SAMPLE_H
#define RECORD_IMPORT_TEXT_SAMPLE_H

#include "format/base/buf.h"
#include "record/import/intake.h"
#include "record/import/text/frame.h"

#include <stdbool.h>
#include <stddef.h>

/* A stack that is deeper is cut; no format holds more than a few thousand. */
#define REC_TEXT_FRAMES_MAX 65536u

struct rec_text_sample {
	bool open;
	bool ended;           /* a blank line followed */
	size_t event;         /* index that the intake knows it by */
	struct rec_record record; /* but for sample.raw: */
	struct buf raw;

	struct rec_text_kept { /* names are in `bytes` */
		size_t at, image, symbol;
		uint64_t address, offset;
		bool has_address, has_offset, inlined;
	} *frames;
	size_t n, cap;
	struct buf bytes;
	struct rec_named_frame *named;
	size_t named_cap;
};

void rec_text_sample_fini(struct rec_text_sample *s); /* zeroed is ready */

/* The payload is copied. */
int rec_text_sample_begin(struct rec_text_sample *s, size_t event,
			  const struct rec_record *r, struct err *err);

/* The next frame outwards. 1: there are too many. */
int rec_text_sample_frame(struct rec_text_sample *s,
			  const struct rec_text_frame *f, struct err *err);

/* Gives it to the intake; nothing where none is open. */
int rec_text_sample_flush(struct rec_text_sample *s, struct rec_intake *to,
			  struct err *err);

#endif
