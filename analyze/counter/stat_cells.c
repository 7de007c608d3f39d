/* Cells of the CSV, in the order of perf stat -x. */
#include "analyze/counter/stat.h"

#include "format/base/mem.h"

#include <inttypes.h>
#include <string.h>

static void number(struct an_table *t, double v, int decimals)
{
	char text[400]; /* as long as the greatest double */

	snprintf(text, sizeof(text), "%.*f", decimals, v);
	an_table_word(t, text);
}

/* Digits enough that nothing is lost. */
static void amount(struct an_table *t, double v)
{
	char text[40];

	snprintf(text, sizeof(text), "%.15g", v);
	an_table_word(t, text);
}

void an_stat_cells(const struct an_stat *s, struct an_table *t,
		   const struct an_stat_row *r, size_t metric)
{
	const struct an_series *se = an_series_of(s->t, r->series);

	if (metric)
		an_table_word(t, "");
	else if (r->state == AN_INTERVAL_READ)
		amount(t, r->amount);
	else
		an_table_word(t, an_stat_state_text(r->state));
	an_table_text(t, an_string(s->t, se->unit));
	an_table_text(t, an_string(s->t, se->name));
}

void an_stat_cells_behind(const struct an_stat *s, struct an_table *t,
			  const struct an_stat_row *r, size_t metric)
{
	const struct an_series *se = an_series_of(s->t, r->series);
	const struct an_metric *m = &r->metrics[metric];
	char cpu[16] = "";

	an_table_u64(t, r->running_ns);
	number(t, 100 * r->share, 2);
	if (metric < r->n_metrics) {
		char text[AN_METRIC_TEXT + 2];

		number(t, m->value, m->percent ? 2 : 3);
		snprintf(text, sizeof(text), "%s%s", m->percent ? "% " : "",
			 m->unit);
		an_table_word(t, text);
	} else {
		an_table_word(t, "");
		an_table_word(t, "");
	}
	if (se->cpu >= 0)
		snprintf(cpu, sizeof(cpu), "%" PRId32, se->cpu);
	an_table_text(t, an_string(s->t, se->device));
	an_table_text(t, an_string(s->t, se->part));
	an_table_word(t, cpu);
	an_table_u64(t, (uint64_t)se->pid);
	an_table_text(t, an_string(s->t, se->label));
	an_table_u64(t, se->client);
	an_table_u64(t, se->run);
	an_table_u64(t, r->length_ns);
}
