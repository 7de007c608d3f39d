/* What a GPU is in: memory, errors, sleep. */
#include "analyze/findings/rule.h"

#include "format/base/mem.h"

#include <inttypes.h>
#include <string.h>

/* Beyond 95 % the next larger allocation fails, or memory is moved out. */
#define MEMORY_FULL 0.95
#define GIB 1073741824.0

/* Of NVML the whole, of amdgpu its own. */
static uint32_t memory(const struct an_findings *f, const struct an_card *card,
		       const char *name)
{
	uint32_t s = an_card_series(f, card, name, "");

	return s != AN_NONE ? s : an_card_series(f, card, name, "vram");
}

/* What is reserved nobody can have. */
static bool memory_of(const struct an_findings *f, const struct an_card *card,
		      double *used, double *total)
{
	double reserved;

	if (!an_most(f, memory(f, card, "memory-used"), used) ||
	    !an_most(f, memory(f, card, "memory-total"), total))
		return false;
	if (an_most(f, memory(f, card, "memory-reserved"), &reserved) &&
	    reserved < *total)
		*total -= reserved;
	return *total > 0;
}

void an_rule_memory_full(struct an_findings *f, const struct an_card *card)
{
	double used, total;

	if (!memory_of(f, card, &used, &total)) {
		an_cannot(f, "its memory was not read");
		return;
	}
	if (used < MEMORY_FULL * total)
		return;
	an_find(f, "its memory was full: %.2f of %.2f GiB (%.1f%%)",
		used / GIB, total / GIB, 100 * used / total);
	an_find_proof(f, "most", memory(f, card, "memory-used"), used);
	an_find_proof(f, "most", memory(f, card, "memory-total"),
		      total);
}

/* A GPU that does nothing is below 1 %; drivers and desktops hold up to a tenth
 * of the memory whatever is done. */
#define IDLE_LOAD 1.0
#define HELD_MEMORY 0.10

/* The process that holds most of it; AN_NONE: not told. */
static uint32_t holder(const struct an_findings *f, const struct an_card *card,
		       double *held)
{
	uint32_t best = AN_NONE;
	double v;

	*held = 0;
	for (uint32_t i = 0; i < an_n_series(f->t); i++)
		if (an_series_of(f->t, i)->pid && an_card_has(f, card, i) &&
		    an_series_is_named(f, i, "memory-used") &&
		    an_most(f, i, &v) && v > *held) {
			*held = v;
			best = i;
		}
	return best;
}

void an_rule_idle_memory(struct an_findings *f, const struct an_card *card)
{
	uint32_t load = an_card_series(f, card, "utilization", "gpu"), who;
	double busy, used, total, held;

	if (!an_mean(f, load, &busy) || !memory_of(f, card, &used, &total)) {
		an_cannot(f, "no utilization or no memory was read");
		return;
	}
	if (busy >= IDLE_LOAD || used < HELD_MEMORY * total)
		return;
	who = holder(f, card, &held);
	if (who != AN_NONE)
		an_find(f, "%.2f of its %.2f GiB were held while it did nothing"
			" (%.2f%% busy), most by %s/%d", used / GIB,
			total / GIB, busy,
			an_text(f->t, an_series_of(f->t, who)->label),
			(int)an_series_of(f->t, who)->pid);
	else
		an_find(f, "%.2f of its %.2f GiB were held while it did nothing"
			" (%.2f%% busy)", used / GIB, total / GIB, busy);
	an_find_proof(f, "mean", load, busy);
	an_find_proof(f, "most", memory(f, card, "memory-used"), used);
	an_find_proof(f, "most", who, held);
}

/* -- Errors ----------------------------------------------------------------- */

static const struct {
	int64_t xid;
	const char *means;
} xids[] = {
	{ 8, "work took too long and was ended" },
	{ 13, "a program made the graphics engine fail, mostly by an access "
	      "out of bounds" },
	{ 31, "a program used memory that is not mapped" },
	{ 32, "commands that the GPU was given are damaged" },
	{ 38, "the firmware failed" },
	{ 43, "a program's work was stopped after an error of its own" },
	{ 45, "a program's work was cleared away, mostly after another error" },
	{ 48, "memory has an error that ECC cannot correct" },
	{ 61, "a microcontroller stopped" },
	{ 62, "a microcontroller halted" },
	{ 63, "a page or row of memory is retired" },
	{ 64, "a page or row of memory could not be retired" },
	{ 69, "the graphics engine failed on a class" },
	{ 74, "NVLink failed" },
	{ 79, "the GPU is off the bus: power, heat, or its slot" },
	{ 92, "memory has many errors that ECC corrects" },
	{ 94, "an error of memory was contained in one program" },
	{ 95, "an error of memory was not contained: a reset is needed" },
	{ 119, "the GPU's own processor does not answer" },
	{ 120, "the GPU's own processor failed" },
};

static const char *xid_text(int64_t xid)
{
	for (size_t i = 0; i < ARRAY_LEN(xids); i++)
		if (xids[i].xid == xid)
			return xids[i].means;
	return "one that is not known here";
}

static bool is_new(const struct an_reading *v, size_t at)
{
	for (size_t i = 0; i < at; i++)
		if (v[i].state == TF_COUNTER_READ && v[i].value == v[at].value)
			return false;
	return v[at].state == TF_COUNTER_READ && v[at].value > 0;
}

/* Readings are events: there are few. */
#define XIDS_MAX 4096

void an_rule_xid(struct an_findings *f, const struct an_card *card)
{
	uint32_t series = an_card_series(f, card, "xid", NULL);
	const struct an_reading *v;
	size_t n;

	if (series == AN_NONE) {
		an_cannot(f, "the driver could not be listened to");
		return;
	}
	v = an_counters_of(f->c, series, &n);
	for (size_t i = 0; i < n && i < XIDS_MAX; i++) {
		if (!is_new(v, i))
			continue;
		an_find(f, "the driver reported Xid %" PRId64 ": %s",
			v[i].value, xid_text(v[i].value));
		an_find_proof(f, "Xid", series, (double)v[i].value);
	}
}

static bool errors(struct an_findings *f, const struct an_card *card,
		   const char *part, const char *more)
{
	uint32_t s = an_card_series(f, card, "ecc-errors", part);
	double n;

	if (!an_mean(f, s, &n))
		return false;
	if (n < 1)
		return true;
	an_find(f, "its memory had %.0f %s errors%s", n, part, more);
	an_find_proof(f, "new", s, n);
	return true;
}

void an_rule_ecc(struct an_findings *f, const struct an_card *card)
{
	bool any = errors(f, card, "uncorrected",
			  ": what was computed may be wrong");

	any |= errors(f, card, "corrected",
		      ": nothing is lost, but it may be wearing out");
	if (!any)
		an_cannot(f, "it has no ECC, or no two readings of it");
}

void an_rule_suspended(struct an_findings *f, const struct an_card *card)
{
	uint32_t s = an_card_series(f, card, "suspended", NULL);
	double share;

	if (!an_mean(f, s, &share)) {
		an_cannot(f, "whether it sleeps was not read");
		return;
	}
	if (share <= 0)
		return;
	an_find(f, "it slept for %.0f%% of the time and was asked nothing "
		"then: figures are of the time when it was awake",
		100 * share);
	an_find_proof(f, "mean", s, share);
}
