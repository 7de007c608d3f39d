#include "record/counter/nvml/samples.h"

#include "format/base/mem.h"
#include "format/base/time.h"

#include <stdlib.h>
#include <string.h>

/* The driver's buffer has room for some hundreds. */
#define MAX_SAMPLES 8192u

static const struct rec_series series = { .name = "power", .part = "sampled",
					  .unit = "W", .kind = TF_SERIES_LEVEL,
					  .scale = 1e-3 };

/* false: no number that can be power. */
static bool milliwatts(const struct nvml_sample *s, unsigned type, int64_t *to)
{
	if (type == NVML_U32)
		*to = s->value.u32;
	else if ((type == NVML_U64 || type == NVML_U64L) &&
		 s->value.u64 <= INT64_MAX)
		*to = (int64_t)s->value.u64;
	else if (type == NVML_I64 && s->value.i64 >= 0)
		*to = s->value.i64;
	else if (type == NVML_I32 && s->value.i32 >= 0)
		*to = s->value.i32;
	else if (type == NVML_F64 && s->value.f64 >= 0 && s->value.f64 < 1e12)
		*to = (int64_t)s->value.f64;
	else
		return false;
	return true;
}

/* How many there may be; 0: none, or `code` says why not. */
static unsigned ask_count(struct rec_nvml_samples *s, struct rec_nvml_gpu *g,
			  int *code)
{
	unsigned n = 0, type;

	*code = g->lib->samples ?
			g->lib->samples(g->device, NVML_SAMPLE_POWER,
					s->since_us, &type, &n, NULL) :
			NVML_FUNCTION_NOT_FOUND;
	if (*code == NVML_INSUFFICIENT_SIZE)
		*code = NVML_OK;
	if (*code == NVML_NOT_FOUND)
		n = 0, *code = NVML_OK;
	if (*code == NVML_OK && n > MAX_SAMPLES)
		*code = NVML_UNKNOWN;
	return *code == NVML_OK ? n : 0;
}

static void take(struct rec_nvml_samples *s, struct rec_nvml_gpu *g,
		 unsigned type, unsigned n, uint64_t begin_ns)
{
	struct rec_nvml_moment now = rec_nvml_moment();
	uint64_t since = s->since_us, limit = now.real_ns / 1000;
	struct rec_reading r = { .took_ns = now.mono_ns - begin_ns };

	for (unsigned i = 0; i < n; i++) {
		const struct nvml_sample *x = &s->room[i];

		/* What is left of the buffer comes with no time. */
		if (x->time_us <= since || x->time_us > limit)
			continue;
		if (!milliwatts(x, type, &r.value)) {
			rec_nvml_miss(g, series.name, series.part,
				      "some samples are no power");
			continue;
		}
		r.time_ns = rec_nvml_time(now, x->time_us);
		if (r.time_ns)
			rec_nvml_take(g, &s->line, &series, NVML_OK, &r);
		if (x->time_us > s->since_us)
			s->since_us = x->time_us;
	}
}

void rec_nvml_samples_read(struct rec_nvml_samples *s, struct rec_nvml_gpu *g)
{
	uint64_t begin_ns = time_now_ns(CLOCK_MONOTONIC);
	const struct rec_reading none = { .time_ns = begin_ns };
	unsigned n, got, type = 0;
	int code;

	if (s->line.over)
		return;
	if (!s->since_us)
		s->since_us = g->since_us;
	n = got = ask_count(s, g, &code);
	if (n && mem_grow(&s->room, &s->cap, n, sizeof(*s->room))) {
		/* What nobody wrote to is seen by its time, 0. */
		memset(s->room, 0, n * sizeof(*s->room));
		code = g->lib->samples(g->device, NVML_SAMPLE_POWER,
				       s->since_us, &type, &got, s->room);
	} else {
		got = 0;
	}
	if (code == NVML_OK)
		take(s, g, type, got < n ? got : n, begin_ns);
	else if (code == NVML_GPU_IS_LOST || rec_nvml_is_never(code))
		rec_nvml_take(g, &s->line, &series, code, &none);
	else if (code != NVML_NOT_FOUND)
		rec_nvml_miss(g, series.name, series.part,
			      "some samples could not be read");
}

void rec_nvml_samples_end(struct rec_nvml_samples *s, struct rec_nvml_gpu *g)
{
	rec_nvml_end(g, &s->line);
}

void rec_nvml_samples_fini(struct rec_nvml_samples *s)
{
	free(s->room);
	*s = (struct rec_nvml_samples){ .cap = 0 };
}
