/* The opened events of a recording: targets × CPUs × events, their side band,
 * rings, ids, enabling and loss counts. Talks to the kernel, decides nothing.
 *
 * Two rings a CPU: one for side-band records (mmap2 with build-id, comm, fork,
 * exit, ksymbol…, from a dummy event), one for samples. Times are
 * CLOCK_MONOTONIC. */
#ifndef RECORD_PERF_PERF_H
#define RECORD_PERF_PERF_H

#include "format/base/err.h"
#include "format/base/log.h"
#include "record/perf/decode.h"
#include "record/perf/event.h"
#include "record/perf/ring.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct rec_perf_config {
	const struct rec_events *events; /* none: only the side band */
	bool system_wide;      /* -a, or only `cpus` without tasks */
	const pid_t *pids;     /* processes: all their threads (-p) */
	size_t n_pids;
	bool pids_may_end;     /* those that ended meanwhile are left out; else
				* each must be there */
	const pid_t *tids;     /* single threads (-t) */
	size_t n_tids;
	pid_t child;           /* started but not yet executed, or 0 */
	const int *cpus;       /* only these (-C); n_cpus 0: all online ones */
	size_t n_cpus;
	uint64_t frequency;    /* Hz, where `period` is 0 */
	bool frequency_default; /* nobody asked for this frequency: above
				* perf_event_max_sample_rate it is lowered and
				* that is logged; else it is an error */
	uint64_t period;       /* events a sample */
	bool callchain;
	size_t ring_size;      /* bytes of a sample ring; 0: chosen within the
				* memlock limit, said in rec_perf_ring_size() */
	bool inherit;          /* children and new threads too */
	bool enable_on_exec;   /* for `child` */
	const struct log *log; /* what had to be given up is said here */
};

struct rec_perf;

/* Opens side band and events, all disabled. A refusal is explained: which
 * event, which limit (perf_event_paranoid, memlock, open files, no such
 * hardware event, no such process), what would mend it. RLIMIT_NOFILE is
 * raised as far as allowed. Events are downgraded to user space only (and that
 * is logged, their name gets ":u") where the kernel refuses kernel samples to
 * this user, as perf does. A thread that ended meanwhile is left out. The
 * rings belong to the calling thread: it must live as long as the recording. */
int rec_perf_open(struct rec_perf **out, const struct rec_perf_config *cfg,
		  struct err *err);

int rec_perf_enable_sideband(struct rec_perf *p, struct err *err);

/* Thousands of tracepoints take a second, in which the first ones fill their
 * rings: `between` (which may be NULL) is called now and then, to drain them. It
 * returns 0 or more to go on. */
int rec_perf_enable_events(struct rec_perf *p,
			   int (*between)(void *ctx, struct err *err),
			   void *ctx, struct err *err);

/* Stops everything at once by ioctl; the rings stay readable. */
void rec_perf_disable(struct rec_perf *p);
void rec_perf_close(struct rec_perf *p); /* NULL is fine */

/* The same without waiting: a child closes what takes long, see abandon.h. */
void rec_perf_abandon(struct rec_perf *p);

/* Rings: index 0 … n-1, one per recorded CPU. */
size_t rec_perf_n_rings(const struct rec_perf *p);
int rec_perf_ring_cpu(const struct rec_perf *p, size_t ring);
struct rec_ring *rec_perf_sideband(struct rec_perf *p, size_t ring);
struct rec_ring *rec_perf_samples(struct rec_perf *p, size_t ring);
size_t rec_perf_ring_size(const struct rec_perf *p); /* bytes, sample ring */

/* Pollable when a sample ring is half full (or a side-band ring): an epoll
 * descriptor owned by p. */
int rec_perf_fd(const struct rec_perf *p);

/* The samples of each event have a layout of their own, all side-band records
 * share another. All have PERF_SAMPLE_IDENTIFIER, IP, TID, TIME and CPU at the
 * same places, so that event and time of a record are known before the rest;
 * rec_perf_sample_layout() is for that, and for records in the sample rings
 * that are no samples. */
const struct rec_layout *rec_perf_sample_layout(const struct rec_perf *p);
const struct rec_layout *rec_perf_event_layout(const struct rec_perf *p,
					       size_t event);
const struct rec_layout *rec_perf_sideband_layout(const struct rec_perf *p);

/* Events as they were opened, in the order of the config. */
size_t rec_perf_n_events(const struct rec_perf *p);
const struct rec_event *rec_perf_event(const struct rec_perf *p, size_t i);

/* Gives an event of a system-wide recording another filter, or lets one begin
 * that was held (rec_event_is_held()). While one takes the place of another, a
 * row may come twice, but none is missing. On failure the event goes on as it
 * was, on some CPUs at least. Not while another thread uses *p. */
int rec_perf_refilter(struct rec_perf *p, size_t event, const char *filter,
		      struct err *err);

/* How many are tracepoints of which a frequency leaves some out; *first is
 * one. */
size_t rec_perf_n_thinned(const struct rec_perf *p,
			  const struct rec_event **first);

/* Which event a sample's id belongs to; -1 unknown. */
int rec_perf_event_of(const struct rec_perf *p, uint64_t id);

/* Of a sample of a leader that samples for its group (leader_samples of its
 * event, and it is its own leader): calls `each` for every other event of the
 * group that counted since the leader's sample before. ERR_FORMAT: the reading
 * makes no sense. */
int rec_perf_group_each(struct rec_perf *p, const struct rec_sample *s,
			uint64_t read_format,
			void (*each)(void *ctx, size_t event, uint64_t delta),
			void *ctx);

/* Adds up PERF_FORMAT_LOST of every descriptor and calls `report` once per
 * (event, cpu) whose count rose since the last call; event -1 is the side
 * band. Returns 1 on kernels before 6.0, which cannot tell. */
int rec_perf_read_lost(struct rec_perf *p,
		       void (*report)(void *ctx, int event, int cpu,
				      uint64_t more),
		       void *ctx, struct err *err);

/* To be called each second of a system-wide recording: CPUs that came back are
 * recorded again. `report` is called when one goes away, when it is recorded
 * again (back), and once for each CPU that appeared later and is not recorded.
 * Whatever was between is lost. Not while another thread uses *p. */
int rec_perf_check_cpus(struct rec_perf *p,
			void (*report)(void *ctx, int cpu, bool back),
			void *ctx, struct err *err);

/* Whether all traced tasks and what they started have ended; never true of a
 * system-wide recording. It may swallow a wake-up of rec_perf_fd(): drain the
 * side-band rings afterwards. */
bool rec_perf_hung_up(const struct rec_perf *p);

#endif
