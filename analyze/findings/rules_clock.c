/* What held a GPU back: its clock. */
#include "analyze/findings/rule.h"

#include "format/base/mem.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Who is busy for 90 % of the time could use a higher clock; within a fifth of
 * the highest one a GPU moves by itself. */
#define LOAD_BUSY 0.90
#define CLOCK_LOW 0.80

/* Bits of NVML's event reasons that are not the user's, nor idleness. */
static const struct {
	uint64_t bits;
	const char *name;
} reasons[] = {
	{ 0x4, "power limit" },
	{ 0x8, "hardware slowdown" },
	{ 0x20, "heat, found by software" },
	{ 0x40, "heat, found by hardware" },
	{ 0x80, "power brake of the supply" },
	{ 0x200, "limit of the board" },
	{ 0x400, "reliability" },
	{ ~UINT64_C(0x7ff), "one that is not known here" },
};

/* Bits of amdgpu's indep_throttle_status. */
static const struct {
	unsigned from, to;
	const char *name;
} amd_reasons[] = {
	{ 0, 15, "power" },
	{ 16, 31, "current" },
	{ 32, 55, "heat" },
	{ 56, 63, "firmware" },
};

#define NAMES 240

static void add_name(char to[NAMES], const char *name)
{
	size_t n = strlen(to);

	snprintf(to + n, NAMES - n, "%s%s", n ? ", " : "", name);
}

/* All bits that were set at the readings of a series. */
static uint64_t bits_of(const struct an_findings *f, uint32_t series)
{
	size_t n;
	const struct an_reading *v = an_counters_of(f->c, series, &n);
	uint64_t bits = 0;

	for (size_t i = 0; i < n; i++)
		if (v[i].state == TF_COUNTER_READ)
			bits |= (uint64_t)v[i].value;
	return bits;
}

/* Those of the times when it was busy and its clock low: the clock may be low
 * for other reasons at others. */
static uint64_t bits_while(const struct an_findings *f, uint32_t series,
			   const struct an_both *b)
{
	struct an_engine_share s;
	struct an_engine_walk w;
	double clock, value;
	uint64_t bits = 0;

	an_engine_walk(&w, f->c, b->engine);
	while (an_engine_next(&w, &s))
		if (s.busy >= b->busy &&
		    an_counters_level_at(f->c, b->level, s.end_ns, &clock) &&
		    clock < b->below &&
		    an_counters_level_at(f->c, series, s.end_ns, &value) &&
		    value >= 0 && value < 4294967296.0)
			bits |= (uint64_t)value;
	return bits;
}

static uint32_t clock_of(const struct an_findings *f,
			 const struct an_card *card, double *highest)
{
	static const char *const parts[] = { "sm", "graphics" };

	for (size_t i = 0; i < ARRAY_LEN(parts); i++) {
		uint32_t s = an_card_series(f, card, "clock", parts[i]);

		if (s != AN_NONE &&
		    an_most(f, an_card_series(f, card, "clock-max", parts[i]),
			    highest) && *highest > 0)
			return s;
	}
	return AN_NONE;
}

static void say_throttled(struct an_findings *f, const struct an_both *b,
			  double highest, const char *why, uint32_t by)
{
	an_find(f, "for %.0f%% of the time it was busy and its clock at %.0f "
		"MHz, %.0f%% of the highest (%.0f): %s", an_both_percent(b),
		b->level_mean, 100 * b->level_mean / highest, highest, why);
	an_find_proof(f, "in that time", b->engine->series,
		      100 * b->busy_mean);
	an_find_proof(f, "in that time", b->level, b->level_mean);
	if (by != AN_NONE)
		an_find_proof(f, "bits in that time", by,
			      (double)bits_while(f, by, b));
}

void an_rule_throttled(struct an_findings *f, const struct an_card *card)
{
	uint32_t by = an_card_series(f, card, "throttle-reasons", NULL);
	struct an_engine load;
	struct an_both b = { .engine = &load, .busy = LOAD_BUSY };
	double highest;
	char why[NAMES] = "";
	uint64_t bits;

	b.level = clock_of(f, card, &highest);
	if (b.level == AN_NONE || !an_card_load(f, card, &load)) {
		an_cannot(f, "no utilization, no clock, or no highest clock "
			  "was read");
		return;
	}
	b.below = CLOCK_LOW * highest;
	an_both_look(f, &b);
	if (!an_both_found(&b))
		return;
	if (by == AN_NONE) {
		say_throttled(f, &b, highest, "why, the trace does not tell",
			      by);
		return;
	}
	bits = bits_while(f, by, &b);
	for (size_t i = 0; i < ARRAY_LEN(reasons); i++)
		if (bits & reasons[i].bits)
			add_name(why, reasons[i].name);
	if (*why)
		say_throttled(f, &b, highest, why, by);
}

/* A tenth of the time is worth a word. */
#define HELD_LEAST 0.10

static void look_at_bits(struct an_findings *f, uint32_t series)
{
	uint64_t bits = bits_of(f, series);
	char why[NAMES] = "";

	for (size_t i = 0; i < ARRAY_LEN(amd_reasons); i++)
		for (unsigned k = amd_reasons[i].from; k <= amd_reasons[i].to;
		     k++)
			if (bits >> k & 1) {
				add_name(why, amd_reasons[i].name);
				break;
			}
	if (!bits)
		return;
	an_find(f, "its firmware held it down by: %s (bits 0x%" PRIx64 ")",
		why, bits);
	an_find_proof(f, "bits", series, (double)bits);
}

void an_rule_held_down(struct an_findings *f, const struct an_card *card)
{
	uint32_t bits = an_card_series(f, card, "throttle-reasons", NULL);
	bool any = bits != AN_NONE;

	if (any && an_series_of(f->t, bits)->source == TF_SERIES_SYSFS)
		look_at_bits(f, bits);
	for (uint32_t i = 0; i < an_n_series(f->t); i++) {
		double share;

		if (!an_card_has(f, card, i) ||
		    !an_series_is_named(f, i, "throttled") ||
		    !an_mean(f, i, &share))
			continue;
		any = true;
		if (share < HELD_LEAST)
			continue;
		an_find(f, "something kept the clock of '%s' down for %.0f%% "
			"of the time",
			an_text(f->t, an_series_of(f->t, i)->part),
			100 * share);
		an_find_proof(f, "mean", i, share);
	}
	if (!any)
		an_cannot(f, "this driver does not say that it throttles");
}

/* -- Clocks that were asked for --------------------------------------------- */

/* The engine of the card that was busy most. */
static bool busiest(const struct an_findings *f, const struct an_card *card,
		    struct an_engine *to)
{
	double most = -1;

	for (size_t i = 0; i < f->engines.n; i++) {
		struct an_engine_use u;

		if (!an_card_has(f, card, f->engines.v[i].series))
			continue;
		an_engine_sum(f->c, &f->engines.v[i], &u);
		if (!u.known_ns || u.busy_ns / (double)u.known_ns <= most)
			continue;
		most = u.busy_ns / (double)u.known_ns;
		*to = f->engines.v[i];
	}
	return most >= 0;
}

static void look_at_gt(struct an_findings *f, const struct an_card *card,
		       const struct an_engine *engine, uint32_t clock)
{
	const char *part = an_text(f->t, an_series_of(f->t, clock)->part);
	uint32_t asked = an_card_series(f, card, "clock-requested", part);
	struct an_both b = { .engine = engine, .busy = LOAD_BUSY,
			     .level = clock };
	double wanted;

	if (!an_most(f, asked, &wanted))
		return;
	b.below = CLOCK_LOW * wanted;
	an_both_look(f, &b);
	if (!an_both_found(&b))
		return;
	an_find(f, "for %.0f%% of the time an engine was busy and '%s' ran at "
		"%.0f MHz, where %.0f were asked for", an_both_percent(&b),
		part, b.level_mean, wanted);
	an_find_share(f, "busy in that time", engine->series,
		      100 * b.busy_mean);
	an_find_proof(f, "in that time", clock, b.level_mean);
	an_find_proof(f, "most", asked, wanted);
}

static uint32_t pmu_series(const struct an_findings *f,
			   const struct an_card *card, const char *what)
{
	for (uint32_t i = 0; i < an_n_series(f->t); i++)
		if (an_card_has(f, card, i) &&
		    an_series_of(f->t, i)->source == TF_SERIES_PMU &&
		    strstr(an_text(f->t, an_series_of(f->t, i)->name), what))
			return i;
	return AN_NONE;
}

/* A PMU tells means of the time between two readings, which are compared over
 * all of it. */
static bool look_at_pmu(struct an_findings *f, const struct an_card *card,
			const struct an_engine *engine)
{
	uint32_t clock = pmu_series(f, card, "actual-frequency");
	uint32_t asked = pmu_series(f, card, "requested-frequency");
	struct an_engine_use u = { 0 };
	double is = 0, wanted = 0;

	if (!an_mean(f, clock, &is) || !an_mean(f, asked, &wanted))
		return false;
	an_engine_sum(f->c, engine, &u);
	if (u.busy_ns < LOAD_BUSY * (double)u.known_ns ||
	    is >= CLOCK_LOW * wanted)
		return true;
	an_find(f, "an engine was busy all the time and it ran at %.0f MHz, "
		"where %.0f were asked for", is, wanted);
	an_find_share(f, "busy", engine->series,
		      100 * u.busy_ns / (double)u.known_ns);
	an_find_proof(f, "mean", clock, is);
	an_find_proof(f, "mean", asked, wanted);
	return true;
}

void an_rule_clock_low(struct an_findings *f, const struct an_card *card)
{
	struct an_engine engine = { 0 };
	bool any = false;

	if (!busiest(f, card, &engine)) {
		an_cannot(f, "no two readings of an engine of it");
		return;
	}
	for (uint32_t i = 0; i < an_n_series(f->t); i++) {
		if (!an_card_has(f, card, i) ||
		    !an_series_is_named(f, i, "clock") ||
		    an_card_series(f, card, "clock-requested",
				   an_text(f->t, an_series_of(f->t, i)->part)) ==
			    AN_NONE)
			continue;
		any = true;
		look_at_gt(f, card, &engine, i);
	}
	/* Both tell of the same clock. */
	if (!any && !look_at_pmu(f, card, &engine))
		an_cannot(f, "its driver does not tell which clock was asked "
			  "for");
}
