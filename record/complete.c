#include "record/complete.h"

#include "format/base/complete.h"
#include "format/base/mem.h"
#include "record/command.h"
#include "record/config.h"
#include "record/list/list.h"
#include "record/perf/cgroup.h"
#include "record/perf/cpus.h"
#include "record/proc/folder.h"
#include "record/proc/procfs.h"

#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct place {
	const struct complete *c;
	const char *root;
	struct err *err;
};

/* Usable ones and others: why an event cannot be recorded here is better read
 * than guessed from its absence. */
static int say_events(const struct place *p)
{
	struct rec_patterns all = { 0 };
	struct rec_machine m;
	struct rec_list l = { 0 };
	int rc = rec_machine_read(&m, p->root, p->err);

	if (!rc)
		rc = rec_list_make(&l, &m, &all, p->err);
	for (size_t i = 0; !rc && i < l.n; i++) {
		const struct rec_listed *e = &l.items[i];
		char about[160] = "";

		if (e->kind == REC_LISTED_FORM)
			continue;
		if (e->needs)
			snprintf(about, sizeof(about), "needs %s", e->needs);
		complete_say(p->c, e->name, about);
		if (e->alias)
			complete_say(p->c, e->alias, about);
	}
	rec_list_fini(&l);
	return rc;
}

static void say_task(const struct place *p, const char *folder, pid_t id)
{
	char number[16];
	struct span text, line = { 0 };
	struct buf comm;

	buf_init(&comm, 65536);
	if (!rec_procfs_read(&comm, NULL, p->root, "%s/%d/comm", folder,
			     (int)id)) {
		text = span_of(comm.p, comm.n);
		(void)rec_line(&text, &line);
		comm.n = line.n;
	}
	buf_u8(&comm, 0);
	snprintf(number, sizeof(number), "%d", (int)id);
	complete_say(p->c, number,
		     buf_failed(&comm) ? NULL : (const char *)comm.p);
	buf_fini(&comm);
}

static int say_process(void *ctx, pid_t id)
{
	say_task(ctx, "/proc", id);
	return 0;
}

static int say_pids(const struct place *p)
{
	return rec_procfs_ids(p->root, "/proc", say_process, (void *)p, p->err);
}

struct threads {
	const struct place *p;
	const char *folder;
};

static int say_thread(void *ctx, pid_t id)
{
	const struct threads *t = ctx;

	say_task(t->p, t->folder, id);
	return 0;
}

/* A process may end at any time: what cannot be read is passed over. */
static int say_threads(void *ctx, pid_t pid)
{
	const struct place *p = ctx;
	char folder[32];
	struct threads t = { p, folder };

	snprintf(folder, sizeof(folder), "/proc/%d/task", (int)pid);
	(void)rec_procfs_ids(p->root, folder, say_thread, &t, NULL);
	return 0;
}

static int say_tids(const struct place *p)
{
	return rec_procfs_ids(p->root, "/proc", say_threads, (void *)p, p->err);
}

static int say_cpus(const struct place *p)
{
	struct rec_cpus cpus = { 0 };
	char number[16];
	int rc = rec_cpus_online(&cpus, p->root, p->err);

	for (size_t i = 0; !rc && i < cpus.n; i++) {
		snprintf(number, sizeof(number), "%d", cpus.items[i]);
		complete_say(p->c, number, NULL);
	}
	rec_cpus_fini(&cpus);
	return rc;
}

static int say_rates(const struct place *p)
{
	static const char *const words[] = { "max", "99", "999", "4000", NULL };

	complete_words(p->c, words);
	return 0;
}

static int ask_traces(const struct place *p)
{
	complete_ask(p->c, "files", ".ctr");
	return 0;
}

/* The groups that perf events follow, one level at a time. */
static int say_cgroups(const struct place *p)
{
	const char *typed = p->c->word + p->c->kept;
	const char *slash = strrchr(typed, '/');
	size_t above = slash ? (size_t)(slash + 1 - typed) : 0;
	char name[PATH_MAX];
	struct rec_folder f = { 0 };
	struct stat st;
	int fd = -1, rc = 0;

	snprintf(name, sizeof(name), "%.*s", (int)above, typed);
	if (rec_cgroup_open(&fd, p->root, name, NULL))
		return 0;
	snprintf(name, sizeof(name), "/proc/self/fd/%d", fd);
	rc = rec_folder_read(&f, name, p->err);
	for (size_t i = 0; rc == 0 && i < f.n; i++) {
		snprintf(name, sizeof(name), "%.*s%s", (int)above, typed,
			 f.names[i]);
		if (!fstatat(fd, f.names[i], &st, 0) && S_ISDIR(st.st_mode))
			complete_say(p->c, name, NULL);
	}
	rec_folder_fini(&f);
	close(fd);
	return rc < 0 ? rc : 0;
}

static int say_clocks(const struct place *p)
{
	complete_say(p->c, "monotonic", NULL);
	return 0;
}

static int ask_dirs(const struct place *p)
{
	complete_ask(p->c, "dirs", "");
	return 0;
}

static int ask_users(const struct place *p)
{
	complete_ask(p->c, "users", "");
	return 0;
}

/* Values by the name of the option, and by what stands for them in usage. */
static const struct kind {
	const char *option, *arg;
	int (*say)(const struct place *p);
} kinds[] = {
	{ "cgroup", NULL, say_cgroups }, { NULL, "EVENT", say_events },
	{ NULL, "PID", say_pids },       { NULL, "TID", say_tids },
	{ NULL, "CPU", say_cpus },       { NULL, "HZ", say_rates },
	{ NULL, "FILE", ask_traces },    { NULL, "DIR", ask_dirs },
	{ NULL, "USER", ask_users },     { NULL, "CLOCK", say_clocks },
};

static bool is_of(const struct kind *k, const struct complete *c)
{
	if (k->arg)
		return complete_takes(c, k->arg);
	return c->opt->name && !strcmp(c->opt->name, k->option);
}

static int say_value(const struct place *p)
{
	for (size_t i = 0; i < ARRAY_LEN(kinds); i++)
		if (is_of(&kinds[i], p->c))
			return kinds[i].say(p);
	complete_values(p->c);
	return 0;
}

static void say_commands(const struct complete *c)
{
	for (size_t i = 0; rec_commands[i]; i++)
		complete_say(c, rec_commands[i]->name,
			     rec_commands[i]->summary);
}

/* Behind "rec list" and "rec import". */
static int of_command(const struct rec_command *cmd, const struct place *p)
{
	static const char *const words[] = { "sw", "hw", "cache", "pmu",
					     "tracepoint", NULL };

	if (p->c->what == COMPLETE_OPERAND &&
	    !strcmp(cmd->operands, "FILE..."))
		complete_ask(p->c, "files", "");
	if (p->c->what != COMPLETE_OPERAND || !strstr(cmd->operands, "GLOB"))
		return 0;
	complete_words(p->c, words);
	return say_events(p);
}

static int say(const struct place *p, const struct rec_command *cmd,
	       const struct opt *rows, int at)
{
	const struct complete *c = p->c;

	if (c->what == COMPLETE_VALUE)
		return say_value(p);
	if (c->what == COMPLETE_OPTION) {
		complete_options(c, rows);
		return 0;
	}
	if (cmd)
		return of_command(cmd, p);
	if (at == 0)
		say_commands(c);
	complete_command(c, at);
	return 0;
}

int rec_complete(int argc, char **argv, const char *root, FILE *to,
		 struct err *err)
{
	const struct rec_command *cmd = NULL;
	struct complete_line line;
	struct complete c;
	struct place p = { &c, root, err };
	int rc = complete_line_parse(&line, argc, argv, err);

	if (rc)
		return rc;
	if (line.n && line.at > 0)
		cmd = rec_command_find(line.words[0]);
	if (cmd)
		line = (struct complete_line){ line.words + 1, line.n - 1,
					       line.at - 1 };
	complete_find(&c, cmd ? cmd->opts : rec_options,
		      cmd ? OPT_ANYWHERE : OPT_FIRST, &line, to);
	return say(&p, cmd, cmd ? cmd->opts : rec_options, line.at);
}
