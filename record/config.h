/* What to record, from the command line. */
#ifndef RECORD_CONFIG_H
#define RECORD_CONFIG_H

#include "format/base/err.h"
#include "format/base/log.h"
#include "format/base/opt.h"
#include "record/counter/pmu/pmu.h"
#include "record/gpu/report.h"
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
	struct opt_list events; /* -e, --filter and -G, in their order */
	struct opt_list pids, tids, cpus, users;
	struct opt_list aliases;
	bool gpu;
	bool switch_events, all_user, all_kernel, group;
	bool exclude_self, exclude_self_given;
	const char *clock;
	const char *frequency, *call_graph, *output, *mmap, *delay;
	const char *interval;
	bool no_aggr;
	bool count_only; /* nothing is sampled (rec stat) */
	bool no_default; /* without events that are named there are none */
	int detailed;    /* events of caches, too: 1 to 3 steps */
	uint64_t period, duration_ns;
	bool period_given, duration_given;
	bool trace_marker;
	const char *mark_regex;
	const char *switch_output;
	uint64_t max_files, max_size, drain_threads;
	bool max_files_given, max_size_given;
};

void rec_args_fini(struct rec_args *a);

extern const struct opt rec_options[];

struct rec_ids_list {
	int *items;
	size_t n;
	size_t cap;
};

/* As the recorder needs it. */
struct rec_config {
	struct rec_events events;
	struct rec_events counted; /* in place of sampling them */
	bool gpu_readings;       /* what drivers tell of GPUs, each interval */
	uint64_t interval_ns;    /* of counters; 0: only begin and end */
	bool per_cpu;            /* counters of each CPU, not their sum */
	struct rec_gpu_report gpu;
	const char *default_why; /* no event was named: why not cycles */
	bool event_named;
	bool system_wide, callchain, inherit;
	struct rec_ids_list pids, tids, cpus;
	bool pids_may_end;       /* nobody named each of them */
	bool keep_self;          /* rows of rec itself, too */
	uint64_t frequency;      /* Hz */
	bool frequency_named;
	uint64_t period;         /* 0: by frequency */
	size_t ring_size;        /* bytes, 0: chosen */
	uint64_t delay_ns, duration_ns; /* 0: none */
	const char *output;
	bool split;              /* into several files: on SIGUSR2 and */
	uint64_t split_ns, split_size; /* every so often or much; 0: not so */
	uint64_t drain_threads;  /* 0: by the number of CPUs */
	uint64_t max_files;      /* of them that are kept; 0: all */
	uint64_t max_size;       /* bytes, 0: no limit */
	bool trace_marker;       /* its lines are marks */
	const char *mark_regex;  /* of standard output; NULL: none */
	char **command;          /* NULL: none; NULL-ended */
	char **argv;             /* the whole command line */
};

/* Parses and checks; ERR_USAGE says what does not go together. */
int rec_config_make(struct rec_config *out, const struct rec_args *args,
		    char **argv, char **command, struct err *err);
/* The word of the fact `target`. */
const char *rec_config_target(const struct rec_config *c);

/* What is to be counted, of `child` where that is the command's. */
void rec_config_count(struct rec_config *c, pid_t child,
		      struct rec_pmu_config *out);
void rec_config_fini(struct rec_config *c);

#endif
