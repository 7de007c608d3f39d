/* A text has no format files, so each event gets one that is made of its first
 * line: the pairs that are in it become fields, and the whole text is the field
 * "text", by which it is printed as it was. */
#ifndef RECORD_IMPORT_TEXT_SHAPE_H
#define RECORD_IMPORT_TEXT_SHAPE_H

#include "format/base/buf.h"
#include "format/base/err.h"
#include "record/import/text/pairs.h"

#include <stdbool.h>
#include <stdint.h>

enum rec_text_type {
	REC_TEXT_NUMBER, /* s64; true and false are 1 and 0 */
	REC_TEXT_HEX,    /* u64 */
	REC_TEXT_STATE,  /* s64: "R+", the bits of a task's state */
	REC_TEXT_STRING,
};

struct rec_text_shape {
	char system[64], name[64];
	struct rec_text_field {
		enum rec_text_type type;
		uint16_t offset;
		char name[32];
	} fields[REC_TEXT_PAIRS_MAX];
	size_t n;
	uint16_t text;  /* offset of the word of the field "text" */
	uint16_t size;  /* of the fixed part */
	uint16_t id;
};

/* Chooses the fields and writes the format file. */
void rec_text_shape_make(struct rec_text_shape *s, struct span system,
			 struct span name, uint16_t id, struct span payload,
			 struct buf *format);

/* The record of a line. Adds to *misfits what has no field, or another type
 * than the field's: it is only in the text. Ask buf_failed(). */
void rec_text_shape_record(const struct rec_text_shape *s, int32_t pid,
			   struct span payload, struct buf *raw,
			   uint64_t *misfits);

#endif
