/* NVIDIA's management library, found while running: nothing is linked. */
#ifndef RECORD_COUNTER_NVML_LIBRARY_H
#define RECORD_COUNTER_NVML_LIBRARY_H

#include "format/base/err.h"
#include "record/counter/nvml/api.h"

#include <stdbool.h>
#include <stddef.h>

/* Its functions under their newest names that are there; NULL: it has none of
 * them. Where versions differ in layout, the first has a member of its own. */
struct rec_nvml {
	void *handle;
	bool begun;       /* shutdown is due */
	bool process_cc;  /* lists of processes have NVML_PROCESS_CC bytes an
			   * entry, but for those of the first version */

	int (*init)(void);
	int (*init_with)(unsigned flags);
	int (*shutdown)(void);
	int (*count)(unsigned *n);
	int (*by_index)(unsigned, struct nvml_device **);
	int (*by_address)(const char *, struct nvml_device **);
	int (*name)(struct nvml_device *, char *, unsigned size);
	int (*uuid)(struct nvml_device *, char *, unsigned size);
	int (*pci)(struct nvml_device *, struct nvml_pci *);

	/* MIG: a GPU is divided into GPU instances and these into compute
	 * instances. Each of the latter is a device. */
	int (*mig_mode)(struct nvml_device *, unsigned *now, unsigned *later);
	int (*mig_most)(struct nvml_device *, unsigned *n);
	int (*mig_by_index)(struct nvml_device *, unsigned,
			    struct nvml_device **);
	int (*mig_instance)(struct nvml_device *, unsigned *id);
	int (*mig_part)(struct nvml_device *, unsigned *id);

	int (*utilization)(struct nvml_device *, struct nvml_utilization *);
	int (*encoder)(struct nvml_device *, unsigned *, unsigned *period_us);
	int (*decoder)(struct nvml_device *, unsigned *, unsigned *period_us);
	int (*memory)(struct nvml_device *, struct nvml_memory *);
	int (*memory_v1)(struct nvml_device *, struct nvml_memory_v1 *);
	int (*power)(struct nvml_device *, unsigned *mw);
	int (*power_limit)(struct nvml_device *, unsigned *mw);
	int (*energy)(struct nvml_device *, unsigned long long *mj);
	int (*clock)(struct nvml_device *, unsigned, unsigned *mhz);
	int (*clock_max)(struct nvml_device *, unsigned, unsigned *mhz);
	int (*reasons)(struct nvml_device *, unsigned long long *bits);
	int (*temperature)(struct nvml_device *, unsigned sensor, unsigned *);
	int (*temperature_v)(struct nvml_device *, struct nvml_temperature *);
	int (*performance)(struct nvml_device *, unsigned *);
	int (*pcie)(struct nvml_device *, unsigned, unsigned *kb);
	int (*ecc)(struct nvml_device *, unsigned, unsigned counter,
		   unsigned long long *);

	int (*compute)(struct nvml_device *, unsigned *n, void *);
	int (*compute_v1)(struct nvml_device *, unsigned *n, void *);
	int (*graphics)(struct nvml_device *, unsigned *n, void *);
	int (*graphics_v1)(struct nvml_device *, unsigned *n, void *);
	int (*mps)(struct nvml_device *, unsigned *n, void *);
	int (*mps_v1)(struct nvml_device *, unsigned *n, void *);
	int (*process_use)(struct nvml_device *, struct nvml_process_use *,
			   unsigned *n, unsigned long long since_us);
	int (*samples)(struct nvml_device *, unsigned type,
		       unsigned long long since_us, unsigned *value_type,
		       unsigned *n, struct nvml_sample *);

	int (*events_new)(struct nvml_event_set **);
	int (*events_free)(struct nvml_event_set *);
	int (*events_of)(struct nvml_device *, unsigned long long,
			 struct nvml_event_set *);
	int (*events_wait)(struct nvml_event_set *, struct nvml_event *,
			   unsigned ms);

	int (*gpm_support)(struct nvml_device *, struct nvml_gpm_support *);
	int (*gpm_new)(struct nvml_gpm_sample **);
	int (*gpm_free)(struct nvml_gpm_sample *);
	int (*gpm_sample)(struct nvml_device *, struct nvml_gpm_sample *);
	int (*gpm_mig_sample)(struct nvml_device *, unsigned instance,
			      struct nvml_gpm_sample *);
	int (*gpm_metrics)(struct nvml_gpm_request *);
};

/* Loads COLTRACE_NVML where that is set, else libnvidia-ml.so.1. 1: it is not
 * there, or it is something else, and *err says so. Not started yet. */
int rec_nvml_load(struct rec_nvml *lib, struct err *err);

/* Starts it; `attach`: all GPUs at once, which wakes those that sleep. 1: it
 * refuses, and *err says why. */
int rec_nvml_start(struct rec_nvml *lib, bool attach, struct err *err);

void rec_nvml_unload(struct rec_nvml *lib); /* zeroed is fine */

/* Whether the function at that offset of struct rec_nvml is there; its newest
 * name. */
bool rec_nvml_has(const struct rec_nvml *lib, size_t call);
const char *rec_nvml_symbol(size_t call);

/* What a code means: "not supported by this GPU". */
const char *rec_nvml_text(int code);

#endif
