/* Ids of frames and stacks by epoch take 4 bytes a row, and of a long recording
 * there are many rows of few different stacks. Beyond a bound they are dropped,
 * and read again when rows of their epoch are looked at. */
#ifndef ANALYZE_RECALL_H
#define ANALYZE_RECALL_H

#include "analyze/epochs.h"

/* 64 MiB; 16 epochs may be open at a time, of a million nodes each. */
#define AN_RECALL_IDS ((size_t)16 << 20)

/* Counts what there is to load before it is: `rows` of frames and stacks. */
void an_recall_plan(struct an_trace *t, uint64_t rows);

/* A part of this epoch was loaded. */
void an_recall_note(struct an_trace *t, uint32_t epoch);

/* Before ids of frames and stacks of the epoch are used. */
int an_recall(struct an_trace *t, uint32_t epoch, struct err *err);

#endif
