#include "analyze/report/graph.h"

#include <stdlib.h>
#include <string.h>

static void set_none(struct an_graph_options *o)
{
	o->none = true;
}

static void set_graph(struct an_graph_options *o)
{
	o->tree.fractal = false;
}

static void set_fractal(struct an_graph_options *o)
{
	o->tree.fractal = true;
}

static void set_caller(struct an_graph_options *o)
{
	o->tree.order = AN_CALLER;
	o->order_set = true;
}

static void set_callee(struct an_graph_options *o)
{
	o->tree.order = AN_CALLEE;
	o->order_set = true;
}

static void set_nothing(struct an_graph_options *o)
{
	(void)o; /* it is so anyway */
}

struct word {
	const char *name;
	void (*set)(struct an_graph_options *o); /* NULL: not here */
};

static const struct word words[] = {
	{ "graph", set_graph },
	{ "fractal", set_fractal },
	{ "none", set_none },
	{ "caller", set_caller },
	{ "callee", set_callee },
	{ "function", set_nothing },
	{ "percent", set_nothing },
	{ "flat", NULL },
	{ "folded", NULL },
	{ "address", NULL },
	{ "srcline", NULL },
	{ "period", NULL },
	{ "count", NULL },
	{ "branch", NULL },
	{ NULL, NULL },
};

const char *const an_graph_words[] = {
	"graph", "fractal", "none", "caller", "callee", "function", "percent",
	"flat", "folded", "address", "srcline", "period", "count", "branch",
	NULL,
};

static const struct word *word_of(const char *text, size_t n)
{
	for (const struct word *w = words; w->name; w++)
		if (strlen(w->name) == n && !memcmp(w->name, text, n))
			return w;
	return NULL;
}

/* The first number is the least percent, the second one the limit. */
static bool set_number(struct an_graph_options *o, const char *text, size_t n)
{
	char *end;
	double v;

	if (*text < '0' || *text > '9')
		return false;
	v = strtod(text, &end);
	if (end != text + n)
		return false;
	if (!o->min_set) {
		o->tree.min_percent = v;
		o->min_set = true;
		return v <= 100;
	}
	o->tree.limit = strtoull(text, &end, 10);
	return end == text + n;
}

static int take(struct an_graph_options *o, const char *text, size_t n,
		struct err *err)
{
	const struct word *w = word_of(text, n);

	if (w && !w->set)
		return err_set(err, ERR_UNSUPPORTED,
			       "option '--call-graph': '%s' is not supported "
			       "(graph, fractal, none, caller, callee are)",
			       w->name);
	if (!w && !set_number(o, text, n))
		return err_set(err, ERR_USAGE,
			       "option '--call-graph': '%.*s' is neither a "
			       "known word nor a percentage", (int)n, text);
	if (w)
		w->set(o);
	return 0;
}

int an_graph_parse(struct an_graph_options *out, const char *text,
		   struct err *err)
{
	struct an_graph_options o = {
		.tree = { .min_percent = AN_GRAPH_MIN_PERCENT },
	};
	int rc = 0;

	while (text && *text && !rc) {
		size_t n = strcspn(text, ",");

		rc = take(&o, text, n, err);
		text += n + (text[n] == ',');
	}
	if (!rc)
		*out = o;
	return rc;
}
