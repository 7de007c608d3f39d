#include "calls.h"

#include "mem.h"

#include <string.h>

static const struct {
	const char *arch;
	const struct call_run *runs;
} tables[] = {
	{ "x86_64", call_runs_x86_64 },
	{ "aarch64", call_runs_aarch64 },
};

const struct call_run *call_runs(const char *arch)
{
	static const struct call_run none = { 0, 0, NULL };

	for (size_t i = 0; i < ARRAY_LEN(tables); i++)
		if (strcmp(tables[i].arch, arch) == 0)
			return tables[i].runs;
	return &none;
}

const char *call_name(const struct call_run *runs, uint64_t nr)
{
	for (const struct call_run *r = runs; r->n; r++)
		if (nr >= r->first && nr - r->first < r->n)
			return r->names[nr - r->first];
	return NULL;
}

bool call_number(uint64_t *nr, const struct call_run *runs, const char *name)
{
	for (const struct call_run *r = runs; r->n; r++)
		for (uint16_t i = 0; i < r->n; i++)
			if (r->names[i] && !strcmp(r->names[i], name)) {
				*nr = (uint64_t)r->first + i;
				return true;
			}
	return false;
}

/* Calls whose first argument it is (their SYSCALL_DEFINEs). Of those that take
 * two files it is the first one. */
static const char *const by_first[] = {
	"read", "write", "close", "newfstat", "fstat", "fstat64", "lseek",
	"llseek", "ioctl", "pread64", "pwrite64", "readv", "writev", "preadv",
	"pwritev", "preadv2", "pwritev2", "dup", "dup2", "dup3", "connect",
	"accept", "accept4", "sendto", "recvfrom", "sendmsg", "recvmsg",
	"sendmmsg", "recvmmsg", "shutdown", "bind", "listen", "getsockname",
	"getpeername", "setsockopt", "getsockopt", "fcntl", "fcntl64", "flock",
	"fsync", "fdatasync", "syncfs", "ftruncate", "getdents", "getdents64",
	"fchdir", "fchmod", "fchown", "fstatfs", "fallocate", "fadvise64",
	"readahead", "sendfile", "sendfile64", "copy_file_range", "splice",
	"tee", "vmsplice", "sync_file_range", "fsetxattr", "fgetxattr",
	"flistxattr", "fremovexattr", "epoll_wait", "epoll_pwait",
	"epoll_pwait2", "epoll_ctl", "timerfd_settime", "timerfd_gettime",
	"signalfd", "signalfd4", "inotify_add_watch", "inotify_rm_watch",
	"fanotify_mark", "setns", "finit_module", "io_uring_enter",
	"io_uring_register", "mq_timedsend", "mq_timedreceive", "mq_notify",
	"mq_getsetattr", "pidfd_send_signal", "pidfd_getfd", "fsconfig",
	"fsmount", "landlock_add_rule", "landlock_restrict_self", "cachestat",
};

int call_file_argument(const char *name)
{
	for (size_t i = 0; i < ARRAY_LEN(by_first); i++)
		if (strcmp(by_first[i], name) == 0)
			return 0;
	return strcmp(name, "mmap") == 0 ? 4 : -1;
}
