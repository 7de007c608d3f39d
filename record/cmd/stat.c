/* rec stat: counts what a command does, and prints it. */
#include "format/base/beside.h"
#include "format/base/time.h"
#include "record/command.h"
#include "record/config.h"
#include "record/session.h"
#include "record/stat/stat.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
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
static void print_in_child(const struct stat_args *a, int memory)
{
	const char *argv[8];
	char path[PATH_MAX];
	size_t n = 0;

	argv[n++] = "analyze";
	argv[n++] = "stat";
	if (a->csv)
		argv[n++] = "--csv";
	if (a->json)
		argv[n++] = "--json";
	if (a->per_run)
		argv[n++] = "--per-run";
	argv[n++] = "--";
	argv[n++] = memory < 0 ? a->rec.output : "-";
	argv[n] = NULL;
	if (dup2(STDERR_FILENO, STDOUT_FILENO) >= 0 &&
	    (memory < 0 || (lseek(memory, 0, SEEK_SET) == 0 &&
			    dup2(memory, STDIN_FILENO) >= 0)))
		(void)execvp(beside_program(path, "rec", "analyze"),
			     (char *const *)(uintptr_t)argv);
	_exit(127);
}

static int print(const struct stat_args *a, int memory, struct err *err)
{
	pid_t pid = fork();
	int status = 0;

	if (pid < 0)
		return err_sys(err, errno, "cannot start 'analyze stat'");
	if (!pid)
		print_in_child(a, memory);
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (status)
		return err_set(err, ERR_IO, "'analyze stat', which prints the "
			       "counts, failed");
	return 0;
}

static int count(const struct rec_env *env, struct stat_args *a,
		 char **command, int *status, struct err *err)
{
	struct rec_stat s = { .runs = a->repeat_given ? (uint32_t)a->repeat : 1,
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
	char path[64];
	int fd = -1, status = REC_EXIT_FAILED, rc;

	rc = check(&a, command, err);
	if (rc < 0)
		return rc;
	a.rec.count_only = true;
	if (!a.rec.output) {
		fd = memfd_create("stat.ctr", MFD_CLOEXEC);
		if (fd < 0)
			return err_sys(err, errno, "cannot make a file in "
				       "memory");
		snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
		a.rec.output = path;
	}
	rc = count(env, &a, command, &status, err);
	if (rc == 0 && !a.common.quiet && strcmp(a.rec.output, "-"))
		rc = print(&a, fd, err);
	if (fd >= 0)
		close(fd);
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
