/* ELF notes as sysfs shows those of the kernel (/sys/kernel/notes). */
#ifndef RECORD_SYMBOL_NOTES_H
#define RECORD_SYMBOL_NOTES_H

#include "format/base/span.h"

/* The build-id in `notes`, or an empty span. */
struct span rec_notes_build_id(struct span notes);

#endif
