/* What is known of the machine while it is recorded: threads, address spaces,
 * kernel areas. Side-band records and /proc change it, samples ask it. */
#ifndef RECORD_STATE_WORLD_H
#define RECORD_STATE_WORLD_H

#include "format/base/err.h"
#include "record/perf/decode.h"
#include "record/state/build_ids.h"
#include "record/state/cgroups.h"
#include "record/state/defs.h"
#include "record/state/escapes.h"
#include "record/state/images.h"
#include "record/state/kernel.h"
#include "record/state/threads.h"

#include <stdint.h>
#include <sys/types.h>

struct rec_world {
	const char *root;        /* prefix of /proc and /sys */
	struct rec_images images;
	struct rec_kernel kernel;
	struct rec_threads threads;
	struct rec_cgroups cgroups;
	struct rec_defs *defs;   /* told of new mappings */
	/* Of a recording made elsewhere, whose kernel's mappings come by record;
	 * NULL: it is this machine. */
	struct rec_build_ids *build_ids;
	struct rec_mm *no_mm;    /* of kernel threads and of the idle task */
	uint64_t settled_ns;     /* records from before this are all in */
	struct rec_escapes escapes;
	uint64_t guessed;        /* threads that nobody announced */
};

int rec_world_init(struct rec_world *w, const char *root, struct err *err);
void rec_world_fini(struct rec_world *w);

/* One side-band record. Records come in order of time. */
int rec_world_apply(struct rec_world *w, const struct rec_record *r,
		    struct err *err);

/* The thread of a sample as it was then. Never NULL but for lack of memory: a
 * thread that nobody announced is made up from its ids and /proc. */
struct rec_thread *rec_world_thread(struct rec_world *w,
				    const struct rec_ids *ids);

/* The name that a thread has had since before the recording; what a record tells
 * of it counts for more. */
int rec_world_name(struct rec_world *w, int32_t pid, int32_t tid,
		   struct span comm, struct err *err);

/* As rec_world_thread() without making anything up: NULL where the thread, or that it is of
 * this process, is not known. Changes nothing. */
struct rec_thread *rec_world_known(const struct rec_world *w,
				   const struct rec_ids *ids);

/* All processes of /proc, or one, with threads and mappings, as they are now;
 * what the kernel announced itself meanwhile is not overwritten. */
int rec_world_scan(struct rec_world *w, struct err *err);
int rec_world_scan_process(struct rec_world *w, pid_t pid, struct err *err);
/* The process that a thread belongs to. */
int rec_world_scan_task(struct rec_world *w, pid_t tid, struct err *err);

/* Forgets what no record from `time_ns` on can mean. */
void rec_world_prune(struct rec_world *w, uint64_t time_ns);

#endif
