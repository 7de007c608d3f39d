#include "record/mark/place.h"

#include "format/base/mem.h"
#include "record/proc/procfs.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

/* `list` has an entry a user: `before`, the number of the user, `behind`. */
static const struct place {
	const char *list, *before, *behind;
	bool of_root; /* one folder, of root */
} places[] = {
	{ .list = "/run/coltrace", .of_root = true },
	{ .list = "/run/user", .before = "", .behind = "/coltrace" },
	{ .list = "/tmp", .before = "coltrace-", .behind = "" },
};

static bool path_of(const struct place *p, const char *root, uid_t uid,
		    char path[PATH_MAX])
{
	int n;

	if (p->of_root)
		n = snprintf(path, PATH_MAX, "%s%s", root, p->list);
	else
		n = snprintf(path, PATH_MAX, "%s%s/%s%u%s", root, p->list,
			     p->before, uid, p->behind);
	return n > 0 && n < PATH_MAX && (uid == 0 || !p->of_root);
}

/* Only a folder that nobody but its owner can put anything into. */
static int open_folder(const char *path, uid_t owner)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	struct stat st;

	if (fd < 0)
		return -errno;
	if (fstat(fd, &st) == 0 && st.st_uid == owner && !(st.st_mode & 022))
		return fd;
	close(fd);
	return -EPERM;
}

int rec_mark_folder(const char *root, uid_t uid, struct err *err)
{
	char path[PATH_MAX] = "";
	int errnum = ENOENT;

	for (size_t i = 0; i < ARRAY_LEN(places); i++) {
		int fd;

		if (!path_of(&places[i], root, uid, path))
			continue;
		if (mkdir(path, 0700) && errno != EEXIST) {
			errnum = errno;
			continue;
		}
		fd = open_folder(path, uid);
		if (fd >= 0)
			return fd;
		errnum = -fd;
	}
	return err_sys(err, errnum, "no folder for the socket of marks ('%s')",
		       path);
}

struct walk {
	const char *root;
	uid_t uid;
	int (*each)(void *ctx, int folder, uid_t owner);
	void *ctx;
};

static int visit(const struct walk *w, const struct place *p, uid_t owner)
{
	char path[PATH_MAX];
	int fd, rc;

	if (!path_of(p, w->root, owner, path))
		return 0;
	fd = open_folder(path, owner);
	if (fd < 0)
		return 0;
	rc = w->each(w->ctx, fd, owner);
	close(fd);
	return rc;
}

/* Root's own are met like those of any user. */
static int visit_all(const struct walk *w, const struct place *p)
{
	size_t before = strlen(p->before);
	char path[PATH_MAX];
	struct dirent *e;
	int rc = 0;
	DIR *d;

	if (snprintf(path, sizeof(path), "%s%s", w->root, p->list) >=
	    (int)sizeof(path))
		return 0;
	d = opendir(path);
	while (d && !rc && (e = readdir(d))) {
		uint64_t owner;

		if (strncmp(e->d_name, p->before, before) == 0 &&
		    rec_number(span_of(e->d_name + before,
				       strlen(e->d_name + before)), 10,
			       &owner) && owner < (uid_t)-1)
			rc = visit(w, p, (uid_t)owner);
	}
	if (d)
		closedir(d);
	return rc;
}

int rec_mark_folders(const char *root, uid_t uid,
		     int (*each)(void *ctx, int folder, uid_t owner),
		     void *ctx)
{
	struct walk w = { root, uid, each, ctx };
	int rc = 0;

	for (size_t i = 0; i < ARRAY_LEN(places) && !rc; i++)
		rc = uid || places[i].of_root ? visit(&w, &places[i], uid) :
						visit_all(&w, &places[i]);
	return rc;
}

int rec_mark_sockets(int folder,
		     int (*each)(void *ctx, const char *name, pid_t pid),
		     void *ctx)
{
	int copy = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *d = copy < 0 ? NULL : fdopendir(copy);
	struct dirent *e;
	int rc = 0;

	if (!d && copy >= 0)
		close(copy);
	while (d && !rc && (e = readdir(d))) {
		struct span pid = span_of(e->d_name, strcspn(e->d_name, "-"));
		uint64_t n;

		if (e->d_name[pid.n] == '-' && rec_number(pid, 10, &n) &&
		    n <= INT_MAX)
			rc = each(ctx, e->d_name, (pid_t)n);
	}
	if (d)
		closedir(d);
	return rc;
}

/* By the descriptor of what was looked at: nothing can be put in its place
 * meanwhile, and the path is short enough whatever the root. */
static int connect_to(int s, int file)
{
	struct sockaddr_un to = { .sun_family = AF_UNIX };

	snprintf(to.sun_path, sizeof(to.sun_path), "/proc/self/fd/%d", file);
	return connect(s, (struct sockaddr *)&to, sizeof(to)) ? -errno : 0;
}

int rec_mark_connect(int folder, const char *name, uid_t owner)
{
	int file = openat(folder, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	int s, rc = -EPERM;
	struct stat st;

	if (file < 0)
		return -errno;
	s = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (s < 0)
		rc = -errno;
	else if (fstat(file, &st) == 0 && S_ISSOCK(st.st_mode) &&
		 st.st_uid == owner)
		rc = connect_to(s, file);
	close(file);
	if (rc == 0)
		return s;
	if (s >= 0)
		close(s);
	return rc;
}
