/* GPUs of NVIDIA, as their management library tells of them. */
#include "format/base/time.h"
#include "record/counter/nvml/events.h"
#include "record/counter/nvml/find.h"
#include "record/counter/source.h"

#include <stdlib.h>
#include <string.h>

/* A round is some thirty calls of tens of microseconds each, and the driver's
 * own figures are renewed less often. */
#define LEAST_NS 10000000u
#define SLOW_NS 1000000000u

struct nvml {
	struct rec_nvml lib;
	struct rec_nvml_units units;
	struct rec_nvml_events events;
	pid_t *pids;
};

static void nvml_close(void *state)
{
	struct nvml *s = state;

	if (!s)
		return;
	rec_nvml_events_fini(&s->events, &s->lib);
	rec_nvml_units_fini(&s->units);
	rec_nvml_unload(&s->lib);
	free(s->pids);
	free(s);
}

static bool keep_pids(struct nvml *s, const struct rec_counter_opening *how)
{
	if (!how->n_pids)
		return true;
	s->pids = calloc(how->n_pids, sizeof(*s->pids));
	if (s->pids)
		memcpy(s->pids, how->pids, how->n_pids * sizeof(*s->pids));
	return s->pids != NULL;
}

static int start(struct nvml *s, const struct rec_counter_opening *how,
		 struct rec_readings *to, struct err *err)
{
	struct rec_nvml_gpu like;
	int rc = rec_nvml_load(&s->lib, err);

	if (rc)
		return rc;
	if (!keep_pids(s, how))
		return err_nomem(err);
	like = (struct rec_nvml_gpu){
		.lib = &s->lib,
		.to = to,
		.root = how->root,
		.interval_ns = how->interval_ns,
		.since_us = time_now_ns(CLOCK_REALTIME) / 1000,
		.pids = s->pids,
		.n_pids = how->n_pids,
	};
	return rec_nvml_find(&s->units, &s->lib, &like, err);
}

static int nvml_open(void **state, const struct rec_counter_opening *how,
		     struct rec_readings *to, struct err *err)
{
	struct nvml *s = calloc(1, sizeof(*s));
	int rc;

	if (!s)
		return err_nomem(err);
	rc = start(s, how, to, err);
	if (rc)
		nvml_close(s);
	else
		*state = s;
	return rc;
}

/* A driver that resets a GPU answers when it is done, and all GPUs are asked one
 * after the other. */
static void read_unit(struct rec_nvml_unit *u)
{
	uint64_t begin_ns = time_now_ns(CLOCK_MONOTONIC);

	rec_nvml_unit_read(u);
	if (time_now_ns(CLOCK_MONOTONIC) - begin_ns > SLOW_NS)
		rec_nvml_miss(&u->gpu, "in-time", "",
			      "it took more than a second to answer: what "
			      "others should have told meanwhile is late, too");
}

/* Events first: an Xid often is the reason for which a GPU is lost. */
static void nvml_read(void *state, struct rec_readings *to)
{
	struct nvml *s = state;

	(void)to; /* that of opening */
	rec_nvml_events_read(&s->events, &s->lib, s->units.all, s->units.n);
	for (size_t i = 0; i < s->units.n; i++)
		read_unit(&s->units.all[i]);
}

const struct rec_counter_source rec_counter_nvml = {
	.name = "nvml",
	.least_ns = LEAST_NS,
	.open = nvml_open,
	.read = nvml_read,
	.close = nvml_close,
};
