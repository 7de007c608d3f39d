/* The options of rec stat: those of perf stat by name and letter, and what
 * becomes of each. */
#include "record/stat/args.h"

#include "format/base/time.h"

#include <stddef.h>

#define NO_METRICS                                                             \
	"groups of metrics are not known here: what follows from the events "  \
	"of -e stands behind '#'"

const struct opt rec_stat_options[] = {
	OPT_GROUP("What to count"),
	OPT_LIST('e', "event", "EVENT,…", struct rec_stat_args, rec.events,
		 "events, in groups as {a,b} (those of perf stat); see: rec "
		 "list"),
	OPT_LIST(0, "filter", "EXPR", struct rec_stat_args, rec.events,
		 "of the tracepoints of the -e before it only those"),
	OPT_COUNT('d', "detailed", struct rec_stat_args, rec.detailed,
		  "events of caches, too; -dd of TLBs, -ddd of prefetches"),
	OPT_FLAG('n', "null", struct rec_stat_args, rec.no_default,
		 "without -e none: only how long it took"),
	OPT_FLAG(0, "gpu", struct rec_stat_args, rec.gpu,
		 "also what drivers tell of GPUs"),
	OPT_FLAG(0, "all-user", struct rec_stat_args, rec.all_user,
		 "every event as if with ':u'"),
	OPT_FLAG(0, "all-kernel", struct rec_stat_args, rec.all_kernel,
		 "every event as if with ':k'"),
	OPT_FLAG('g', "group", struct rec_stat_args, rec.group,
		 "all events in one group, as {a,b}"),
	OPT_GROUP("Of whom"),
	OPT_FLAG('a', "all-cpus", struct rec_stat_args, rec.all_cpus,
		 "the whole system (the default without a command)"),
	OPT_LIST('p', "pid", "PID,…", struct rec_stat_args, rec.pids,
		 "these processes, with all their threads"),
	OPT_LIST('t', "tid", "TID,…", struct rec_stat_args, rec.tids,
		 "these threads"),
	OPT_LIST('C', "cpu", "CPU,…", struct rec_stat_args, rec.cpus,
		 "only on these CPUs: 0,2-3"),
	OPT_LIST('u', "uid", "USER", struct rec_stat_args, rec.users,
		 "the processes that this user has now"),
	OPT_LIST('G', "cgroup", "NAME,…", struct rec_stat_args, rec.events,
		 "with -a: only this cgroup, for all events before it; of "
		 "several names each is for one event"),
	OPT_FLAG('i', "no-inherit", struct rec_stat_args, rec.no_inherit,
		 "without children and threads that begin later"),
	OPT_GROUP("When"),
	{ .kind = OPT_KIND_U64, .letter = 'r', .name = "repeat", .arg = "N",
	  .field = offsetof(struct rec_stat_args, repeat),
	  .seen = offsetof(struct rec_stat_args, repeat_given) + 1,
	  .help = "run the command N times: mean and spread" },
	OPT_STR(0, "pre", "COMMAND", struct rec_stat_args, pre,
		"run this by the shell before each run"),
	OPT_STR(0, "post", "COMMAND", struct rec_stat_args, post,
		"and this after it"),
	OPT_FLAG('S', "sync", struct rec_stat_args, sync,
		 "write dirty pages back before each run, by sync(2)"),
	OPT_STR('D', "delay", "MS", struct rec_stat_args, rec.delay,
		"begin this long after the start of the command"),
	OPT_STR('I', "interval", "MS", struct rec_stat_args, rec.interval,
		"also each so many milliseconds"),
	{ .kind = OPT_KIND_STR, .name = "interval-print", .arg = "MS",
	  .field = offsetof(struct rec_stat_args, rec.interval),
	  .help = "as -I", .hidden = true },
	{ .kind = OPT_KIND_U64, .name = "interval-count", .arg = "N",
	  .field = offsetof(struct rec_stat_args, interval_count),
	  .seen = offsetof(struct rec_stat_args, interval_count_given) + 1,
	  .help = "with -I: so many times, then no more" },
	{ .kind = OPT_KIND_TIME, .name = "duration", .arg = "TIME",
	  .field = offsetof(struct rec_stat_args, rec.duration_ns),
	  .seen = offsetof(struct rec_stat_args, rec.duration_given) + 1,
	  .unit = NSEC_PER_SEC, .help = "end after this long: 10s, 500ms" },
	{ .kind = OPT_KIND_TIME, .name = "timeout", .arg = "MS",
	  .field = offsetof(struct rec_stat_args, rec.duration_ns),
	  .seen = offsetof(struct rec_stat_args, rec.duration_given) + 1,
	  .unit = 1000000, .help = "the same in milliseconds" },
	OPT_GROUP("Output"),
	OPT_FLAG(0, "summary", struct rec_stat_args, summary,
		 "with -I: at the end what all intervals come to, too"),
	OPT_FLAG(0, "no-csv-summary", struct rec_stat_args, no_csv_summary,
		 "with -x and --summary: without the word in front of it"),
	OPT_FLAG('A', "no-aggr", struct rec_stat_args, rec.no_aggr,
		 "each CPU on its own, not their sum"),
	OPT_FLAG(0, "per-socket", struct rec_stat_args, per_socket,
		 "each socket"),
	OPT_FLAG(0, "per-die", struct rec_stat_args, per_die, "each die"),
	OPT_FLAG(0, "per-core", struct rec_stat_args, per_core, "each core"),
	OPT_FLAG(0, "per-node", struct rec_stat_args, per_node,
		 "each node of memory"),
	OPT_STR('x', "field-separator", "SEP", struct rec_stat_args, separator,
		"fields as perf stat has them, with SEP between"),
	OPT_FLAG(0, "csv", struct rec_stat_args, csv,
		 "as CSV, with names and more columns"),
	OPT_FLAG('j', "json", struct rec_stat_args, json, "as JSON"),
	{ .kind = OPT_KIND_FLAG, .name = "json-output",
	  .field = offsetof(struct rec_stat_args, json),
	  .help = "as --json", .hidden = true },
	OPT_FLAG(0, "per-run", struct rec_stat_args, per_run,
		 "with -r: what each run counted, too"),
	OPT_FLAG(0, "table", struct rec_stat_args, table,
		 "with -r: how long each run took, too"),
	OPT_FLAG(0, "no-scale", struct rec_stat_args, no_scale,
		 "where counters took turns, what was counted: nothing is "
		 "made up for"),
	{ .kind = OPT_KIND_U64, .name = "log-fd", .arg = "FD",
	  .field = offsetof(struct rec_stat_args, log_fd),
	  .seen = offsetof(struct rec_stat_args, log_fd_given) + 1,
	  .help = "print the counts there, not on standard error" },
	OPT_STR('o', "output", "FILE", struct rec_stat_args, rec.output,
		"keep the trace, for 'analyze stat'; not the text, see "
		"--log-fd"),
	REC_COMMON_OPTS(struct rec_stat_args),
	OPT_GROUP("Known from perf stat, and done anyway"),
	OPT_IGNORED('B', "big-num", "thousands are parted, but for programs"),
	OPT_IGNORED(0, "scale", "where counters took turns that is made up "
		    "for"),
	OPT_IGNORED(0, "no-merge", "events of one name are never added up"),
	OPT_REFUSED(0, "no-big-num", "thousands are always parted in text (try:"
		    " -x, or --json)"),
	OPT_REFUSED(0, "append", "-o is the trace; to add to a file what is "
		    "printed, give it as --log-fd 3 3>>FILE"),
	OPT_REFUSED(0, "per-thread", "threads of a process are counted "
		    "together (try: -t TID, or for the CPU's time rec -p PID "
		    "and analyze report -s tid)"),
	OPT_REFUSED(0, "interval-clear", "intervals stand below each other "
		    "(try: -o FILE, and analyze stat --follow)"),
	OPT_REFUSED('M', "metrics", NO_METRICS),
	OPT_REFUSED(0, "metric-only", NO_METRICS),
	OPT_REFUSED(0, "metric-no-group", NO_METRICS),
	OPT_REFUSED(0, "metric-no-merge", NO_METRICS),
	OPT_REFUSED(0, "topdown", NO_METRICS " (try: -e with the events "
		    "'topdown-*' of rec list)"),
	OPT_REFUSED(0, "td-level", NO_METRICS),
	OPT_REFUSED('T', "transaction", NO_METRICS " (try: -e cpu/tx-start/,"
		    "cpu/tx-abort/)"),
	OPT_REFUSED(0, "smi-cost", "it would stop counters at interrupts for "
		    "the whole machine (try: -a -e msr/smi/,msr/aperf/)"),
	OPT_REFUSED(0, "iostat", "there is no such report (try: -e with the "
		    "uncore events of rec list)"),
	OPT_REFUSED(0, "percore-show-thread", "there is no qualifier "
		    "'percore' (try: --per-core, or -A)"),
	OPT_REFUSED(0, "hybrid-merge", "events of different cores are not the "
		    "same (try: -e cpu_core/cycles/,cpu_atom/cycles/)"),
	OPT_REFUSED(0, "cputype", "the event names its PMU (try: -e "
		    "cpu_core/cycles/)"),
	OPT_REFUSED(0, "for-each-cgroup", "not supported by this version"),
	OPT_REFUSED(0, "control", "not supported by this version (try: -D, "
		    "--duration, or --time of analyze stat with marks)"),
	OPT_REFUSED('b', "bpf-prog", "programs of BPF are not counted"),
	OPT_REFUSED(0, "bpf-counters", "the kernel shares its counters itself"),
	OPT_REFUSED(0, "bpf-attr-map", "the kernel shares its counters "
		    "itself"),
	OPT_END,
};
