/* Which system a tracepoint belongs to: ftrace prints its name alone. */
#ifndef RECORD_IMPORT_TEXT_SYSTEM_H
#define RECORD_IMPORT_TEXT_SYSTEM_H

#include "format/base/span.h"

/* The system of the kernel's tracepoint of this name; where it is not known, the
 * name up to its first '_', as most are called by their system. */
struct span rec_text_system(struct span name);

#endif
