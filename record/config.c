#include "record/config.h"

#include "format/base/mem.h"
#include "format/base/time.h"
#include "record/config_events.h"
#include "record/proc/procfs.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

static int add_id(struct rec_ids_list *l, uint64_t id, struct err *err)
{
	if (!mem_grow(&l->items, &l->cap, l->n + 1, sizeof(*l->items)))
		return err_nomem(err);
	l->items[l->n++] = (int)id;
	return 0;
}

static struct span until(struct span *text, uint8_t end)
{
	const uint8_t *at = text->n ? memchr(text->p, end, text->n) : NULL;
	struct span part;

	if (!at) {
		(void)span_take(text, text->n, &part);
		return part;
	}
	(void)span_take(text, (size_t)(at - text->p), &part);
	(void)span_skip(text, 1);
	return part;
}

/* "3", or where ranges are allowed "0-3". Processes and threads begin at 1: the
 * kernel takes 0 for the caller, which is rec. */
static int add_part(struct rec_ids_list *l, struct span part, bool ranges,
		    const char *option, struct err *err)
{
	struct span rest = part, low = until(&rest, '-');
	uint64_t a, b;

	if (!rec_number(low, 10, &a) || a > INT_MAX || (!a && !ranges))
		goto bad;
	b = a;
	if (low.n < part.n && (!ranges || !rec_number(rest, 10, &b) || b < a ||
			       b - a > 65535))
		goto bad;
	for (; a <= b; a++) {
		int rc = add_id(l, a, err);

		if (rc < 0)
			return rc;
	}
	return 0;
bad:
	return err_set(err, ERR_USAGE, "option '%s': '%.*s' is not a %s",
		       option, (int)part.n, (const char *)part.p,
		       ranges ? "CPU number or range" :
				"process or thread id");
}

static int add_list(struct rec_ids_list *to, const struct opt_list *from,
		    bool ranges, const char *option, struct err *err)
{
	for (size_t i = 0; i < from->n; i++) {
		struct span text = span_of(from->items[i],
					   strlen(from->items[i]));
		int rc;

		do {
			rc = add_part(to, until(&text, ','), ranges, option,
				      err);
		} while (rc == 0 && text.n);
		if (rc < 0)
			return rc;
	}
	return 0;
}

/* A number of pages, or bytes with a suffix, as perf's -m. */
static int parse_mmap(struct rec_config *c, const char *text, struct err *err)
{
	static const char suffixes[] = "BKMG";
	struct span word = span_of(text, strlen(text));
	uint64_t unit = (uint64_t)sysconf(_SC_PAGESIZE), n;
	char last = word.n ? (char)(word.p[word.n - 1] & ~0x20) : '\0';
	const char *suffix = last >= 'A' ? strchr(suffixes, last) : NULL;

	if (suffix) {
		unit = (uint64_t)1 << (10 * (suffix - suffixes));
		word.n--;
	}
	if (!rec_number(word, 10, &n) || !n || ckd_mul(&n, n, unit) ||
	    n > ((uint64_t)1 << 31))
		return err_set(err, ERR_USAGE,
			       "option '-m': '%s' is not a number of pages or "
			       "a size up to 2G",
			       text);
	c->ring_size = (size_t)n;
	return 0;
}

static int parse_frequency(struct rec_config *c, const char *text,
			   struct err *err)
{
	uint64_t hz = 0;

	c->frequency = REC_DEFAULT_FREQUENCY;
	if (!text)
		return 0;
	c->frequency_named = true;
	if (strcmp(text, "max") == 0) {
		if (!rec_procfs_number(&c->frequency, "",
				       "/proc/sys/kernel/"
				       "perf_event_max_sample_rate"))
			return err_set(err, ERR_UNSUPPORTED,
				       "the kernel shows no greatest frequency");
		return 0;
	}
	if (!rec_number(span_of(text, strlen(text)), 10, &hz) || !hz)
		return err_set(err, ERR_USAGE,
			       "option '-F': '%s' is not a frequency in Hz",
			       text);
	c->frequency = hz;
	return 0;
}

static int check_rate(const struct rec_args *a, struct err *err)
{
	if (a->period_given && !a->period)
		return err_set(err, ERR_USAGE,
			       "option '-c': a sample every 0 events cannot be");
	if (a->period_given && a->frequency)
		return err_set(err, ERR_USAGE,
			       "-c and -F do not go together: a sample is taken "
			       "every so many events or so often a second");
	return 0;
}

static int parse_delay(struct rec_config *c, const char *text, struct err *err)
{
	if (!text)
		return 0;
	if (time_parse(text, 1000000, &c->delay_ns))
		return 0;
	return err_set(err, ERR_USAGE,
		       "option '-D': '%s' is not a time (milliseconds, or such "
		       "as 2s)",
		       text);
}

/* A counter thread that wakes more often does little else. */
#define LEAST_INTERVAL_NS 1000000u
#define GPU_INTERVAL_NS (NSEC_PER_SEC / 10)

static int parse_interval(struct rec_config *c, const struct rec_args *a,
			  struct err *err)
{
	c->per_cpu = a->no_aggr;
	c->gpu_readings = a->gpu;
	if (!a->interval) {
		c->interval_ns = a->gpu ? GPU_INTERVAL_NS : 0;
		return 0;
	}
	if (time_parse(a->interval, 1000000, &c->interval_ns) &&
	    c->interval_ns >= LEAST_INTERVAL_NS)
		return 0;
	return err_set(err, ERR_USAGE, "option '-I': '%s' is not a time of 1 "
		       "ms at least (milliseconds, or such as 2s)",
		       a->interval);
}

static int check_clock(const struct rec_args *a, struct err *err)
{
	if (!a->clock || !strcasecmp(a->clock, "monotonic") ||
	    !strcasecmp(a->clock, "mono") ||
	    !strcasecmp(a->clock, "CLOCK_MONOTONIC"))
		return 0;
	return err_set(err, ERR_UNSUPPORTED,
		       "option '-k': '%s': all times are on CLOCK_MONOTONIC, "
		       "that of graphics and of user programs; the file holds "
		       "readings of the others beside it", a->clock);
}

static int check_targets(struct rec_config *c, const struct rec_args *a,
			 struct err *err)
{
	bool tasks = c->pids.n || c->tids.n;

	if (a->all_cpus && tasks)
		return err_set(err, ERR_USAGE,
			       "-a and -p or -t or -u do not go together");
	if (a->duration_given && !a->duration_ns)
		return err_set(err, ERR_USAGE,
			       "option '--duration': a recording of no time");
	if (tasks && c->command)
		return err_set(err, ERR_USAGE,
			       "-p or -t and a command do not go together (to "
			       "record for a while use --duration)");
	if (a->mark_regex && !c->command)
		return err_set(err, ERR_USAGE,
			       "option '--mark-from-stdout': there is no "
			       "command whose output could be read");
	/* What a GPU does happens in interrupts and in workers, too. */
	c->system_wide = a->all_cpus || (c->cpus.n && !tasks) ||
			 (a->gpu && !a->count_only && !tasks) || (!tasks && !c->command);
	return 0;
}

/* Files are begun on a tick of the recorder's clock. */
#define LEAST_SWITCH_NS (NSEC_PER_SEC / 10)

static bool parse_switch(struct rec_config *c, const char *text)
{
	static const char suffixes[] = "BKMG";
	struct span word = span_of(text, strlen(text));
	char last = word.n ? (char)word.p[word.n - 1] : '0';
	const char *suffix = strchr(suffixes, last);

	if (strcmp(text, "signal") == 0)
		return true;
	if (suffix) {
		word.n--;
		return rec_number(word, 10, &c->split_size) &&
		       !ckd_mul(&c->split_size, c->split_size,
				(uint64_t)1 << (10 * (suffix - suffixes))) &&
		       c->split_size;
	}
	return (last < '0' || last > '9') &&
	       time_parse(text, NSEC_PER_SEC, &c->split_ns) &&
	       c->split_ns >= LEAST_SWITCH_NS;
}

static int check_files(struct rec_config *c, const struct rec_args *a,
		       struct err *err)
{
	c->split = a->switch_output != NULL;
	c->max_files = a->max_files;
	c->drain_threads = a->drain_threads;
	c->max_size = a->max_size;
	if (c->split && !parse_switch(c, a->switch_output))
		return err_set(err, ERR_USAGE,
			       "option '--switch-output': '%s' is neither "
			       "'signal' nor a size such as 100M nor a time "
			       "such as 30s, of 100ms at least",
			       a->switch_output);
	if (c->split && strcmp(c->output, "-") == 0)
		return err_set(err, ERR_USAGE,
			       "--switch-output and standard output do not go "
			       "together: use -o FILE");
	if (a->max_files_given && !c->split)
		return err_set(err, ERR_USAGE,
			       "--max-files needs --switch-output: else there "
			       "is one file");
	if (a->max_files_given && !a->max_files)
		return err_set(err, ERR_USAGE,
			       "option '--max-files': no file would be kept");
	if (a->max_size_given && !a->max_size)
		return err_set(err, ERR_USAGE,
			       "option '--max-size': a recording of no size");
	return 0;
}

static int check_call_graph(struct rec_config *c, const struct rec_args *a,
			    struct err *err)
{
	c->callchain = a->callgraph || a->call_graph;
	if (!a->call_graph || strcmp(a->call_graph, "fp") == 0)
		return 0;
	if (strncmp(a->call_graph, "dwarf", 5) == 0 ||
	    strcmp(a->call_graph, "lbr") == 0)
		return err_set(err, ERR_UNSUPPORTED,
			       "option '--call-graph': '%s' is not supported by "
			       "this version (fp is)",
			       a->call_graph);
	return err_set(err, ERR_USAGE,
		       "option '--call-graph': '%s' is not a way to obtain "
		       "call chains (fp)",
		       a->call_graph);
}

int rec_config_make(struct rec_config *out, const struct rec_args *a,
		    char **argv, char **command, struct err *err)
{
	struct rec_config c = {
		.output = a->output ? a->output : REC_DEFAULT_OUTPUT,
		.inherit = !a->no_inherit,
		.duration_ns = a->duration_ns,
		.period = a->period,
		.keep_self = a->exclude_self_given && !a->exclude_self,
		.command = command && *command ? command : NULL,
		.argv = argv,
		.trace_marker = a->trace_marker,
		.mark_regex = a->mark_regex,
	};
	int rc = add_list(&c.pids, &a->pids, false, "-p", err);

	if (rc == 0)
		rc = add_list(&c.tids, &a->tids, false, "-t", err);
	if (rc == 0)
		rc = add_list(&c.cpus, &a->cpus, true, "-C", err);
	if (rc == 0)
		rc = rec_config_users(&c, a, "", err);
	if (rc == 0)
		rc = check_clock(a, err);
	if (rc == 0)
		rc = check_targets(&c, a, err);
	if (rc == 0)
		rc = check_files(&c, a, err);
	if (rc == 0)
		rc = check_call_graph(&c, a, err);
	if (rc == 0)
		rc = check_rate(a, err);
	if (rc == 0)
		rc = parse_frequency(&c, a->frequency, err);
	if (rc == 0 && a->mmap)
		rc = parse_mmap(&c, a->mmap, err);
	if (rc == 0)
		rc = parse_delay(&c, a->delay, err);
	if (rc == 0)
		rc = parse_interval(&c, a, err);
	if (rc == 0)
		rc = rec_config_events(&c, a, err);
	if (rc < 0) {
		rec_config_fini(&c);
		return rc;
	}
	*out = c;
	return 0;
}

const char *rec_config_target(const struct rec_config *c)
{
	if (c->pids.n)
		return "processes";
	if (c->tids.n)
		return "threads";
	if (c->system_wide)
		return c->cpus.n ? "cpus" : "system";
	return "command";
}

void rec_config_count(struct rec_config *c, pid_t child,
		      struct rec_pmu_config *out)
{
	*out = (struct rec_pmu_config){
		.events = &c->counted,
		.system_wide = c->system_wide,
		.pids = c->pids.items,
		.n_pids = c->pids.n,
		.tids = c->tids.items,
		.n_tids = c->tids.n,
		.pids_may_end = c->pids_may_end,
		.child = c->system_wide ? 0 : child,
		.enable_on_exec = !c->system_wide && c->command && !c->delay_ns,
		.cpus = c->cpus.items,
		.n_cpus = c->cpus.n,
		.inherit = c->inherit,
		.per_cpu = c->per_cpu,
	};
}

void rec_args_fini(struct rec_args *a)
{
	opt_list_fini(&a->events);
	opt_list_fini(&a->aliases);
	opt_list_fini(&a->pids);
	opt_list_fini(&a->tids);
	opt_list_fini(&a->cpus);
	opt_list_fini(&a->users);
}

void rec_config_fini(struct rec_config *c)
{
	rec_events_fini(&c->events);
	rec_events_fini(&c->counted);
	rec_gpu_report_fini(&c->gpu);
	free(c->pids.items);
	free(c->tids.items);
	free(c->cpus.items);
	*c = (struct rec_config){ 0 };
}
