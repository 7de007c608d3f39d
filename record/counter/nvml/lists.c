#include "record/counter/nvml/lists.h"

#include "format/base/mem.h"

#include <stdlib.h>
#include <string.h>

/* A list may grow while it is asked for, but not for ever. */
#define TRIES 5
#define FIRST 64u

void rec_nvml_lists_clear(struct rec_nvml_lists *l)
{
	l->n = 0;
}

/* Some more than there were: they may be more by now. */
static unsigned next_room(unsigned wanted, unsigned had)
{
	unsigned n = wanted > had ? wanted : had;

	return n < REC_NVML_LIST_MAX / 2 ? n + n / 2 + 8 : REC_NVML_LIST_MAX;
}

struct question {
	const struct rec_nvml *lib;
	struct nvml_device *device;
	enum rec_nvml_list list;
	uint64_t since_us;
	size_t size; /* of an entry */
	int (*ask)(const struct question *q, unsigned *n, void *room);
};

/* Fills the room; *n entries of it. */
static int fill(struct rec_nvml_lists *l, const struct question *q, unsigned *n)
{
	unsigned room = FIRST, got;
	int code = NVML_INSUFFICIENT_SIZE;

	*n = 0;
	for (int i = 0; i < TRIES && code == NVML_INSUFFICIENT_SIZE; i++) {
		if (!mem_grow(&l->room, &l->room_size, room * q->size, 1))
			return NVML_UNKNOWN;
		memset(l->room, 0, room * q->size);
		got = room;
		code = q->ask(q, &got, l->room);
		if (code == NVML_OK && got > room)
			return NVML_UNKNOWN;
		if (code == NVML_OK)
			*n = got;
		room = next_room(got, room);
	}
	return code == NVML_INSUFFICIENT_SIZE ? NVML_UNKNOWN : code;
}

typedef int list_fn(struct nvml_device *, unsigned *n, void *room);

/* The newest, or NULL. */
static list_fn *call_of(const struct rec_nvml *lib, enum rec_nvml_list list)
{
	list_fn *const calls[REC_NVML_LISTS] = { lib->compute, lib->graphics,
						 lib->mps };

	return calls[list];
}

static list_fn *first_call_of(const struct rec_nvml *lib,
			      enum rec_nvml_list list)
{
	list_fn *const calls[REC_NVML_LISTS] = { lib->compute_v1,
						 lib->graphics_v1,
						 lib->mps_v1 };

	return calls[list];
}

static int ask_list(const struct question *q, unsigned *n, void *room)
{
	list_fn *f = call_of(q->lib, q->list);

	if (!f)
		f = first_call_of(q->lib, q->list);
	return f ? f(q->device, n, room) : NVML_FUNCTION_NOT_FOUND;
}

static size_t entry_size(const struct rec_nvml *lib, enum rec_nvml_list list)
{
	if (!call_of(lib, list))
		return NVML_PROCESS_V1;
	return lib->process_cc ? NVML_PROCESS_CC : sizeof(struct nvml_process);
}

struct only { unsigned instance, part; };

/* `only` NULL: all. */
static int add(struct rec_nvml_lists *l, const struct rec_nvml *lib,
	       struct nvml_device *d, enum rec_nvml_list list,
	       const struct only *only)
{
	struct question q = { .lib = lib, .device = d, .list = list,
			      .size = entry_size(lib, list), .ask = ask_list };
	unsigned n;
	int code = fill(l, &q, &n);

	if (code != NVML_OK)
		return code;
	if (!mem_grow(&l->holders, &l->cap, l->n + n, sizeof(*l->holders)))
		return NVML_UNKNOWN;
	for (unsigned i = 0; i < n; i++) {
		struct nvml_process p = { .pid = 0 };

		/* Other versions are a part of this one, or it is of them. */
		memcpy(&p, (const char *)l->room + i * q.size,
		       q.size < sizeof(p) ? q.size : sizeof(p));
		if (only && (p.instance != only->instance ||
			     p.part != only->part))
			continue;
		l->holders[l->n++] = (struct rec_nvml_holder){
			p.pid, list, p.memory <= INT64_MAX, p.memory
		};
	}
	return NVML_OK;
}

int rec_nvml_lists_add(struct rec_nvml_lists *l, const struct rec_nvml *lib,
		       struct nvml_device *d, enum rec_nvml_list list)
{
	return add(l, lib, d, list, NULL);
}

int rec_nvml_lists_add_of(struct rec_nvml_lists *l, const struct rec_nvml *lib,
			  struct nvml_device *d, enum rec_nvml_list list,
			  unsigned instance, unsigned part)
{
	const struct only only = { instance, part };

	if (entry_size(lib, list) == NVML_PROCESS_V1)
		return NVML_FUNCTION_NOT_FOUND;
	return add(l, lib, d, list, &only);
}

static int by_pid_and_list(const void *a, const void *b)
{
	const struct rec_nvml_holder *x = a, *y = b;

	return x->pid != y->pid ? CMP(x->pid, y->pid) : CMP(x->list, y->list);
}

/* Adds what `from` knows: to a sum of one list, or instead of the other's. */
static void join(struct rec_nvml_holder *to, const struct rec_nvml_holder *from,
		 bool sum)
{
	uint64_t all = from->memory;

	if (!from->known)
		return;
	if (to->known && sum &&
	    (ckd_add(&all, all, to->memory) || all > INT64_MAX))
		all = INT64_MAX;
	if (!to->known || all > to->memory)
		to->memory = all;
	to->known = true;
}

/* Joins neighbours: of one pid and list, or of one pid. */
static void fold(struct rec_nvml_lists *l, bool within_list)
{
	struct rec_nvml_holder *h = l->holders;
	size_t n = 0;

	for (size_t i = 0; i < l->n; i++)
		if (n && h[n - 1].pid == h[i].pid &&
		    (!within_list || h[n - 1].list == h[i].list))
			join(&h[n - 1], &h[i], within_list);
		else
			h[n++] = h[i];
	l->n = n;
}

void rec_nvml_lists_fold(struct rec_nvml_lists *l)
{
	if (l->n)
		qsort(l->holders, l->n, sizeof(*l->holders), by_pid_and_list);
	fold(l, true);
	fold(l, false);
}

static int ask_uses(const struct question *q, unsigned *n, void *room)
{
	return q->lib->process_use(q->device, room, n, q->since_us);
}

int rec_nvml_lists_uses(struct rec_nvml_lists *l, const struct rec_nvml *lib,
			struct nvml_device *d, uint64_t since_us,
			const struct nvml_process_use **uses, size_t *n)
{
	struct question q = { .lib = lib, .device = d, .since_us = since_us,
			      .size = sizeof(struct nvml_process_use),
			      .ask = ask_uses };
	unsigned got = 0;
	int code = lib->process_use ? fill(l, &q, &got) :
				      NVML_FUNCTION_NOT_FOUND;

	*uses = l->room;
	*n = got;
	return code == NVML_NOT_FOUND ? NVML_OK : code;
}

void rec_nvml_lists_fini(struct rec_nvml_lists *l)
{
	free(l->room);
	free(l->holders);
	*l = (struct rec_nvml_lists){ .n = 0 };
}
