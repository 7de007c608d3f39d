#include "record/state/mm.h"

#include "format/base/mem.h"

#include <stdlib.h>
#include <string.h>

struct rec_mm *rec_mm_new(int32_t pid, int32_t parent, uint64_t from)
{
	struct rec_mm *mm = calloc(1, sizeof(*mm));

	if (mm) {
		mm->refs = 1;
		mm->pid = pid;
		mm->parent = parent;
		mm->from = from;
	}
	return mm;
}

struct rec_mm *rec_mm_fork(const struct rec_mm *old, int32_t pid, uint64_t from)
{
	struct rec_mm *mm = rec_mm_new(pid, old->pid, from);

	if (!mm || !old->n)
		return mm;
	if (!mem_grow(&mm->maps, &mm->cap, old->n, sizeof(*mm->maps))) {
		rec_mm_put(mm);
		return NULL;
	}
	memcpy(mm->maps, old->maps, old->n * sizeof(*mm->maps));
	mm->n = old->n;
	mm->changed = old->changed;
	return mm;
}

struct rec_mm *rec_mm_exec(struct rec_mm *old, int32_t pid, uint64_t from)
{
	struct rec_mm *mm = rec_mm_new(pid, old ? old->parent : 0, from);

	if (!mm || !old)
		return mm;
	/* One program back is enough. */
	rec_mm_put(old->before);
	old->before = NULL;
	mm->before = rec_mm_get(old);
	return mm;
}

struct rec_mm *rec_mm_get(struct rec_mm *mm)
{
	mm->refs++;
	return mm;
}

void rec_mm_put(struct rec_mm *mm)
{
	if (!mm || --mm->refs)
		return;
	rec_mm_put(mm->before);
	free(mm->maps);
	free(mm->past);
	free(mm);
}

/* The first mapping that ends behind `at`. */
static size_t first_behind(const struct rec_mm *mm, uint64_t at)
{
	size_t low = 0, high = mm->n;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (mm->maps[mid].end > at)
			high = mid;
		else
			low = mid + 1;
	}
	return low;
}

static void keep_past(struct rec_mm *mm, const struct rec_mapping *m,
		      uint64_t to)
{
	mm->past[mm->n_past++] = (struct rec_past_mapping){ *m, to };
}

static void remove_at(struct rec_mm *mm, size_t at, size_t n)
{
	memmove(&mm->maps[at], &mm->maps[at + n],
		(mm->n - at - n) * sizeof(*mm->maps));
	mm->n -= n;
}

static void insert_at(struct rec_mm *mm, size_t at, const struct rec_mapping *m)
{
	memmove(&mm->maps[at + 1], &mm->maps[at],
		(mm->n - at) * sizeof(*mm->maps));
	mm->maps[at] = *m;
	mm->n++;
}

static bool same_place(const struct rec_mapping *a, const struct rec_mapping *b)
{
	return a->start == b->start && a->end == b->end &&
	       a->offset == b->offset && a->image == b->image;
}

/* Cuts the hole [start, end) into what overlaps it; returns where a mapping
 * for the hole goes. Room for one more mapping and the past was made. */
static size_t cut_hole(struct rec_mm *mm, const struct rec_mapping *hole)
{
	size_t at = first_behind(mm, hole->start);

	while (at < mm->n && mm->maps[at].start < hole->end) {
		struct rec_mapping old = mm->maps[at];
		struct rec_mapping tail = old;

		keep_past(mm, &old, hole->from);
		remove_at(mm, at, 1);
		if (old.start < hole->start) {
			old.end = hole->start;
			insert_at(mm, at++, &old);
		}
		if (tail.end > hole->end) {
			tail.offset += hole->end - tail.start;
			tail.start = hole->end;
			insert_at(mm, at, &tail);
			break;
		}
	}
	return at;
}

static size_t overlaps(const struct rec_mm *mm, const struct rec_mapping *map)
{
	size_t n = 0;

	for (size_t i = first_behind(mm, map->start);
	     i < mm->n && mm->maps[i].start < map->end; i++)
		n++;
	return n;
}

bool rec_mm_map(struct rec_mm *mm, const struct rec_mapping *map)
{
	size_t at = first_behind(mm, map->start);

	if (map->start >= map->end)
		return true;
	if (at < mm->n && same_place(&mm->maps[at], map))
		return true; /* told twice: by /proc and by the kernel */
	if (!mem_grow(&mm->maps, &mm->cap, mm->n + 2, sizeof(*mm->maps)) ||
	    !mem_grow(&mm->past, &mm->past_cap,
		      mm->n_past + overlaps(mm, map), sizeof(*mm->past)))
		return false;
	at = cut_hole(mm, map);
	insert_at(mm, at, map);
	if (map->from > mm->changed)
		mm->changed = map->from;
	mm->version++;
	mm->serial = 0;
	return true;
}

static bool covers(const struct rec_mapping *m, uint64_t ip)
{
	return m->start <= ip && ip < m->end;
}

const struct rec_mapping *rec_mm_find(const struct rec_mm *mm, uint64_t ip,
				      uint64_t time)
{
	size_t at = first_behind(mm, ip);
	const struct rec_mapping *now =
		at < mm->n && covers(&mm->maps[at], ip) ? &mm->maps[at] : NULL;

	if (now && now->from <= time)
		return now;
	for (size_t i = mm->n_past; i-- > 0;) {
		const struct rec_past_mapping *p = &mm->past[i];

		if (covers(&p->map, ip) && p->map.from <= time && time < p->to)
			return &p->map;
	}
	/* Nothing was known there then: what came next is the better guess
	 * (records of one moment from two CPUs). */
	return now;
}

void rec_mm_prune(struct rec_mm *mm, uint64_t time)
{
	size_t kept = 0;

	for (size_t i = 0; i < mm->n_past; i++)
		if (mm->past[i].to >= time)
			mm->past[kept++] = mm->past[i];
	mm->n_past = kept;
}

void rec_mm_clear(struct rec_mm *mm)
{
	free(mm->maps);
	free(mm->past);
	mm->maps = NULL;
	mm->past = NULL;
	mm->n = mm->cap = mm->n_past = mm->past_cap = 0;
	mm->version++;
	mm->serial = 0;
}
