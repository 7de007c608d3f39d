/* The kernel's code that is mapped into every process. */
#ifndef RECORD_SYMBOL_VDSO_H
#define RECORD_SYMBOL_VDSO_H

#include "format/base/span.h"

/* The ELF image of this process' own vDSO; empty where there is none. */
struct span rec_vdso_image(void);

/* How large the ELF image that begins with `head` (64 bytes or more of it) says
 * it is, to the end of its section headers; 0: it is none. */
size_t rec_vdso_size(struct span head);

#endif
