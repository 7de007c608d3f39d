#include "format/audit.h"
#include "format/base/buf.h"
#include "format/base/mem.h"
#include "format/catalog.h"
#include "format/fact.h"
#include "lib/lookup.h"

#include <stdlib.h>
#include <string.h>

#define FACTS_MEMORY ((size_t)16 << 20) /* real ones have a few KiB */

void ct_facts_fini(struct ct_facts *f)
{
	intern_fini(&f->keys);
	arena_fini(&f->memory);
	free(f->values);
	*f = (struct ct_facts){ .loaded = false };
}

/* Which of the facts it is. */
static bool put_key(struct ct_facts *f, struct span key, struct span value,
		    uint32_t *id)
{
	struct buf both;
	bool done;

	if (!tf_fact_keeps_each(key))
		return intern_put(&f->keys, key.p, key.n, id, NULL);
	buf_init(&both, 0);
	buf_put(&both, key.p, key.n);
	buf_u8(&both, 0);
	buf_put(&both, value.p, value.n);
	done = !buf_failed(&both) &&
	       intern_put(&f->keys, both.p, both.n, id, NULL);
	buf_fini(&both);
	return done;
}

static int put(struct ct_facts *f, struct span key, struct span value,
	       struct err *err)
{
	uint32_t id;

	if (!mem_grow(&f->values, &f->cap, f->keys.n + 1,
		      sizeof(*f->values)) ||
	    !put_key(f, key, value, &id))
		return err_nomem(err);
	f->values[id] = arena_dup(&f->memory, value.p, value.n);
	if (!f->values[id])
		return err_nomem(err);
	if (f->memory.used + intern_size(&f->keys) > FACTS_MEMORY)
		return err_set(err, ERR_LIMIT, "facts of more than %zu bytes",
			       FACTS_MEMORY);
	return 0;
}

/* A text that is not there is as good as none: 1. */
static int take_row(struct ct_lookup *l, const struct tf_view *v, uint32_t row,
		    struct err *err)
{
	const uint64_t *keys = v->columns[TF_FACT_KEY].v;
	const uint64_t *values = v->columns[TF_FACT_VALUE].v;
	struct span key, value;
	int rc;

	if (!keys || !values)
		return 1;
	rc = ct_string(l, v->epoch, keys[row], &key, err);
	if (rc == 0)
		rc = ct_string(l, v->epoch, values[row], &value, err);
	return rc ? rc : put(&l->facts, key, value, err);
}

static int take_rows(struct ct_lookup *l, const struct tf_view *v,
		     struct err *err)
{
	for (uint32_t i = 0; i < v->rows; i++) {
		int rc = take_row(l, v, i, err);

		if (rc < 0)
			return rc;
	}
	return 0;
}

static int load(struct ct_lookup *l, struct err *err)
{
	struct tf_query q = { .table = TF_TABLE_FACT, .columns = UINT64_MAX };
	struct tf_cursor *c;
	const struct tf_view *v;
	int rc;

	if (l->facts.loaded)
		return 0;
	rc = tf_cursor_new(&c, l->trace->reader, &q, err);
	if (rc)
		return rc;
	do {
		rc = tf_cursor_next(c, &v, err);
		if (rc < 0 && tf_is_damage(rc))
			rc = 0;
		else if (rc == 0)
			rc = take_rows(l, v, err);
	} while (rc == 0);
	tf_cursor_free(c);
	if (rc < 0)
		ct_facts_fini(&l->facts);
	l->facts.loaded = rc == 1;
	return rc < 0 ? rc : 0;
}

static const char *key_of(const struct ct_facts *f, uint32_t i)
{
	return (const char *)intern_get(&f->keys, i).p;
}

int ct_fact(struct ct_lookup *lookup, const char *key, const char **value,
	    struct ct_error *error)
{
	const struct ct_facts *f = &lookup->facts;
	struct err err = { 0 };
	int rc = load(lookup, &err);

	if (rc)
		return ct_fail(error, rc, &err);
	for (size_t i = f->keys.n; i-- > 0;) {
		if (strcmp(key_of(f, (uint32_t)i), key) != 0)
			continue;
		*value = f->values[i];
		return 0;
	}
	return 1;
}

int ct_fact_at(struct ct_lookup *lookup, size_t i, const char **key,
	       const char **value, struct ct_error *error)
{
	struct err err = { 0 };
	int rc = load(lookup, &err);

	if (rc)
		return ct_fail(error, rc, &err);
	if (i >= lookup->facts.keys.n)
		return 1;
	*key = key_of(&lookup->facts, (uint32_t)i);
	*value = lookup->facts.values[i];
	return 0;
}
