/* What a trace.dat file tells beside the events: the parts that versions 6 and
 * 7 both have, found by walking the one, by sections of the other. */
#ifndef RECORD_IMPORT_TRACEDAT_META_H
#define RECORD_IMPORT_TRACEDAT_META_H

#include "format/base/err.h"
#include "record/import/tracedat/file.h"
#include "record/import/tracedat/options.h"

enum rec_dat_part_kind { /* of version 7: section 16 + this */
	REC_DAT_HEADERS, /* header_page and header_event of tracefs */
	REC_DAT_FTRACE,  /* formats of ftrace's own events */
	REC_DAT_EVENTS,  /* formats of all others, by system */
	REC_DAT_KALLSYMS,
	REC_DAT_PRINTK,  /* printk_formats */
	REC_DAT_COMMS,   /* saved_cmdlines */
	REC_DAT_PARTS
};

struct rec_dat_meta {
	struct rec_dat_part parts[REC_DAT_PARTS]; /* as they are in the file */
	struct rec_dat_options options; /* and the buffers */
	uint32_t cpus;     /* version 6 */
	uint64_t latency;  /* version 6: the rest from here on is text; 0: it
			    * is not */
	uint64_t lists_end; /* version 7: the list of options that was read
			     * last, or could not be */
	bool damaged;      /* version 7: something of it could not be read */
	struct err damage; /* the first thing */
};

/* Notes what *why tells, if it tells of a damaged file. *rc becomes 0 then. */
void rec_dat_meta_note(struct rec_dat_meta *m, int *rc, const struct err *why);

/* Of version 7 a part that is damaged is left out, and noted. */
int rec_dat_meta_read(struct rec_dat_meta *m, struct rec_dat_file *f,
		      struct err *err);
void rec_dat_meta_fini(struct rec_dat_meta *m, struct rec_dat_file *f);

/* Of version 6. */
int rec_dat_walk(struct rec_dat_meta *m, struct rec_dat_file *f,
		 struct err *err);

/* Of version 7 without its options, what lies in the file all the same: adds
 * places of parts and records, and notes where the file ends. */
int rec_dat_salvage(struct rec_dat_meta *m, struct rec_dat_file *f,
		    struct err *err);

/* The text of a part that is one: behind its size. Empty: there is none. */
struct span rec_dat_text(const struct rec_dat_meta *m,
			 const struct rec_dat_file *f,
			 enum rec_dat_part_kind kind);

#endif
