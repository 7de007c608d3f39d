/* A trace of system calls, which golden tests read. */
#ifndef TESTS_CALLSTRACE_H
#define TESTS_CALLSTRACE_H

#include "format/base/err.h"

int calls_trace_write(const char *path, struct err *err);

#endif
