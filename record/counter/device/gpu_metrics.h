/* The file gpu_metrics of amdgpu: a block of binary numbers whose layout goes by
 * the revision in its head (struct gpu_metrics_vX_Y of the kernel's
 * kgd_pp_interface.h). Decoded is what many revisions have, and where its unit is
 * known: utilization of 2.0 to 2.3 and of 3.0, power of 2.0 to 2.3 and the energy
 * before 1.4 are counted differently from chip to chip. Values of all ones are
 * not there. */
#ifndef RECORD_COUNTER_DEVICE_GPU_METRICS_H
#define RECORD_COUNTER_DEVICE_GPU_METRICS_H

#include "format/base/err.h"
#include "format/base/span.h"
#include "format/catalog.h"

#include <stddef.h>
#include <stdint.h>

enum rec_gpu_metric {
	REC_GM_TEMPERATURE_EDGE,
	REC_GM_TEMPERATURE_HOTSPOT,
	REC_GM_TEMPERATURE_MEMORY,
	REC_GM_TEMPERATURE_GFX,
	REC_GM_TEMPERATURE_SOC,
	REC_GM_UTILIZATION_GPU,
	REC_GM_UTILIZATION_MEMORY,
	REC_GM_UTILIZATION_MEDIA,
	REC_GM_POWER_MEAN,
	REC_GM_POWER,
	REC_GM_ENERGY,
	REC_GM_CLOCK_GFX,
	REC_GM_CLOCK_SOC,
	REC_GM_CLOCK_MEMORY,
	REC_GM_CLOCK_FABRIC,
	REC_GM_CLOCK_GFX_MEAN,
	REC_GM_CLOCK_MEMORY_MEAN,
	REC_GM_VOLTAGE_GFX,
	REC_GM_VOLTAGE_SOC,
	REC_GM_VOLTAGE_MEMORY,
	REC_GM_FAN,
	REC_GM_THROTTLE,
	REC_GM_N,
};

struct rec_gpu_metrics {
	uint32_t has;             /* bit i: of metric i */
	int64_t values[REC_GM_N]; /* times `scales`: in the metric's unit */
	double scales[REC_GM_N];
};

struct rec_gpu_metric_info {
	const char *name, *part, *unit;
	enum tf_series_kind kind;
};

extern const struct rec_gpu_metric_info rec_gpu_metric_infos[REC_GM_N];

/* ERR_UNSUPPORTED: a revision that is not known, ERR_FORMAT: it is cut short.
 * *out is untouched then. */
int rec_gpu_metrics_decode(struct rec_gpu_metrics *out, struct span block,
			   struct err *err);

#endif
