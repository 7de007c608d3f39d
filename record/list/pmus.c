/* What the drivers of counters offer, out of sysfs: nothing about a device is
 * known here. */
#include "record/proc/folder.h"
#include "record/list/list.h"

#include "format/base/mem.h"
#include "record/perf/cpus.h"
#include "record/proc/procfs.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#define DEVICES "/sys/bus/event_source/devices"
#define TEXT_MAX ((size_t)64 * 1024)

/* The first line of a file, kept; NULL with *rc 0: there is none. */
static const char *first_line(struct rec_list *l, const char *pmu,
			      const char *file, const char *suffix, int *rc,
			      struct err *err)
{
	struct span text, line = { 0 };
	const char *kept = NULL;
	struct buf b;
	int read;

	buf_init(&b, TEXT_MAX);
	read = rec_procfs_read(&b, err, l->m->root, DEVICES "/%s/%s%s", pmu,
			       file, suffix);
	if (read == ERR_LIMIT) {
		*rc = read;
	} else if (!read) {
		text = span_of(b.p, b.n);
		if (rec_line(&text, &line) && line.n) {
			kept = arena_dup(&l->texts, line.p, line.n);
			if (!kept)
				*rc = err_nomem(err);
		}
	}
	buf_fini(&b);
	return kept;
}

static int read_folder(struct rec_folder *f, const struct rec_list *l,
		       const char *pmu, const char *what, struct err *err)
{
	char path[PATH_MAX];

	*f = (struct rec_folder){ 0 };
	if (snprintf(path, sizeof(path), "%s" DEVICES "/%s/%s", l->m->root,
		     pmu, what) >= PATH_MAX)
		return 0;
	return rec_folder_read(f, path, err) < 0 ? ERR_NOMEM : 0;
}

static int add_format(struct rec_list *l, struct rec_pmu *p, const char *name,
		      struct err *err)
{
	char file[NAME_MAX + 8];
	struct rec_pmu_format *f;
	int rc = 0;

	if (!mem_grow(&p->formats, &p->formats_cap, p->n_formats + 1,
		      sizeof(*p->formats)))
		return err_nomem(err);
	f = &p->formats[p->n_formats];
	snprintf(file, sizeof(file), "format/%s", name);
	f->bits = first_line(l, p->name, file, "", &rc, err);
	f->name = arena_dup(&l->texts, name, strlen(name));
	if (!f->name)
		rc = err_nomem(err);
	if (!f->bits)
		f->bits = "";
	if (!rc)
		p->n_formats++;
	return rc;
}

/* The CPU that a system-wide event is to be opened on; -1: any. */
static int first_cpu(const struct rec_pmu *p)
{
	struct rec_cpus cpus = { 0 };
	int cpu = -1;

	if (p->cpus && !rec_cpus_parse(&cpus, p->cpus, NULL) && cpus.n)
		cpu = cpus.items[0];
	rec_cpus_fini(&cpus);
	return cpu;
}

/* "rcs0-busy.unit" says something of the event "rcs0-busy". */
static bool is_attribute(const char *name)
{
	static const char *const ends[] = { ".unit", ".scale", ".snapshot",
					    ".per-pkg" };
	size_t n = strlen(name);

	for (size_t i = 0; i < ARRAY_LEN(ends); i++) {
		size_t end = strlen(ends[i]);

		if (n > end && !strcmp(name + n - end, ends[i]))
			return true;
	}
	return false;
}

static int add_event(struct rec_list *l, size_t pmu, const char *event,
		     struct err *err)
{
	const struct rec_pmu *p = &l->pmus[pmu];
	char file[NAME_MAX + 8], name[2 * NAME_MAX + 4];
	struct rec_listed *item;
	int rc;

	snprintf(name, sizeof(name), "%s/%s/", p->name, event);
	rc = rec_list_add(l, REC_LISTED_PMU, name, NULL, &item, err);
	if (rc)
		return rc < 0 ? rc : 0;
	item->pmu = pmu;
	snprintf(file, sizeof(file), "events/%s", event);
	item->unit = first_line(l, p->name, file, ".unit", &rc, err);
	item->scale = first_line(l, p->name, file, ".scale", &rc, err);
	return rc ? rc : rec_list_needs(l, name, first_cpu(p), item, err);
}

static int read_formats(struct rec_list *l, struct rec_pmu *p, struct err *err)
{
	struct rec_folder f;
	int rc = read_folder(&f, l, p->name, "format", err);

	for (size_t i = 0; !rc && i < f.n; i++)
		rc = add_format(l, p, f.names[i], err);
	rec_folder_fini(&f);
	return rc;
}

static int read_events(struct rec_list *l, size_t pmu, struct err *err)
{
	struct rec_folder f;
	int rc = read_folder(&f, l, l->pmus[pmu].name, "events", err);

	for (size_t i = 0; !rc && i < f.n; i++)
		if (!is_attribute(f.names[i]))
			rc = add_event(l, pmu, f.names[i], err);
	rec_folder_fini(&f);
	return rc;
}

static int add_pmu(struct rec_list *l, const char *name, struct err *err)
{
	struct rec_pmu *p;
	int rc = 0;

	if (!mem_grow(&l->pmus, &l->pmus_cap, l->n_pmus + 1,
		      sizeof(*l->pmus)))
		return err_nomem(err);
	p = &l->pmus[l->n_pmus++];
	*p = (struct rec_pmu){ 0 };
	p->name = arena_dup(&l->texts, name, strlen(name));
	if (!p->name)
		return err_nomem(err);
	(void)rec_procfs_number(&p->type, l->m->root, DEVICES "/%s/type",
				name);
	/* One CPU of each package, or those of one type of core. */
	p->cpus = first_line(l, name, "cpumask", "", &rc, err);
	if (!p->cpus && !rc)
		p->cpus = first_line(l, name, "cpus", "", &rc, err);
	if (!rc)
		rc = read_formats(l, p, err);
	return rc ? rc : read_events(l, l->n_pmus - 1, err);
}

int rec_list_pmus(struct rec_list *l, struct err *err)
{
	struct rec_folder f;
	int rc;

	if (!rec_patterns_want(l->patterns, REC_LISTED_PMU) &&
	    !rec_patterns_want(l->patterns, REC_LISTED_FORM))
		return 0;
	rc = read_folder(&f, l, "", "", err);
	for (size_t i = 0; !rc && i < f.n; i++)
		rc = add_pmu(l, f.names[i], err);
	rec_folder_fini(&f);
	return rc;
}
