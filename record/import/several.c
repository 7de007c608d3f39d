#include "record/import/several.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The one that was installed with this program, by whatever prefix; else that in
 * PATH. */
static const char *find_analyze(char path[PATH_MAX])
{
	static const char own[] = "rec", other[] = "analyze";
	const size_t end = sizeof(own) - 1;
	ssize_t n = readlink("/proc/self/exe", path, PATH_MAX - sizeof(other));

	if (n < (ssize_t)end)
		return other;
	path[n] = '\0';
	if (strcmp(path + n - end, own) != 0)
		return other;
	memcpy(path + n - end, other, sizeof(other));
	return access(path, X_OK) ? other : path;
}

int rec_import_several(const struct rec_import_job *job, char *const *inputs,
		       struct err *err)
{
	const char *const head[] = { "analyze", "merge", "-o", job->output,
				     job->options.quiet ? "-q" : "--", "--" };
	const size_t n_head = job->options.quiet ? 6 : 5;
	char path[PATH_MAX];
	const char **argv;
	size_t n = 0;

	while (inputs[n])
		n++;
	argv = calloc(n_head + n + 1, sizeof(*argv));
	if (!argv)
		return err_nomem(err);
	memcpy(argv, head, n_head * sizeof(*head));
	memcpy(argv + n_head, inputs, n * sizeof(*inputs));
	(void)execvp(find_analyze(path), (char *const *)(uintptr_t)argv);
	free(argv);
	return err_sys(err, errno, "cannot start 'analyze merge', which makes "
		       "one trace of several");
}
