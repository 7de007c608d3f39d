#include "record/counter/nvml/metrics.h"

#include "format/base/mem.h"
#include "format/base/time.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

/* What one call gives, or its refusal; a value may be missing alone. */
#define MAX_ANSWERS 4
struct answer { int code; int64_t value; };

typedef void ask_fn(const struct rec_nvml *lib, size_t call,
		    struct nvml_device *d, unsigned arg, struct answer *to);

/* Nothing that is counted here comes near 2^63: what does stands for "not
 * known". */
static struct answer answer(int code, unsigned long long value)
{
	if (code == NVML_OK && value > INT64_MAX)
		return (struct answer){ NVML_UNKNOWN, 0 };
	return (struct answer){ code, code == NVML_OK ? (int64_t)value : 0 };
}

static void ask_u32(const struct rec_nvml *lib, size_t call,
		    struct nvml_device *d, unsigned arg, struct answer *to)
{
	int (*f)(struct nvml_device *, unsigned *);
	unsigned value = 0;
	int code;

	(void)arg;
	memcpy(&f, (const char *)lib + call, sizeof(f));
	code = f(d, &value);
	to[0] = answer(code, value);
}

static void ask_u32_of(const struct rec_nvml *lib, size_t call,
		       struct nvml_device *d, unsigned arg, struct answer *to)
{
	int (*f)(struct nvml_device *, unsigned, unsigned *);
	unsigned value = 0;
	int code;

	memcpy(&f, (const char *)lib + call, sizeof(f));
	code = f(d, arg, &value);
	to[0] = answer(code, value);
}

static void ask_u64(const struct rec_nvml *lib, size_t call,
		    struct nvml_device *d, unsigned arg, struct answer *to)
{
	int (*f)(struct nvml_device *, unsigned long long *);
	unsigned long long value = 0;
	int code;

	(void)arg;
	memcpy(&f, (const char *)lib + call, sizeof(f));
	code = f(d, &value);
	to[0] = answer(code, value);
}

static void ask_coder(const struct rec_nvml *lib, size_t call,
		      struct nvml_device *d, unsigned arg, struct answer *to)
{
	int (*f)(struct nvml_device *, unsigned *, unsigned *);
	unsigned value = 0, period_us = 0;
	int code;

	(void)arg;
	memcpy(&f, (const char *)lib + call, sizeof(f));
	code = f(d, &value, &period_us);
	to[0] = answer(code, value);
}

static void ask_utilization(const struct rec_nvml *lib, size_t call,
			    struct nvml_device *d, unsigned arg,
			    struct answer *to)
{
	struct nvml_utilization u = { 0, 0 };
	int code = lib->utilization(d, &u);

	(void)call, (void)arg;
	to[0] = answer(code, u.gpu);
	to[1] = answer(code, u.memory);
}

static void ask_performance(const struct rec_nvml *lib, size_t call,
			    struct nvml_device *d, unsigned arg,
			    struct answer *to)
{
	ask_u32(lib, call, d, arg, to);
	if (to[0].value >= NVML_PERFORMANCE_UNKNOWN)
		to[0] = answer(NVML_UNKNOWN, 0);
}

/* The call of old, and where that has gone the new one. */
static void ask_temperature(const struct rec_nvml *lib, size_t call,
			    struct nvml_device *d, unsigned arg,
			    struct answer *to)
{
	struct nvml_temperature t = { .version = NVML_TEMPERATURE_VERSION,
				      .sensor = arg };
	int code;

	to[0].code = NVML_FUNCTION_NOT_FOUND;
	if (lib->temperature)
		ask_u32_of(lib, call, d, arg, to);
	if (!lib->temperature_v || (to[0].code != NVML_FUNCTION_NOT_FOUND &&
				    to[0].code != NVML_DEPRECATED))
		return;
	code = lib->temperature_v(d, &t);
	to[0] = (struct answer){ code, code == NVML_OK ? t.celsius : 0 };
}

static void ask_ecc(const struct rec_nvml *lib, size_t call,
		    struct nvml_device *d, unsigned arg, struct answer *to)
{
	unsigned long long n = 0;
	int code = lib->ecc(d, arg, NVML_ECC_VOLATILE, &n);

	(void)call;
	to[0] = answer(code, n);
}

static void memory_v1(const struct rec_nvml *lib, struct nvml_device *d,
		      struct answer *to)
{
	struct nvml_memory_v1 m = { 0, 0, 0 };
	int code = lib->memory_v1(d, &m);

	to[0] = answer(code, m.used);
	to[1] = answer(code, m.free);
	to[2] = answer(code, m.total);
	to[3] = answer(code == NVML_OK ? NVML_FUNCTION_NOT_FOUND : code, 0);
}

static void ask_memory(const struct rec_nvml *lib, size_t call,
		       struct nvml_device *d, unsigned arg, struct answer *to)
{
	struct nvml_memory m = { .version = NVML_MEMORY_VERSION };
	int code = lib->memory ? lib->memory(d, &m) : NVML_FUNCTION_NOT_FOUND;

	(void)call, (void)arg;
	if (lib->memory_v1 && (code == NVML_FUNCTION_NOT_FOUND ||
			       code == NVML_NOT_SUPPORTED ||
			       code == NVML_ARGUMENT_VERSION_MISMATCH)) {
		memory_v1(lib, d, to);
		return;
	}
	to[0] = answer(code, m.used);
	to[1] = answer(code, m.free);
	to[2] = answer(code, m.total);
	to[3] = answer(code, m.reserved);
}

enum when { EACH_TIME, ONCE, SLOWLY };

/* Rows in a row that ask the same share one call. */
static const struct metric {
	const char *name, *part, *unit;
	enum tf_series_kind kind;
	double scale;
	ask_fn *ask;
	size_t call, or_call; /* one of them is needed */
	unsigned arg;
	unsigned nth;         /* of the answers */
	enum when when;
} metrics[] = {
#define AT(member) offsetof(struct rec_nvml, member)
#define ONE(ask, member, arg) ask, AT(member), AT(member), arg, 0
#define MEAN TF_SERIES_MEAN
#define LEVEL TF_SERIES_LEVEL
#define COUNT TF_SERIES_COUNT
	{ "utilization", "gpu", "%", MEAN, 1, ask_utilization, AT(utilization),
	  AT(utilization), 0, 0, EACH_TIME },
	{ "utilization", "memory", "%", MEAN, 1, ask_utilization,
	  AT(utilization), AT(utilization), 0, 1, EACH_TIME },
	{ "utilization", "encoder", "%", MEAN, 1, ONE(ask_coder, encoder, 0),
	  EACH_TIME },
	{ "utilization", "decoder", "%", MEAN, 1, ONE(ask_coder, decoder, 0),
	  EACH_TIME },
	{ "memory-used", "", "bytes", LEVEL, 1, ask_memory, AT(memory),
	  AT(memory_v1), 0, 0, EACH_TIME },
	{ "memory-free", "", "bytes", LEVEL, 1, ask_memory, AT(memory),
	  AT(memory_v1), 0, 1, EACH_TIME },
	{ "memory-total", "", "bytes", LEVEL, 1, ask_memory, AT(memory),
	  AT(memory_v1), 0, 2, ONCE },
	{ "memory-reserved", "", "bytes", LEVEL, 1, ask_memory, AT(memory),
	  AT(memory_v1), 0, 3, ONCE },
	{ "power", "", "W", LEVEL, 1e-3, ONE(ask_u32, power, 0), EACH_TIME },
	{ "power-limit", "", "W", LEVEL, 1e-3, ONE(ask_u32, power_limit, 0),
	  EACH_TIME },
	{ "energy", "", "J", COUNT, 1e-3, ONE(ask_u64, energy, 0), EACH_TIME },
	{ "clock", "graphics", "MHz", LEVEL, 1,
	  ONE(ask_u32_of, clock, NVML_GRAPHICS), EACH_TIME },
	{ "clock", "sm", "MHz", LEVEL, 1, ONE(ask_u32_of, clock, NVML_SM),
	  EACH_TIME },
	{ "clock", "memory", "MHz", LEVEL, 1,
	  ONE(ask_u32_of, clock, NVML_MEMORY), EACH_TIME },
	{ "clock", "video", "MHz", LEVEL, 1, ONE(ask_u32_of, clock, NVML_VIDEO),
	  EACH_TIME },
	{ "clock-max", "graphics", "MHz", LEVEL, 1,
	  ONE(ask_u32_of, clock_max, NVML_GRAPHICS), ONCE },
	{ "clock-max", "sm", "MHz", LEVEL, 1,
	  ONE(ask_u32_of, clock_max, NVML_SM), ONCE },
	{ "clock-max", "memory", "MHz", LEVEL, 1,
	  ONE(ask_u32_of, clock_max, NVML_MEMORY), ONCE },
	{ "clock-max", "video", "MHz", LEVEL, 1,
	  ONE(ask_u32_of, clock_max, NVML_VIDEO), ONCE },
	{ "throttle-reasons", "", "", LEVEL, 1, ONE(ask_u64, reasons, 0),
	  EACH_TIME },
	{ "temperature", "gpu", "C", LEVEL, 1, ask_temperature, AT(temperature),
	  AT(temperature_v), 0, 0, EACH_TIME },
	{ "performance-state", "", "", LEVEL, 1,
	  ONE(ask_performance, performance, 0), EACH_TIME },
	{ "ecc-errors", "corrected", "", COUNT, 1,
	  ONE(ask_ecc, ecc, NVML_CORRECTED), EACH_TIME },
	{ "ecc-errors", "uncorrected", "", COUNT, 1,
	  ONE(ask_ecc, ecc, NVML_UNCORRECTED), EACH_TIME },
	{ "pcie-tx", "", "KB/s", MEAN, 1, ONE(ask_u32_of, pcie, NVML_TX),
	  SLOWLY },
	{ "pcie-rx", "", "KB/s", MEAN, 1, ONE(ask_u32_of, pcie, NVML_RX),
	  SLOWLY },
};

static_assert(ARRAY_LEN(metrics) <= REC_NVML_METRICS, "a line for each");

/* true: it is not even asked for, and `why`. */
static bool is_out(const struct metric *m, const struct rec_nvml_gpu *g,
		   char why[96])
{
	if (!rec_nvml_has(g->lib, m->call) && !rec_nvml_has(g->lib, m->or_call))
		snprintf(why, 96, "this library has no '%s'",
			 rec_nvml_symbol(m->call));
	else if (m->when == SLOWLY && g->interval_ns &&
		 g->interval_ns / REC_NVML_SLOW_NS < g->n)
		snprintf(why, 96, "a reading takes 20 ms of each GPU: only with "
				  "intervals of %zu ms or more",
			 g->n * (REC_NVML_SLOW_NS / 1000000));
	else
		return false;
	return true;
}

/* The first time that it would be asked for. */
static void try(const struct metric *m, struct rec_nvml_line *line,
		struct rec_nvml_gpu *g, bool gpm)
{
	char why[96];

	if (m->when == SLOWLY && gpm) {
		line->over = true;
	} else if (is_out(m, g, why)) {
		rec_nvml_miss(g, m->name, m->part, why);
		line->over = true;
	}
}

static void take(const struct metric *m, struct rec_nvml_line *line,
		 struct rec_nvml_gpu *g, const struct answer *a,
		 struct rec_reading *r)
{
	struct rec_series s = { .name = m->name, .part = m->part,
				.unit = m->unit, .kind = m->kind,
				.scale = m->scale };

	r->value = a->value;
	rec_nvml_take(g, line, &s, a->code, r);
}

/* What an instance tells of itself: memory. The rest is the GPU's, for all. */
static bool is_told(const struct metric *x, const struct rec_nvml_gpu *g)
{
	return !g->parent || x->ask == ask_memory;
}

static bool is_same_call(const struct metric *a, const struct metric *b)
{
	return a && a->ask == b->ask && a->call == b->call && a->arg == b->arg;
}

void rec_nvml_metrics_read(struct rec_nvml_metrics *m, struct rec_nvml_gpu *g,
			   bool gpm)
{
	struct answer a[MAX_ANSWERS] = { { 0, 0 } };
	struct rec_reading r = { .time_ns = 0 };
	const struct metric *last = NULL;

	for (size_t i = 0; i < ARRAY_LEN(metrics) && !g->lost; i++) {
		const struct metric *x = &metrics[i];
		uint64_t begin_ns;

		if (!is_told(x, g))
			continue;
		if (!m->lines[i].begun)
			try(x, &m->lines[i], g, gpm);
		if (m->lines[i].over || m->read[i])
			continue;
		if (!is_same_call(last, x)) {
			begin_ns = time_now_ns(CLOCK_MONOTONIC);
			x->ask(g->lib, x->call, g->device, x->arg, a);
			r = rec_nvml_since(begin_ns, 0);
			last = x;
		}
		take(x, &m->lines[i], g, &a[x->nth], &r);
		m->read[i] = x->when == ONCE && a[x->nth].code == NVML_OK;
	}
}

void rec_nvml_metrics_end(struct rec_nvml_metrics *m, struct rec_nvml_gpu *g)
{
	for (size_t i = 0; i < ARRAY_LEN(metrics); i++)
		rec_nvml_end(g, &m->lines[i]);
}
