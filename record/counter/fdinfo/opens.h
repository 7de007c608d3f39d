/* Hears that somebody opened a node of a GPU, of those in /dev/dri and /dev/accel;
 * and who it was, where the kernel tells: by fanotify (Linux 5.13, as root), and
 * else by inotify. Nodes elsewhere, as those of containers, are not heard of, nor
 * files that are handed on. */
#ifndef RECORD_COUNTER_FDINFO_OPENS_H
#define RECORD_COUNTER_FDINFO_OPENS_H

#include <stdbool.h>
#include <sys/types.h>

struct rec_drm_opens {
	int file;             /* -1: the kernel does not tell */
	bool who;             /* it is of fanotify */
};

/* The process with this number did; 0: somebody, once or more. */
typedef void rec_drm_open_fn(void *ctx, pid_t pid);

/* `who`: numbers of processes are worth something, as they are those of
 * ROOT/proc. */
void rec_drm_opens_open(struct rec_drm_opens *o, const char *root, bool who);
void rec_drm_opens_close(struct rec_drm_opens *o);

/* Tells of all since the last time; does not wait. */
void rec_drm_opens_hear(const struct rec_drm_opens *o, rec_drm_open_fn *each,
			void *ctx);

#endif
