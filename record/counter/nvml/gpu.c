#include "record/counter/nvml/gpu.h"

#include "format/base/time.h"

#include <stdio.h>
#include <string.h>

void rec_nvml_name(const struct rec_nvml *lib, struct nvml_device *d,
		   char to[NVML_NAME_SIZE])
{
	memset(to, 0, NVML_NAME_SIZE);
	if (!d || !lib->name || lib->name(d, to, NVML_NAME_SIZE) != NVML_OK)
		snprintf(to, NVML_NAME_SIZE, "NVIDIA GPU");
	to[NVML_NAME_SIZE - 1] = 0;
}

const char *rec_nvml_why(const struct rec_nvml_gpu *g, int code)
{
	if (code == NVML_NOT_SUPPORTED && g->parent)
		return "not supported for a MIG instance";
	if (code == NVML_NOT_SUPPORTED && g->mig)
		return "not supported by this GPU while MIG is on";
	return rec_nvml_text(code);
}

static void begin(struct rec_nvml_gpu *g, struct rec_nvml_line *line,
		  const struct rec_series *what)
{
	struct rec_series s = *what;

	if (line->begun)
		return;
	s.source = TF_SERIES_NVML;
	s.device = g->address;
	if (!s.label)
		s.label = g->name;
	line->id = rec_readings_series(g->to, &s);
	line->begun = true;
}

bool rec_nvml_is_never(int code)
{
	return code == NVML_NOT_SUPPORTED || code == NVML_NO_PERMISSION ||
	       code == NVML_INVALID_ARGUMENT ||
	       code == NVML_FUNCTION_NOT_FOUND || code == NVML_DEPRECATED ||
	       code == NVML_ARGUMENT_VERSION_MISMATCH;
}

void rec_nvml_take(struct rec_nvml_gpu *g, struct rec_nvml_line *line,
		   const struct rec_series *what, int code,
		   const struct rec_reading *r)
{
	struct rec_reading failed = *r;

	if (line->over)
		return;
	if (code == NVML_GPU_IS_LOST) {
		g->lost = true;
	} else if (rec_nvml_is_never(code)) {
		rec_nvml_miss(g, what->name, what->part, rec_nvml_why(g, code));
		rec_nvml_end(g, line);
	} else if (code == NVML_OK) {
		begin(g, line, what);
		rec_readings_add(g->to, line->id, r);
	} else {
		begin(g, line, what);
		failed.value = 0;
		failed.state = TF_COUNTER_FAILED;
		rec_readings_add(g->to, line->id, &failed);
	}
}

void rec_nvml_end(struct rec_nvml_gpu *g, struct rec_nvml_line *line)
{
	struct rec_reading gone = { .time_ns = time_now_ns(CLOCK_MONOTONIC),
				    .state = TF_COUNTER_GONE };

	if (line->begun && !line->over)
		rec_readings_add(g->to, line->id, &gone);
	line->over = true;
}

void rec_nvml_miss(const struct rec_nvml_gpu *g, const char *name,
		   const char *part, const char *why)
{
	bool has_part = part && *part, alone = g->n == 1 && !g->parent;
	char full[160];

	snprintf(full, sizeof(full), "nvml.%s%s%s%s%s",
		 alone ? "" : g->address, alone ? "" : ".", name,
		 has_part ? "/" : "", has_part ? part : "");
	rec_readings_miss(g->to, full, why);
}

void rec_nvml_xid(struct rec_nvml_gpu *g, struct rec_nvml_line *line,
		  uint64_t xid)
{
	const struct rec_series s = { .name = "xid", .unit = "",
				      .kind = TF_SERIES_LEVEL, .scale = 1 };
	struct rec_reading r =
		rec_nvml_since(time_now_ns(CLOCK_MONOTONIC), 0);

	r.value = xid <= INT64_MAX ? (int64_t)xid : INT64_MAX;
	rec_nvml_take(g, line, &s, NVML_OK, &r);
}

struct rec_reading rec_nvml_since(uint64_t begin_ns, int64_t value)
{
	return rec_reading_between(begin_ns, time_now_ns(CLOCK_MONOTONIC),
				   value);
}

struct rec_nvml_moment rec_nvml_moment(void)
{
	uint64_t before = time_now_ns(CLOCK_MONOTONIC);
	struct rec_nvml_moment m = { .real_ns = time_now_ns(CLOCK_REALTIME) };

	m.mono_ns = before + (time_now_ns(CLOCK_MONOTONIC) - before) / 2;
	return m;
}

uint64_t rec_nvml_time(struct rec_nvml_moment at, uint64_t stamp_us)
{
	uint64_t ago;

	if (stamp_us >= at.real_ns / 1000)
		return at.mono_ns;
	ago = at.real_ns - stamp_us * 1000;
	return ago < at.mono_ns ? at.mono_ns - ago : 0;
}
