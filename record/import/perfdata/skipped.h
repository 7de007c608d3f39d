/* When records were that make no sense. The ring of a CPU is written in order of
 * time, so one between two of the same CPU that stand behind one another is of
 * that CPU, and was between the two. */
#ifndef RECORD_IMPORT_PERFDATA_SKIPPED_H
#define RECORD_IMPORT_PERFDATA_SKIPPED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rec_intake;

/* CPUs that are told apart where a file is cut off. */
#define REC_PD_SKIPPED_CPUS 4096u

struct rec_pd_skipped {
	struct rec_intake *to;
	uint64_t waits;      /* with no sound record behind them so far */
	int cpu;             /* of the sound one before, in this round; -1:
			      * there is none, or it does not tell */
	uint64_t seen[REC_PD_SKIPPED_CPUS / 64]; /* CPUs of this file */
	uint64_t cut[REC_PD_SKIPPED_CPUS / 64]; /* those of files that end
			      * before they should */
};

void rec_pd_skipped_init(struct rec_pd_skipped *s, struct rec_intake *to);

/* A record that makes no sense. */
void rec_pd_skipped_add(struct rec_pd_skipped *s);
/* One that does, its CPU (-1: it does not tell) and its time. */
void rec_pd_skipped_sound(struct rec_pd_skipped *s, int cpu, uint64_t time);
/* What comes next may be of any CPU. */
void rec_pd_skipped_round(struct rec_pd_skipped *s);
/* The file ends, `cut`: before it should. */
void rec_pd_skipped_file(struct rec_pd_skipped *s, bool cut);
/* All files do. What CPUs had behind their last record is missing where theirs
 * was cut, up to the `newest` record of all. */
void rec_pd_skipped_end(struct rec_pd_skipped *s, uint64_t newest);

#endif
