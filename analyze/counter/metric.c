#include "analyze/counter/metric.h"

#include "analyze/counter/amount.h"
#include "analyze/counter/series.h"

#include "format/base/mem.h"
#include "format/catalog.h"

#include <math.h>
#include <stdlib.h>
#include <stdio.h>
#include <string.h>

/* A name in three: "cpu/", "instructions", "/u"; or "", "cycles", ":u". */
struct name {
	struct span before, core, behind;
};

struct asking {
	const struct an_peers *p;
	const struct an_measured *m;
	const struct an_series *s;
	struct name name;
	struct an_metric *out;
	size_t n;
};

static struct name name_of(const char *text)
{
	const char *slash = strchr(text, '/');
	const char *core = slash && slash[1] ? slash + 1 : text;
	size_t n = strcspn(core, "/:");

	return (struct name){ span_of(text, (size_t)(core - text)),
			      span_of(core, n),
			      span_of(core + n, strlen(core + n)) };
}

static bool is_word(struct span s, const char *word)
{
	return s.n == strlen(word) && memcmp(s.p, word, s.n) == 0;
}

static bool ends_with(struct span s, const char *end)
{
	size_t n = strlen(end);

	return s.n > n && memcmp(s.p + s.n - n, end, n) == 0;
}

static void put(struct asking *a, double value, unsigned decimals, bool percent,
		const char *unit)
{
	struct an_metric *m = &a->out[a->n];

	if (a->n == AN_METRICS_MAX || !isfinite(value))
		return;
	*m = (struct an_metric){ .value = value, .decimals = decimals,
				 .percent = percent };
	snprintf(m->unit, sizeof(m->unit), "%s", unit);
	a->n++;
}

static void put_share(struct asking *a, double share, const char *unit)
{
	put(a, 100 * (share > 1 ? 1 : share), 2, true, unit);
}

/* What the series with another core in its name came to. */
static bool ask_core(const struct asking *a, const char *core, size_t n,
		     double *amount)
{
	char text[256];
	const struct name *nm = &a->name;
	uint32_t series;
	int size = snprintf(text, sizeof(text), "%.*s%.*s%.*s",
			    (int)nm->before.n, (const char *)nm->before.p,
			    (int)n, core,
			    (int)nm->behind.n, (const char *)nm->behind.p);

	if (size < 0 || (size_t)size >= sizeof(text))
		return false;
	series = an_peers_find(a->p, a->m->series,
			       span_of(text, (size_t)size));
	return series != AN_NONE && a->m->ask(a->m->ctx, series, amount);
}

static bool ask(const struct asking *a, const char *const *cores, double *amount)
{
	for (; *cores; cores++)
		if (ask_core(a, *cores, strlen(*cores), amount))
			return true;
	return false;
}

static const char *const cycles[] = { "cycles", "cpu-cycles", NULL };
static const char *const instructions[] = { "instructions", NULL };

static bool ask_one_clock(const struct asking *a, struct span name, double *ns)
{
	uint32_t series = an_peers_find(a->p, a->m->series, name);

	if (series == AN_NONE || !a->m->ask(a->m->ctx, series, ns))
		return false;
	*ns *= an_series_time_unit(a->p->t, an_series_of(a->p->t, series));
	return true;
}

/* By the clock of the task or the CPUs, in ns: the plain one, or one with the
 * same modifiers. */
static bool ask_clock(const struct asking *a, double *ns)
{
	static const char *const clocks[] = { "task-clock", "cpu-clock" };
	struct span behind = a->name.behind;
	char text[64];

	for (size_t i = 0; i < ARRAY_LEN(clocks); i++) {
		size_t n = strlen(clocks[i]);

		if (ask_one_clock(a, span_of(clocks[i], n), ns))
			return *ns > 0;
		if (!behind.n || behind.p[0] != ':' ||
		    n + behind.n > sizeof(text))
			continue;
		memcpy(text, clocks[i], n);
		memcpy(text + n, behind.p, behind.n);
		if (ask_one_clock(a, span_of(text, n + behind.n), ns))
			return *ns > 0;
	}
	return false;
}

static void rate(struct asking *a, const char *of)
{
	static const char steps[] = " KMGT";
	double ns = (double)a->m->length_ns, value;
	char unit[AN_METRIC_TEXT];
	size_t k = 0;
	bool by_wall = !ask_clock(a, &ns);

	if (ns <= 0)
		return;
	value = a->m->amount / ns * 1e9;
	for (; !*of && value >= 1000 && steps[k + 1]; k++)
		value /= 1000;
	if (k)
		snprintf(unit, sizeof(unit), "%c/sec", steps[k]);
	else
		snprintf(unit, sizeof(unit), "%s/sec", of);
	put(a, value, 3, false, unit);
	if (a->n)
		a->out[a->n - 1].by_wall = by_wall;
}

/* More CPUs than there are cannot be used: CPUs are read one after another, so
 * that a short interval of one is not quite that of the other. */
static double most_cpus(const struct asking *a)
{
	const char *fact = an_fact(a->p->t, "cpus");
	double n = fact ? strtod(fact, NULL) : 0;

	if (a->s->cpu >= 0 && !a->m->together)
		return 1;
	return n >= 1 ? n : INFINITY;
}

static bool clock_metric(struct asking *a)
{
	double ns = an_series_time_unit(a->p->t, a->s);

	if (!an_series_is_clock(a->p->t, a->s))
		return false;
	if (a->m->length_ns)
		put(a, fmin(a->m->amount * ns / (double)a->m->length_ns,
			    most_cpus(a)), 3, false, "CPUs utilized");
	return true;
}

/* Shares of time, by what their names say. */
static bool time_metric(struct asking *a)
{
	static const struct {
		const char *in, *text;
	} words[] = {
		{ "busy", "busyness" }, { "drm-engine", "busyness" },
		{ "-wait", "waiting" }, { "-sema", "at semaphores" },
		{ "rc6", "in RC6" }, { "c6-residency", "in C6" },
		{ "awake", "awake" }, { "idle", "idle" },
		{ "", "of the time" },
	};
	double ns = an_series_time_unit(a->p->t, a->s);
	const char *name = an_text(a->p->t, a->s->name);
	size_t i = 0;

	if (ns <= 0)
		return false;
	while (!strstr(name, words[i].in))
		i++;
	if (a->m->length_ns)
		put_share(a, a->m->amount * ns / (double)a->m->length_ns /
				     (double)a->s->capacity, words[i].text);
	return true;
}

/* Cycles of an engine: of all that it had. */
static bool engine_metric(struct asking *a)
{
	const char *const total[] = { "drm-total-cycles", NULL };
	const char *const clock[] = { "drm-maxfreq", NULL };
	double all;

	if (!is_word(a->name.core, "drm-cycles"))
		return false;
	if (!ask(a, total, &all)) {
		if (!ask(a, clock, &all))
			return false;
		all *= (double)a->m->length_ns / 1e9;
	}
	if (all > 0)
		put_share(a, a->m->amount / all / (double)a->s->capacity,
			  "busyness");
	return true;
}

static bool cpu_metric(struct asking *a)
{
	struct span core = a->name.core;
	double other;

	if (is_word(core, "instructions") && ask(a, cycles, &other) &&
	    other > 0) {
		put(a, a->m->amount / other, 2, false, "insn per cycle");
		return true;
	}
	if ((is_word(core, "cycles") || is_word(core, "cpu-cycles")) &&
	    ask_clock(a, &other)) {
		put(a, a->m->amount / other, 3, false, "GHz");
		return true;
	}
	if (core.n > 15 && memcmp(core.p, "stalled-cycles-", 15) == 0 &&
	    ask(a, cycles, &other) && other > 0) {
		put_share(a, a->m->amount / other,
			  is_word(core, "stalled-cycles-frontend") ?
				  "frontend cycles idle" :
				  "backend cycles idle");
		return true;
	}
	return false;
}

/* "LLC-load-misses" of "LLC-loads". */
static bool ask_accesses(const struct asking *a, double *all, char *unit)
{
	static const char end[] = "-misses";
	char text[AN_METRIC_TEXT];
	size_t n = a->name.core.n - strlen(end);

	snprintf(text, sizeof(text), "%.*ss", (int)n,
		 (const char *)a->name.core.p);
	snprintf(unit, AN_METRIC_TEXT, "of all %.40s", text);
	return ask_core(a, text, strlen(text), all);
}

static bool ask_all(const struct asking *a, double *all, char *unit)
{
	static const struct {
		const char *misses;
		const char *const all[3];
		const char *unit;
	} known[] = {
		{ "branch-misses", { "branches", "branch-instructions" },
		  "of all branches" },
		{ "cache-misses", { "cache-references" },
		  "of all cache refs" },
	};

	for (size_t i = 0; i < ARRAY_LEN(known); i++)
		if (is_word(a->name.core, known[i].misses)) {
			snprintf(unit, AN_METRIC_TEXT, "%s", known[i].unit);
			return ask(a, known[i].all, all);
		}
	return ask_accesses(a, all, unit);
}

static bool misses_metric(struct asking *a)
{
	char unit[AN_METRIC_TEXT];
	double all;

	if (!ends_with(a->name.core, "-misses"))
		return false;
	if (ask_all(a, &all, unit) && all > 0)
		put_share(a, a->m->amount / all, unit);
	if (ask(a, instructions, &all) && all > 0)
		put(a, a->m->amount / all * 1000, 2, false, "MPKI");
	return a->n > 0;
}

static bool energy_metric(struct asking *a)
{
	const char *unit = an_text(a->p->t, a->s->unit);

	if (strcmp(unit, "Joules") != 0 && strcmp(unit, "J") != 0)
		return false;
	if (a->m->length_ns)
		put(a, a->m->amount / (double)a->m->length_ns * 1e9, 2, false,
		    "W");
	return true;
}

static bool rate_metric(struct asking *a)
{
	struct an_amount shown = an_amount_of(a->p->t, a->s, a->m->amount);

	if (a->s->source == TF_SERIES_FDINFO)
		return false;
	if (strcmp(shown.unit, an_text(a->p->t, a->s->unit)) != 0)
		return false; /* bytes: rate() would divide what was read */
	rate(a, shown.unit);
	return true;
}

size_t an_metrics_of(const struct an_peers *p, const struct an_measured *m,
		     struct an_metric out[AN_METRICS_MAX])
{
	static bool (*const metrics[])(struct asking *a) = {
		clock_metric, engine_metric, time_metric, cpu_metric,
		misses_metric, energy_metric, rate_metric,
	};
	struct asking a = { .p = p, .m = m, .out = out,
			    .s = an_series_of(p->t, m->series) };

	if (a.s->kind != TF_SERIES_COUNT)
		return 0;
	a.name = name_of(an_text(p->t, a.s->name));
	for (size_t i = 0; i < ARRAY_LEN(metrics); i++)
		if (metrics[i](&a))
			break;
	return a.n;
}
