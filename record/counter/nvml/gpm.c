#include "record/counter/nvml/gpm.h"

#include "format/base/mem.h"
#include "format/base/time.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

/* The library may believe in as many as the longest header had, and more. */
#define ROOM 512

#define GRAPHICS_ACTIVE 1u

/* Those of links last: instances have none of their own. */
static const struct metric {
	unsigned id;
	const char *name, *unit;
} metrics[] = {
	{ GRAPHICS_ACTIVE, "graphics-active", "%" }, { 2, "sm-active", "%" },
	{ 3, "sm-occupancy", "%" },    { 4, "integer-active", "%" },
	{ 5, "tensor-active", "%" },   { 10, "dram-active", "%" },
	{ 11, "fp64-active", "%" },    { 12, "fp32-active", "%" },
	{ 13, "fp16-active", "%" },    { 20, "pcie-tx", "MiB/s" },
	{ 21, "pcie-rx", "MiB/s" },    { 60, "nvlink-rx", "MiB/s" },
	{ 61, "nvlink-tx", "MiB/s" },
};

static_assert(ARRAY_LEN(metrics) <= REC_NVML_GPM_METRICS, "a line for each");

#define N_LINKS 4u

static size_t n_metrics(const struct rec_nvml_gpu *g)
{
	return ARRAY_LEN(metrics) - (g->parent ? N_LINKS : 0);
}

static bool is_whole(const struct rec_nvml_gpu *g)
{
	const struct rec_nvml *lib = g->lib;

	return lib->gpm_support && lib->gpm_new && lib->gpm_free &&
	       lib->gpm_metrics &&
	       (g->parent ? lib->gpm_mig_sample != NULL :
			    lib->gpm_sample != NULL);
}

static int allocate(struct rec_nvml_gpm *m, const struct rec_nvml *lib)
{
	int code = lib->gpm_new(&m->last);

	return code == NVML_OK ? lib->gpm_new(&m->next) : code;
}

/* Whether there is such a thing here; asked once. */
static void try(struct rec_nvml_gpm *m, struct rec_nvml_gpu *g)
{
	struct nvml_gpm_support s = { .version = NVML_GPM_VERSION };
	int code;

	m->tried = true;
	if (!is_whole(g)) {
		rec_nvml_miss(g, "gpm", "", "this library knows of none");
		return;
	}
	code = g->lib->gpm_support(g->parent ? g->parent : g->device, &s);
	if (code == NVML_OK && !s.supported)
		code = NVML_NOT_SUPPORTED;
	m->has = code == NVML_OK;
	if (code == NVML_OK)
		code = allocate(m, g->lib);
	if (code == NVML_GPU_IS_LOST)
		g->lost = true;
	else if (code != NVML_OK) /* with MIG or without it */
		rec_nvml_miss(g, "gpm", "", rec_nvml_text(code));
	m->on = code == NVML_OK && m->last && m->next;
}

static struct nvml_gpm_request *request(const struct rec_nvml_gpm *m,
					size_t n)
{
	struct nvml_gpm_request *r =
		calloc(1, sizeof(*r) + ROOM * sizeof(r->metrics[0]));

	if (!r)
		return NULL;
	r->version = NVML_GPM_VERSION;
	r->n = (unsigned)n;
	r->begin = m->last;
	r->end = m->next;
	for (size_t i = 0; i < n; i++)
		r->metrics[i].id = metrics[i].id;
	return r;
}

/* false: no number, or none that there is room for. */
static bool thousandths(double value, int64_t *to)
{
	if (!isfinite(value) || fabs(value) > 1e12)
		return false;
	*to = llround(value * 1000);
	return true;
}

static void take(struct rec_nvml_gpm *m, struct rec_nvml_gpu *g, size_t i,
		 int code, double value, struct rec_reading *r)
{
	struct rec_series s = { .name = metrics[i].name,
				.unit = metrics[i].unit,
				.kind = TF_SERIES_MEAN, .scale = 1e-3 };

	if (g->parent && metrics[i].id == GRAPHICS_ACTIVE) {
		s.name = "utilization";
		s.part = "gpu";
	}
	if (code == NVML_OK && !thousandths(value, &r->value))
		code = NVML_UNKNOWN;
	rec_nvml_take(g, &m->lines[i], &s, code, r);
}

/* What lies between the two samples. `code`: how taking the second went. */
static void compare(struct rec_nvml_gpm *m, struct rec_nvml_gpu *g, int code,
		    struct rec_reading *r)
{
	size_t n = n_metrics(g);
	struct nvml_gpm_request *q = code == NVML_OK ? request(m, n) : NULL;

	if (q)
		code = g->lib->gpm_metrics(q);
	else if (code == NVML_OK)
		code = NVML_UNKNOWN;
	for (size_t i = 0; i < n && !g->lost; i++) {
		if (code != NVML_OK)
			take(m, g, i, code, 0, r);
		else
			take(m, g, i, q->metrics[i].code, q->metrics[i].value,
			     r);
	}
	free(q);
}

/* The first sample only tells that there will be something. */
static void first(struct rec_nvml_gpm *m, struct rec_nvml_gpu *g, int code)
{
	if (code == NVML_GPU_IS_LOST) {
		g->lost = true;
	} else if (code != NVML_OK) {
		rec_nvml_miss(g, "gpm", "", rec_nvml_why(g, code));
		m->on = !rec_nvml_is_never(code);
	}
}

static int sample(const struct rec_nvml_gpu *g, struct nvml_gpm_sample *to)
{
	return g->parent ? g->lib->gpm_mig_sample(g->parent, g->instance, to) :
			   g->lib->gpm_sample(g->device, to);
}

static bool is_early(const struct rec_nvml_gpm *m, uint64_t now_ns)
{
	return m->last_ns && now_ns - m->last_ns <
				     REC_NVML_GPM_NS - REC_NVML_GPM_EARLY_NS;
}

void rec_nvml_gpm_read(struct rec_nvml_gpm *m, struct rec_nvml_gpu *g)
{
	uint64_t begin_ns = time_now_ns(CLOCK_MONOTONIC);
	struct nvml_gpm_sample *was;
	struct rec_reading r;
	int code;

	if (!m->tried)
		try(m, g);
	if (!m->on || g->lost || is_early(m, begin_ns))
		return;
	code = sample(g, m->next);
	r = rec_nvml_since(begin_ns, 0);
	if (m->last_ns)
		compare(m, g, code, &r);
	else
		first(m, g, code);
	if (code != NVML_OK)
		return;
	was = m->last;
	m->last = m->next;
	m->next = was;
	m->last_ns = begin_ns;
}

void rec_nvml_gpm_end(struct rec_nvml_gpm *m, struct rec_nvml_gpu *g)
{
	for (size_t i = 0; i < ARRAY_LEN(metrics); i++)
		rec_nvml_end(g, &m->lines[i]);
	m->on = false;
}

void rec_nvml_gpm_skip(struct rec_nvml_gpm *m)
{
	m->last_ns = 0;
}

void rec_nvml_gpm_fini(struct rec_nvml_gpm *m, const struct rec_nvml *lib)
{
	if (m->last)
		lib->gpm_free(m->last);
	if (m->next)
		lib->gpm_free(m->next);
	*m = (struct rec_nvml_gpm){ .tried = false };
}
