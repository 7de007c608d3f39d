#include "record/symbol/confine.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#define FIRST 3
#define NOBODY 65534
#define MAX_MEMORY ((rlim_t)2 << 30)

/* The sanitizers map terabytes, and report on descriptor 2. */
#if defined(__SANITIZE_ADDRESS__)
#define SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(memory_sanitizer)
#define SANITIZED 1
#endif
#endif
#ifndef SANITIZED
#define SANITIZED 0
#endif

int rec_confine_files(int *keep, size_t n, struct err *err)
{
	const int past = FIRST + (int)n;
	int null;

	for (size_t i = 0; i < n; i++)
		if (keep[i] >= 0)
			keep[i] = fcntl(keep[i], F_DUPFD, past);
	null = open("/dev/null", O_RDWR | O_CLOEXEC);
	if (null < 0)
		return err_sys(err, errno, "cannot open '/dev/null'");
	for (int fd = 0; fd < (SANITIZED ? STDERR_FILENO : FIRST); fd++)
		if (dup2(null, fd) < 0)
			return err_sys(err, errno, "dup2");
	for (size_t i = 0; i < n; i++) {
		if (keep[i] >= 0)
			keep[i] = dup2(keep[i], FIRST + (int)i);
		else
			close(FIRST + (int)i);
	}
	closefrom(past);
	return 0;
}

/* Root of a user namespace may have no other id to become (EINVAL), or not be
 * allowed to (EPERM). */
static int drop_user(void)
{
	if (geteuid() && getuid())
		return 0;
	if (setgroups(0, NULL) < 0 || setresgid(NOBODY, NOBODY, NOBODY) < 0 ||
	    setresuid(NOBODY, NOBODY, NOBODY) < 0)
		return 1;
	return 0;
}

/* A program file with capabilities gives them to any user. */
static int drop_capabilities(struct err *err)
{
	struct __user_cap_header_struct head = {
		.version = _LINUX_CAPABILITY_VERSION_3,
	};
	struct __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = { 0 };

	if (syscall(SYS_capset, &head, none) < 0)
		return err_sys(err, errno, "cannot drop capabilities");
	return 0;
}

static void limit(int resource, rlim_t most)
{
	struct rlimit r;

	if (getrlimit((__rlimit_resource_t)resource, &r) < 0)
		return;
	if (r.rlim_max > most)
		r.rlim_max = most;
	if (r.rlim_cur > r.rlim_max)
		r.rlim_cur = r.rlim_max;
	setrlimit((__rlimit_resource_t)resource, &r);
}

static void settle_signals(void)
{
	static const int ignored[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT,
				       SIGPIPE, SIGTSTP };
	static const int plain[] = { SIGCHLD, SIGXCPU, SIGALRM, SIGUSR1,
				     SIGUSR2 };
	sigset_t none;

	for (size_t i = 0; i < sizeof(ignored) / sizeof(*ignored); i++)
		signal(ignored[i], SIG_IGN);
	for (size_t i = 0; i < sizeof(plain) / sizeof(*plain); i++)
		signal(plain[i], SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

int rec_confine_rights(struct err *err)
{
	int rc, kept;

	settle_signals();
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		return err_sys(err, errno, "no_new_privs");
	kept = drop_user();
	rc = drop_capabilities(err);
	if (rc < 0)
		return rc;
	prctl(PR_SET_DUMPABLE, 0);
	limit(RLIMIT_FSIZE, 0);
	limit(RLIMIT_CORE, 0);
	if (!SANITIZED)
		limit(RLIMIT_AS, MAX_MEMORY);
	return kept;
}

/* Only the soft limit: it is moved on with each piece of work, and rounded up
 * because the kernel counts whole seconds. */
void rec_confine_cpu(unsigned seconds)
{
	struct rusage used;
	struct rlimit r;

	if (getrusage(RUSAGE_SELF, &used) < 0 || getrlimit(RLIMIT_CPU, &r) < 0)
		return;
	r.rlim_cur = (rlim_t)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) + 2 +
		     seconds;
	if (r.rlim_cur > r.rlim_max)
		r.rlim_cur = r.rlim_max;
	setrlimit(RLIMIT_CPU, &r);
}
