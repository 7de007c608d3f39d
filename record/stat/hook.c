#include "record/stat/hook.h"

#include <errno.h>
#include <sys/wait.h>
#include <unistd.h>

int rec_hook_run(const char *option, const char *command, const sigset_t *mask,
		 struct err *err)
{
	pid_t pid = fork();
	int status = 0;

	if (pid < 0)
		return err_sys(err, errno, "option '%s': cannot run '%s'",
			       option, command);
	if (!pid) {
		(void)sigprocmask(SIG_SETMASK, mask, NULL);
		execl("/bin/sh", "sh", "-c", command, (char *)NULL);
		_exit(127);
	}
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return err_sys(err, errno, "option '%s'", option);
	if (WIFSIGNALED(status))
		return err_set(err, ERR_IO,
			       "option '%s': '%s' died of signal "
			       "%d",
			       option, command, WTERMSIG(status));
	if (WEXITSTATUS(status))
		return err_set(err, ERR_IO,
			       "option '%s': '%s' ended with "
			       "status %d",
			       option, command, WEXITSTATUS(status));
	return 0;
}
