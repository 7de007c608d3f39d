/* Files that are no traces: what rec can import becomes one, on the fly. Nothing
 * but this looks beyond the trace, and it only starts rec. */
#ifndef ANALYZE_FOREIGN_H
#define ANALYZE_FOREIGN_H

#include "format/base/err.h"
#include "format/base/log.h"
#include "format/io.h"

/* As tf_source_open(); a file that does not begin as a trace does, or a folder
 * that has a file "data", is given to `rec import`, and what comes of it is the
 * source. rec says on stderr what it does. Of a file that it does not know
 * either nothing is said here: the source is the file itself. The same of
 * standard input ("-"), which fails where it is neither. `log` NULL: nothing is
 * imported. */
int an_source_open(struct tf_source **out, const char *path,
		   const struct log *log, struct err *err);

#endif
