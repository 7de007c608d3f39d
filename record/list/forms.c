/* Ways to write events that have no name. */
#include "record/list/list.h"

#include "format/base/buf.h"
#include "format/base/mem.h"

#include <stdio.h>
#include <string.h>

static const struct form {
	const char *name, *example;
} forms[] = {
	{ "rNNN", "r1" },
	{ "mem:ADDRESS[/LENGTH][:rwx]", "mem:0x1000:w" },
};

static int add_form(struct rec_list *l, const char *name, const char *example,
		    size_t pmu, struct err *err)
{
	struct rec_listed *item;
	int rc = rec_list_add(l, REC_LISTED_FORM, name, NULL, &item, err);

	if (rc)
		return rc < 0 ? rc : 0;
	item->pmu = pmu;
	return rec_list_needs(l, example, -1, item, err);
}

/* Their events are made by writing to tracefs first. */
static bool is_probe(const struct rec_pmu *p)
{
	return !strcmp(p->name, "kprobe") || !strcmp(p->name, "uprobe");
}

/* "i915/i915_eventid=N/" */
static int pmu_form(struct rec_list *l, size_t pmu, struct err *err)
{
	const struct rec_pmu *p = &l->pmus[pmu];
	struct buf name, example;
	int rc;

	buf_init(&name, 0);
	buf_init(&example, 0);
	buf_printf(&name, "%s/", p->name);
	for (size_t i = 0; i < p->n_formats; i++)
		buf_printf(&name, "%s%s=N", i ? "," : "", p->formats[i].name);
	buf_put(&name, "/", 2);
	buf_printf(&example, "%s/%s=0/", p->name, p->formats[0].name);
	buf_u8(&example, 0);
	rc = buf_failed(&name) || buf_failed(&example) ?
		     err_nomem(err) :
		     add_form(l, (char *)name.p, (char *)example.p, pmu, err);
	buf_fini(&name);
	buf_fini(&example);
	return rc;
}

int rec_list_forms(struct rec_list *l, struct err *err)
{
	int rc = 0;

	for (size_t i = 0; !rc && i < ARRAY_LEN(forms); i++)
		rc = add_form(l, forms[i].name, forms[i].example, REC_NO_PMU,
			      err);
	for (size_t i = 0; !rc && i < l->n_pmus; i++)
		if (l->pmus[i].n_formats && !is_probe(&l->pmus[i]))
			rc = pmu_form(l, i, err);
	return rc;
}
