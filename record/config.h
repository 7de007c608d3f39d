/* What to record, from the command line. */
#ifndef RECORD_CONFIG_H
#define RECORD_CONFIG_H

#include "format/base/err.h"
#include "format/base/log.h"
#include "format/base/opt.h"
#include "record/perf/event.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define REC_DEFAULT_OUTPUT "trace.ctr"
#define REC_DEFAULT_FREQUENCY 4000u /* Hz, as perf record */

/* As the options set it. */
struct rec_args {
	bool all_cpus, callgraph, no_inherit, quiet, help, version;
	int verbose;
	struct opt_list events, pids, tids, cpus;
	const char *frequency, *call_graph, *output, *mmap, *delay;
	uint64_t period, duration_ns;
	bool period_given, duration_given;
};

extern const struct opt rec_options[];

struct rec_ids_list {
	int *items;
	size_t n;
	size_t cap;
};

/* As the recorder needs it. */
struct rec_config {
	struct rec_events events;
	const char *default_why; /* no event was named: why not cycles */
	bool event_named;
	bool system_wide, callchain, inherit;
	struct rec_ids_list pids, tids, cpus;
	uint64_t frequency;      /* Hz */
	bool frequency_named;
	uint64_t period;         /* 0: by frequency */
	size_t ring_size;        /* bytes, 0: chosen */
	uint64_t delay_ns, duration_ns; /* 0: none */
	const char *output;
	char **command;          /* NULL: none; NULL-ended */
	char **argv;             /* the whole command line */
};

/* Parses and checks; ERR_USAGE says what does not go together. */
int rec_config_make(struct rec_config *out, const struct rec_args *args,
		    char **argv, char **command, struct err *err);
void rec_config_fini(struct rec_config *c);

#endif
