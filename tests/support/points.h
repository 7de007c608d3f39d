/* A trace of tracepoints as they are met, and of odd ones. */
#ifndef TESTS_POINTS_H
#define TESTS_POINTS_H

#include "tests/support/tracepoints.h"

/* Its tracepoints and its events, by position. */
enum { T_SWITCH, T_ENTER, T_BLOCK, T_ODD, T_BEYOND, T_EVIL, T_NO_FORMAT,
       T_OPENAT, T_POINTER };
enum { E_CLOCK, E_SWITCH, E_ENTER, E_OPENAT, E_BLOCK, E_ODD, E_BEYOND, E_EVIL,
       E_NO_FORMAT, E_POINTER };

/* Rows are not in the order of time, and in several chunks and epochs. */
extern const struct tp_trace points_trace;

#endif
