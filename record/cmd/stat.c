/* rec stat: counts what a command does, and prints it. */
#include "format/base/beside.h"
#include "format/base/time.h"
#include "record/command.h"
#include "record/config.h"
#include "record/session.h"
#include "record/stat/stat.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

struct stat_args {
	struct rec_common common;
	struct rec_args rec;
	uint64_t repeat;
	bool repeat_given;
	bool csv, json, per_run;
};

static const struct opt stat_opts[] = {
	OPT_GROUP("What to count"),
	OPT_LIST('e', "event", "EVENT,…", struct stat_args, rec.events,
		 "events, in groups as {a,b} (those of perf stat); see: rec "
		 "list"),
	OPT_LIST(0, "filter", "EXPR", struct stat_args, rec.events,
		 "of the tracepoints of the -e before it only those"),
	OPT_FLAG(0, "gpu", struct stat_args, rec.gpu,
		 "also what drivers tell of GPUs"),
	OPT_FLAG(0, "all-user", struct stat_args, rec.all_user,
		 "every event as if with ':u'"),
	OPT_FLAG(0, "all-kernel", struct stat_args, rec.all_kernel,
		 "every event as if with ':k'"),
	OPT_FLAG(0, "group", struct stat_args, rec.group,
		 "all events in one group, as {a,b}"),
	OPT_GROUP("Of whom"),
	OPT_FLAG('a', "all-cpus", struct stat_args, rec.all_cpus,
		 "the whole system (the default without a command)"),
	OPT_LIST('p', "pid", "PID,…", struct stat_args, rec.pids,
		 "these processes, with all their threads"),
	OPT_LIST('t', "tid", "TID,…", struct stat_args, rec.tids,
		 "these threads"),
	OPT_LIST('C', "cpu", "CPU,…", struct stat_args, rec.cpus,
		 "only on these CPUs: 0,2-3"),
	OPT_LIST('u', "uid", "USER", struct stat_args, rec.users,
		 "the processes that this user has now"),
	OPT_FLAG('i', "no-inherit", struct stat_args, rec.no_inherit,
		 "without children and threads that begin later"),
	OPT_GROUP("When"),
	{ .kind = OPT_KIND_U64, .letter = 'r', .name = "repeat", .arg = "N",
	  .field = offsetof(struct stat_args, repeat),
	  .seen = offsetof(struct stat_args, repeat_given) + 1,
	  .help = "run the command N times: mean and spread" },
	OPT_STR('I', "interval", "MS", struct stat_args, rec.interval,
		"also each so many milliseconds"),
	{ .kind = OPT_KIND_TIME, .name = "duration", .arg = "TIME",
	  .field = offsetof(struct stat_args, rec.duration_ns),
	  .seen = offsetof(struct stat_args, rec.duration_given) + 1,
	  .unit = NSEC_PER_SEC, .help = "end after this long: 10s, 500ms" },
	OPT_GROUP("Output"),
	OPT_FLAG('A', "no-aggr", struct stat_args, rec.no_aggr,
		 "each CPU on its own, not their sum"),
	OPT_STR('o', "output", "FILE", struct stat_args, rec.output,
		"keep the trace, for 'analyze stat'"),
	OPT_FLAG(0, "per-run", struct stat_args, per_run,
		 "with -r: each run, too"),
	OPT_FLAG(0, "csv", struct stat_args, csv, "as CSV"),
	OPT_FLAG(0, "json", struct stat_args, json, "as JSON"),
	REC_COMMON_OPTS(struct stat_args),
	OPT_END,
};

/* What analyze prints goes where perf stat's does: beside the output of the
 * command. A trace that is only in memory is its standard input. */
struct printing {
	const struct stat_args *args;
	const struct log *log;
	int memory; /* the trace; -1: it is the file `output` */
	bool live;  /* from the begin on, each interval as it comes */
	pid_t pid;  /* of analyze; 0: it was not started */
};

/* ^C is for rec, which ends well; what is left is then printed. */
static void live_with(pid_t parent)
{
	sigset_t none;

	sigemptyset(&none);
	(void)sigprocmask(SIG_SETMASK, &none, NULL);
	signal(SIGINT, SIG_IGN);
	signal(SIGTERM, SIG_IGN);
	(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(127);
}

static void print_in_child(const struct printing *p)
{
	const struct stat_args *a = p->args;
	const char *argv[9];
	char path[PATH_MAX];
	size_t n = 0;

	argv[n++] = "analyze";
	argv[n++] = "stat";
	if (p->live)
		argv[n++] = "--follow";
	if (a->csv)
		argv[n++] = "--csv";
	if (a->json)
		argv[n++] = "--json";
	if (a->per_run)
		argv[n++] = "--per-run";
	argv[n++] = "--";
	argv[n++] = p->memory < 0 ? a->rec.output :
		    p->live ? "/dev/stdin" : "-";
	argv[n] = NULL;
	if (dup2(STDERR_FILENO, STDOUT_FILENO) >= 0 &&
	    (p->memory < 0 || (lseek(p->memory, 0, SEEK_SET) == 0 &&
			       dup2(p->memory, STDIN_FILENO) >= 0)))
		(void)execvp(beside_program(path, "rec", "analyze"),
			     (char *const *)(uintptr_t)argv);
	_exit(127);
}

static int start_printing(struct printing *p, struct err *err)
{
	pid_t parent = getpid();
	pid_t pid = fork();

	if (pid < 0)
		return err_sys(err, errno, "cannot start 'analyze stat'");
	if (!pid) {
		if (p->live)
			live_with(parent);
		print_in_child(p);
	}
	p->pid = pid;
	return 0;
}

/* While it is counted nothing may fail for the sake of what is printed. */
static void print_live(void *ctx)
{
	struct printing *p = ctx;
	struct err err;

	if (start_printing(p, &err) < 0)
		log_warn(p->log, "%s", err.text);
}

static int end_printing(struct printing *p, struct err *err)
{
	int status = 0;
	int rc = p->pid ? 0 : start_printing(p, err);

	if (rc < 0)
		return rc;
	while (waitpid(p->pid, &status, 0) < 0 && errno == EINTR)
		;
	if (status)
		return err_set(err, ERR_IO, "'analyze stat', which prints the "
			       "counts, failed");
	return 0;
}

/* What failed may have left a trace without an end, which it would wait for. */
static void stop_printing(const struct printing *p)
{
	(void)kill(p->pid, SIGKILL);
	while (waitpid(p->pid, NULL, 0) < 0 && errno == EINTR)
		;
}

static int count(const struct rec_env *env, struct stat_args *a,
		 char **command, struct printing *p, int *status,
		 struct err *err)
{
	struct rec_stat s = { .runs = a->repeat_given ? (uint32_t)a->repeat : 1,
			      .begun = p->live ? print_live : NULL,
			      .ctx = p,
			      .log = env->log };
	struct rec_config cfg;
	int rc = rec_config_make(&cfg, &a->rec, env->argv, command, err);

	if (rc < 0)
		return rc;
	s.cfg = &cfg;
	rc = rec_stat_run(&s, status, err);
	rec_config_fini(&cfg);
	return rc;
}

static int check(const struct stat_args *a, bool command, struct err *err)
{
	if (!a->repeat_given)
		return 0;
	if (!a->repeat || a->repeat > 100000)
		return err_set(err, ERR_USAGE, "option '-r': 1 to 100000 runs");
	return command ? 0 : err_set(err, ERR_USAGE, "option '-r': there is no "
				     "command to run again");
}

/* Without -o the trace is nowhere but in memory. */
static int run(const struct rec_env *env, const void *args, struct err *err)
{
	struct stat_args a = *(const struct stat_args *)args;
	char **command = env->n_operands ? (char **)(uintptr_t)env->operands :
					   NULL;
	struct printing p = { .args = &a, .log = env->log, .memory = -1 };
	char path[64];
	int status = REC_EXIT_FAILED, rc;
	bool prints;

	rc = check(&a, command, err);
	if (rc < 0)
		return rc;
	a.rec.count_only = true;
	if (!a.rec.output) {
		p.memory = memfd_create("stat.ctr", MFD_CLOEXEC);
		if (p.memory < 0)
			return err_sys(err, errno, "cannot make a file in "
				       "memory");
		snprintf(path, sizeof(path), "/proc/self/fd/%d", p.memory);
		a.rec.output = path;
	}
	prints = !a.common.quiet && strcmp(a.rec.output, "-");
	p.live = prints && a.rec.interval && !a.json && !a.repeat_given;
	rc = count(env, &a, command, &p, &status, err);
	if (rc == 0 && prints)
		rc = end_printing(&p, err);
	else if (p.pid)
		stop_printing(&p);
	if (p.memory >= 0)
		close(p.memory);
	if (rc < 0 && rc != ERR_USAGE) {
		log_error(env->log, "%s", err->text);
		rc = status ? status : REC_EXIT_FAILED;
	}
	return rc ? rc : status;
}

static void args_fini(void *args)
{
	rec_args_fini(&((struct stat_args *)args)->rec);
}

const struct rec_command rec_cmd_stat = {
	.name = "stat",
	.summary = "counts events of a command, as perf stat does",
	.operands = "[--] [COMMAND [ARGUMENTS]]",
	.max_operands = SIZE_MAX,
	.takes_command = true,
	.opts = stat_opts,
	.args_size = sizeof(struct stat_args),
	.run = run,
	.fini = args_fini,
};
