#include "record/counter/fdinfo/opens.h"

#include "format/base/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/fanotify.h>
#include <sys/inotify.h>
#include <unistd.h>

/* Events with an open file of the node would open the GPU once more: with
 * FAN_REPORT_FID they have none. Without a right to it the kernel lets us listen,
 * but says 0 for each process (fanotify_init(2)). */
static int fanotify_begin(void)
{
	return fanotify_init(FAN_CLASS_NOTIF | FAN_REPORT_FID | FAN_NONBLOCK |
			     FAN_CLOEXEC, 0);
}

/* Of what is in the folder, not of the folder. A folder that is not there has no
 * nodes. */
static bool fanotify_add(int file, const char *path)
{
	return !fanotify_mark(file, FAN_MARK_ADD | FAN_MARK_ONLYDIR,
			      FAN_OPEN | FAN_EVENT_ON_CHILD, AT_FDCWD, path) ||
	       errno == ENOENT;
}

static bool inotify_add(int file, const char *path)
{
	return inotify_add_watch(file, path, IN_OPEN | IN_ONLYDIR) >= 0 ||
	       errno == ENOENT;
}

static bool add_folders(int file, const char *root,
			bool (*add)(int file, const char *path))
{
	static const char *const folders[] = { "/dev/dri", "/dev/accel" };
	char path[PATH_MAX];
	bool all = true;

	for (size_t i = 0; i < ARRAY_LEN(folders); i++) {
		snprintf(path, sizeof(path), "%s%s", root, folders[i]);
		all &= add(file, path);
	}
	return all;
}

void rec_drm_opens_open(struct rec_drm_opens *o, const char *root, bool who)
{
	*o = (struct rec_drm_opens){ .file = who ? fanotify_begin() : -1 };
	if (o->file >= 0 && add_folders(o->file, root, fanotify_add)) {
		o->who = true;
		return;
	}
	if (o->file >= 0)
		close(o->file);
	/* One folder of two is better than none. */
	o->file = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
	if (o->file >= 0)
		(void)add_folders(o->file, root, inotify_add);
}

void rec_drm_opens_close(struct rec_drm_opens *o)
{
	if (o->file >= 0)
		close(o->file);
	*o = (struct rec_drm_opens){ .file = -1 };
}

/* Where there were too many, the event that says so has no process either. */
static void take_fanotify(const char *text, size_t size, rec_drm_open_fn *each,
			  void *ctx)
{
	struct fanotify_event_metadata e;

	for (size_t at = 0; at + sizeof(e) <= size; at += e.event_len) {
		memcpy(&e, text + at, sizeof(e));
		if (e.event_len < sizeof(e))
			return;
		each(ctx, e.pid > 0 ? (pid_t)e.pid : 0);
	}
}

static void take_inotify(const char *text, size_t size, rec_drm_open_fn *each,
			 void *ctx)
{
	struct inotify_event e;
	bool opened = false;

	for (size_t at = 0; at + sizeof(e) <= size; at += sizeof(e) + e.len) {
		memcpy(&e, text + at, sizeof(e));
		opened |= !(e.mask & IN_ISDIR);
	}
	if (opened)
		each(ctx, 0);
}

void rec_drm_opens_hear(const struct rec_drm_opens *o, rec_drm_open_fn *each,
			void *ctx)
{
	char text[4096] __attribute__((aligned(8)));
	ssize_t n;

	while (o->file >= 0 && (n = read(o->file, text, sizeof(text))) > 0) {
		if (o->who)
			take_fanotify(text, (size_t)n, each, ctx);
		else
			take_inotify(text, (size_t)n, each, ctx);
	}
}
