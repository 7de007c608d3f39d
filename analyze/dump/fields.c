#include "analyze/dump/fields.h"

#include "format/base/mem.h"

#include <string.h>

static const struct {
	const char *name;
	unsigned bit;
} fields[] = {
	{ "comm", AN_F_COMM },     { "pid", AN_F_PID },
	{ "tid", AN_F_TID },       { "cpu", AN_F_CPU },
	{ "time", AN_F_TIME },     { "period", AN_F_PERIOD },
	{ "event", AN_F_EVENT },   { "trace", AN_F_TRACE },
	{ "ip", AN_F_IP },         { "sym", AN_F_SYM },
	{ "symoff", AN_F_SYMOFF }, { "dso", AN_F_DSO },
};

static unsigned field_named(const char *word, size_t n)
{
	for (size_t i = 0; i < ARRAY_LEN(fields); i++)
		if (strlen(fields[i].name) == n &&
		    memcmp(fields[i].name, word, n) == 0)
			return fields[i].bit;
	return 0;
}

static int take_word(struct an_dump_fields *f, const char *word, size_t n,
		     struct err *err)
{
	char sign = *word == '+' || *word == '-' ? *word : 0;
	unsigned bit = field_named(word + !!sign, n - !!sign);

	if (!bit)
		return err_set(err, ERR_USAGE, "option '--fields': '%.*s' is no "
			       "field (there is: comm pid tid cpu time period "
			       "event trace ip sym symoff dso)", (int)n, word);
	if (sign == '+')
		f->more |= bit;
	else if (sign == '-')
		f->less |= bit;
	else
		f->only |= bit;
	return 0;
}

int an_dump_fields_parse(struct an_dump_fields *out, const char *text,
			 struct err *err)
{
	struct an_dump_fields f = { 0 };
	int rc = 0;

	while (text && !rc) {
		size_t n = strcspn(text, ",");

		rc = take_word(&f, text, n, err);
		text = text[n] ? text + n + 1 : NULL;
	}
	if (!rc && f.only && (f.more || f.less))
		rc = err_set(err, ERR_USAGE, "option '--fields': a list either "
			     "replaces the usual fields or adds (+) and removes "
			     "(-) some");
	if (!rc)
		*out = f;
	return rc;
}

unsigned an_dump_fields_of(const struct an_dump_fields *f, bool tracepoint,
			   bool callchain)
{
	unsigned usual = AN_F_COMM | AN_F_TID | AN_F_CPU | AN_F_TIME |
			 AN_F_EVENT;

	if (f->only)
		return f->only;
	usual |= tracepoint ? AN_F_TRACE : AN_F_PERIOD;
	if (!tracepoint || callchain)
		usual |= AN_F_IP | AN_F_SYM | AN_F_SYMOFF | AN_F_DSO;
	return (usual | f->more) & ~f->less;
}
