#include "intern.h"

#include "mem.h"

#include <stdlib.h>
#include <string.h>

#define FIRST_CAP 256

void intern_fini(struct intern *in)
{
	arena_fini(&in->bytes);
	free(in->items);
	free(in->slots);
	*in = (struct intern){ 0 };
}

static uint64_t hash(const uint8_t *p, size_t n)
{
	uint64_t h = 0xcbf29ce484222325u ^ n;

	while (n >= 8) {
		uint64_t w;

		memcpy(&w, p, 8);
		h = (h ^ w) * 0x9e3779b97f4a7c15u;
		h ^= h >> 32;
		p += 8;
		n -= 8;
	}
	while (n--)
		h = (h ^ *p++) * 0x100000001b3u;
	h *= 0xbf58476d1ce4e5b9u;
	return h ^ h >> 32;
}

static bool same(struct span a, const void *p, size_t n)
{
	return a.n == n && (!n || !memcmp(a.p, p, n));
}

static size_t find(const struct intern *in, const void *p, size_t n)
{
	size_t i = (size_t)hash(p, n) & (in->cap - 1);

	while (in->slots[i] && !same(in->items[in->slots[i] - 1], p, n))
		i = (i + 1) & (in->cap - 1);
	return i;
}

bool intern_find(const struct intern *in, const void *p, size_t n, uint32_t *id)
{
	size_t i;

	if (!in->cap)
		return false;
	i = find(in, p, n);
	if (!in->slots[i])
		return false;
	*id = in->slots[i] - 1;
	return true;
}

static bool grow(struct intern *in)
{
	size_t cap = in->cap ? in->cap * 2 : FIRST_CAP;
	uint32_t *slots = calloc(cap, sizeof(*slots));

	if (!slots)
		return false;
	free(in->slots);
	in->slots = slots;
	in->cap = cap;
	for (size_t i = 0; i < in->n; i++)
		slots[find(in, in->items[i].p, in->items[i].n)] =
			(uint32_t)i + 1;
	return true;
}

bool intern_put(struct intern *in, const void *p, size_t n, uint32_t *id,
		bool *is_new)
{
	char *copy;
	size_t i;

	if (in->n >= in->cap - in->cap / 4 && !grow(in))
		return false;
	i = find(in, p, n);
	if (is_new)
		*is_new = !in->slots[i];
	if (!in->slots[i]) {
		if (in->n >= UINT32_MAX ||
		    !mem_grow(&in->items, &in->items_cap, in->n + 1,
			      sizeof(*in->items)))
			return false;
		copy = arena_dup(&in->bytes, p, n);
		if (!copy)
			return false;
		in->items[in->n++] = span_of(copy, n);
		in->slots[i] = (uint32_t)in->n;
	}
	*id = in->slots[i] - 1;
	return true;
}

struct span intern_get(const struct intern *in, uint32_t id)
{
	if (id >= in->n)
		return span_of("", 0);
	return in->items[id];
}

size_t intern_size(const struct intern *in)
{
	return in->bytes.used + in->items_cap * sizeof(*in->items) +
	       in->cap * sizeof(*in->slots);
}
