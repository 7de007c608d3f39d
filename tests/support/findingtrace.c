#include "tests/support/findingtrace.h"

#include "format/base/mem.h"

#define MS 1000000ull
#define START (100ull * 1000 * MS)
#define AT(ms) (START + (ms) * MS)

static const struct tb_image images[] = {
	{ "app", TF_IMAGE_ELF, "/usr/bin/app", "app-build-id-000001", 0 },
	{ "x264", TF_IMAGE_ELF, "/usr/lib/libx264.so.164",
	  "x264-build-id-00001", 0 },
	{ "dav1d", TF_IMAGE_ELF, "/usr/lib/libdav1d.so.6",
	  "dav1d-build-id-0001", 0 },
	{ "avcodec", TF_IMAGE_ELF, "/usr/lib/libavcodec.so.60",
	  "avcodec-build-id-01", 0 },
};

static const struct tb_thread threads[] = {
	{ FT_HARDWARE, FT_HARDWARE, "player", AT(0) },
	{ FT_SOFTWARE, FT_SOFTWARE, "encoder", AT(0) },
	{ FT_OTHER, FT_OTHER, "game", AT(0) },
	{ FT_MIXED, FT_MIXED, "transcoder", AT(0) },
	{ FT_IDLE, FT_IDLE, "sleeper", AT(0) },
	{ FT_LITTLE, FT_LITTLE, "desktop", AT(0) },
	{ FT_SCALES, FT_SCALES, "viewer", AT(0) },
};

static const struct tb_event events[] = {
	{ "cpu-clock", "ns", 1, 0, 1000, 0, false },
};

#define SAMPLES(ms, who, n, image)                                             \
	{ .time = AT(ms), .thread = who, .period = MS,                         \
	  .user = image "@0x1000", .times = n }

static const struct tb_sample samples[] = {
	SAMPLES(1000, 0, 100, "app"),     SAMPLES(2000, 1, 2000, "app"),
	SAMPLES(3000, 1, 2000, "x264"),   SAMPLES(4000, 2, 6000, "app"),
	SAMPLES(5000, 3, 1000, "dav1d"),  SAMPLES(6000, 5, 1000, "app"),
	SAMPLES(7000, 6, 2000, "avcodec"), SAMPLES(8000, 4, 1, "app"),
};

static const struct tb_epoch epochs[] = {
	{ samples, ARRAY_LEN(samples) },
};

#define CLIENT(p, who, id, prt)                                                \
	{ .name = "drm-engine", .unit = "ns", .kind = TF_SERIES_COUNT,         \
	  .source = TF_SERIES_FDINFO, .pid = p, .device = "0000:00:02.0",      \
	  .part = prt, .client = id, .label = who }

static const struct tb_series media_series[] = {
	CLIENT(FT_HARDWARE, "player", 1, "video"),
	CLIENT(FT_OTHER, "game", 2, "render"),
	CLIENT(FT_MIXED, "transcoder", 3, "video"),
	CLIENT(FT_SCALES, "viewer", 4, "video-enhance"),
	{ .name = "i915/vcs0-busy/", .unit = "ns", .kind = TF_SERIES_COUNT,
	  .source = TF_SERIES_PMU, .device = "i915" },
};

#define V(ms, s, v) { .time = AT(ms), .series = s, .value = (int64_t)(v) }

static const struct tb_reading media_readings[] = {
	V(0, 0, 0), V(0, 1, 0), V(0, 2, 0), V(0, 3, 0), V(0, 4, 0),
	V(10000, 0, 3000 * MS), V(10000, 1, 8000 * MS), V(10000, 2, 1000 * MS),
	V(10000, 3, 5000 * MS), V(10000, 4, 4000 * MS),
};

#define PROCESSES                                                              \
	.images = images, .n_images = ARRAY_LEN(images),                       \
	.threads = threads, .n_threads = ARRAY_LEN(threads),                   \
	.events = events, .n_events = ARRAY_LEN(events),                       \
	.epochs = epochs, .n_epochs = ARRAY_LEN(epochs)

const struct tb_trace findingtrace_media = {
	PROCESSES,
	.series = media_series, .n_series = ARRAY_LEN(media_series),
	.readings = media_readings, .n_readings = ARRAY_LEN(media_readings),
	.id = 11,
};

const struct tb_trace findingtrace_samples = { PROCESSES, .id = 12 };

#define NV(nm, prt, un, knd)                                                   \
	{ .name = nm, .unit = un, .kind = knd, .source = TF_SERIES_NVML,       \
	  .device = "0000:18:00.0", .part = prt, .label = "NVIDIA H200" }
#define NV_LEVEL(nm, prt, un) NV(nm, prt, un, TF_SERIES_LEVEL)
#define NV_MEAN(nm, prt) NV(nm, prt, "%", TF_SERIES_MEAN)

static const struct tb_series nvidia_series[] = {
	NV_MEAN("utilization", "gpu"),
	NV_MEAN("sm-active", ""),
	NV_LEVEL("clock", "sm", "MHz"),
	NV_LEVEL("clock-max", "sm", "MHz"),
	NV_LEVEL("throttle-reasons", "", ""),
	NV_LEVEL("memory-used", "", "bytes"),
	NV_LEVEL("memory-total", "", "bytes"),
	NV_LEVEL("xid", "", ""),
	NV("ecc-errors", "corrected", "", TF_SERIES_COUNT),
};

#define BOTH(s, v) V(0, s, v), V(1000, s, v), V(2000, s, v)

static const struct tb_reading nvidia_readings[] = {
	BOTH(0, 97),
	BOTH(1, 12),
	BOTH(2, 990),
	V(0, 3, 1980),
	BOTH(4, 0x4 | 0x1),
	BOTH(5, 144ll << 30),
	V(0, 6, 150ll << 30),
	V(0, 7, 0), V(1500, 7, 79),
	V(0, 8, 2), V(1000, 8, 2), V(2000, 8, 5),
};

const struct tb_trace findingtrace_nvidia = {
	.series = nvidia_series, .n_series = ARRAY_LEN(nvidia_series),
	.readings = nvidia_readings, .n_readings = ARRAY_LEN(nvidia_readings),
	.id = 13,
};
