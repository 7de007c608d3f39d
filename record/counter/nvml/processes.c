#include "record/counter/nvml/processes.h"

#include "format/base/mem.h"
#include "format/base/time.h"
#include "record/perf/sysfs.h"

#include <stdlib.h>
#include <string.h>

static bool is_wanted(const struct rec_nvml_gpu *g, uint32_t pid)
{
	for (size_t i = 0; i < g->n_pids; i++)
		if ((uint32_t)g->pids[i] == pid)
			return true;
	return !g->n_pids;
}

/* Where the first process is that has at least this pid. */
static size_t place(const struct rec_nvml_processes *p, uint32_t pid)
{
	size_t low = 0, high = p->n;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (p->all[mid].pid < pid)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

static struct rec_nvml_process *add(struct rec_nvml_processes *p,
				    const struct rec_nvml_gpu *g, size_t at,
				    uint32_t pid)
{
	struct rec_nvml_process fresh = { .pid = pid };

	if (!mem_grow(&p->all, &p->cap, p->n + 1, sizeof(*p->all)))
		return NULL;
	if (!rec_sysfs_line(fresh.name, sizeof(fresh.name), g->root,
			    "/proc/%u/comm", pid))
		*fresh.name = 0;
	memmove(&p->all[at + 1], &p->all[at],
		(p->n - at) * sizeof(p->all[0]));
	p->all[at] = fresh;
	p->n++;
	return &p->all[at];
}

/* The process that a reading is of; NULL: it is not wanted, or there is no
 * memory, and then the readings count what was dropped. */
static struct rec_nvml_process *meet(struct rec_nvml_processes *p,
				     struct rec_nvml_gpu *g, uint32_t pid)
{
	const struct rec_reading none = { .time_ns = 0 };
	struct rec_nvml_process *x;
	size_t at;

	if (!pid) {
		rec_nvml_miss(g, "processes", "",
			      "some are told of without their number");
		return NULL;
	}
	if (!is_wanted(g, pid))
		return NULL;
	at = place(p, pid);
	if (at < p->n && p->all[at].pid == pid)
		x = &p->all[at];
	else
		x = add(p, g, at, pid);
	if (x)
		x->met = true;
	else
		rec_readings_add(g->to, UINT32_MAX, &none);
	return x;
}

static void take_use(struct rec_nvml_process *x, struct rec_nvml_gpu *g,
		     const struct nvml_process_use *u, struct rec_reading *r)
{
	static const char *const parts[REC_NVML_USES] = { "sm", "memory",
							  "encoder",
							  "decoder" };
	const unsigned values[REC_NVML_USES] = { u->sm, u->memory, u->encoder,
						 u->decoder };

	for (size_t i = 0; i < REC_NVML_USES; i++) {
		struct rec_series s = { .name = "utilization",
					.part = parts[i], .unit = "%",
					.kind = TF_SERIES_MEAN, .scale = 1,
					.pid = x->pid, .label = x->name };

		/* What nobody wrote to is seen in here, too. */
		r->value = values[i];
		if (values[i] <= 100)
			rec_nvml_take(g, &x->uses[i], &s, NVML_OK, r);
	}
}

/* Samples that were given before come again, and some lie in the future. */
static void take_uses(struct rec_nvml_processes *p, struct rec_nvml_gpu *g,
		      const struct nvml_process_use *uses, size_t n,
		      struct rec_nvml_moment now, uint64_t took_ns)
{
	uint64_t since = p->since_us, last = since;

	for (size_t i = 0; i < n; i++) {
		struct rec_reading r = { .took_ns = took_ns };
		struct rec_nvml_process *x;

		if (uses[i].time_us <= since)
			continue;
		r.time_ns = rec_nvml_time(now, uses[i].time_us);
		x = meet(p, g, uses[i].pid);
		if (x && r.time_ns)
			take_use(x, g, &uses[i], &r);
		if (uses[i].time_us > last)
			last = uses[i].time_us;
	}
	p->since_us = last < now.real_ns / 1000 ? last : now.real_ns / 1000;
}

/* What cannot be had the next time either is said, and not asked for again. */
static bool is_over(struct rec_nvml_gpu *g, const char *part, int code)
{
	if (!rec_nvml_is_never(code))
		return false;
	rec_nvml_miss(g, "processes", part, rec_nvml_why(g, code));
	return true;
}

static void read_uses(struct rec_nvml_processes *p, struct rec_nvml_gpu *g)
{
	uint64_t begin_ns = time_now_ns(CLOCK_MONOTONIC);
	const struct nvml_process_use *uses;
	struct rec_nvml_moment now;
	size_t n;
	int code;

	/* NVML has no such samples of an instance. */
	if (p->use_over || g->parent)
		return;
	if (!p->since_us)
		p->since_us = g->since_us;
	code = rec_nvml_lists_uses(&p->lists, g->lib, g->device, p->since_us,
				   &uses, &n);
	now = rec_nvml_moment();
	if (code == NVML_OK)
		take_uses(p, g, uses, n, now, now.mono_ns - begin_ns);
	else if (code == NVML_GPU_IS_LOST)
		g->lost = true;
	else if (!is_over(g, "utilization", code))
		rec_nvml_miss(g, "processes", "utilization",
			      "some samples could not be read");
	else
		p->use_over = true;
}

/* Where an instance gives no list, the GPU's says of each process where it is
 * (on the host of virtual GPUs). */
static int read_list(struct rec_nvml_processes *p, const struct rec_nvml_gpu *g,
		     enum rec_nvml_list list)
{
	int code = rec_nvml_lists_add(&p->lists, g->lib, g->device, list);

	if (code == NVML_NOT_SUPPORTED && g->parent)
		code = rec_nvml_lists_add_of(&p->lists, g->lib, g->parent, list,
					     g->instance, g->part);
	return code;
}

/* Of all lists that there are: who is in one only would seem to be gone without
 * it. NVML_NOT_SUPPORTED: there is none. */
static int read_lists(struct rec_nvml_processes *p, struct rec_nvml_gpu *g)
{
	static const char *const names[REC_NVML_LISTS] = { "compute",
							   "graphics",
							   "mps" };
	int rc = NVML_NOT_SUPPORTED, code;

	rec_nvml_lists_clear(&p->lists);
	for (size_t i = 0; i < REC_NVML_LISTS; i++) {
		if (p->list_over[i])
			continue;
		code = read_list(p, g, (enum rec_nvml_list)i);
		p->list_over[i] = is_over(g, names[i], code);
		if (p->list_over[i])
			continue;
		if (code != NVML_OK)
			return code;
		rc = NVML_OK;
	}
	rec_nvml_lists_fold(&p->lists);
	return rc;
}

static void take_memory(struct rec_nvml_process *x, struct rec_nvml_gpu *g,
			int code, const struct rec_reading *r)
{
	struct rec_series s = { .name = "memory-used", .unit = "bytes",
				.kind = TF_SERIES_LEVEL, .scale = 1,
				.pid = x->pid, .label = x->name };

	rec_nvml_take(g, &x->memory, &s, code, r);
}

/* None is taken for gone because the list could not be read. */
static void fail_memory(struct rec_nvml_processes *p, struct rec_nvml_gpu *g,
			int code, const struct rec_reading *r)
{
	for (size_t i = 0; i < p->n; i++) {
		p->all[i].met = true;
		if (p->all[i].memory.begun)
			take_memory(&p->all[i], g, code, r);
	}
}

/* Without lists, who did nothing is not told of. */
static void meet_living(struct rec_nvml_processes *p, struct rec_nvml_gpu *g)
{
	char name[sizeof(p->all->name)];

	for (size_t i = 0; i < p->n; i++)
		if (!p->all[i].met)
			p->all[i].met = rec_sysfs_line(name, sizeof(name),
						       g->root, "/proc/%u/comm",
						       p->all[i].pid);
}

static void take_holders(struct rec_nvml_processes *p, struct rec_nvml_gpu *g,
			 struct rec_reading *r)
{
	for (size_t i = 0; i < p->lists.n; i++) {
		const struct rec_nvml_holder *h = &p->lists.holders[i];
		struct rec_nvml_process *x = meet(p, g, h->pid);

		r->value = h->known ? (int64_t)h->memory : 0;
		if (x)
			take_memory(x, g, h->known ? NVML_OK : NVML_UNKNOWN, r);
	}
}

static void read_memory(struct rec_nvml_processes *p, struct rec_nvml_gpu *g)
{
	uint64_t begin_ns = time_now_ns(CLOCK_MONOTONIC);
	int code = read_lists(p, g);
	struct rec_reading r = rec_nvml_since(begin_ns, 0);

	if (code == NVML_GPU_IS_LOST)
		g->lost = true;
	else if (code == NVML_NOT_SUPPORTED)
		meet_living(p, g);
	else if (code != NVML_OK)
		fail_memory(p, g, code, &r);
	else
		take_holders(p, g, &r);
}

static void end_one(struct rec_nvml_process *x, struct rec_nvml_gpu *g)
{
	rec_nvml_end(g, &x->memory);
	for (size_t i = 0; i < REC_NVML_USES; i++)
		rec_nvml_end(g, &x->uses[i]);
}

static void end_unmet(struct rec_nvml_processes *p, struct rec_nvml_gpu *g)
{
	size_t n = 0;

	for (size_t i = 0; i < p->n; i++)
		if (p->all[i].met)
			p->all[n++] = p->all[i];
		else
			end_one(&p->all[i], g);
	p->n = n;
}

void rec_nvml_processes_read(struct rec_nvml_processes *p,
			     struct rec_nvml_gpu *g)
{
	for (size_t i = 0; i < p->n; i++)
		p->all[i].met = false;
	read_uses(p, g);
	/* The GPU's list has those of its instances once more. */
	if (!g->lost && !g->divided)
		read_memory(p, g);
	if (!g->lost)
		end_unmet(p, g);
}

void rec_nvml_processes_end(struct rec_nvml_processes *p,
			    struct rec_nvml_gpu *g)
{
	for (size_t i = 0; i < p->n; i++)
		end_one(&p->all[i], g);
	p->n = 0;
}

void rec_nvml_processes_fini(struct rec_nvml_processes *p)
{
	rec_nvml_lists_fini(&p->lists);
	free(p->all);
	*p = (struct rec_nvml_processes){ .n = 0 };
}
