/* Texts of trace_printk() that records only point to: printk_formats, and the
 * binary arguments that belong to them. */
#ifndef RECORD_IMPORT_TRACEDAT_PRINTK_H
#define RECORD_IMPORT_TRACEDAT_PRINTK_H

#include "format/base/buf.h"
#include "format/base/err.h"
#include "format/base/map64.h"
#include "format/base/span.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rec_dat_printk {
	struct span *texts; /* into the file's, with their escapes */
	size_t n;
	size_t cap;
	struct map64 by_address;
};

/* The text must outlive it. */
int rec_dat_printk_init(struct rec_dat_printk *p, struct span text,
			struct err *err);
void rec_dat_printk_fini(struct rec_dat_printk *p); /* zeroed is fine */

/* The text at an address, unescaped, into *to. false: there is none. */
bool rec_dat_printk_text(const struct rec_dat_printk *p, uint64_t address,
			 struct buf *to);

/* Prints `args`, 32-bit words as the kernel's vbin_printf() packs them, by the
 * format into *to. What does not fit its arguments ends the text. */
void rec_dat_printk_print(struct buf *to, struct span format, struct span args,
			  bool big, unsigned long_size);

#endif
