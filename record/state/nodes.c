#include "record/state/nodes.h"

#include "format/base/mem.h"

#include <stdlib.h>
#include <string.h>

#define FIRST_CAP 4096u

void rec_nodes_fini(struct rec_nodes *t)
{
	mem_table_free(t->slots, rec_nodes_size(t));
	*t = (struct rec_nodes){ 0 };
}

void rec_nodes_clear(struct rec_nodes *t)
{
	if (t->slots)
		memset(t->slots, 0, rec_nodes_size(t));
	t->n = 0;
}

size_t rec_nodes_size(const struct rec_nodes *t)
{
	return t->cap * sizeof(*t->slots);
}

static bool grow(struct rec_nodes *t)
{
	size_t cap = t->cap ? t->cap * 2 : FIRST_CAP;
	struct rec_node_slot *slots = mem_table(cap * sizeof(*slots));

	if (!slots)
		return false;
	for (size_t i = 0; i < t->cap; i++) {
		size_t at = t->slots[i].a & (cap - 1);

		if (!t->slots[i].node)
			continue;
		while (slots[at].node)
			at = (at + 1) & (cap - 1);
		slots[at] = t->slots[i];
	}
	mem_table_free(t->slots, rec_nodes_size(t));
	t->slots = slots;
	t->cap = cap;
	return true;
}

bool rec_nodes_put(struct rec_nodes *t, struct rec_path_hash path,
		   uint32_t fresh, uint32_t *node, bool *is_new)
{
	struct rec_node_slot *s;

	if (t->n >= t->cap - t->cap / 4 && !grow(t))
		return false;
	s = rec_nodes_slot(t, path);
	*is_new = !s->node;
	if (*is_new) {
		*s = (struct rec_node_slot){ path.a, path.b, fresh + 1 };
		t->n++;
	}
	*node = s->node - 1;
	return true;
}
