/* Which rows a command looks at: the same options on every command, as far as they
 * choose something in it. */
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
	const char *around;      /* "late:N,TIME" */
	struct opt_list pid, tid, comm, cgroup, cpu, event;
	struct opt_list image, symbol, through;
};

/* What perf report calls the same. */
#define AN_SELECTION_ALIAS(l, nm, type, f)                                     \
	{ .kind = OPT_KIND_LIST, .letter = l, .name = nm, .arg = "NAME,..",    \
	  .field = offsetof(type, f), .help = "as perf", .hidden = true }

/* Which times and threads. */
#define AN_SELECTION_TASK_OPTS(type, f)                                        \
	OPT_GROUP("Selection"),                                                \
	OPT_STR(0, "time", "A,B", type, f.time,                                \
		"from A to B: 2s, 10%, -1s (of the end), @S (clock), "         \
		"mark:TEXT"),                                                  \
	OPT_STR(0, "around", "late:N", type, f.around,                         \
		"the N-th late display frame and 50 ms before and after it; "  \
		"late:N,20ms"),                                                \
	OPT_LIST(0, "pid", "PID,..", type, f.pid, "only these processes"),     \
	OPT_LIST(0, "tid", "TID,..", type, f.tid, "only these threads"),       \
	OPT_LIST(0, "comm", "NAME,..", type, f.comm,                           \
		 "only these commands; as in all names, * and ? match"),       \
	OPT_LIST(0, "cgroup", "PATH,..", type, f.cgroup,                       \
		 "only processes below these cgroups: paths from the root, "   \
		 "or single names"),                                           \
	AN_SELECTION_ALIAS('c', "comms", type, f.comm)

/* And on which CPUs, in which code. */
#define AN_SELECTION_PLACE_OPTS(type, f)                                       \
	AN_SELECTION_TASK_OPTS(type, f),                                       \
	OPT_LIST('C', "cpu", "CPU,..", type, f.cpu, "only these CPUs"),        \
	OPT_LIST(0, "image", "NAME,..", type, f.image,                         \
		 "only what ran code of these files or modules"),              \
	OPT_LIST(0, "symbol", "NAME,..", type, f.symbol,                       \
		 "only what ran in these functions"),                          \
	OPT_LIST(0, "through", "NAME,..", type, f.through,                     \
		 "only what ran in these functions or was called from them"),  \
	AN_SELECTION_ALIAS('d', "dsos", type, f.image),                        \
	AN_SELECTION_ALIAS('S', "symbols", type, f.symbol)

/* All: and of which events. */
#define AN_SELECTION_OPTS(type, f)                                             \
	AN_SELECTION_PLACE_OPTS(type, f),                                      \
	OPT_LIST('e', "event", "EVENT,..", type, f.event,                      \
		 "only these events")

struct an_selection {
	uint64_t t_min, t_max;   /* ns of the file's clock, both included */
	bool *thread;            /* by thread id; NULL: all */
	bool *event;             /* by event id; NULL: all */
	bool *event_rows;        /* with `event`: rows that name this one may
				  * be of a selected one */
	uint64_t *cpu_bits;      /* NULL: all; bit c of word c / 64 */
	bool *leaf;              /* by frame id: where it ran; NULL: all */
	bool *through;           /* by frame id: anywhere in the stack; NULL:
				  * all */
	bool *node;              /* with `through`, by node id: a stack that
				  * ends there passes such a frame */
	bool *series;            /* by series id: whose readings go with the
				  * selected rows; NULL: all */
	size_t n_threads, n_events, n_cpu_words, n_frames, n_nodes, n_series;
	bool any;                /* false: everything is selected */
	const struct an_trace *t;
};

/* Resolves the arguments against a trace: what different options say must all
 * hold, of one option any word. ERR_USAGE names what is malformed or names
 * nothing in this trace (with what there is); ERR_FORMAT: nothing in what is
 * left of a damaged one. The trace must outlive it. */
int an_selection_make(struct an_selection *out,
		      const struct an_selection_args *args,
		      struct an_trace *t, struct err *err);
void an_selection_fini(struct an_selection *s);

#endif
