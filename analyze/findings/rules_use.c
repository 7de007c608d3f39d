/* How a GPU was used: by performance counters, engines and clients. */
#include "analyze/findings/rule.h"

#include <math.h>
#include <string.h>

/* GPU-Util says for which share of the time any kernel ran, be it on one SM.
 * Above 80 % people take a GPU for used; where its SMs worked for less than 30 %
 * of the time, most of it was not. */
#define LOAD_HIGH 0.80
#define SM_LOW 30.0

void an_rule_launch_bound(struct an_findings *f, const struct an_card *card)
{
	struct an_engine load;
	struct an_both b = { .engine = &load, .busy = LOAD_HIGH,
			     .below = SM_LOW };

	b.level = an_card_series(f, card, "sm-active", NULL);
	if (b.level == AN_NONE) {
		an_cannot(f, "this GPU tells no activity of its SMs; its "
			  "utilization says only that some kernel ran");
		return;
	}
	if (!an_card_load(f, card, &load)) {
		an_cannot(f, "no utilization was read");
		return;
	}
	an_both_look(f, &b);
	if (!an_both_found(&b))
		return;
	an_find(f, "for %.0f%% of the time kernels ran, yet its SMs worked "
		"for %.1f%% only: they are small, or it waits for launches",
		an_both_percent(&b), b.level_mean);
	an_find_proof(f, "in that time", load.series, 100 * b.busy_mean);
	an_find_proof(f, "in that time", b.level, b.level_mean);
}

/* Beyond 70 % of what the memory can move, more is seldom had; pipes that work
 * for less than 30 % are then waiting for it. */
#define DRAM_HIGH 0.70
#define PIPES_LOW 30.0
static const char *const pipes[] = { "tensor-active", "fp32-active",
				     "fp16-active", "fp64-active" };

/* The busiest pipe by its mean; AN_NONE: none is told. */
static uint32_t busiest_pipe(const struct an_findings *f,
			     const struct an_card *card, double *busy)
{
	uint32_t best = AN_NONE;
	double v;

	*busy = -1;
	for (size_t i = 0; i < sizeof(pipes) / sizeof(pipes[0]); i++) {
		uint32_t s = an_card_series(f, card, pipes[i], NULL);

		if (an_mean(f, s, &v) && v > *busy) {
			*busy = v;
			best = s;
		}
	}
	return best;
}

void an_rule_memory_bound(struct an_findings *f, const struct an_card *card)
{
	uint32_t dram = an_card_series(f, card, "dram-active", NULL);
	struct an_engine engine = { AN_ENGINE_PERCENT, dram, AN_NONE };
	struct an_both b = { .engine = &engine, .busy = DRAM_HIGH,
			     .below = PIPES_LOW };
	double busy;

	b.level = busiest_pipe(f, card, &busy);
	if (dram == AN_NONE || b.level == AN_NONE) {
		an_cannot(f, "this GPU tells no activity of its memory and "
			  "pipes");
		return;
	}
	an_both_look(f, &b);
	if (!an_both_found(&b))
		return;
	an_find(f, "for %.0f%% of the time its memory was busy (%.1f%%) while "
		"the busiest pipe worked for %.1f%%: it waits for memory",
		an_both_percent(&b), 100 * b.busy_mean, b.level_mean);
	an_find_proof(f, "in that time", dram, 100 * b.busy_mean);
	an_find_proof(f, "in that time", b.level, b.level_mean);
}

/* 80 % of what PCIe 3.0 with 16 lanes carries (some 12.5 GiB/s in one direction);
 * the link itself is not in a trace. */
#define PCIE_HIGH_MIB 10240.0

/* MiB/s; false: not known. */
static bool pcie(const struct an_findings *f, uint32_t series, double *mib)
{
	const struct an_series *s;

	if (!an_mean(f, series, mib))
		return false;
	s = an_series_of(f->t, series);
	if (strcmp(an_text(f->t, s->unit), "KB/s") == 0)
		*mib /= 1024;
	return true;
}

void an_rule_pcie_bound(struct an_findings *f, const struct an_card *card)
{
	uint32_t tx = an_card_series(f, card, "pcie-tx", NULL);
	uint32_t rx = an_card_series(f, card, "pcie-rx", NULL);
	uint32_t sm = an_card_series(f, card, "sm-active", NULL);
	double sent = 0, got = 0, active, raw;
	bool any = pcie(f, tx, &sent);

	any |= pcie(f, rx, &got);
	if (!any || !an_mean(f, sm, &active)) {
		an_cannot(f, any ? "this GPU tells no activity of its SMs" :
				   "no transfers were read");
		return;
	}
	if (active >= SM_LOW || fmax(sent, got) < PCIE_HIGH_MIB)
		return;
	an_find(f, "%.0f MiB/s went over PCIe while its SMs worked for %.1f%% "
		"of the time: it waits for transfers (how fast its link is, "
		"the trace does not tell)", fmax(sent, got), active);
	if (an_mean(f, sent > got ? tx : rx, &raw))
		an_find_proof(f, "mean", sent > got ? tx : rx, raw);
	an_find_proof(f, "mean", sm, active);
}

/* -- Engines and clients ---------------------------------------------------- */

#define ENGINE_BUSY 0.90

static double share_of(const struct an_findings *f, const struct an_engine *e)
{
	struct an_engine_use u;

	an_engine_sum(f->c, e, &u);
	return u.end_ns > u.begin_ns ?
		       u.busy_ns / (double)(u.end_ns - u.begin_ns) : 0;
}

/* Time that something was busy counts against all of the time that the card was
 * read: a client may have come late. */
static uint64_t length_of(const struct an_findings *f,
			  const struct an_card *card)
{
	uint64_t begin = UINT64_MAX, end = 0;

	for (size_t i = 0; i < f->engines.n; i++) {
		struct an_engine_use u;

		if (!an_card_has(f, card, f->engines.v[i].series))
			continue;
		an_engine_sum(f->c, &f->engines.v[i], &u);
		if (!u.known_ns)
			continue;
		begin = u.begin_ns < begin ? u.begin_ns : begin;
		end = u.end_ns > end ? u.end_ns : end;
	}
	return end > begin ? end - begin : 0;
}

struct engine_sum {
	double busy, most; /* shares of the time: of all, of the client with
			    * most of it */
	size_t top, n;
};

/* Of all that are of the same name and source. Parts of a process by NVML are
 * not added up: the device tells its own. */
static void sum_engine(const struct an_findings *f, const struct an_card *card,
		       size_t first, uint64_t length, struct engine_sum *to)
{
	const struct an_series *s = an_series_of(f->t,
						 f->engines.v[first].series);
	char name[AN_ENGINE_NAME], other[AN_ENGINE_NAME];

	*to = (struct engine_sum){ .most = -1 };
	an_engine_name(f->t, &f->engines.v[first], name);
	for (size_t i = 0; i < f->engines.n; i++) {
		const struct an_engine *e = &f->engines.v[i];
		struct an_engine_use u;
		double busy;

		an_engine_name(f->t, e, other);
		if (!an_card_has(f, card, e->series) ||
		    an_series_of(f->t, e->series)->source != s->source ||
		    strcmp(name, other) != 0 || (i != first && !s->client))
			continue;
		an_engine_sum(f->c, e, &u);
		busy = s->client ? u.busy_ns / (double)length :
				   share_of(f, e);
		to->busy += busy;
		to->n++;
		if (busy > to->most) {
			to->most = busy;
			to->top = i;
		}
	}
}

/* The first of its name: the others were summed with it. */
static bool is_first(const struct an_findings *f, const struct an_card *card,
		     size_t at)
{
	const struct an_series *s = an_series_of(f->t,
						 f->engines.v[at].series);

	if (!an_card_has(f, card, f->engines.v[at].series) ||
	    (s->pid && !s->client))
		return false;
	for (size_t i = 0; i < at && s->client; i++) {
		const struct an_series *x = an_series_of(f->t,
						f->engines.v[i].series);

		if (x->part == s->part && x->source == s->source &&
		    an_card_has(f, card, f->engines.v[i].series))
			return false;
	}
	return true;
}

static void say_busy(struct an_findings *f, size_t first,
		     const struct engine_sum *sum)
{
	const struct an_engine *top = &f->engines.v[sum->top];
	const struct an_series *s = an_series_of(f->t, top->series);
	char name[AN_ENGINE_NAME];

	an_engine_name(f->t, &f->engines.v[first], name);
	if (s->client)
		an_find(f, "engine '%s' was busy for %.1f%% of the time, %.0f%% "
			"of it for %s/%d (of %zu clients)", name,
			100 * sum->busy, 100 * sum->most / sum->busy,
			an_text(f->t, s->label), (int)s->pid, sum->n);
	else
		an_find(f, "engine '%s' was busy for %.1f%% of the time", name,
			100 * sum->busy);
	an_find_share(f, "busy", top->series, 100 * sum->most);
}

void an_rule_engine_busy(struct an_findings *f, const struct an_card *card)
{
	uint64_t length = length_of(f, card);
	bool any = false;

	for (size_t i = 0; i < f->engines.n && length; i++) {
		struct engine_sum sum;

		if (!is_first(f, card, i))
			continue;
		any = true;
		sum_engine(f, card, i, length, &sum);
		if (sum.busy >= ENGINE_BUSY)
			say_busy(f, i, &sum);
	}
	if (!any)
		an_cannot(f, "no two readings of an engine");
}
