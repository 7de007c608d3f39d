/* Demangled names of C++, which perf has without types where ours are whole. */
#ifndef ANALYZE_COMPAT_CXX_H
#define ANALYZE_COMPAT_CXX_H

#include "format/base/span.h"

/* The name of a function without the type that it returns, which demanglers put
 * before the names of templates. `linkage` is the mangled name; empty: there is
 * none, and nothing is taken off. */
struct span an_cxx_without_return(struct span name, struct span linkage);

#endif
