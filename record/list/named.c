/* Events with names of their own: software, hardware, caches. */
#include "record/list/list.h"

#include "format/base/mem.h"
#include "record/perf/event/kind.h"

#include <stdlib.h>
#include <string.h>

struct name {
	const char *name, *alias;
	uint64_t config;
	uint32_t type;
};

struct names {
	struct name *items;
	size_t n;
	size_t cap;
};

static struct name *same_event(const struct names *names,
			       const struct perf_event_attr *a)
{
	for (size_t i = 0; i < names->n; i++)
		if (names->items[i].type == a->type &&
		    names->items[i].config == a->config)
			return &names->items[i];
	return NULL;
}

/* A second name of an event is its alias. */
static int add_name(struct rec_list *l, struct names *names, const char *text,
		    struct err *err)
{
	struct rec_events e = { .root = l->m->root };
	struct name *known;
	const char *name;
	int rc = rec_events_add(&e, text, err);

	if (rc)
		return rc;
	name = arena_dup(&l->texts, text, strlen(text));
	known = same_event(names, &e.items[0].attr);
	if (!name || (!known && !mem_grow(&names->items, &names->cap,
					  names->n + 1,
					  sizeof(*names->items)))) {
		rc = err_nomem(err);
	} else if (!known) {
		names->items[names->n++] =
			(struct name){ name, NULL, e.items[0].attr.config,
				       e.items[0].attr.type };
	} else if (!known->alias) {
		known->alias = name;
	}
	rec_events_fini(&e);
	return rc;
}

static int all_names(struct rec_list *l, struct names *names, struct err *err)
{
	char text[REC_EVENT_NAME_MAX];
	int rc = 0;

	for (size_t k = 0; k < rec_n_event_kinds; k++)
		for (size_t i = 0; !rc && rec_event_kinds[k]->name &&
				   rec_event_kinds[k]->name(i, text); i++)
			if (*text)
				rc = add_name(l, names, text, err);
	return rc;
}

static enum rec_listed_kind kind_of(const struct name *n)
{
	switch (n->type) {
	case PERF_TYPE_SOFTWARE:
		return REC_LISTED_SOFTWARE;
	case PERF_TYPE_HARDWARE:
		return REC_LISTED_HARDWARE;
	default:
		return REC_LISTED_CACHE;
	}
}

int rec_list_named(struct rec_list *l, struct err *err)
{
	struct names names = { 0 };
	int rc = all_names(l, &names, err);

	for (size_t i = 0; !rc && i < names.n; i++) {
		const struct name *n = &names.items[i];
		struct rec_listed *item;

		rc = rec_list_add(l, kind_of(n), n->name, n->alias, &item, err);
		if (!rc)
			rc = rec_list_needs(l, n->name, -1, item, err);
		else if (rc > 0)
			rc = 0;
	}
	free(names.items);
	return rc;
}
