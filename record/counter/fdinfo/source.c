/* The source of readings "fdinfo": what each client of a DRM device uses. */
#include "record/counter/source.h"

#include "format/base/time.h"
#include "record/counter/drm.h"
#include "record/counter/fdinfo/clients.h"
#include "record/counter/fdinfo/sweep.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

struct fdinfo {
	struct rec_drm_sweep sweep;
	struct rec_drm_clients clients;
};

static bool see(void *ctx, pid_t pid, int fd, const char *node)
{
	struct fdinfo *f = ctx;
	size_t n = f->clients.n;

	f->clients.watched_ns = f->sweep.watched_ns;
	rec_drm_clients_see(&f->clients, pid, fd, node);
	return f->clients.n > n;
}

static void close_all(void *state)
{
	struct fdinfo *f = state;

	rec_drm_sweep_close(&f->sweep);
	rec_drm_clients_close(&f->clients);
	free(f);
}

static void tell_denied(const struct fdinfo *f, struct rec_readings *to)
{
	char why[96];

	if (!f->sweep.denied)
		return;
	snprintf(why, sizeof(why), "open files of %" PRIu64 " processes cannot "
		 "be seen (try as root)", f->sweep.denied);
	rec_readings_miss(to, "fdinfo/others", why);
}

static int open_all(void **state, const struct rec_counter_opening *how,
		    struct rec_readings *to, struct err *err)
{
	struct fdinfo *f;
	int rc;

	if (!rec_drm_any(how->root))
		return err_set(err, ERR_UNSUPPORTED, "there is no DRM device "
			       "in /dev/dri"), 1;
	f = calloc(1, sizeof(*f));
	if (!f)
		return err_nomem(err);
	rc = rec_drm_clients_open(&f->clients, how->root, to, err);
	f->sweep.proc = f->sweep.opens.file = -1;
	if (!rc)
		rc = rec_drm_sweep_open(&f->sweep, how->root, how->pids,
					how->n_pids, see, f, err);
	if (rc) {
		close_all(f);
		return rc;
	}
	tell_denied(f, to);
	if (!how->n_pids && faccessat(f->sweep.proc, "1", F_OK, 0))
		rec_readings_miss(to, "fdinfo/others", "processes of other "
				  "users are hidden (hidepid)");
	*state = f;
	return 0;
}

static void read_all(void *state, struct rec_readings *to)
{
	struct fdinfo *f = state;
	bool looked = rec_drm_sweep_tick(&f->sweep,
					 time_now_ns(CLOCK_MONOTONIC));

	rec_drm_clients_read(&f->clients);
	/* Who inherited a file was looked at just now. */
	if (looked)
		rec_drm_clients_settle(&f->clients);
	tell_denied(f, to);
}

const struct rec_counter_source rec_counter_fdinfo = {
	.name = "fdinfo",
	.open = open_all,
	.read = read_all,
	.close = close_all,
};
