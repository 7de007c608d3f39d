#include "analyze/findings/cards.h"
#include "analyze/findings/rule.h"

#include "format/base/mem.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* -- What rules are written with -------------------------------------------- */

static struct an_check *running(struct an_findings *f)
{
	return &f->checks[f->n_checks];
}

__attribute__((format(printf, 1, 0)))
static char *print(const char *fmt, va_list args)
{
	va_list again;
	char *text;
	int n;

	va_copy(again, args);
	n = vsnprintf(NULL, 0, fmt, again);
	va_end(again);
	text = n < 0 ? NULL : malloc((size_t)n + 1);
	if (text)
		vsnprintf(text, (size_t)n + 1, fmt, args);
	return text;
}

void an_find(struct an_findings *f, const char *fmt, ...)
{
	struct an_finding *x;
	va_list args;
	char *text;

	va_start(args, fmt);
	text = print(fmt, args);
	va_end(args);
	if (!text || !mem_grow(&f->v, &f->cap, f->n + 1, sizeof(*f->v))) {
		free(text);
		(void)err_nomem(&f->failed);
		return;
	}
	x = &f->v[f->n++];
	*x = (struct an_finding){ .rule = running(f)->rule,
				  .card = running(f)->card, .sentence = text };
	running(f)->looked = AN_LOOKED_FOUND;
}

static void add_proof(struct an_findings *f, struct an_proof p)
{
	struct an_finding *x = f->n ? &f->v[f->n - 1] : NULL;

	if (x && x->n_proofs < AN_PROOFS && p.series != AN_NONE)
		x->proofs[x->n_proofs++] = p;
}

void an_find_proof(struct an_findings *f, const char *what, uint32_t series,
		   double value)
{
	add_proof(f, (struct an_proof){ what, series, value, NULL });
}

void an_find_share(struct an_findings *f, const char *what, uint32_t series,
		   double percent)
{
	add_proof(f, (struct an_proof){ what, series, percent, "%" });
}

void an_cannot(struct an_findings *f, const char *why)
{
	if (running(f)->looked == AN_LOOKED_FOUND)
		return;
	running(f)->looked = AN_LOOKED_NOT;
	running(f)->why = why;
}

bool an_series_is_named(const struct an_findings *f, uint32_t series,
			const char *name)
{
	return strcmp(an_text(f->t, an_series_of(f->t, series)->name),
		      name) == 0;
}

uint32_t an_card_series(const struct an_findings *f, const struct an_card *card,
			const char *name, const char *part)
{
	for (uint32_t i = 0; i < an_n_series(f->t); i++) {
		const struct an_series *s = an_series_of(f->t, i);

		if (!s->pid && an_card_has(f, card, i) &&
		    an_series_is_named(f, i, name) &&
		    (!part || strcmp(an_text(f->t, s->part), part) == 0))
			return i;
	}
	return AN_NONE;
}

bool an_card_load(const struct an_findings *f, const struct an_card *card,
		  struct an_engine *to)
{
	uint32_t series = an_card_series(f, card, "utilization", "gpu");

	*to = (struct an_engine){ AN_ENGINE_PERCENT, series, AN_NONE };
	return series != AN_NONE;
}

bool an_mean(const struct an_findings *f, uint32_t series, double *to)
{
	const struct an_total *total =
		series == AN_NONE ? NULL : an_totals_find(&f->totals, series);

	*to = total ? total->amount : 0;
	return total && total->state == AN_INTERVAL_READ;
}

bool an_most(const struct an_findings *f, uint32_t series, double *to)
{
	const struct an_total *total =
		series == AN_NONE ? NULL : an_totals_find(&f->totals, series);

	*to = total ? total->most : 0;
	return total && total->state == AN_INTERVAL_READ;
}

void an_both_look(const struct an_findings *f, struct an_both *b)
{
	struct an_engine_share s;
	struct an_engine_walk w;
	double level, busy = 0, levels = 0;

	b->known_ns = b->both_ns = 0;
	an_engine_walk(&w, f->c, b->engine);
	while (an_engine_next(&w, &s)) {
		uint64_t length = s.end_ns - s.begin_ns;

		if (!an_counters_level_at(f->c, b->level, s.end_ns, &level))
			continue;
		b->known_ns += length;
		if (s.busy < b->busy || level >= b->below)
			continue;
		b->both_ns += length;
		busy += s.busy * (double)length;
		levels += level * (double)length;
	}
	b->busy_mean = b->both_ns ? busy / (double)b->both_ns : 0;
	b->level_mean = b->both_ns ? levels / (double)b->both_ns : 0;
}

double an_both_percent(const struct an_both *b)
{
	return b->known_ns ? 100 * (double)b->both_ns / (double)b->known_ns : 0;
}

bool an_both_found(const struct an_both *b)
{
	return b->known_ns && (double)b->both_ns >=
				      AN_BOTH_LEAST * (double)b->known_ns;
}

/* -- All of it -------------------------------------------------------------- */

static int run_rules(struct an_findings *f, struct err *err)
{
	f->checks = calloc(f->n_cards * an_n_rules + 1, sizeof(*f->checks));
	if (!f->checks)
		return err_nomem(err);
	for (uint32_t card = 0; card < f->n_cards; card++)
		for (size_t i = 0; i < an_n_rules; i++) {
			if (!(f->cards[card].sources & an_rules[i].sources))
				continue;
			*running(f) = (struct an_check){ &an_rules[i], card,
							 AN_LOOKED_CLEAR,
							 NULL };
			an_rules[i].look(f, &f->cards[card]);
			f->n_checks++;
		}
	if (f->failed.code)
		*err = f->failed;
	return f->failed.code;
}

int an_findings_make(struct an_findings *out, const struct an_trace *t,
		     const struct an_counters *c, struct err *err)
{
	int rc;

	*out = (struct an_findings){ .t = t, .c = c };
	rc = an_engines_find(&out->engines, t, NULL, err);
	if (!rc)
		rc = an_totals_make(&out->totals, c, err);
	if (!rc)
		rc = an_cards_find(out, err);
	return rc ? rc : run_rules(out, err);
}

void an_findings_fini(struct an_findings *f)
{
	for (size_t i = 0; i < f->n; i++)
		free(f->v[i].sentence);
	free(f->v);
	free(f->checks);
	free(f->cards);
	free(f->devices);
	an_totals_fini(&f->totals);
	an_engines_fini(&f->engines);
	*f = (struct an_findings){ 0 };
}
