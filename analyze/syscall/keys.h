/* What rows of a report about system calls are told apart by: a key is a row of
 * an_sys_keys. */
#ifndef ANALYZE_SYSCALL_KEYS_H
#define ANALYZE_SYSCALL_KEYS_H

#include "analyze/out/table.h"
#include "analyze/syscall/calls.h"
#include "analyze/syscall/files.h"

/* All that calls are told by. */
struct an_sys_view {
	const struct an_trace *t;
	struct an_tasks tasks;
	struct an_sys_calls calls;
	struct an_files files;
};

#define AN_SYS_CELLS 2

struct an_sys_key {
	const char *name;    /* "fd" */
	/* Calls with the same one are one row. */
	uint64_t (*identity)(const struct an_sys_view *x,
			     const struct an_sys_call *c);
	/* One cell for each of the columns that has a key, from a call of the
	 * row. */
	int (*cells)(const struct an_sys_view *x, const struct an_sys_call *c,
		     struct an_table *to, struct err *err);
	struct an_cell_column columns[AN_SYS_CELLS];
};

extern const struct an_sys_key an_sys_keys[]; /* ended by no name */

#define AN_SYS_KEYS 8
struct an_sys_by { /* the chosen ones, in the order asked for */
	const struct an_sys_key *keys[AN_SYS_KEYS];
	size_t n;
};

/* "fd,cmd". ERR_USAGE names an unknown key and lists the known ones. */
int an_sys_by_parse(struct an_sys_by *out, const char *text,
		     struct err *err);

/* The file that a call is on; NULL: none, or none is known. */
const struct an_file_sight *an_sys_file(const struct an_sys_view *x,
					const struct an_sys_call *c,
					bool *doubt);

/* What the call is on: "/dev/dri/card0", else "fd 3"; "-": nothing. */
void an_sys_put_file(const struct an_sys_view *x, const struct an_sys_call *c,
		      struct buf *to);

#endif
