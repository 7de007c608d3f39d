/* What readings of GPUs say about how they were used: findings, each a sentence
 * with the numbers it stands on and what to do next. */
#ifndef ANALYZE_FINDINGS_FINDINGS_H
#define ANALYZE_FINDINGS_FINDINGS_H

#include "analyze/counter/engine.h"
#include "analyze/counter/totals.h"

#include "format/base/buf.h"

/* A GPU, by the name that its sources have for it: its PCI address, or the name
 * of its PMU, where nothing else tells of it. */
struct an_card {
	uint32_t device;     /* string */
	uint32_t machine;
	uint32_t label;      /* string: "NVIDIA H200"; may be empty */
	unsigned sources;    /* bit s: of enum tf_series_source s */
};

struct an_proof {
	const char *what;    /* "mean", "most", "in that time" */
	uint32_t series;
	double value;
	const char *unit;    /* NULL: that of the series */
};
#define AN_PROOFS 8

struct an_rule;

struct an_finding {
	const struct an_rule *rule;
	uint32_t card;
	char *sentence;
	struct an_proof proofs[AN_PROOFS];
	size_t n_proofs;
};

enum an_looked {
	AN_LOOKED_CLEAR,  /* looked at, nothing found */
	AN_LOOKED_FOUND,
	AN_LOOKED_NOT,    /* what it needs is not in the trace: `why` */
};

struct an_check {
	const struct an_rule *rule;
	uint32_t card;
	enum an_looked looked;
	const char *why;     /* lives as long as the program; or NULL */
};

struct an_findings {
	const struct an_trace *t;
	const struct an_counters *c;
	struct an_engines engines;
	struct an_totals totals;
	struct an_card *cards;
	uint32_t *devices;   /* by series: string, of the card that it is of */
	size_t n_cards;
	struct an_finding *v; /* by card, then in the order of the rules */
	size_t n, cap;
	struct an_check *checks; /* the same order */
	size_t n_checks;
	struct err failed;   /* of a rule, while they run */
};

struct an_rule {
	const char *name;    /* "launch-bound" */
	const char *asks;    /* what it looks for, as "is …?" */
	unsigned sources;    /* a card that has any of these is looked at */
	const char *advice;  /* what to do next */
	void (*look)(struct an_findings *f, const struct an_card *card);
};
extern const struct an_rule an_rules[];
extern const size_t an_n_rules;

/* `c` must outlive it. Release with an_findings_fini(), whatever comes back. */
int an_findings_make(struct an_findings *out, const struct an_trace *t,
		     const struct an_counters *c, struct err *err);
void an_findings_fini(struct an_findings *f); /* a zeroed one is fine */

#endif
