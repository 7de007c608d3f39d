/* Which rows a command looks at; the same options on every command. */
#ifndef ANALYZE_SELECTION_H
#define ANALYZE_SELECTION_H

#include "format/base/err.h"
#include "format/base/opt.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct an_trace;

/* Part of a command's arguments: put AN_SELECTION_OPTS(struct x_args, sel) in
 * its option rows, where `sel` is its struct an_selection_args. */
struct an_selection_args {
	const char *time;        /* "A,B": see an_selection_make() */
	struct opt_list pid, tid, comm, cpu, event;
};

#define AN_SELECTION_OPTS(type, f)                                             \
	OPT_GROUP("Selection"),                                                \
	OPT_STR(0, "time", "A,B", type, f.time,                                \
		"from A to B: 2s, 10%, -1s (of the end), @S (clock)"),         \
	OPT_LIST(0, "pid", "PID,..", type, f.pid, "only these processes"),     \
	OPT_LIST(0, "tid", "TID,..", type, f.tid, "only these threads"),       \
	OPT_LIST(0, "comm", "NAME,..", type, f.comm, "only these commands"),   \
	OPT_LIST('C', "cpu", "CPU,..", type, f.cpu, "only these CPUs"),        \
	OPT_LIST('e', "event", "EVENT,..", type, f.event, "only these events")

struct an_selection {
	uint64_t t_min, t_max;   /* ns of the file's clock, both included */
	bool *thread;            /* by thread id; NULL: all */
	bool *event;             /* by event id; NULL: all */
	uint64_t *cpu_bits;      /* NULL: all; bit c of word c / 64 */
	size_t n_threads, n_events, n_cpu_words;
	bool any;                /* false: everything is selected */
};

/* Resolves the arguments against a trace. ERR_USAGE names what is malformed
 * or names nothing in this trace (with what there is); ERR_FORMAT: nothing in
 * what is left of a damaged one. */
int an_selection_make(struct an_selection *out,
		      const struct an_selection_args *args,
		      const struct an_trace *t, struct err *err);
void an_selection_fini(struct an_selection *s);

#endif
