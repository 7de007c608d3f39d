#include "format/keyring.h"

#include "format/base/mem.h"

#include <stdlib.h>
#include <string.h>

/* Its table of pairs is cleared for each part: 1 MiB, 2 ns a row. */
#define PAIR_LIMIT (1u << 18)

struct tf_keyring_pair {
	uint32_t a, b; /* positions */
	bool is_link;
	struct tf_key key;
	uint32_t *of;
	size_t of_cap;
};

void tf_keyring_fini(struct tf_keyring *k)
{
	for (size_t i = 0; i < k->cap; i++) {
		free(k->columns[i].values);
		free(k->columns[i].of);
	}
	for (size_t i = 0; i < k->pairs_made; i++)
		free(k->pairs[i].of);
	free(k->columns);
	free(k->pairs);
	free(k->index);
	free(k->place);
	tf_dict_fini(&k->dict);
	*k = (struct tf_keyring){ 0 };
}

static bool position_of(const struct tf_table *t, uint32_t id, uint32_t *out)
{
	for (uint32_t i = 0; i < t->n_columns; i++)
		if (t->columns[i].id == id) {
			*out = i;
			return true;
		}
	return false;
}

static void mark(struct tf_keyring *k, uint32_t id_and_one)
{
	uint32_t at;

	if (id_and_one && position_of(k->from->table, id_and_one - 1, &at))
		k->columns[at].is_key = true;
}

static bool grow_columns(struct tf_keyring *k, size_t n)
{
	size_t cap = k->cap;

	if (!mem_grow(&k->columns, &cap, n, sizeof(*k->columns)))
		return false;
	memset(k->columns + k->cap, 0, (cap - k->cap) * sizeof(*k->columns));
	k->cap = cap;
	return true;
}

void tf_keyring_begin(struct tf_keyring *k, const struct tf_builder *from)
{
	const struct tf_table *t = from->table;

	k->from = from;
	k->failed = !grow_columns(k, t->n_columns);
	k->n_pairs = 0;
	k->n_columns = k->failed ? 0 : t->n_columns;
	for (size_t i = 0; i < k->n_columns; i++)
		k->columns[i].is_key = k->columns[i].is_tried = false;
	for (size_t i = 0; i < k->n_columns; i++) {
		mark(k, t->columns[i].key);
		mark(k, t->columns[i].second);
		mark(k, t->columns[i].link);
	}
}

static bool is_number(const struct tf_column *c)
{
	return !c->list && (c->type == TF_U64 || c->type == TF_I64 ||
			    c->type == TF_REF);
}

static void keep(struct tf_keyring *k, struct tf_keyring_column *c)
{
	size_t rows = k->from->rows, n = k->dict.n;

	if (!mem_grow(&c->values, &c->values_cap, n, sizeof(*c->values)) ||
	    !mem_grow(&c->of, &c->of_cap, rows, sizeof(*c->of))) {
		k->failed = true;
		return;
	}
	memcpy(c->values, k->dict.values, n * sizeof(*c->values));
	for (size_t i = 0; i < rows; i++)
		c->of[i] = (uint32_t)k->index[i];
	c->n = (uint32_t)n;
}

static void make(struct tf_keyring *k, uint32_t position)
{
	const uint64_t *v = k->from->columns[position].v;
	size_t rows = k->from->rows;
	size_t limit = tf_dict_limit(rows);
	struct tf_keyring_column *c = &k->columns[position];
	int rc;

	c->is_tried = true;
	c->n = 0;
	if (!is_number(&k->from->table->columns[position]))
		return;
	if (!mem_grow(&k->index, &k->index_cap, rows, sizeof(*k->index))) {
		k->failed = true;
		return;
	}
	rc = tf_dict_build(&k->dict, k->index, v, rows, limit ? limit : 1);
	if (rc == 0)
		keep(k, c);
	k->failed = k->failed || rc < 0;
}

const struct tf_keyring_column *tf_keyring_column(struct tf_keyring *k,
						  uint32_t position)
{
	struct tf_keyring_column *c;

	if (position >= k->n_columns || !k->columns[position].is_key)
		return NULL;
	c = &k->columns[position];
	if (!c->is_tried)
		make(k, position);
	return c->n && !k->failed ? c : NULL;
}

static struct tf_keyring_pair *new_pair(struct tf_keyring *k, size_t n)
{
	struct tf_keyring_pair *p;

	if (!mem_grow(&k->pairs, &k->pairs_cap, k->n_pairs + 1,
		      sizeof(*k->pairs)) ||
	    !mem_grow(&k->place, &k->place_cap, n, sizeof(*k->place)))
		return NULL;
	p = &k->pairs[k->n_pairs];
	if (k->n_pairs == k->pairs_made) {
		*p = (struct tf_keyring_pair){ 0 };
		k->pairs_made++;
	}
	return mem_grow(&p->of, &p->of_cap, k->from->rows, sizeof(*p->of)) ?
		       p : NULL;
}

static const struct tf_key *pair(struct tf_keyring *k, uint32_t a, uint32_t b,
				 bool is_link)
{
	size_t rows = k->from->rows;
	struct tf_key ka = { k->columns[a].of, k->columns[a].n };
	struct tf_key kb = { k->columns[b].of, k->columns[b].n };
	size_t n = is_link ? kb.n : (size_t)ka.n * kb.n;
	struct tf_keyring_pair *p;

	for (size_t i = 0; i < k->n_pairs; i++)
		if (k->pairs[i].a == a && k->pairs[i].b == b &&
		    k->pairs[i].is_link == is_link)
			return &k->pairs[i].key;
	if (n > PAIR_LIMIT)
		return NULL;
	p = new_pair(k, n);
	if (!p) {
		k->failed = true;
		return NULL;
	}
	k->n_pairs++;
	p->a = a;
	p->b = b;
	p->is_link = is_link;
	if (is_link) {
		p->key = tf_key_lag(p->of, k->place, &ka, &kb, rows);
	} else {
		memset(k->place, 0, n * sizeof(*k->place));
		p->key = tf_key_pair(p->of, k->place, &ka, &kb, rows);
	}
	return &p->key;
}

static bool has_dictionary(struct tf_keyring *k, uint32_t id_and_one,
			   uint32_t *at)
{
	return id_and_one &&
	       position_of(k->from->table, id_and_one - 1, at) &&
	       tf_keyring_column(k, *at);
}

static bool find_two(struct tf_keyring *k, uint32_t a, uint32_t b,
		     struct tf_keyring_key *out)
{
	const struct tf_key *key = pair(k, a, b, out->is_link);

	if (!key)
		return false;
	out->key = *key;
	out->ids[0] = k->from->table->columns[a].id;
	out->ids[1] = k->from->table->columns[b].id;
	out->n_ids = 2;
	if (out->is_link) {
		out->initial = k->columns[a].values;
		out->n_initial = k->columns[a].n;
	}
	return true;
}

bool tf_keyring_find(struct tf_keyring *k, const struct tf_column *c,
		     struct tf_keyring_key *out)
{
	uint32_t a, b;

	*out = (struct tf_keyring_key){ .is_link = c->link != 0 };
	if (!has_dictionary(k, c->key, &a))
		return false;
	if (c->link)
		return has_dictionary(k, c->link, &b) && find_two(k, b, a, out);
	if (c->second)
		return has_dictionary(k, c->second, &b) &&
		       find_two(k, a, b, out);
	out->key = (struct tf_key){ k->columns[a].of, k->columns[a].n };
	out->ids[0] = k->from->table->columns[a].id;
	out->n_ids = 1;
	return true;
}
