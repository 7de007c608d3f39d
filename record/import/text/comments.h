/* The comments at the head of perf script text ("# hostname : x") and of ftrace
 * text, as facts. */
#ifndef RECORD_IMPORT_TEXT_COMMENTS_H
#define RECORD_IMPORT_TEXT_COMMENTS_H

#include "format/base/span.h"

struct rec_intake;

void rec_text_comment(struct span line, struct rec_intake *to);

#endif
