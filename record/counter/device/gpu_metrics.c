#include "record/counter/device/gpu_metrics.h"

#include "format/base/mem.h"

#include <assert.h>
#include <stdbool.h>

static_assert(REC_GM_N <= 32, "a bit for each");

#define MEAN TF_SERIES_MEAN
#define LEVEL TF_SERIES_LEVEL
#define COUNT TF_SERIES_COUNT

const struct rec_gpu_metric_info rec_gpu_metric_infos[REC_GM_N] = {
	[REC_GM_TEMPERATURE_EDGE] = { "temperature", "edge", "C", LEVEL },
	[REC_GM_TEMPERATURE_HOTSPOT] = { "temperature", "junction", "C",
					 LEVEL },
	[REC_GM_TEMPERATURE_MEMORY] = { "temperature", "mem", "C", LEVEL },
	[REC_GM_TEMPERATURE_GFX] = { "temperature", "gfx", "C", LEVEL },
	[REC_GM_TEMPERATURE_SOC] = { "temperature", "soc", "C", LEVEL },
	[REC_GM_UTILIZATION_GPU] = { "utilization", "gpu", "%", MEAN },
	[REC_GM_UTILIZATION_MEMORY] = { "utilization", "memory", "%", MEAN },
	[REC_GM_UTILIZATION_MEDIA] = { "utilization", "media", "%", MEAN },
	[REC_GM_POWER_MEAN] = { "power", "socket", "W", MEAN },
	[REC_GM_POWER] = { "power", "socket", "W", LEVEL },
	[REC_GM_ENERGY] = { "energy", "socket", "J", COUNT },
	[REC_GM_CLOCK_GFX] = { "clock", "gfxclk", "MHz", LEVEL },
	[REC_GM_CLOCK_SOC] = { "clock", "socclk", "MHz", LEVEL },
	[REC_GM_CLOCK_MEMORY] = { "clock", "uclk", "MHz", LEVEL },
	[REC_GM_CLOCK_FABRIC] = { "clock", "fclk", "MHz", LEVEL },
	[REC_GM_CLOCK_GFX_MEAN] = { "clock-mean", "gfxclk", "MHz", MEAN },
	[REC_GM_CLOCK_MEMORY_MEAN] = { "clock-mean", "uclk", "MHz", MEAN },
	[REC_GM_VOLTAGE_GFX] = { "voltage", "gfx", "V", LEVEL },
	[REC_GM_VOLTAGE_SOC] = { "voltage", "soc", "V", LEVEL },
	[REC_GM_VOLTAGE_MEMORY] = { "voltage", "mem", "V", LEVEL },
	[REC_GM_FAN] = { "fan", "", "rpm", LEVEL },
	[REC_GM_THROTTLE] = { "throttle-reasons", "", "", LEVEL },
};

struct field {
	enum rec_gpu_metric metric;
	uint16_t at;     /* bytes from the begin of the block */
	uint8_t size;    /* of the number: 2, 4, 8; 0: the row is the last */
	double scale;
};

/* Structs lie as a C compiler for 64 bits lays them out. */
#define HEAD_SIZE 4u

static const struct field v1_0[] = {
	{ REC_GM_TEMPERATURE_EDGE, 16, 2, 1 },
	{ REC_GM_TEMPERATURE_HOTSPOT, 18, 2, 1 },
	{ REC_GM_TEMPERATURE_MEMORY, 20, 2, 1 },
	{ REC_GM_UTILIZATION_GPU, 28, 2, 1 },
	{ REC_GM_UTILIZATION_MEMORY, 30, 2, 1 },
	{ REC_GM_UTILIZATION_MEDIA, 32, 2, 1 },
	{ REC_GM_POWER_MEAN, 34, 2, 1 },
	{ REC_GM_CLOCK_GFX, 54, 2, 1 },
	{ REC_GM_CLOCK_SOC, 56, 2, 1 },
	{ REC_GM_CLOCK_MEMORY, 58, 2, 1 },
	{ REC_GM_FAN, 72, 2, 1 },
	{ .size = 0 },
};

/* 1.2 and 1.3 go on where 1.1 ends. */
static const struct field v1_1[] = {
	{ REC_GM_TEMPERATURE_EDGE, 4, 2, 1 },
	{ REC_GM_TEMPERATURE_HOTSPOT, 6, 2, 1 },
	{ REC_GM_TEMPERATURE_MEMORY, 8, 2, 1 },
	{ REC_GM_UTILIZATION_GPU, 16, 2, 1 },
	{ REC_GM_UTILIZATION_MEMORY, 18, 2, 1 },
	{ REC_GM_UTILIZATION_MEDIA, 20, 2, 1 },
	{ REC_GM_POWER_MEAN, 22, 2, 1 },
	{ REC_GM_CLOCK_GFX, 54, 2, 1 },
	{ REC_GM_CLOCK_SOC, 56, 2, 1 },
	{ REC_GM_CLOCK_MEMORY, 58, 2, 1 },
	{ REC_GM_FAN, 72, 2, 1 },
	{ REC_GM_VOLTAGE_SOC, 104, 2, 1e-3 },
	{ REC_GM_VOLTAGE_GFX, 106, 2, 1e-3 },
	{ REC_GM_VOLTAGE_MEMORY, 108, 2, 1e-3 },
	{ REC_GM_THROTTLE, 112, 8, 1 },
	{ .size = 0 },
};

/* Of the clocks of several parts of the chip, the first one. */
#define CLOCKS_OF_MANY(gfx, soc, uclk)                                         \
	{ REC_GM_CLOCK_GFX, gfx, 2, 1 }, { REC_GM_CLOCK_SOC, soc, 2, 1 },      \
		{ REC_GM_CLOCK_MEMORY, uclk, 2, 1 }
#define JOULES (1.0 / 65536)
#define HEAD_OF_MANY(energy)                                                   \
	{ REC_GM_TEMPERATURE_HOTSPOT, 4, 2, 1 },                               \
		{ REC_GM_TEMPERATURE_MEMORY, 6, 2, 1 },                        \
		{ REC_GM_POWER, 10, 2, 1 },                                    \
		{ REC_GM_UTILIZATION_GPU, 12, 2, 1 },                          \
		{ REC_GM_UTILIZATION_MEMORY, 14, 2, 1 },                       \
		{ REC_GM_ENERGY, energy, 8, JOULES }

static const struct field v1_4[] = {
	HEAD_OF_MANY(24),
	CLOCKS_OF_MANY(240, 256, 280),
	{ .size = 0 },
};
static const struct field v1_5[] = {
	HEAD_OF_MANY(88),
	CLOCKS_OF_MANY(312, 328, 352),
	{ .size = 0 },
};
static const struct field v1_6[] = {
	HEAD_OF_MANY(16),
	CLOCKS_OF_MANY(264, 280, 304),
	{ .size = 0 },
};
static const struct field v1_7[] = {
	HEAD_OF_MANY(24),
	CLOCKS_OF_MANY(296, 312, 336),
	{ .size = 0 },
};

static const struct field v2_0[] = {
	{ REC_GM_TEMPERATURE_GFX, 16, 2, 1e-2 },
	{ REC_GM_TEMPERATURE_SOC, 18, 2, 1e-2 },
	{ REC_GM_CLOCK_GFX, 80, 2, 1 },
	{ REC_GM_CLOCK_SOC, 82, 2, 1 },
	{ REC_GM_CLOCK_MEMORY, 84, 2, 1 },
	{ REC_GM_CLOCK_FABRIC, 86, 2, 1 },
	{ .size = 0 },
};

#define FIELDS_OF_V2_1                                                         \
	{ REC_GM_TEMPERATURE_GFX, 4, 2, 1e-2 },                                \
		{ REC_GM_TEMPERATURE_SOC, 6, 2, 1e-2 },                        \
		{ REC_GM_CLOCK_GFX, 76, 2, 1 },                                \
		{ REC_GM_CLOCK_SOC, 78, 2, 1 },                                \
		{ REC_GM_CLOCK_MEMORY, 80, 2, 1 },                             \
		{ REC_GM_CLOCK_FABRIC, 82, 2, 1 },                             \
		{ REC_GM_THROTTLE, 120, 8, 1 }

static const struct field v2_1[] = { FIELDS_OF_V2_1, { .size = 0 } };
static const struct field v2_4[] = {
	FIELDS_OF_V2_1,
	{ REC_GM_UTILIZATION_GPU, 28, 2, 1e-2 },
	{ REC_GM_UTILIZATION_MEDIA, 30, 2, 1e-2 },
	{ REC_GM_POWER_MEAN, 40, 2, 1e-3 },
	{ REC_GM_VOLTAGE_SOC, 154, 2, 1e-3 },
	{ REC_GM_VOLTAGE_GFX, 156, 2, 1e-3 },
	{ .size = 0 },
};

static const struct field v3_0[] = {
	{ REC_GM_TEMPERATURE_GFX, 4, 2, 1e-2 },
	{ REC_GM_TEMPERATURE_SOC, 6, 2, 1e-2 },
	{ REC_GM_POWER_MEAN, 112, 4, 1e-3 },
	{ REC_GM_CLOCK_GFX_MEAN, 174, 2, 1 },
	{ REC_GM_CLOCK_MEMORY_MEAN, 186, 2, 1 },
	{ .size = 0 },
};

/* Blocks that end earlier are of another layout: 3.0 had a shorter one before it
 * was released. */
static const struct layout {
	uint8_t format, first, last; /* revisions of the content */
	uint16_t least_size;
	const struct field *fields;
} layouts[] = {
	{ 1, 0, 0, 76, v1_0 },	 { 1, 1, 1, 96, v1_1 },
	{ 1, 2, 2, 104, v1_1 },	 { 1, 3, 3, 120, v1_1 },
	{ 1, 4, 4, 282, v1_4 },	 { 1, 5, 5, 354, v1_5 },
	{ 1, 6, 6, 306, v1_6 },	 { 1, 7, 8, 338, v1_7 },
	{ 2, 0, 0, 118, v2_0 },	 { 2, 1, 1, 114, v2_1 },
	{ 2, 2, 2, 128, v2_1 },	 { 2, 3, 3, 152, v2_1 },
	{ 2, 4, 4, 164, v2_4 },	 { 3, 0, 0, 260, v3_0 },
};

static const struct layout *layout_of(uint8_t format, uint8_t content)
{
	for (size_t i = 0; i < ARRAY_LEN(layouts); i++)
		if (layouts[i].format == format &&
		    content >= layouts[i].first && content <= layouts[i].last)
			return &layouts[i];
	return NULL;
}

/* false: it is beyond the end, or not there. */
static bool take(int64_t *to, struct span block, const struct field *f)
{
	uint16_t half = 0;
	uint32_t word = 0;
	uint64_t v = 0;

	if (!span_skip(&block, f->at))
		return false;
	if (f->size == 2 && span_u16(&block, &half))
		v = half == UINT16_MAX ? UINT64_MAX : half;
	else if (f->size == 4 && span_u32(&block, &word))
		v = word == UINT32_MAX ? UINT64_MAX : word;
	else if (f->size != 8 || !span_u64(&block, &v))
		return false;
	*to = (int64_t)v;
	return v != UINT64_MAX;
}

static void take_all(struct rec_gpu_metrics *out, struct span block,
		     const struct field *f)
{
	int64_t v;

	*out = (struct rec_gpu_metrics){ 0 };
	for (; f->size; f++) {
		if (!take(&v, block, f))
			continue;
		out->has |= 1u << f->metric;
		out->values[f->metric] = v;
		out->scales[f->metric] = f->scale;
	}
}

int rec_gpu_metrics_decode(struct rec_gpu_metrics *out, struct span block,
			   struct err *err)
{
	struct span head = block, known;
	const struct layout *l;
	uint8_t format, content;
	uint16_t size;

	if (!span_u16(&head, &size) || !span_u8(&head, &format) ||
	    !span_u8(&head, &content) || size < HEAD_SIZE ||
	    !span_take(&block, size, &known))
		return err_set(err, ERR_FORMAT, "it is cut short");
	l = layout_of(format, content);
	if (!l)
		return err_set(err, ERR_UNSUPPORTED, "its revision %u.%u is "
			       "not known", format, content);
	if (size < l->least_size)
		return err_set(err, ERR_FORMAT, "revision %u.%u has %u bytes, "
			       "not the %u it should", format, content, size,
			       l->least_size);
	take_all(out, known, l->fields);
	return 0;
}
