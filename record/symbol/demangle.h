/* Names of C++ (the common ABI) and Rust (legacy and v0) as people wrote them.
 */
#ifndef RECORD_SYMBOL_DEMANGLE_H
#define RECORD_SYMBOL_DEMANGLE_H

#include "format/base/buf.h"

#include <stdbool.h>

/* Replaces what is in *out by the readable form of `name`, with its
 * parameters, at most TF_MAX_STRING bytes of it. false: it is no mangled name,
 * or memory ran out; *out is then empty. */
bool rec_demangle(struct buf *out, const char *name);

#endif
