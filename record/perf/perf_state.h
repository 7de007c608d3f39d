/* The inside of struct rec_perf, for the files that implement perf.h. */
#ifndef RECORD_PERF_PERF_STATE_H
#define RECORD_PERF_PERF_STATE_H

#include "format/base/map64.h"
#include "record/perf/facts.h"
#include "record/perf/hotplug.h"
#include "record/perf/open.h"
#include "record/perf/perf.h"
#include "record/perf/rings.h"
#include "record/perf/targets.h"

#include <poll.h>

#define REC_PERF_SIDEBAND (-1) /* in place of an event's index */

struct rec_perf_fd {
	int fd;
	int event;
	uint32_t ring;
	uint64_t lost; /* as last read */
	uint64_t lost_before; /* by events that this one stands for */
	uint64_t enabled_ns;  /* side band: as last read */
	uint64_t count; /* of a group's member: as the leader last read it */
};

struct rec_perf {
	struct rec_perf_facts facts;
	struct rec_perf_features have;
	struct rec_event *events;
	size_t n_events;
	struct perf_event_attr sideband;
	struct rec_layout *layouts; /* by event */
	struct rec_layout sideband_layout;
	bool system_wide, all_cpus;
	bool sideband_on, events_on;
	struct rec_hotplug hotplug;
	const struct rec_perf_config *cfg; /* while opening */
	const struct log *log;
	struct rec_cpus cpus;
	struct rec_targets targets;
	struct rec_rings rings;
	struct rec_perf_fd *fds;
	size_t n_fds;
	size_t fds_cap;
	struct map64 ids;      /* kernel's event id to index in fds */
	int *cgroups;          /* by event: a descriptor of it, -1: none */
	int *group_fds;        /* by event: opened at the place at hand */
	struct pollfd *lives;  /* one descriptor a task */
	size_t n_lives;
	uint64_t *lost;        /* by event (side band last), then ring:
				* what was reported */
	uint64_t *lost_now;    /* the same, being added up */
	uint64_t *words;       /* room to read a group of all events */
};

/* Opens side band and events of all targets on all CPUs; on failure what was
 * opened is in p->fds. 1: a weak group could not be opened as one; it is none
 * any more, close and try again. */
int rec_perf_open_all(struct rec_perf *p, struct err *err);
void rec_perf_close_all(struct rec_perf *p);

/* Makes an event of a weak group one of its own. */
int rec_perf_ungroup(struct rec_perf *p, size_t event, struct err *err);

/* Opens once more what stands at that index of fds, for a system-wide
 * recording, and makes what is open there ready: ring, filter, id. */
int rec_perf_open_again(struct rec_perf *p, size_t index);
int rec_perf_set_up(struct rec_perf *p, size_t index, struct err *err);

#endif
