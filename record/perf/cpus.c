#include "record/perf/cpus.h"

#include "format/base/mem.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CPU_LIMIT 65536 /* far beyond any kernel's NR_CPUS */
#define LIST_MAX 4096   /* sysfs gives at most a page */

void rec_cpus_fini(struct rec_cpus *c)
{
	free(c->items);
	*c = (struct rec_cpus){ 0 };
}

bool rec_cpus_has(const struct rec_cpus *c, int cpu)
{
	for (size_t i = 0; i < c->n; i++)
		if (c->items[i] == cpu)
			return true;
	return false;
}

int rec_cpus_add(struct rec_cpus *c, int cpu, struct err *err)
{
	size_t at = c->n;

	while (at && c->items[at - 1] > cpu)
		at--;
	if (at && c->items[at - 1] == cpu)
		return 0;
	if (!mem_grow(&c->items, &c->cap, c->n + 1, sizeof(*c->items)))
		return err_nomem(err);
	memmove(c->items + at + 1, c->items + at,
		(c->n - at) * sizeof(*c->items));
	c->items[at] = cpu;
	c->n++;
	return 0;
}

static bool number(const char **p, int *out)
{
	long v = 0;

	if (!isdigit((unsigned char)**p))
		return false;
	for (; isdigit((unsigned char)**p); ++*p) {
		v = v * 10 + (**p - '0');
		if (v >= CPU_LIMIT)
			return false;
	}
	*out = (int)v;
	return true;
}

int rec_cpus_parse(struct rec_cpus *c, const char *list, struct err *err)
{
	const char *p = list;
	int first, last, rc;

	do {
		if (!number(&p, &first))
			goto bad;
		last = first;
		if (*p == '-' && (p++, !number(&p, &last)))
			goto bad;
		if (last < first)
			goto bad;
		for (int cpu = first; cpu <= last; cpu++) {
			rc = rec_cpus_add(c, cpu, err);
			if (rc)
				return rc;
		}
	} while (*p++ == ',');
	if (!p[-1] || p[-1] == '\n')
		return 0;
bad:
	return err_set(err, ERR_USAGE, "not a list of CPUs: '%s' (for example "
		       "0-3,6)", list);
}

int rec_cpus_online(struct rec_cpus *c, const char *root, struct err *err)
{
	char path[PATH_MAX], list[LIST_MAX] = "";
	FILE *f;
	int rc;

	snprintf(path, sizeof(path), "%s/sys/devices/system/cpu/online", root);
	f = fopen(path, "re");
	if (!f)
		return err_sys(err, errno, "cannot open '%s'", path);
	if (!fgets(list, sizeof(list), f))
		list[0] = 0;
	fclose(f);
	list[strcspn(list, "\n")] = 0;
	rc = rec_cpus_parse(c, list, err);
	return rc ? err_in(err, rc, "%s", path) : 0;
}
