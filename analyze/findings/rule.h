/* What rules are written with. */
#ifndef ANALYZE_FINDINGS_RULE_H
#define ANALYZE_FINDINGS_RULE_H

#include "analyze/findings/findings.h"

#include "format/catalog.h"

#define AN_OF(source) (1u << (source))
#define AN_OF_NVML AN_OF(TF_SERIES_NVML)
#define AN_OF_SYSFS AN_OF(TF_SERIES_SYSFS)
#define AN_OF_FDINFO AN_OF(TF_SERIES_FDINFO)
#define AN_OF_PMU AN_OF(TF_SERIES_PMU)

/* Files of rules, each with its limits. */
void an_rule_launch_bound(struct an_findings *f, const struct an_card *card);
void an_rule_throttled(struct an_findings *f, const struct an_card *card);
void an_rule_held_down(struct an_findings *f, const struct an_card *card);
void an_rule_memory_bound(struct an_findings *f, const struct an_card *card);
void an_rule_pcie_bound(struct an_findings *f, const struct an_card *card);
void an_rule_memory_full(struct an_findings *f, const struct an_card *card);
void an_rule_idle_memory(struct an_findings *f, const struct an_card *card);
void an_rule_xid(struct an_findings *f, const struct an_card *card);
void an_rule_ecc(struct an_findings *f, const struct an_card *card);
void an_rule_suspended(struct an_findings *f, const struct an_card *card);
void an_rule_engine_busy(struct an_findings *f, const struct an_card *card);
void an_rule_clock_low(struct an_findings *f, const struct an_card *card);

/* Begins a finding of the rule that runs: a sentence without a full stop. Proofs
 * that are added next are its own. */
void an_find(struct an_findings *f, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
void an_find_proof(struct an_findings *f, const char *what, uint32_t series,
		   double value);
/* The same in %, whatever the series counts. */
void an_find_share(struct an_findings *f, const char *what, uint32_t series,
		   double percent);
/* The rule that runs has nothing to look at: why, a literal. */
void an_cannot(struct an_findings *f, const char *why);

/* The card's own series of that name that has readings, of that part (NULL: the
 * first of any); AN_NONE: there is none. */
uint32_t an_card_series(const struct an_findings *f, const struct an_card *card,
			const char *name, const char *part);
bool an_card_has(const struct an_findings *f, const struct an_card *card,
		 uint32_t series);
bool an_series_is_named(const struct an_findings *f, uint32_t series,
			const char *name);
/* The engine that its "utilization" of the whole GPU is; false: not told. */
bool an_card_load(const struct an_findings *f, const struct an_card *card,
		  struct an_engine *to);

/* Over all that is loaded; false: not known. */
bool an_mean(const struct an_findings *f, uint32_t series, double *to);
bool an_most(const struct an_findings *f, uint32_t series, double *to);

/* Two things at the same times: an engine that is busy for a share of `busy` or
 * more while a level is below `below`. */
struct an_both {
	const struct an_engine *engine;
	double busy;
	uint32_t level;
	double below;
	/* What came of it: */
	uint64_t known_ns, both_ns;
	double busy_mean, level_mean; /* in the time that both were so */
};
void an_both_look(const struct an_findings *f, struct an_both *b);
/* Whether that was for so much of the time that it is worth a word. */
#define AN_BOTH_LEAST 0.10
bool an_both_found(const struct an_both *b);
/* 0..100 */
double an_both_percent(const struct an_both *b);

#endif
