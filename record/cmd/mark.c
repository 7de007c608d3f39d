/* rec mark: says something into the recordings that run. */
#include "format/base/time.h"
#include "record/command.h"
#include "record/mark/send.h"
#include "record/proc/procfs.h"
#include "record/session.h"

#include <limits.h>
#include <string.h>
#include <unistd.h>

#define EXIT_NONE 1 /* no recording took it */

struct mark_args {
	struct rec_common common;
	const char *pid;
};

static const struct opt mark_opts[] = {
	OPT_STR('p', "pid", "PID", struct mark_args, pid,
		"only into the recording of the 'rec' with this process id"),
	REC_COMMON_OPTS(struct mark_args),
	OPT_END,
};

static void join_words(const struct rec_env *env, struct buf *to)
{
	for (size_t i = 0; i < env->n_operands; i++) {
		if (i)
			buf_u8(to, ' ');
		buf_put(to, env->operands[i], strlen(env->operands[i]));
	}
}

static int parse_pid(const char *text, pid_t *pid, struct err *err)
{
	uint64_t n = 0;

	*pid = 0;
	if (!text)
		return 0;
	if (!rec_number(span_of(text, strlen(text)), 10, &n) || !n ||
	    n > INT_MAX)
		return err_set(err, ERR_USAGE,
			       "option '--pid': '%s' is not a process id",
			       text);
	*pid = (pid_t)n;
	return 0;
}

static int tell(const struct log *log, const struct rec_mark_sent *sent,
		pid_t pid)
{
	if (sent->busy)
		log_warn(log, "%zu recordings did not take the mark: they are "
			 "behind with reading", sent->busy);
	if (sent->refused)
		log_warn(log, "%zu recordings could not be reached: %s",
			 sent->refused, strerror(sent->errnum));
	if (sent->taken) {
		log_verbose(log, "%zu recordings took the mark", sent->taken);
		return REC_EXIT_DONE;
	}
	if (sent->busy || sent->refused)
		return EXIT_NONE;
	if (pid)
		log_error(log, "no recording is running as process %d", pid);
	else
		log_error(log, "no recording is running%s",
			  geteuid() ? " of this user" : "");
	return EXIT_NONE;
}

static int run(const struct rec_env *env, const void *args, struct err *err)
{
	const struct mark_args *a = args;
	struct rec_mark m = { .time = time_now_ns(CLOCK_MONOTONIC),
			      .source = TF_MARK_COMMAND };
	struct rec_mark_sent sent = { 0 };
	struct buf text;
	pid_t pid = 0;
	int rc = parse_pid(a->pid, &pid, err);

	if (rc < 0)
		return rc;
	buf_init(&text, 0);
	join_words(env, &text);
	m.text = span_of(text.p, text.n);
	rc = buf_failed(&text) ? err_nomem(err) : rec_mark_check(m.text, err);
	if (rc == 0)
		rc = rec_mark_send(env->root, geteuid(), pid, &m, &sent, err);
	buf_fini(&text);
	return rc < 0 ? rc : tell(env->log, &sent, pid);
}

const struct rec_command rec_cmd_mark = {
	.name = "mark",
	.summary = "says TEXT into the recordings that run, as a mark",
	.operands = "TEXT…",
	.max_operands = SIZE_MAX,
	.opts = mark_opts,
	.args_size = sizeof(struct mark_args),
	.run = run,
};
