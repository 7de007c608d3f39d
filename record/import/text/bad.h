/* Lines of a text that make no sense: how many, and which was the first. */
#ifndef RECORD_IMPORT_TEXT_BAD_H
#define RECORD_IMPORT_TEXT_BAD_H

#include "format/base/err.h"
#include "format/base/span.h"

#include <stdint.h>

struct rec_intake;

struct rec_text_bad {
	uint64_t n;
	uint64_t line;      /* of the first one */
	const char *why;    /* constant */
	char text[64];      /* as it begins */
};

void rec_text_bad_add(struct rec_text_bad *b, uint64_t line, struct span text,
		      const char *why);

/* At the end: counts them as lost. 0: there were none; 1: *err names the first
 * one. */
int rec_text_bad_tell(const struct rec_text_bad *b, struct rec_intake *to,
		      struct err *err);

#endif
