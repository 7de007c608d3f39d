#include "record/list/list.h"

#include "format/base/mem.h"

#include <stdlib.h>
#include <string.h>

int rec_list_add(struct rec_list *l, enum rec_listed_kind kind,
		 const char *name, const char *alias, struct rec_listed **out,
		 struct err *err)
{
	struct rec_listed item = { .kind = kind, .pmu = REC_NO_PMU };

	if (!rec_patterns_match(l->patterns, kind, name, alias))
		return 1;
	item.name = arena_dup(&l->texts, name, strlen(name));
	if (alias)
		item.alias = arena_dup(&l->texts, alias, strlen(alias));
	if (!item.name || (alias && !item.alias) ||
	    !mem_grow(&l->items, &l->cap, l->n + 1, sizeof(*l->items)))
		return err_nomem(err);
	l->items[l->n] = item;
	*out = &l->items[l->n++];
	return 0;
}

static int by_kind_and_name(const void *a, const void *b)
{
	const struct rec_listed *x = a, *y = b;

	return x->kind != y->kind ? CMP(x->kind, y->kind) :
				    strcmp(x->name, y->name);
}

int rec_list_make(struct rec_list *l, const struct rec_machine *m,
		  struct rec_patterns *patterns, struct err *err)
{
	int rc;

	*l = (struct rec_list){ .m = m, .patterns = patterns };
	rc = rec_list_named(l, err);
	if (!rc)
		rc = rec_list_pmus(l, err);
	if (!rc)
		rc = rec_list_forms(l, err);
	if (!rc)
		rc = rec_list_tracepoints(l, err);
	if (rc) {
		rec_list_fini(l);
		return rc;
	}
	if (l->n)
		qsort(l->items, l->n, sizeof(*l->items), by_kind_and_name);
	return 0;
}

void rec_list_fini(struct rec_list *l)
{
	for (size_t i = 0; i < l->n_pmus; i++)
		free(l->pmus[i].formats);
	free(l->pmus);
	free(l->items);
	arena_fini(&l->texts);
	*l = (struct rec_list){ 0 };
}
