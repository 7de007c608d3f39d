/* Prints an answer about video with its evidence. */
#ifndef ANALYZE_VERDICT_SHOW_H
#define ANALYZE_VERDICT_SHOW_H

#include "analyze/out/table.h"
#include "analyze/verdict/media.h"

#define AN_MEDIA_JSON_VERSION 1

/* "hardware" … */
const char *an_media_word(enum an_media_answer a);

/* JSON is a whole document; CSV: a line for each figure, the answer first. */
int an_media_show(const struct an_media *m, enum an_format format, FILE *to,
		  struct err *err);

#endif
