#include "record/import/several.h"

#include "format/base/beside.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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
	(void)execvp(beside_program(path, "rec", "analyze"),
		     (char *const *)(uintptr_t)argv);
	free(argv);
	return err_sys(err, errno, "cannot start 'analyze merge', which makes "
		       "one trace of several");
}
