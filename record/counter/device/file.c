#include "record/counter/device/file.h"

#include "format/base/mem.h"
#include "record/perf/sysfs.h"
#include "record/proc/procfs.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#define MEAN TF_SERIES_MEAN
#define LEVEL TF_SERIES_LEVEL
#define COUNT TF_SERIES_COUNT
#define NUMBER REC_DEVICE_NUMBER, REC_DEVICE_FIXED
#define LABELLED REC_DEVICE_NUMBER, REC_DEVICE_LABEL
#define OF_GT REC_DEVICE_NUMBER, REC_DEVICE_GT
#define HWMON "device/hwmon/hwmon*/"
#define XE "device/tile*/gt*/"

/* Linux's Documentation: gpu/amdgpu/thermal.rst, hwmon/sysfs-interface.rst,
 * ABI/testing/sysfs-driver-intel-*-hwmon, gpu/xe/xe_gt_freq.rst; i915's gt/ has
 * no page of its own. */
const struct rec_device_row rec_device_rows[] = {
	/* amdgpu */
	{ "device/gpu_busy_percent", "utilization", "gpu", "%", MEAN, 1,
	  NUMBER },
	{ "device/mem_busy_percent", "utilization", "memory", "%", MEAN, 1,
	  NUMBER },
	{ "device/mem_info_vram_used", "memory-used", "vram", "bytes", LEVEL, 1,
	  NUMBER },
	{ "device/mem_info_vram_total", "memory-total", "vram", "bytes", LEVEL,
	  1, NUMBER },
	{ "device/mem_info_vis_vram_used", "memory-used", "vis-vram", "bytes",
	  LEVEL, 1, NUMBER },
	{ "device/mem_info_gtt_used", "memory-used", "gtt", "bytes", LEVEL, 1,
	  NUMBER },
	{ "device/mem_info_gtt_total", "memory-total", "gtt", "bytes", LEVEL, 1,
	  NUMBER },
	/* hwmon of any: before what tells the same less exactly. */
	{ HWMON "freq[0-9]*_input", "clock", NULL, "MHz", LEVEL, 1e-6,
	  LABELLED },
	{ HWMON "temp[0-9]*_input", "temperature", NULL, "C", LEVEL, 1e-3,
	  LABELLED },
	{ HWMON "power[0-9]*_average", "power", NULL, "W", MEAN, 1e-6,
	  LABELLED },
	{ HWMON "power[0-9]*_input", "power", NULL, "W", LEVEL, 1e-6,
	  LABELLED },
	{ HWMON "energy[0-9]*_input", "energy", NULL, "J", COUNT, 1e-6,
	  LABELLED },
	{ HWMON "in[0-9]*_input", "voltage", NULL, "V", LEVEL, 1e-3, LABELLED },
	{ HWMON "fan[0-9]*_input", "fan", NULL, "rpm", LEVEL, 1, LABELLED },
	{ "device/pp_dpm_*clk*", "clock", "pp_dpm_", "MHz", LEVEL, 1,
	  REC_DEVICE_STARRED, REC_DEVICE_BEHIND },
	{ "device/gpu_metrics", NULL, NULL, NULL, LEVEL, 1, REC_DEVICE_METRICS,
	  REC_DEVICE_FIXED },
	/* i915; the last one before it had gt/ (5.17) */
	{ "gt/gt*/rps_act_freq_mhz", "clock", NULL, "MHz", LEVEL, 1, OF_GT },
	{ "gt/gt*/rps_cur_freq_mhz", "clock-requested", NULL, "MHz", LEVEL, 1,
	  OF_GT },
	{ "gt/gt*/rc6_residency_ms", "idle", NULL, "ms", COUNT, 1, OF_GT },
	{ "gt/gt*/throttle_reason_status", "throttled", NULL, "", LEVEL, 1,
	  OF_GT },
	{ "gt_act_freq_mhz", "clock", "gt0", "MHz", LEVEL, 1, NUMBER },
	{ "gt_cur_freq_mhz", "clock-requested", "gt0", "MHz", LEVEL, 1,
	  NUMBER },
	/* xe */
	{ XE "freq*/act_freq", "clock", NULL, "MHz", LEVEL, 1, OF_GT },
	{ XE "freq*/cur_freq", "clock-requested", NULL, "MHz", LEVEL, 1, OF_GT },
	{ XE "gtidle/idle_residency_ms", "idle", NULL, "ms", COUNT, 1, OF_GT },
	{ XE "freq*/throttle/status", "throttled", NULL, "", LEVEL, 1, OF_GT },
	/* msm, panfrost, panthor, lima */
	{ "device/devfreq/*/cur_freq", "clock", "gpu", "MHz", LEVEL, 1e-6,
	  NUMBER },
};
const size_t rec_n_device_rows = ARRAY_LEN(rec_device_rows);

static const char *base_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static bool copy(char to[REC_DEVICE_PART], const char *from, size_t n)
{
	if (!n || n >= REC_DEVICE_PART)
		return false;
	memcpy(to, from, n);
	to[n] = 0;
	return true;
}

static bool label_of(char to[REC_DEVICE_PART], const char *path)
{
	const char *base = base_of(path);
	size_t n = strcspn(base, "_");

	if (rec_sysfs_line(to, REC_DEVICE_PART, "", "%.*s%.*s_label",
			   (int)(base - path), path, (int)n, base) &&
	    *to)
		return true;
	return copy(to, base, n);
}

static bool gt_of(char to[REC_DEVICE_PART], const char *path)
{
	for (const char *at = path; (at = strstr(at, "/gt")); at++) {
		size_t n = strspn(at + 3, "0123456789");

		if (n && at[3 + n] == '/')
			return copy(to, at + 1, 2 + n);
	}
	return false;
}

bool rec_device_part(char to[REC_DEVICE_PART], const struct rec_device_row *row,
		     const char *path)
{
	const char *base = base_of(path);

	switch (row->of) {
	case REC_DEVICE_LABEL:
		return label_of(to, path);
	case REC_DEVICE_GT:
		return gt_of(to, path);
	case REC_DEVICE_BEHIND:
		return copy(to, base + strlen(row->part),
			    strlen(base) - strlen(row->part));
	case REC_DEVICE_FIXED:
		break;
	}
	snprintf(to, REC_DEVICE_PART, "%s", row->part ? row->part : "");
	return true;
}

/* As far as there are digits. */
static bool digits(int64_t *to, struct span text)
{
	bool negative = text.n && *text.p == '-';
	size_t n = 0;
	uint64_t v;

	if (negative)
		(void)span_skip(&text, 1);
	while (n < text.n && text.p[n] >= '0' && text.p[n] <= '9')
		n++;
	if (!rec_number(span_of(text.p, n), 10, &v) || v > INT64_MAX)
		return false;
	*to = negative ? -(int64_t)v : (int64_t)v;
	return true;
}

static bool starred(int64_t *to, struct span text)
{
	struct span line, word;

	while (rec_line(&text, &line)) {
		while (line.n && line.p[line.n - 1] <= ' ')
			line.n--;
		if (span_ends(line, "*") && rec_word(&line, &word) &&
		    rec_word(&line, &word))
			return digits(to, word);
	}
	return false;
}

bool rec_device_value(int64_t *to, enum rec_device_form form, struct span text)
{
	struct span word;

	if (form == REC_DEVICE_STARRED)
		return starred(to, text);
	return form == REC_DEVICE_NUMBER && rec_word(&text, &word) &&
	       digits(to, word);
}

