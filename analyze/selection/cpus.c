/* --cpu */
#include "analyze/selection/choose.h"
#include "analyze/selection/kinds.h"

#include <stdlib.h>
#include <string.h>

#define MAX_CPU 65535u

struct cpus {
	uint64_t *bits;
	struct err *err;
};

/* "3" or "0-2". */
static int mark_cpus(void *ctx, struct span word)
{
	const struct cpus *c = ctx;
	const uint8_t *dash = memchr(word.p, '-', word.n);
	struct span first = word, last = word;
	uint64_t from, to;

	if (dash) {
		first.n = (size_t)(dash - word.p);
		last = span_of(dash + 1, word.n - first.n - 1);
	}
	if (!an_word_number(first, MAX_CPU, &from) ||
	    !an_word_number(last, MAX_CPU, &to) || from > to)
		return err_set(c->err, ERR_USAGE, "option '--cpu': '%.*s' is "
			       "no CPU or range (such as 0 or 0-3)",
			       (int)word.n, (const char *)word.p);
	for (uint64_t i = from; i <= to; i++)
		c->bits[i / 64] |= (uint64_t)1 << (i % 64);
	return 0;
}

int an_select_cpus(struct an_selection *sel,
		   const struct an_selection_args *args,
		   const struct an_trace *t, struct err *err)
{
	struct cpus c = { .err = err };

	(void)t;
	if (!args->cpu.n)
		return 0;
	sel->n_cpu_words = (MAX_CPU + 1) / 64;
	sel->cpu_bits = calloc(sel->n_cpu_words, sizeof(*sel->cpu_bits));
	if (!sel->cpu_bits)
		return err_nomem(err);
	c.bits = sel->cpu_bits;
	return an_each_word(&args->cpu, mark_cpus, &c);
}
