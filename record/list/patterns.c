#include "record/list/patterns.h"

#include "format/base/mem.h"

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct word {
	const char *word;
	enum rec_listed_kind kind;
} words_known[] = {
	{ "sw", REC_LISTED_SOFTWARE },
	{ "software", REC_LISTED_SOFTWARE },
	{ "hw", REC_LISTED_HARDWARE },
	{ "hardware", REC_LISTED_HARDWARE },
	{ "cache", REC_LISTED_CACHE },
	{ "hwcache", REC_LISTED_CACHE },
	{ "pmu", REC_LISTED_PMU },
	{ "tracepoint", REC_LISTED_TRACEPOINT },
};

static int make(struct rec_pattern *p, const char *word)
{
	*p = (struct rec_pattern){ .word = word, .kind = -1 };
	for (size_t i = 0; i < ARRAY_LEN(words_known); i++)
		if (!strcmp(word, words_known[i].word)) {
			p->kind = (int)words_known[i].kind;
			return 0;
		}
	if (asprintf(&p->glob, strchr(word, ':') ? "%s" : "*%s*", word) >= 0)
		return 0;
	p->glob = NULL;
	return -1;
}

int rec_patterns_init(struct rec_patterns *p, char *const *words, size_t n,
		      struct err *err)
{
	*p = (struct rec_patterns){ 0 };
	if (!n)
		return 0;
	p->items = calloc(n, sizeof(*p->items));
	if (!p->items)
		return err_nomem(err);
	for (; p->n < n; p->n++)
		if (make(&p->items[p->n], words[p->n])) {
			rec_patterns_fini(p);
			return err_nomem(err);
		}
	return 0;
}

void rec_patterns_fini(struct rec_patterns *p)
{
	for (size_t i = 0; i < p->n; i++)
		free(p->items[i].glob);
	free(p->items);
	*p = (struct rec_patterns){ 0 };
}

static bool matches(const struct rec_pattern *p, enum rec_listed_kind kind,
		    const char *name, const char *alias)
{
	if (!p->glob)
		return p->kind == (int)kind;
	return !fnmatch(p->glob, name, FNM_CASEFOLD) ||
	       (alias && !fnmatch(p->glob, alias, FNM_CASEFOLD));
}

bool rec_patterns_match(struct rec_patterns *p, enum rec_listed_kind kind,
			const char *name, const char *alias)
{
	bool any = !p->n;

	for (size_t i = 0; i < p->n; i++)
		if (matches(&p->items[i], kind, name, alias))
			any = p->items[i].matched = true;
	return any;
}

bool rec_patterns_want(const struct rec_patterns *p, enum rec_listed_kind kind)
{
	bool any = !p->n;

	for (size_t i = 0; i < p->n && !any; i++)
		any = p->items[i].kind == -1 || p->items[i].kind == (int)kind;
	return any;
}
