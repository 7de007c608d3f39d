#include "record/counter/nvml/events.h"

/* At one reading: a GPU that goes mad reports without end. */
#define MAX_EVENTS 64

static void watch(struct rec_nvml_events *e, const struct rec_nvml *lib,
		  struct rec_nvml_unit *u)
{
	int code = NVML_FUNCTION_NOT_FOUND;

	u->watched = true;
	if (e->set)
		code = lib->events_of(u->gpu.device, NVML_EVENT_XID, e->set);
	if (code == NVML_OK)
		rec_nvml_unit_xid(u, 0);
	else
		rec_nvml_miss(&u->gpu, "xid", "", rec_nvml_why(&u->gpu, code));
}

static void begin(struct rec_nvml_events *e, const struct rec_nvml *lib)
{
	e->tried = true;
	if (!lib->events_new || !lib->events_free || !lib->events_of ||
	    !lib->events_wait || lib->events_new(&e->set) != NVML_OK)
		e->set = NULL;
}

static void take(const struct nvml_event *event, struct rec_nvml_unit *units,
		 size_t n)
{
	if (!(event->type & NVML_EVENT_XID))
		return;
	for (size_t i = 0; i < n; i++) {
		struct rec_nvml_unit *u = &units[i];

		if (u->ended || (u->gpu.device != event->device &&
				 !rec_nvml_mig_has(&u->mig, event->device)))
			continue;
		if (!rec_nvml_mig_xid(&u->mig, event))
			rec_nvml_unit_xid(u, event->data);
	}
}

void rec_nvml_events_read(struct rec_nvml_events *e, const struct rec_nvml *lib,
			  struct rec_nvml_unit *units, size_t n)
{
	if (!e->tried)
		begin(e, lib);
	for (size_t i = 0; i < n; i++)
		if (units[i].gpu.device && !units[i].watched)
			watch(e, lib, &units[i]);
	for (int i = 0; e->set && i < MAX_EVENTS; i++) {
		struct nvml_event event = { .instance = NVML_NO_INSTANCE,
					    .part = NVML_NO_INSTANCE };
		int code = lib->events_wait(e->set, &event, 0);

		if (code != NVML_OK && code != NVML_TIMEOUT && n)
			rec_readings_miss(units->gpu.to, "nvml.events",
					  rec_nvml_text(code));
		if (code != NVML_OK)
			break;
		take(&event, units, n);
	}
}

void rec_nvml_events_fini(struct rec_nvml_events *e, const struct rec_nvml *lib)
{
	if (e->set)
		lib->events_free(e->set);
	*e = (struct rec_nvml_events){ .set = NULL };
}
