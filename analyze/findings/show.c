#include "analyze/findings/show.h"

#include "analyze/counter/series.h"
#include "analyze/head.h"

#include "format/base/buf.h"
#include "format/base/json.h"
#include "format/base/utf8.h"

#include <math.h>

static const char *const looked_words[] = {
	[AN_LOOKED_CLEAR] = "clear",
	[AN_LOOKED_FOUND] = "found",
	[AN_LOOKED_NOT] = "cannot",
};

/* -- Text ------------------------------------------------------------------- */

static void text_card(const struct an_findings *f, uint32_t card, FILE *to)
{
	const struct an_card *c = &f->cards[card];

	utf8_print_cstr(to, an_text(f->t, c->device));
	if (an_string(f->t, c->label).n) {
		fputs(" (", to);
		utf8_print_cstr(to, an_text(f->t, c->label));
		putc(')', to);
	}
	fputs(":\n", to);
}

static const char *unit_of(const struct an_findings *f,
			   const struct an_proof *p)
{
	return p->unit ? p->unit :
			 an_text(f->t, an_series_of(f->t, p->series)->unit);
}

static int text_proof(const struct an_findings *f, const struct an_proof *p,
		      FILE *to, struct err *err)
{
	struct buf text;
	int rc = 0;

	buf_init(&text, 0);
	an_series_text(f->t, p->series, &text);
	buf_u8(&text, 0);
	if (buf_failed(&text)) {
		rc = err_nomem(err);
	} else {
		const char *unit = unit_of(f, p);

		fprintf(to, "      %.10g%s", p->value, *unit ? " " : "");
		utf8_print_cstr(to, unit);
		fprintf(to, ", %s: ", p->what);
		utf8_print_cstr(to, (const char *)text.p);
		putc('\n', to);
	}
	buf_fini(&text);
	return rc;
}

static int text_finding(const struct an_findings *f, const struct an_finding *x,
			FILE *to, struct err *err)
{
	int rc = 0;

	fprintf(to, "  %s: ", x->rule->name);
	utf8_print_cstr(to, x->sentence);
	putc('\n', to);
	for (size_t i = 0; i < x->n_proofs && !rc; i++)
		rc = text_proof(f, &x->proofs[i], to, err);
	fprintf(to, "      next: %s\n", x->rule->advice);
	return rc;
}

static bool has_check(const struct an_findings *f, uint32_t card,
		      enum an_looked looked)
{
	for (size_t i = 0; i < f->n_checks; i++)
		if (f->checks[i].card == card && f->checks[i].looked == looked)
			return true;
	return false;
}

static void text_checks(const struct an_findings *f, uint32_t card, FILE *to)
{
	const char *between = "  looked at, nothing found: ";

	for (size_t i = 0; i < f->n_checks; i++) {
		if (f->checks[i].card != card ||
		    f->checks[i].looked != AN_LOOKED_CLEAR)
			continue;
		fprintf(to, "%s%s", between, f->checks[i].rule->name);
		between = ", ";
	}
	if (has_check(f, card, AN_LOOKED_CLEAR))
		putc('\n', to);
	for (size_t i = 0; i < f->n_checks; i++)
		if (f->checks[i].card == card &&
		    f->checks[i].looked == AN_LOOKED_NOT)
			fprintf(to, "  cannot say (%s): %s %s\n",
				f->checks[i].rule->name,
				f->checks[i].rule->asks, f->checks[i].why);
}

static int show_text(const struct an_findings *f, FILE *to, struct err *err)
{
	int rc = 0;

	for (uint32_t card = 0; card < f->n_cards && !rc; card++) {
		text_card(f, card, to);
		if (!has_check(f, card, AN_LOOKED_FOUND))
			fputs("  nothing found\n", to);
		for (size_t i = 0; i < f->n && !rc; i++)
			if (f->v[i].card == card)
				rc = text_finding(f, &f->v[i], to, err);
		text_checks(f, card, to);
	}
	return rc;
}

/* -- JSON ------------------------------------------------------------------- */

static void json_card(const struct an_findings *f, uint32_t card,
		      struct json *j)
{
	json_cstr(j, "device", an_text(f->t, f->cards[card].device));
}

static void json_finding(const struct an_findings *f,
			 const struct an_finding *x, struct json *j)
{
	json_break(j);
	json_object(j, NULL);
	json_card(f, x->card, j);
	json_cstr(j, "rule", x->rule->name);
	json_cstr(j, "finding", x->sentence);
	json_cstr(j, "next", x->rule->advice);
	json_array(j, "evidence");
	for (size_t i = 0; i < x->n_proofs; i++) {
		const struct an_proof *p = &x->proofs[i];
		const struct an_series *s = an_series_of(f->t, p->series);

		json_object(j, NULL);
		json_cstr(j, "name", an_text(f->t, s->name));
		json_cstr(j, "part", an_text(f->t, s->part));
		json_i64(j, "pid", s->pid);
		json_u64(j, "client", s->client);
		json_cstr(j, "what", p->what);
		json_f64(j, "value", p->value);
		json_cstr(j, "unit", unit_of(f, p));
		json_end_object(j);
	}
	json_end_array(j);
	json_end_object(j);
}

static void json_check(const struct an_findings *f, const struct an_check *c,
		       struct json *j)
{
	json_break(j);
	json_object(j, NULL);
	json_card(f, c->card, j);
	json_cstr(j, "rule", c->rule->name);
	json_cstr(j, "looked", looked_words[c->looked]);
	json_cstr_or_null(j, "why", c->why);
	json_end_object(j);
}

static void show_json(const struct an_findings *f, FILE *to)
{
	struct json j;

	json_init(&j, to);
	json_object(&j, NULL);
	json_u64(&j, "version", AN_FINDINGS_JSON_VERSION);
	an_head_json(f->t, &j);
	json_array(&j, "devices");
	for (uint32_t i = 0; i < f->n_cards; i++) {
		json_object(&j, NULL);
		json_card(f, i, &j);
		json_cstr(&j, "label", an_text(f->t, f->cards[i].label));
		json_end_object(&j);
	}
	json_end_array(&j);
	json_array(&j, "findings");
	for (size_t i = 0; i < f->n; i++)
		json_finding(f, &f->v[i], &j);
	json_end_array(&j);
	json_array(&j, "checks");
	for (size_t i = 0; i < f->n_checks; i++)
		json_check(f, &f->checks[i], &j);
	json_end_array(&j);
	json_end_object(&j);
	putc('\n', to);
}

/* -- CSV -------------------------------------------------------------------- */

static const struct an_cell_column columns[] = {
	{ "device", "device", AN_CELL_TEXT, false, 0 },
	{ "rule", "rule", AN_CELL_TEXT, false, 0 },
	{ "looked", "looked", AN_CELL_TEXT, false, 0 },
	{ "text", "text", AN_CELL_TEXT, false, 0 },
	{ "what", "what", AN_CELL_TEXT, false, 0 },
	{ "name", "name", AN_CELL_TEXT, false, 0 },
	{ "part", "part", AN_CELL_TEXT, false, 0 },
	{ "pid", "pid", AN_CELL_TEXT, true, 0 },
	{ "value", "value", AN_CELL_F64, true, 0 },
	{ "unit", "unit", AN_CELL_TEXT, false, 0 },
};

static void csv_begin(const struct an_findings *f, struct an_table *t,
		      uint32_t card, const struct an_rule *rule,
		      enum an_looked looked, const char *text)
{
	an_table_word(t, an_text(f->t, f->cards[card].device));
	an_table_word(t, rule->name);
	an_table_word(t, looked_words[looked]);
	an_table_word(t, text);
}

static void csv_proof(const struct an_findings *f, struct an_table *t,
		      const struct an_finding *x, const struct an_proof *p)
{
	const struct an_series *s = an_series_of(f->t, p->series);
	char pid[16] = "";

	if (s->pid)
		snprintf(pid, sizeof(pid), "%d", (int)s->pid);
	csv_begin(f, t, x->card, x->rule, AN_LOOKED_FOUND, x->sentence);
	an_table_word(t, p->what);
	an_table_word(t, an_text(f->t, s->name));
	an_table_word(t, an_text(f->t, s->part));
	an_table_word(t, pid);
	an_table_f64(t, p->value);
	an_table_word(t, unit_of(f, p));
}

static void csv_check(const struct an_findings *f, struct an_table *t,
		      const struct an_check *c)
{
	csv_begin(f, t, c->card, c->rule, c->looked, c->why ? c->why : "");
	for (size_t i = 0; i < 4; i++)
		an_table_word(t, "");
	an_table_f64(t, (double)NAN);
	an_table_word(t, "");
}

static int show_csv(const struct an_findings *f, FILE *to, struct err *err)
{
	struct an_table *t = NULL;
	int rc = an_table_new(&t, columns, sizeof(columns) / sizeof(columns[0]),
			      err);

	if (rc)
		return rc;
	for (size_t i = 0; i < f->n; i++)
		for (size_t k = 0; k < f->v[i].n_proofs; k++)
			csv_proof(f, t, &f->v[i], &f->v[i].proofs[k]);
	for (size_t i = 0; i < f->n_checks; i++)
		if (f->checks[i].looked != AN_LOOKED_FOUND)
			csv_check(f, t, &f->checks[i]);
	rc = an_table_print_csv(t, to, err);
	an_table_free(t);
	return rc;
}

int an_findings_show(const struct an_findings *f, enum an_format format,
		     FILE *to, struct err *err)
{
	switch (format) {
	case AN_FORMAT_CSV:
		return show_csv(f, to, err);
	case AN_FORMAT_JSON:
		show_json(f, to);
		return 0;
	default:
		return show_text(f, to, err);
	}
}
