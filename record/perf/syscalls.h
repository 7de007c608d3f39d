/* System calls by number and by the names that their tracepoints have:
 * syscalls:* is recorded as raw_syscalls with a filter of numbers. */
#ifndef RECORD_PERF_SYSCALLS_H
#define RECORD_PERF_SYSCALLS_H

#include "format/base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define REC_SYSCALLS_MAX 512 /* numbers are below */

/* As in sys_enter_NAME ("newfstat" for fstat), for the architecture of this
 * program; NULL: no call that is known. */
const char *rec_syscall_name(uint64_t nr);

/* The reverse; false: no such name. */
bool rec_syscall_number(uint64_t *nr, const char *name);

/* The calls that a pattern of tracepoints found, all of them entries or all
 * exits. */
struct rec_syscall_set {
	bool is_exit;
	bool has[REC_SYSCALLS_MAX]; /* asked for */
	size_t n;
	bool lacks[REC_SYSCALLS_MAX]; /* there, but not asked for */
	size_t n_lacks;
};

/* Notes a tracepoint where it is the entry or exit of a known call; false: it
 * is another one. */
bool rec_syscall_note(const char *system, const char *event, bool asked,
		      struct rec_syscall_set *enter,
		      struct rec_syscall_set *exit);

/* The kernel's filter for them, NULL where all are asked for; to be freed. */
int rec_syscall_filter(char **filter, const struct rec_syscall_set *set,
		       struct err *err);

#endif
