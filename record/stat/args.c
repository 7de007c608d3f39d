#include "record/stat/args.h"

#include <fcntl.h>
#include <limits.h>

bool rec_stat_args_places(const struct rec_stat_args *a)
{
	return a->per_socket || a->per_die || a->per_core || a->per_node;
}

static int check_repeat(const struct rec_stat_args *a, bool command,
			struct err *err)
{
	if (a->table && !a->repeat_given)
		return err_set(err, ERR_USAGE, "option '--table' needs -r: "
			       "there is one run");
	if (!a->repeat_given)
		return 0;
	if (!a->repeat || a->repeat > 100000)
		return err_set(err, ERR_USAGE, "option '-r': 1 to 100000 runs");
	return command ? 0 : err_set(err, ERR_USAGE, "option '-r': there is no "
				     "command to run again");
}

static int check_times(const struct rec_stat_args *a, struct err *err)
{
	if (a->rec.delay && a->rec.delay[0] == '-')
		return err_set(err, ERR_UNSUPPORTED, "option '-D': '%s': "
			       "nothing could begin it later, --control is not "
			       "supported by this version", a->rec.delay);
	if (a->interval_count_given && !a->rec.interval)
		return err_set(err, ERR_USAGE, "option '--interval-count' "
			       "needs -I");
	if (a->interval_count_given && !a->interval_count)
		return err_set(err, ERR_USAGE, "option '--interval-count': no "
			       "interval");
	if (a->summary && !a->rec.interval)
		return err_set(err, ERR_USAGE, "option '--summary' needs -I: "
			       "without, nothing else is printed");
	return 0;
}

static int check_output(const struct rec_stat_args *a, struct err *err)
{
	int places = a->per_socket + a->per_die + a->per_core + a->per_node;

	if ((a->separator != NULL) + a->csv + a->json > 1)
		return err_set(err, ERR_USAGE, "options '-x', '--csv' and "
			       "'--json' exclude each other");
	if (a->separator && !*a->separator)
		return err_set(err, ERR_USAGE, "option '-x': nothing would be "
			       "between the fields");
	if (a->separator && (a->per_run || a->table))
		return err_set(err, ERR_USAGE, "option '-x' prints means of "
			       "runs, and no '--%s'",
			       a->table ? "table" : "per-run");
	if (places > 1)
		return err_set(err, ERR_USAGE, "options '--per-socket', "
			       "'--per-die', '--per-core' and '--per-node' "
			       "exclude each other");
	if (places && (a->csv || a->json || a->per_run))
		return err_set(err, ERR_USAGE, "places are printed as text, or "
			       "as fields with '-x', and no '--%s'",
			       a->csv ? "csv" : a->json ? "json" : "per-run");
	if (a->log_fd_given && (a->log_fd > INT_MAX ||
				fcntl((int)a->log_fd, F_GETFD) < 0))
		return err_set(err, ERR_USAGE, "option '--log-fd': no file is "
			       "open as %llu",
			       (unsigned long long)a->log_fd);
	return 0;
}

int rec_stat_args_check(const struct rec_stat_args *a, bool command,
			struct err *err)
{
	int rc = check_repeat(a, command, err);

	if (!rc)
		rc = check_times(a, err);
	return rc ? rc : check_output(a, err);
}
