/* rec stat: counts what a command does, and prints it. */
#include "record/command.h"
#include "record/config.h"
#include "record/session.h"
#include "record/stat/args.h"
#include "record/stat/print.h"
#include "record/stat/stat.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static int count(struct rec_stat_print *p, const struct rec_env *env,
		 char **command, int *status, struct err *err)
{
	const struct rec_stat_args *a = p->args;
	struct rec_stat s = { .runs = a->repeat_given ? (uint32_t)a->repeat : 1,
			      .intervals = a->interval_count,
			      .pre = a->pre,
			      .post = a->post,
			      .sync = a->sync,
			      .begun = p->live ? rec_stat_print_live : NULL,
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

/* Without -o the trace is nowhere but in memory. */
static int open_memory(struct rec_stat_print *p, struct rec_stat_args *a,
		       char *path, size_t size, struct err *err)
{
	if (a->rec.output)
		return 0;
	p->memory = memfd_create("stat.ctr", MFD_CLOEXEC);
	if (p->memory < 0)
		return err_sys(err, errno, "cannot make a file in memory");
	snprintf(path, size, "/proc/self/fd/%d", p->memory);
	a->rec.output = path;
	return 0;
}

static int run(const struct rec_env *env, const void *args, struct err *err)
{
	struct rec_stat_args a = *(const struct rec_stat_args *)args;
	char **command = env->n_operands ? (char **)(uintptr_t)env->operands :
					   NULL;
	struct rec_stat_print p = { .args = &a, .log = env->log, .memory = -1 };
	char path[64];
	int status = REC_EXIT_FAILED, rc;
	bool prints;

	rc = rec_stat_args_check(&a, command, err);
	if (rc == 0)
		rc = open_memory(&p, &a, path, sizeof(path), err);
	if (rc < 0)
		return rc;
	a.rec.count_only = true;
	a.rec.no_aggr |= rec_stat_args_places(&a);
	prints = !a.common.quiet && strcmp(a.rec.output, "-");
	p.live = prints && a.rec.interval && !a.json && !a.repeat_given;
	rc = count(&p, env, command, &status, err);
	if (rc == 0 && prints)
		rc = rec_stat_print_end(&p, err);
	else if (p.pid)
		rec_stat_print_stop(&p);
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
	rec_args_fini(&((struct rec_stat_args *)args)->rec);
}

const struct rec_command rec_cmd_stat = {
	.name = "stat",
	.summary = "counts events of a command, as perf stat does",
	.operands = "[--] [COMMAND [ARGUMENTS]]",
	.max_operands = SIZE_MAX,
	.takes_command = true,
	.opts = rec_stat_options,
	.args_size = sizeof(struct rec_stat_args),
	.run = run,
	.fini = args_fini,
};
