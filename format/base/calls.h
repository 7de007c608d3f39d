/* System calls by number and by the names that their tracepoints have
 * ("newfstat" for fstat), and which argument of a call is an open file. */
#ifndef BASE_CALLS_H
#define BASE_CALLS_H

#include <stdbool.h>
#include <stdint.h>

/* Names of numbers that follow one another; NULL: a number without one. */
struct call_run {
	uint16_t first, n;
	const char *const *names;
};

/* The runs of an architecture, as uname(2) calls it, ended by one of none;
 * where the architecture is not known that is the first. */
const struct call_run *call_runs(const char *arch);

/* NULL: no call that is known. */
const char *call_name(const struct call_run *runs, uint64_t nr);

/* The reverse; false: no such name. */
bool call_number(uint64_t *nr, const struct call_run *runs, const char *name);

/* Position of the argument, from 0, that is the number of an open file; -1:
 * the call has none, or is not known. Folders that a path is relative to do not
 * count. */
int call_file_argument(const char *name);

/* The tables behind it; the last run of each. */
#define CALL_N_FROM_424 46u
#define CALL_RUN_FROM_424 { 424, CALL_N_FROM_424, call_from_424 }
extern const char *const call_from_424[CALL_N_FROM_424];

extern const struct call_run call_runs_x86_64[];
extern const struct call_run call_runs_aarch64[];

#endif
