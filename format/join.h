/* Several traces as one: their chunks one behind another, under headers that
 * fit. Nothing is decoded or copied; what is read comes from the files, only
 * the headers are made anew. */
#ifndef FORMAT_JOIN_H
#define FORMAT_JOIN_H

#include "format/io.h"
#include "format/reader.h"

/* Joins the traces behind `readers` in this order. Epochs and sequence numbers
 * go on from file to file; indexes are left out; an END is there where each
 * file has one. A gap stays a gap, of zeros; the unfinished chunk at the end of
 * a file that was cut is left out. Refused with ERR_USAGE where they do not
 * mean the same by a table: files of one recording always do.
 *
 * On success the sources of the readers belong to *out, and the readers are not
 * needed any more; on failure nothing has changed. `name` is copied. */
int tf_join(struct tf_source **out, struct tf_reader *const *readers, size_t n,
	    const char *name, struct err *err);

#endif
