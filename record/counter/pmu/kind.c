#include "record/counter/pmu/kind.h"

#include "format/base/mem.h"
#include "record/perf/sysfs.h"
#include "record/proc/folder.h"

#include <fnmatch.h>
#include <limits.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>

/* drivers/gpu/drm/i915/i915_pmu.c: each sample adds MHz × µs and a reading is
 * divided by 10^6, so it grows by MHz × seconds. drivers/gpu/drm/xe/xe_pmu.c:
 * each reading adds the frequency of that moment. The upper bits of both name
 * the GT. */
static const struct rule {
	const char *pmu;  /* what its name begins with */
	const char *name; /* pattern of the event */
	uint64_t mask, config;
	struct rec_pmu_kind kind;
} rules[] = {
	{ "i915", "*/actual-frequency*", 0x0fffffff, 0x100000,
	  { TF_SERIES_INTEGRAL, "MHz" } },
	{ "i915", "*/requested-frequency*", 0x0fffffff, 0x100001,
	  { TF_SERIES_INTEGRAL, "MHz" } },
	{ "xe_", "*/gt-actual-frequency*", 0xfff, 0x04,
	  { TF_SERIES_SUM, "MHz" } },
	{ "xe_", "*/gt-requested-frequency*", 0xfff, 0x05,
	  { TF_SERIES_SUM, "MHz" } },
};

struct rec_pmu_kind rec_pmu_kind_of(const char *pmu, const char *name,
				    uint64_t config)
{
	for (size_t i = 0; i < ARRAY_LEN(rules); i++) {
		const struct rule *r = &rules[i];

		if (!strncmp(pmu, r->pmu, strlen(r->pmu)) &&
		    (!fnmatch(r->name, name, 0) ||
		     (config & r->mask) == r->config))
			return r->kind;
	}
	return (struct rec_pmu_kind){ TF_SERIES_COUNT, NULL };
}

void rec_pmu_name(char *to, size_t size, const char *root, uint32_t type)
{
	struct rec_folder f;
	char path[PATH_MAX];

	to[0] = 0;
	if (type < PERF_TYPE_MAX)
		return;
	snprintf(path, sizeof(path), "%s" REC_PMU_DEVICES, root);
	if (rec_folder_read(&f, path, NULL))
		return;
	for (size_t i = 0; i < f.n && !to[0]; i++) {
		uint64_t number;

		if (rec_sysfs_number(&number, root, REC_PMU_DEVICES "/%s/type",
				     f.names[i]) && number == type)
			snprintf(to, size, "%s", f.names[i]);
	}
	rec_folder_fini(&f);
}
