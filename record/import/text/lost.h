/* Losses that a text of rows in order of time tells of: ahead of the row behind
 * them, or as a number for the whole of it. */
#ifndef RECORD_IMPORT_TEXT_LOST_H
#define RECORD_IMPORT_TEXT_LOST_H

#include <stddef.h>
#include <stdint.h>

struct rec_intake;

/* CPUs of which a loss waits for its row. */
#define REC_TEXT_LOST_WAITS 64u
/* CPUs whose first row is looked for. */
#define REC_TEXT_LOST_CPUS 1024u

struct rec_text_lost {
	struct rec_text_lost_wait { uint32_t cpu; uint64_t n; }
		waits[REC_TEXT_LOST_WAITS];
	size_t n_waits;
	uint64_t seen[REC_TEXT_LOST_CPUS / 64]; /* CPUs that have a row */
	uint64_t began;       /* when the last of them had its first one */
	uint64_t overwritten; /* each before the first row of its CPU */
	uint64_t time;        /* of the last row */
};

/* `n` of a CPU, before its next row. */
void rec_text_lost_add(struct rec_text_lost *l, struct rec_intake *to,
		       uint32_t cpu, uint64_t n);
/* A row comes. */
void rec_text_lost_row(struct rec_text_lost *l, struct rec_intake *to,
		       uint32_t cpu, uint64_t time);
/* No more of them. */
void rec_text_lost_end(struct rec_text_lost *l, struct rec_intake *to);

#endif
