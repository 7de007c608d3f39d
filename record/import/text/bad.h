/* Lines of a text that make no sense: how many, and which was the first. */
#ifndef RECORD_IMPORT_TEXT_BAD_H
#define RECORD_IMPORT_TEXT_BAD_H

#include "format/base/err.h"
#include "format/base/span.h"

#include <stdint.h>

struct rec_intake;

struct rec_text_bad {
	uint64_t n;
	uint64_t waits;     /* of these: behind the last row */
	uint64_t line;      /* of the first one */
	const char *why;    /* constant */
	char text[64];      /* as it begins */
};

void rec_text_bad_add(struct rec_text_bad *b, uint64_t line, struct span text,
		      const char *why);

/* A row comes: those since the row before are lost between the two. */
void rec_text_bad_row(struct rec_text_bad *b, struct rec_intake *to,
		      uint64_t time);

/* At the end: those behind the last row, which is of `time`, are lost too. 0:
 * there were none at all; 1: *err names the first one. */
int rec_text_bad_tell(struct rec_text_bad *b, struct rec_intake *to,
		      uint64_t time, struct err *err);

#endif
