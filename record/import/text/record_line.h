/* Records other than samples, as perf script --show-…-events prints them:
 * "PERF_RECORD_SWITCH_CPU_WIDE OUT preempt  next pid/tid: 12/12". */
#ifndef RECORD_IMPORT_TEXT_RECORD_LINE_H
#define RECORD_IMPORT_TEXT_RECORD_LINE_H

#include "record/import/text/header.h"
#include "record/perf/decode.h"

#include <stdbool.h>

bool rec_text_is_record(const struct rec_text_header *h);

/* A switch of threads, or a loss: *out, but for its ids. false: another one, of
 * which a text has no use: names come with each sample. */
bool rec_text_record(struct span line, struct rec_record *out);

#endif
