#include "record/stat/print.h"

#include "format/base/beside.h"
#include "format/base/mem.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

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

#define WORDS 24

static void put_words(const char *argv[WORDS], const struct rec_stat_print *p,
		      bool summary)
{
	const struct rec_stat_args *a = p->args;
	const struct {
		bool given;
		const char *word;
	} flags[] = {
		{ p->live && !summary, "--follow" },
		{ summary, "--summary" },
		{ summary && a->no_csv_summary, "--no-csv-summary" },
		{ a->csv, "--csv" },
		{ a->json, "--json" },
		{ a->per_run, "--per-run" },
		{ a->table, "--table" },
		{ a->no_scale, "--no-scale" },
		{ a->per_socket, "--per-socket" },
		{ a->per_die, "--per-die" },
		{ a->per_core, "--per-core" },
		{ a->per_node, "--per-node" },
		{ a->separator, "-x" },
		{ a->separator, a->separator },
		{ true, "--" },
		{ p->memory < 0, a->rec.output },
		{ p->memory >= 0, p->live && !summary ? "/dev/stdin" : "-" },
	};
	size_t n = 0;

	argv[n++] = "analyze";
	argv[n++] = "stat";
	for (size_t i = 0; i < ARRAY_LEN(flags); i++)
		if (flags[i].given)
			argv[n++] = flags[i].word;
	argv[n] = NULL;
}

/* What analyze prints goes where perf stat's does: beside the output of the
 * command. A trace that is only in memory is its standard input. */
static void print_in_child(const struct rec_stat_print *p, bool summary)
{
	const struct rec_stat_args *a = p->args;
	int to = a->log_fd_given ? (int)a->log_fd : STDERR_FILENO;
	const char *argv[WORDS];
	char path[PATH_MAX];

	put_words(argv, p, summary);
	if (dup2(to, STDOUT_FILENO) >= 0 &&
	    (p->memory < 0 || (lseek(p->memory, 0, SEEK_SET) == 0 &&
			       dup2(p->memory, STDIN_FILENO) >= 0)))
		(void)execvp(beside_program(path, "rec", "analyze"),
			     (char *const *)(uintptr_t)argv);
	_exit(127);
}

static int start(struct rec_stat_print *p, bool summary, struct err *err)
{
	pid_t parent = getpid();
	pid_t pid = fork();

	if (pid < 0)
		return err_sys(err, errno, "cannot start 'analyze stat'");
	if (!pid) {
		if (p->live)
			live_with(parent);
		print_in_child(p, summary);
	}
	p->pid = pid;
	return 0;
}

void rec_stat_print_live(void *ctx)
{
	struct rec_stat_print *p = ctx;
	struct err err;

	if (start(p, false, &err) < 0)
		log_warn(p->log, "%s", err.text);
}

static int wait_for(struct rec_stat_print *p, struct err *err)
{
	int status = 0;

	while (waitpid(p->pid, &status, 0) < 0 && errno == EINTR)
		;
	p->pid = 0;
	if (status)
		return err_set(err, ERR_IO,
			       "'analyze stat', which prints the "
			       "counts, failed");
	return 0;
}

int rec_stat_print_end(struct rec_stat_print *p, struct err *err)
{
	/* What drivers tell is read more often all the same. */
	bool whole = p->args->rec.gpu && !p->args->rec.interval;
	int rc = p->pid ? 0 : start(p, whole, err);

	if (rc == 0)
		rc = wait_for(p, err);
	if (rc < 0 || !p->args->summary)
		return rc;
	rc = start(p, true, err);
	return rc ? rc : wait_for(p, err);
}

void rec_stat_print_stop(const struct rec_stat_print *p)
{
	(void)kill(p->pid, SIGKILL);
	while (waitpid(p->pid, NULL, 0) < 0 && errno == EINTR)
		;
}
