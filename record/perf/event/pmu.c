#include "record/perf/event/pmu.h"

#include "format/base/buf.h"
#include "record/perf/event/hybrid.h"
#include "record/perf/event/kind.h"
#include "record/perf/event/pmu_terms.h"
#include "record/perf/sysfs.h"
#include "record/proc/folder.h"

#include <fnmatch.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool has_file(const char *root, const char *pmu, const char *file)
{
	char path[PATH_MAX];
	int n = snprintf(path, sizeof(path), "%s" REC_PMU_DEVICES "/%s/%s",
			 root, pmu, file);

	return n > 0 && n < PATH_MAX && !access(path, F_OK);
}

static int read_names(struct rec_folder *f, const char *root, struct err *err)
{
	char path[PATH_MAX];
	int rc;

	snprintf(path, sizeof(path), "%s" REC_PMU_DEVICES, root);
	rc = rec_folder_read(f, path, err);
	return rc < 0 ? rc : 0;
}

/* Whether `name` is `asked` with a number behind: one of several devices. */
static bool is_numbered(const char *name, const char *asked)
{
	size_t n = strlen(asked);

	return !strncmp(name, asked, n) && name[n] == '_' && name[n + 1] &&
	       !name[n + 1 + strspn(name + n + 1, "0123456789")];
}

static bool is_core_type(const char *root, const char *name)
{
	return !strncmp(name, "cpu_", 4) && has_file(root, name, "cpus");
}

static bool matches(const char *root, const char *name, const char *asked)
{
	static const char uncore[] = "uncore_";
	const char *rest = name;

	if (!strcmp(asked, "cpu") && is_core_type(root, name))
		return true;
	if (!strncmp(name, uncore, sizeof(uncore) - 1))
		rest += sizeof(uncore) - 1;
	return is_numbered(name, asked) || is_numbered(rest, asked) ||
	       !fnmatch(asked, name, 0) || !fnmatch(asked, rest, 0);
}

/* The CPUs that it counts on: one of each package for a device that is none
 * of theirs (cpumask), those of one type of core (cpus). */
static int set_cpus(struct rec_event *e, const char *root, const char *pmu,
		    struct err *err)
{
	char list[REC_SYSFS_MAX];
	int rc;

	e->no_tasks = rec_sysfs_line(list, sizeof(list), root,
				     REC_PMU_DEVICES "/%s/cpumask", pmu);
	if (!e->no_tasks && !rec_sysfs_line(list, sizeof(list), root,
					    REC_PMU_DEVICES "/%s/cpus", pmu))
		return 0;
	if (!*list)
		return 0;
	rc = rec_cpus_parse(&e->cpus, list, err);
	return rc ? err_in(err, rc, "PMU '%s'", pmu) : 0;
}

static int append_one(struct rec_events *to, const char *pmu, bool several,
		      const char *terms, struct err *err)
{
	char name[REC_SYSFS_MAX];
	struct rec_event *e;
	uint64_t type;
	int rc;

	if (!rec_sysfs_number(&type, rec_events_root(to),
			      REC_PMU_DEVICES "/%s/type", pmu) ||
	    type > UINT32_MAX)
		return err_set(err, ERR_UNSUPPORTED, "PMU '%s' has no type",
			       pmu);
	snprintf(name, sizeof(name), "%s/%s/", pmu, terms);
	e = rec_events_append(to, several ? name : NULL, err);
	if (!e)
		return ERR_NOMEM;
	e->attr.type = (uint32_t)type;
	rc = set_cpus(e, rec_events_root(to), pmu, err);
	return rc ? rc : rec_pmu_terms(e, rec_events_root(to), pmu, terms,
				       err);
}

int rec_pmu_append(struct rec_events *to, const char *name, const char *terms,
		   struct err *err)
{
	const char *root = rec_events_root(to);
	size_t first = to->n;
	struct rec_folder f;
	int rc;

	if (strchr(name, '/') || *name == '.')
		return 1;
	if (*name && has_file(root, name, "type"))
		return append_one(to, name, false, terms, err);
	rc = read_names(&f, root, err);
	for (size_t i = 0; !rc && i < f.n; i++)
		if (has_file(root, f.names[i], "type") &&
		    matches(root, f.names[i], name))
			rc = append_one(to, f.names[i], true, terms, err);
	rec_folder_fini(&f);
	return rc ? rc : to->n == first;
}

int rec_pmu_unknown(const struct rec_events *to, const char *name,
		    struct err *err)
{
	struct rec_folder f;
	struct buf b;
	int rc = read_names(&f, rec_events_root(to), err);

	if (rc)
		return rc;
	buf_init(&b, 0);
	for (size_t i = 0; i < f.n; i++)
		buf_printf(&b, "%s%s", i ? ", " : "", f.names[i]);
	buf_u8(&b, 0);
	rec_folder_fini(&f);
	rc = buf_failed(&b) ? err_nomem(err) :
			      err_set(err, ERR_USAGE, "no PMU and no event '%s'"
				      " (PMUs here: %s)", name,
				      b.n > 1 ? (char *)b.p : "none");
	buf_fini(&b);
	return rc;
}

static int append_core_types(struct rec_events *to, const struct rec_folder *f,
			     const char *name, uint32_t type, uint64_t config,
			     struct err *err)
{
	const char *root = rec_events_root(to);
	int rc = 0;

	for (size_t i = 0; !rc && i < f->n; i++) {
		char full[REC_SYSFS_MAX];
		struct rec_event *e;
		uint64_t pmu;

		if (!is_core_type(root, f->names[i]) ||
		    !rec_sysfs_number(&pmu, root, REC_PMU_DEVICES "/%s/type",
				      f->names[i]))
			continue;
		snprintf(full, sizeof(full), "%s/%s/", f->names[i], name);
		e = rec_events_append(to, full, err);
		if (!e)
			return ERR_NOMEM;
		/* The upper half names the PMU (PERF_PMU_TYPE_SHIFT). */
		e->attr.type = type == PERF_TYPE_RAW ? (uint32_t)pmu : type;
		e->attr.config = type == PERF_TYPE_RAW ? config :
							 config | pmu << 32;
		rc = set_cpus(e, root, f->names[i], err);
	}
	return rc;
}

int rec_hybrid_append(struct rec_events *to, const char *name, uint32_t type,
		      uint64_t config, struct err *err)
{
	const char *root = rec_events_root(to);
	size_t first = to->n;
	struct rec_folder f = { 0 };
	struct rec_event *e;
	int rc = 0;

	if (!has_file(root, "cpu", "type"))
		rc = read_names(&f, root, err);
	if (!rc)
		rc = append_core_types(to, &f, name, type, config, err);
	rec_folder_fini(&f);
	if (rc || to->n != first)
		return rc;
	e = rec_events_append(to, NULL, err);
	if (!e)
		return ERR_NOMEM;
	e->attr.type = type;
	e->attr.config = config;
	return 0;
}

static int alias_parse(struct rec_events *to, const char *name,
		       struct err *err)
{
	const char *root = rec_events_root(to);
	size_t first = to->n;
	struct rec_folder f;
	char path[PATH_MAX];
	int rc;

	if (!*name || strpbrk(name, "/=,") || *name == '.')
		return 1;
	rc = read_names(&f, root, err);
	for (size_t i = 0; !rc && i < f.n; i++) {
		snprintf(path, sizeof(path), "events/%s", name);
		if (has_file(root, f.names[i], path))
			rc = append_one(to, f.names[i], true, name, err);
	}
	rec_folder_fini(&f);
	if (!rc && to->n == first)
		return 1;
	return rc;
}

const struct rec_event_kind rec_kind_alias = { alias_parse, NULL };
