#include "map64.h"

#include "mem.h"

#include <stdlib.h>
#include <string.h>

#define FIRST_CAP 64

struct map64_slot {
	uint64_t key;
	uint32_t value;
	uint32_t used;
};

void map64_fini(struct map64 *m)
{
	mem_table_free(m->slots, map64_size(m));
	*m = (struct map64){ 0 };
}

void map64_clear(struct map64 *m)
{
	if (m->slots)
		memset(m->slots, 0, m->cap * sizeof(*m->slots));
	m->n = 0;
}

static size_t hash(uint64_t key)
{
	unsigned __int128 wide = key ^ 0x2d358dccaa6c78a5u;

	wide *= 0x9e3779b97f4a7c15u;
	return (size_t)((uint64_t)(wide >> 64) ^ (uint64_t)wide);
}

static struct map64_slot *find(struct map64_slot *slots, size_t cap,
			       uint64_t key)
{
	size_t i = hash(key) & (cap - 1);

	while (slots[i].used && slots[i].key != key)
		i = (i + 1) & (cap - 1);
	return &slots[i];
}

bool map64_get(const struct map64 *m, uint64_t key, uint32_t *out)
{
	const struct map64_slot *s;

	if (!m->cap)
		return false;
	s = find(m->slots, m->cap, key);
	if (s->used)
		*out = s->value;
	return s->used;
}

void map64_prefetch(const struct map64 *m, uint64_t key)
{
	if (m->cap)
		__builtin_prefetch(&m->slots[hash(key) & (m->cap - 1)]);
}

static bool grow(struct map64 *m)
{
	size_t cap = m->cap ? m->cap * 2 : FIRST_CAP;
	struct map64_slot *slots = mem_table(cap * sizeof(*slots));

	if (!slots)
		return false;
	for (size_t i = 0; i < m->cap; i++)
		if (m->slots[i].used)
			*find(slots, cap, m->slots[i].key) = m->slots[i];
	mem_table_free(m->slots, map64_size(m));
	m->slots = slots;
	m->cap = cap;
	return true;
}

uint32_t *map64_put(struct map64 *m, uint64_t key, uint32_t fresh, bool *is_new)
{
	struct map64_slot *s;

	if (m->n >= m->cap - m->cap / 4 && !grow(m))
		return NULL;
	s = find(m->slots, m->cap, key);
	*is_new = !s->used;
	if (*is_new) {
		*s = (struct map64_slot){ key, fresh, 1 };
		m->n++;
	}
	return &s->value;
}

bool map64_next(const struct map64 *m, size_t *at, uint64_t *key)
{
	while (*at < m->cap) {
		const struct map64_slot *s = &m->slots[(*at)++];

		if (s->used) {
			*key = s->key;
			return true;
		}
	}
	return false;
}

size_t map64_size(const struct map64 *m)
{
	return m->cap * sizeof(*m->slots);
}
