/* Pages of the kernel's ring buffer: a time, how much is committed, then
 * records of variable length whose times are told by what passed since the one
 * before. Layout: tracefs' events/header_page, include/linux/ring_buffer.h. */
#ifndef RECORD_IMPORT_TRACEDAT_PAGE_H
#define RECORD_IMPORT_TRACEDAT_PAGE_H

#include "format/base/err.h"
#include "format/base/span.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rec_dat_layout {
	uint16_t time, commit, data; /* places in the page */
	uint8_t long_size;           /* of the commit word */
	bool big;
};

/* From the text of header_page. */
int rec_dat_layout_parse(struct rec_dat_layout *l, struct span text, bool big,
			 struct err *err);

struct rec_dat_page {
	struct span data; /* committed, and not yet taken */
	size_t taken;     /* bytes before it */
	uint64_t time;
	bool big;
	bool cut;         /* more was committed than is there */
	bool lost;        /* something was, before this page */
	uint64_t n_lost;  /* 0: not told how much */
};

/* *out is as said even where the page is cut; ERR_FORMAT: it has no head. */
int rec_dat_page_open(struct rec_dat_page *out, const struct rec_dat_layout *l,
		      struct span page, struct err *err);

/* The next record, which points into the page; 1: there is no more.
 * ERR_FORMAT: the rest of the page makes no sense. */
int rec_dat_page_next(struct rec_dat_page *p, struct span *record,
		      struct err *err);

#endif
