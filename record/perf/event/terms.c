#include "record/perf/event/terms.h"

#include "format/base/mem.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

bool rec_term_next(char **rest, struct rec_term *t)
{
	char *word = *rest, *end, *equals;

	if (!word || !*word)
		return false;
	end = strchr(word, ',');
	*rest = end ? end + 1 : NULL;
	if (end)
		*end = 0;
	equals = strchr(word, '=');
	if (equals)
		*equals = 0;
	*t = (struct rec_term){ word, equals ? equals + 1 : NULL };
	return true;
}

bool rec_term_number(const struct rec_term *t, uint64_t *out)
{
	char *end;

	if (!t->value) {
		*out = 1;
		return true;
	}
	if (*t->value < '0' || *t->value > '9')
		return false;
	errno = 0;
	*out = strtoull(t->value, &end, 0);
	return !errno && !*end;
}

static int bad(const struct rec_term *t, const char *want, struct err *err)
{
	return err_set(err, ERR_USAGE, "term '%s': '%s' is not %s", t->name,
		       t->value ? t->value : "", want);
}

static int number(const struct rec_term *t, uint64_t limit, uint64_t *out,
		  struct err *err)
{
	if (!t->value || !rec_term_number(t, out))
		return bad(t, "a number", err);
	if (*out > limit)
		return err_set(err, ERR_USAGE, "term '%s': %" PRIu64
			       " is over %" PRIu64, t->name, *out, limit);
	return 0;
}

static int set_config(struct rec_event *e, const struct rec_term *t,
		      struct err *err)
{
	uint64_t v = 0;
	int rc = number(t, UINT64_MAX, &v, err);

	if (rc)
		return rc;
	if (t->name[6] == '1')
		e->attr.config1 = v;
	else if (t->name[6] == '2')
		e->attr.config2 = v;
	else
		e->attr.config = v;
	return 0;
}

static int set_name(struct rec_event *e, const struct rec_term *t,
		    struct err *err)
{
	const char *text = t->value ? t->value : "";
	size_t n = strlen(text);
	char *name;

	if (n >= 2 && (*text == '\'' || *text == '"') && text[n - 1] == *text) {
		text++;
		n -= 2;
	}
	if (!n)
		return bad(t, "a name", err);
	name = strndup(text, n);
	if (!name)
		return err_nomem(err);
	free(e->name);
	e->name = name;
	e->named = true;
	return 0;
}

/* The kernel keeps both in signed numbers. */
static int set_rate(struct rec_event *e, const struct rec_term *t,
		    struct err *err)
{
	uint64_t v = 0;
	int rc = number(t, INT64_MAX, &v, err);

	if (rc)
		return rc;
	if (!v)
		return bad(t, "more than zero", err);
	e->fixed_rate = true;
	e->attr.freq = *t->name == 'f';
	e->attr.sample_period = v; /* also sample_freq */
	return 0;
}

static int set_chain(struct rec_event *e, const struct rec_term *t,
		     struct err *err)
{
	const char *how = t->value ? t->value : "";

	if (!strcmp(how, "fp"))
		e->chain = REC_CHAIN_FP;
	else if (!strcmp(how, "no"))
		e->chain = REC_CHAIN_NONE;
	else if (!strcmp(how, "dwarf") || !strcmp(how, "lbr"))
		return err_set(err, ERR_UNSUPPORTED, "term 'call-graph': '%s' "
			       "is not supported by this version (fp and no "
			       "are)", how);
	else
		return bad(t, "a way to obtain call chains (fp, no)", err);
	return 0;
}

static int set_max_stack(struct rec_event *e, const struct rec_term *t,
			 struct err *err)
{
	uint64_t v = 0;
	int rc = number(t, UINT16_MAX, &v, err);

	if (!rc)
		e->attr.sample_max_stack = (uint16_t)v;
	return rc;
}

static int set_inherit(struct rec_event *e, const struct rec_term *t,
		       struct err *err)
{
	uint64_t v;

	if (!rec_term_number(t, &v) || v > 1)
		return bad(t, "0 or 1", err);
	e->inherit = (*t->name == 'i') == v ? REC_INHERIT_YES : REC_INHERIT_NO;
	return 0;
}

static int check_time(struct rec_event *e, const struct rec_term *t,
		      struct err *err)
{
	uint64_t v;

	(void)e;
	if (!rec_term_number(t, &v) || v > 1)
		return bad(t, "0 or 1", err);
	if (v)
		return 0;
	return err_set(err, ERR_UNSUPPORTED,
		       "term 'time=0': each row of a trace has its time");
}

static int refuse(struct rec_event *e, const struct rec_term *t,
		  struct err *err)
{
	(void)e;
	return err_set(err, ERR_UNSUPPORTED,
		       "term '%s' is not supported by this version", t->name);
}

static const struct {
	const char *name;
	int (*apply)(struct rec_event *e, const struct rec_term *t,
		     struct err *err);
} terms[] = {
	{ "config", set_config },
	{ "config1", set_config },
	{ "config2", set_config },
	{ "name", set_name },
	{ "period", set_rate },
	{ "freq", set_rate },
	{ "call-graph", set_chain },
	{ "max-stack", set_max_stack },
	{ "inherit", set_inherit },
	{ "no-inherit", set_inherit },
	{ "time", check_time },
	{ "stack-size", refuse }, /* of copied stacks: call-graph=dwarf */
	{ "branch_type", refuse },
	{ "overwrite", refuse },
	{ "no-overwrite", refuse },
	{ "driver-config", refuse },
	{ "percore", refuse },
	{ "aux-output", refuse },
	{ "aux-sample-size", refuse },
	{ "config3", refuse },
};

int rec_term_apply(struct rec_event *e, const struct rec_term *t,
		   struct err *err)
{
	for (size_t i = 0; i < ARRAY_LEN(terms); i++)
		if (!strcmp(t->name, terms[i].name))
			return terms[i].apply(e, t, err);
	return 1;
}

int rec_terms_apply(struct rec_events *to, size_t first, char *list,
		    struct err *err)
{
	struct rec_term t;

	while (rec_term_next(&list, &t))
		for (size_t i = first; i < to->n; i++) {
			int rc = rec_term_apply(&to->items[i], &t, err);

			if (rc == 1)
				return err_set(err, ERR_USAGE, "unknown term "
					       "'%s' (known: "
					       REC_TERMS_KNOWN ")", t.name);
			if (rc)
				return rc;
		}
	return 0;
}
