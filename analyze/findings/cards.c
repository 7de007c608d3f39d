#include "analyze/findings/cards.h"

#include "analyze/findings/rule.h"
#include "analyze/trace_data.h"

#include "format/base/mem.h"

#include <stdlib.h>
#include <string.h>

/* A PMU of one GPU is called by its driver and the PCI address, with '_' for ':':
 * "xe_0000_03_00.0". i915 has that of discrete GPUs only, and calls the integrated
 * one "i915", which is device 2 of bus 0 in each processor that has one (kernel,
 * drivers/gpu/drm/i915/i915_pmu.c and drivers/gpu/drm/xe/xe_pmu.c). */
#define INTEGRATED_PMU "i915"
#define INTEGRATED "0000:00:02.0"
#define ADDRESS_MAX 32

static bool is_hex(const char *text, size_t n)
{
	return strspn(text, "0123456789abcdef") >= n;
}

/* "0000:03:00.0"; domains have four digits or more. */
static bool is_address(const char *text)
{
	size_t domain = strcspn(text, ":");

	if (domain < 4 || domain > 8 || strlen(text) != domain + 8 ||
	    !is_hex(text, domain))
		return false;
	text += domain;
	return text[0] == ':' && is_hex(text + 1, 2) && text[3] == ':' &&
	       is_hex(text + 4, 2) && text[6] == '.' && is_hex(text + 7, 1);
}

/* false: its name tells none. */
static bool address_of(char to[ADDRESS_MAX], const char *pmu)
{
	const char *behind = strchr(pmu, '_');

	if (!strcmp(pmu, INTEGRATED_PMU))
		behind = "_" INTEGRATED;
	if (!behind || strlen(behind + 1) >= ADDRESS_MAX)
		return false;
	memcpy(to, behind + 1, strlen(behind));
	for (char *at = to; *at; at++)
		if (*at == '_')
			*at = ':';
	return is_address(to);
}

static bool is_read(const struct an_findings *f, uint32_t series)
{
	return an_totals_find(&f->totals, series) &&
	       an_string(f->t, an_series_of(f->t, series)->device).n;
}

/* By a source that calls GPUs by their addresses. */
static bool is_of_gpu(const struct an_findings *f, uint32_t series)
{
	enum tf_series_source source = an_series_of(f->t, series)->source;

	return is_read(f, series) && (source == TF_SERIES_FDINFO ||
				      source == TF_SERIES_SYSFS ||
				      source == TF_SERIES_NVML);
}

/* Classes of engines that clients of i915 have (kernel,
 * drivers/gpu/drm/i915/i915_drm_client.c). */
static bool is_i915_engine(const char *part)
{
	static const char *const classes[] = { "render", "copy", "video",
					       "video-enhance", "compute" };

	for (size_t i = 0; i < ARRAY_LEN(classes); i++)
		if (!strcmp(part, classes[i]))
			return true;
	return false;
}

/* Only other drivers tell that of a GPU. */
static bool is_not_of_i915(const struct an_findings *f, uint32_t series)
{
	const struct an_series *s = an_series_of(f->t, series);

	switch (s->source) {
	case TF_SERIES_FDINFO:
		return an_series_is_named(f, series, "drm-cycles") ||
		       (an_series_is_named(f, series, "drm-engine") &&
			!is_i915_engine(an_text(f->t, s->part)));
	case TF_SERIES_SYSFS:
		return an_series_is_named(f, series, "utilization");
	default:
		return s->source == TF_SERIES_NVML;
	}
}

/* A PMU that has that very address in its name. */
static bool has_pmu_with(const struct an_findings *f, const char *address,
			 uint32_t machine)
{
	char other[ADDRESS_MAX];

	for (uint32_t i = 0; i < an_n_series(f->t); i++) {
		const struct an_series *s = an_series_of(f->t, i);
		const char *pmu = an_text(f->t, s->device);

		if (s->source == TF_SERIES_PMU && s->machine == machine &&
		    strcmp(pmu, INTEGRATED_PMU) != 0 &&
		    address_of(other, pmu) && !strcmp(other, address))
			return true;
	}
	return false;
}

/* Whether others tell of the GPU with that address, and nobody that the PMU is
 * another one's. */
static bool is_told(const struct an_findings *f, uint32_t device,
		    const struct an_series *pmu)
{
	bool integrated = !strcmp(an_text(f->t, pmu->device), INTEGRATED_PMU);
	bool told = false;

	for (uint32_t i = 0; i < an_n_series(f->t); i++) {
		const struct an_series *s = an_series_of(f->t, i);

		if (s->device != device || s->machine != pmu->machine ||
		    !is_of_gpu(f, i))
			continue;
		told = true;
		if (integrated && is_not_of_i915(f, i))
			return false;
	}
	return told &&
	       !(integrated && has_pmu_with(f, INTEGRATED, pmu->machine));
}

static uint32_t device_of(const struct an_findings *f, uint32_t series)
{
	const struct an_series *s = an_series_of(f->t, series);
	char address[ADDRESS_MAX];
	uint32_t id;

	if (s->source == TF_SERIES_PMU &&
	    address_of(address, an_text(f->t, s->device)) &&
	    intern_find(&f->t->strings, address, strlen(address), &id) &&
	    is_told(f, id, s))
		return id;
	return s->device;
}

/* PMUs of CPUs are no cards: only those that tell of engines, or are of a card
 * that others tell of. */
static bool is_card(const struct an_findings *f, uint32_t series)
{
	const struct an_series *s = an_series_of(f->t, series);

	if (is_of_gpu(f, series))
		return true;
	if (s->source != TF_SERIES_PMU || !is_read(f, series))
		return false;
	if (f->devices[series] != s->device)
		return true;
	for (size_t i = 0; i < f->engines.n; i++)
		if (an_series_of(f->t, f->engines.v[i].series)->device ==
		    s->device)
			return true;
	return false;
}

static bool is_same(const struct an_findings *f, const struct an_card *card,
		    uint32_t series)
{
	return card->device == f->devices[series] &&
	       card->machine == an_series_of(f->t, series)->machine;
}

static struct an_card *card_of(struct an_findings *f, uint32_t series)
{
	for (size_t i = 0; i < f->n_cards; i++)
		if (is_same(f, &f->cards[i], series))
			return &f->cards[i];
	f->cards[f->n_cards] = (struct an_card){
		.device = f->devices[series],
		.machine = an_series_of(f->t, series)->machine,
	};
	return &f->cards[f->n_cards++];
}

int an_cards_find(struct an_findings *f, struct err *err)
{
	uint32_t n = (uint32_t)an_n_series(f->t);

	f->cards = calloc((size_t)n + 1, sizeof(*f->cards));
	f->devices = calloc((size_t)n + 1, sizeof(*f->devices));
	if (!f->cards || !f->devices)
		return err_nomem(err);
	for (uint32_t i = 0; i < n; i++)
		f->devices[i] = device_of(f, i);
	for (uint32_t i = 0; i < n; i++) {
		const struct an_series *s = an_series_of(f->t, i);
		struct an_card *card;

		if (!is_card(f, i))
			continue;
		card = card_of(f, i);
		card->sources |= AN_OF(s->source);
		if (s->source == TF_SERIES_NVML && !s->pid)
			card->label = s->label;
	}
	return 0;
}

bool an_card_has(const struct an_findings *f, const struct an_card *card,
		 uint32_t series)
{
	const struct an_total *total = an_totals_find(&f->totals, series);

	return total && total->state == AN_INTERVAL_READ &&
	       is_same(f, card, series);
}
