/* A small x86-64 ELF program in memory, laid out by hand from the ELF
 * specification: the same bytes each time. */
#ifndef TESTS_SUPPORT_ELFBUILD_H
#define TESTS_SUPPORT_ELFBUILD_H

#include "format/base/buf.h"

/* File offsets 0x100–0x180 are loaded as code at 0x401100. There are
 * _start (0x100, 0x10 bytes), helper@@V_1 (0x110, 0x20 bytes), label (0x140,
 * no size) and, of .plt at 0x160, puts@plt (0x170, 16 bytes); the build-id is
 * 01 02 … 08. */
void elfbuild(struct buf *out);

/* The same without .symtab: only the name of the jump in .plt is left. */
void elfbuild_stripped(struct buf *out);

#endif
