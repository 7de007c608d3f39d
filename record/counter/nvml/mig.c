#include "record/counter/nvml/mig.h"

#include "format/base/mem.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* There are GPUs with 7; more than that many are taken for a lie. */
#define MAX_DEVICES 64u

#define REMOVED "it was removed while recording"

static void stop_counters(struct rec_nvml_instance *x)
{
	rec_nvml_gpm_end(&x->gpm, &x->gpu);
	rec_nvml_gpm_fini(&x->gpm, x->gpu.lib);
}

static void end(struct rec_nvml_instance *x, const char *why)
{
	if (x->ended)
		return;
	x->ended = true;
	rec_nvml_metrics_end(&x->metrics, &x->gpu);
	rec_nvml_gpm_end(&x->gpm, &x->gpu);
	rec_nvml_processes_end(&x->processes, &x->gpu);
	rec_nvml_end(&x->gpu, &x->xid);
	if (why)
		rec_nvml_miss(&x->gpu, "instance", "", why);
}

static void release(struct rec_nvml_instance *x)
{
	rec_nvml_gpm_fini(&x->gpm, x->gpu.lib);
	rec_nvml_processes_fini(&x->processes);
}

/* -- Search ----------------------------------------------------------------- */

static struct rec_nvml_instance *known(const struct rec_nvml_mig *m,
				       unsigned instance, unsigned part)
{
	for (size_t i = 0; i < m->n; i++)
		if (m->all[i].gpu.instance == instance &&
		    m->all[i].gpu.part == part)
			return &m->all[i];
	return NULL;
}

static void read_uuid(const struct rec_nvml *lib, struct nvml_device *d,
		      char to[NVML_NAME_SIZE])
{
	*to = 0;
	if (!lib->uuid || lib->uuid(d, to, NVML_NAME_SIZE) != NVML_OK)
		*to = 0;
	to[NVML_NAME_SIZE - 1] = 0;
}

/* Name and UUID: programs are told by the latter which one to use. */
static void set_names(struct rec_nvml_instance *x, const struct rec_nvml_gpu *g)
{
	struct rec_nvml_gpu *own = &x->gpu;
	char name[NVML_NAME_SIZE];

	if (own->part == NVML_NO_INSTANCE) {
		snprintf(own->address, sizeof(own->address), "%.24s/gi%u",
			 g->address, own->instance);
		snprintf(own->name, sizeof(own->name), "%.95s", g->name);
		return;
	}
	snprintf(own->address, sizeof(own->address), "%.24s/gi%u/ci%u",
		 g->address, own->instance, own->part);
	rec_nvml_name(own->lib, own->device, name);
	snprintf(own->name, sizeof(own->name), "%s%s%s", name,
		 *x->uuid ? ", " : "", x->uuid);
}

static void begin(struct rec_nvml_instance *x, const struct rec_nvml_gpu *g,
		  struct nvml_device *d, unsigned instance, unsigned part)
{
	*x = (struct rec_nvml_instance){ .gpu = *g };
	x->gpu.mig = x->gpu.divided = false;
	x->gpu.parent = g->device;
	x->gpu.device = d;
	x->gpu.instance = instance;
	x->gpu.part = part;
	if (part != NVML_NO_INSTANCE)
		read_uuid(g->lib, d, x->uuid);
	set_names(x, g);
}

/* Whether another one has got its numbers since. */
static bool is_other(const struct rec_nvml_instance *x, struct nvml_device *d)
{
	char uuid[NVML_NAME_SIZE];

	if (!*x->uuid)
		return false;
	read_uuid(x->gpu.lib, d, uuid);
	return *uuid && strcmp(uuid, x->uuid) != 0;
}

static void meet(struct rec_nvml_mig *m, const struct rec_nvml_gpu *g,
		 struct nvml_device *d, unsigned instance, unsigned part)
{
	struct rec_nvml_instance *x = known(m, instance, part);

	if (x && is_other(x, d)) {
		end(x, REMOVED);
		release(x);
		begin(x, g, d, instance, part);
	}
	if (!x) {
		if (!mem_grow(&m->all, &m->cap, m->n + 1, sizeof(*m->all))) {
			rec_nvml_miss(g, "mig", "", "no memory for an instance");
			return;
		}
		x = &m->all[m->n++];
		begin(x, g, d, instance, part);
	}
	x->gpu.device = d;
	x->met = true;
}

/* NVML_NOT_FOUND: there is none of that number. */
static int look_at(struct rec_nvml_mig *m, const struct rec_nvml_gpu *g,
		   unsigned at)
{
	unsigned instance = 0, part = 0;
	struct nvml_device *d = NULL;
	int code = g->lib->mig_by_index(g->device, at, &d);

	if (code == NVML_OK && !d)
		code = NVML_NOT_FOUND;
	if (code == NVML_OK)
		code = g->lib->mig_instance(d, &instance);
	if (code == NVML_OK)
		code = g->lib->mig_part(d, &part);
	if (code == NVML_OK && part != NVML_NO_INSTANCE)
		meet(m, g, d, instance, part);
	return code == NVML_INVALID_ARGUMENT || code == NVML_GPU_NOT_FOUND ?
		       NVML_NOT_FOUND :
		       code;
}

/* What nobody could look at is not gone. */
static void meet_all(struct rec_nvml_mig *m)
{
	for (size_t i = 0; i < m->n; i++)
		m->all[i].met = true;
}

static void fail(struct rec_nvml_mig *m, struct rec_nvml_gpu *g, int code)
{
	if (code == NVML_OK || code == NVML_NOT_FOUND)
		return;
	if (code == NVML_GPU_IS_LOST)
		g->lost = true;
	else
		rec_nvml_miss(g, "mig", "", rec_nvml_text(code));
	/* Of another user's nothing is known, be it there or not. */
	if (code != NVML_NO_PERMISSION)
		meet_all(m);
}

static void look_at_all(struct rec_nvml_mig *m, struct rec_nvml_gpu *g)
{
	unsigned most = 0;
	int code = g->lib->mig_most(g->device, &most);

	fail(m, g, code);
	if (code != NVML_OK)
		return;
	for (unsigned i = 0; i < most && i < MAX_DEVICES && !g->lost; i++)
		fail(m, g, look_at(m, g, i));
	if (most > MAX_DEVICES)
		rec_nvml_miss(g, "mig", "",
			      "more than 64 instances: only the first are read");
}

static size_t parts_of(const struct rec_nvml_mig *m, unsigned instance)
{
	size_t n = 0;

	for (size_t i = 0; i < m->n; i++)
		n += m->all[i].met && m->all[i].gpu.instance == instance &&
		     m->all[i].gpu.part != NVML_NO_INSTANCE;
	return n;
}

/* Adding moves all of them. */
static void find_shared(struct rec_nvml_mig *m, const struct rec_nvml_gpu *g)
{
	size_t n = m->n;

	for (size_t i = 0; i < n; i++) {
		unsigned instance = m->all[i].gpu.instance;
		bool shares, was = m->all[i].shares;

		if (m->all[i].gpu.part == NVML_NO_INSTANCE || !m->all[i].met)
			continue;
		shares = parts_of(m, instance) > 1;
		m->all[i].shares = shares;
		if (shares && !was)
			stop_counters(&m->all[i]);
		if (shares)
			meet(m, g, g->device, instance, NVML_NO_INSTANCE);
	}
}

static void drop_unmet(struct rec_nvml_mig *m)
{
	size_t n = 0;

	for (size_t i = 0; i < m->n; i++) {
		struct rec_nvml_instance *x = &m->all[i];

		if (x->met) {
			m->all[n++] = *x;
			continue;
		}
		end(x, x->gpu.part == NVML_NO_INSTANCE ?
			       NULL :
			       REMOVED);
		release(x);
	}
	m->n = n;
}

/* Silent where there is no MIG: most GPUs have none. */
static bool is_on(struct rec_nvml_mig *m, struct rec_nvml_gpu *g, int *code)
{
	unsigned now = 0, later = 0;

	*code = g->lib->mig_mode ? g->lib->mig_mode(g->device, &now, &later) :
				   NVML_NOT_SUPPORTED;
	if (*code == NVML_GPU_IS_LOST)
		g->lost = true;
	else if (*code != NVML_OK && *code != NVML_NOT_SUPPORTED)
		rec_nvml_miss(g, "mig", "", rec_nvml_text(*code));
	m->over = rec_nvml_is_never(*code);
	return *code == NVML_OK && now == 1;
}

static bool is_whole(const struct rec_nvml *lib)
{
	return lib->mig_most && lib->mig_by_index && lib->mig_instance &&
	       lib->mig_part;
}

static void find(struct rec_nvml_mig *m, struct rec_nvml_gpu *g)
{
	if (!is_whole(g->lib)) {
		m->over = true;
		rec_nvml_miss(g, "mig", "",
			      "it is on, but this library tells no instances");
		return;
	}
	look_at_all(m, g);
	find_shared(m, g);
	drop_unmet(m);
	if (!m->n && !g->lost)
		rec_nvml_miss(g, "mig", "",
			      "it is on, but no instance was there (or none "
			      "that may be seen)");
}

void rec_nvml_mig_find(struct rec_nvml_mig *m, struct rec_nvml_gpu *g)
{
	int code;

	if (m->over)
		return;
	for (size_t i = 0; i < m->n; i++)
		m->all[i].met = false;
	g->mig = is_on(m, g, &code) || (code != NVML_OK && g->mig);
	if (code == NVML_OK && g->mig)
		find(m, g);
	else if (code == NVML_OK)
		drop_unmet(m);
	g->divided = m->n > 0;
}

/* -- Readings --------------------------------------------------------------- */

static void read_one(struct rec_nvml_instance *x, bool gpm)
{
	struct rec_nvml_gpu *g = &x->gpu;

	if (gpm && !x->shares)
		rec_nvml_gpm_read(&x->gpm, g);
	if (g->part == NVML_NO_INSTANCE)
		return;
	if (!g->lost)
		rec_nvml_metrics_read(&x->metrics, g, true);
	if (!g->lost)
		rec_nvml_processes_read(&x->processes, g);
}

void rec_nvml_mig_read(struct rec_nvml_mig *m, bool gpm)
{
	for (size_t i = 0; i < m->n; i++) {
		struct rec_nvml_instance *x = &m->all[i];

		if (!x->ended)
			read_one(x, gpm);
		if (x->gpu.lost)
			end(x, "it was lost while recording");
	}
}

void rec_nvml_mig_skip(struct rec_nvml_mig *m)
{
	for (size_t i = 0; i < m->n; i++)
		rec_nvml_gpm_skip(&m->all[i].gpm);
}

bool rec_nvml_mig_has(const struct rec_nvml_mig *m,
		      const struct nvml_device *d)
{
	for (size_t i = 0; i < m->n; i++)
		if (m->all[i].gpu.device == d)
			return true;
	return false;
}

/* Of a GPU instance as a whole it is of the first that is of that one. */
bool rec_nvml_mig_xid(struct rec_nvml_mig *m, const struct nvml_event *event)
{
	struct rec_nvml_instance *x = known(m, event->instance, event->part);

	for (size_t i = 0; i < m->n && !x; i++)
		if (event->part == NVML_NO_INSTANCE && !m->all[i].shares &&
		    m->all[i].gpu.instance == event->instance)
			x = &m->all[i];
	if (!x || x->ended)
		return false;
	rec_nvml_xid(&x->gpu, &x->xid, event->data);
	return true;
}

void rec_nvml_mig_end(struct rec_nvml_mig *m)
{
	for (size_t i = 0; i < m->n; i++)
		end(&m->all[i], NULL);
}

void rec_nvml_mig_fini(struct rec_nvml_mig *m)
{
	for (size_t i = 0; i < m->n; i++)
		release(&m->all[i]);
	free(m->all);
	*m = (struct rec_nvml_mig){ .n = 0 };
}
