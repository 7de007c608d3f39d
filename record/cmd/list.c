/* rec list: the events of this machine, each usable now or with what it
 * needs. */
#include "format/base/json.h"
#include "format/base/utf8.h"
#include "record/command.h"
#include "record/list/list.h"
#include "record/session.h"

#include <stdlib.h>
#include <string.h>

#define JSON_VERSION 1
#define EXIT_NONE 1 /* nothing matches */

struct list_args {
	struct rec_common common;
	bool json;
};

static const struct opt list_opts[] = {
	OPT_FLAG(0, "json", struct list_args, json, "as JSON"),
	REC_COMMON_OPTS(struct list_args),
	OPT_END,
};

static const struct {
	const char *name, *heading;
} kinds[REC_LISTED_KINDS] = {
	[REC_LISTED_SOFTWARE] = { "software", "Software" },
	[REC_LISTED_HARDWARE] = { "hardware", "Hardware" },
	[REC_LISTED_CACHE] = { "cache", "Caches" },
	[REC_LISTED_PMU] = { "pmu", "PMU" },
	[REC_LISTED_FORM] = { "form", "Forms" },
	[REC_LISTED_TRACEPOINT] = { "tracepoint", "Tracepoints" },
};

static const char *status(const struct rec_listed *e)
{
	return e->needs ? "needs " :
	       e->user_only ? "usable now, in user space only" : "usable now";
}

static void print_event(const struct rec_listed *e, FILE *to)
{
	int width = (int)strlen(e->name);

	fputs("  ", to);
	utf8_print_cstr(to, e->name);
	if (e->alias)
		width += fprintf(to, " OR %s", e->alias);
	fprintf(to, "%*s  %s", width < 48 ? 48 - width : 0, "", status(e));
	if (e->needs)
		utf8_print_cstr(to, e->needs);
	if (e->unit) {
		fputs("; unit ", to);
		utf8_print_cstr(to, e->unit);
	}
	if (e->scale) {
		fputs("; scale ", to);
		utf8_print_cstr(to, e->scale);
	}
	putc('\n', to);
}

static void print_pmu(const struct rec_pmu *p, FILE *to)
{
	fputs("PMU ", to);
	utf8_print_cstr(to, p->name);
	fputs(p->cpus ? ", on CPU " : ", on any CPU", to);
	if (p->cpus)
		utf8_print_cstr(to, p->cpus);
	for (size_t i = 0; i < p->n_formats; i++) {
		fputs(i ? ", " : "; terms: ", to);
		utf8_print_cstr(to, p->formats[i].name);
	}
	putc('\n', to);
}

/* A heading where the kind changes, or the PMU. */
static void print_heading(const struct rec_list *l, size_t i, FILE *to)
{
	const struct rec_listed *e = &l->items[i];
	bool of_pmu = e->kind == REC_LISTED_PMU;

	if (i && e->kind == e[-1].kind && (!of_pmu || e->pmu == e[-1].pmu))
		return;
	if (i)
		putc('\n', to);
	if (of_pmu)
		print_pmu(&l->pmus[e->pmu], to);
	else
		fprintf(to, "%s\n", kinds[e->kind].heading);
}

static void print_text(const struct rec_list *l, FILE *to)
{
	for (size_t i = 0; i < l->n; i++) {
		print_heading(l, i, to);
		print_event(&l->items[i], to);
	}
}

static void json_event(struct json *j, const struct rec_list *l,
		       const struct rec_listed *e)
{
	json_break(j);
	json_object(j, NULL);
	json_cstr(j, "kind", kinds[e->kind].name);
	json_cstr(j, "name", e->name);
	json_cstr_or_null(j, "alias", e->alias);
	json_bool(j, "usable", !e->needs);
	json_bool(j, "user_only", e->user_only);
	json_cstr_or_null(j, "needs", e->needs);
	if (e->pmu != REC_NO_PMU) {
		json_cstr(j, "pmu", l->pmus[e->pmu].name);
		json_cstr_or_null(j, "unit", e->unit);
		json_f64(j, "scale", e->scale ? strtod(e->scale, NULL) : 1.0);
	}
	json_end_object(j);
}

static void json_pmu(struct json *j, const struct rec_pmu *p)
{
	json_break(j);
	json_object(j, NULL);
	json_cstr(j, "name", p->name);
	json_i64(j, "type", (int64_t)p->type);
	json_cstr_or_null(j, "cpus", p->cpus);
	json_array(j, "formats");
	for (size_t i = 0; i < p->n_formats; i++) {
		json_object(j, NULL);
		json_cstr(j, "name", p->formats[i].name);
		json_cstr(j, "bits", p->formats[i].bits);
		json_end_object(j);
	}
	json_end_array(j);
	json_end_object(j);
}

static bool is_listed(const struct rec_list *l, size_t pmu)
{
	for (size_t i = 0; i < l->n; i++)
		if (l->items[i].pmu == pmu)
			return true;
	return false;
}

static void print_json(const struct rec_list *l, FILE *to)
{
	struct json j;

	json_init(&j, to);
	json_object(&j, NULL);
	json_i64(&j, "version", JSON_VERSION);
	json_bool(&j, "tried", l->m->live);
	json_array(&j, "events");
	for (size_t i = 0; i < l->n; i++)
		json_event(&j, l, &l->items[i]);
	json_end_array(&j);
	json_array(&j, "pmus");
	for (size_t i = 0; i < l->n_pmus; i++)
		if (is_listed(l, i))
			json_pmu(&j, &l->pmus[i]);
	json_end_array(&j);
	json_cstr_or_null(&j, "no_tracepoints", l->no_tracepoints);
	json_end_object(&j);
	putc('\n', to);
}

static void talk(const struct rec_env *env, const struct rec_list *l)
{
	const struct rec_patterns *p = l->patterns;

	if (!l->m->live)
		log_info(env->log, "judged by the kernel's rules from a tree "
			 "of files: nothing was tried");
	if (l->no_tracepoints)
		log_warn(env->log, "tracepoints are not listed: %s",
			 l->no_tracepoints);
	for (size_t i = 0; i < p->n; i++)
		if (!p->items[i].matched)
			log_info(env->log, "nothing matches '%s'",
				 p->items[i].word);
}

static int run(const struct rec_env *env, const void *args, struct err *err)
{
	const struct list_args *a = args;
	struct rec_patterns patterns;
	struct rec_machine m;
	struct rec_list l = { 0 };
	int rc = rec_patterns_init(&patterns, env->operands, env->n_operands,
				   err);

	if (rc)
		return rc;
	rc = rec_machine_read(&m, env->root, err);
	if (!rc)
		rc = rec_list_make(&l, &m, &patterns, err);
	if (!rc) {
		(a->json ? print_json : print_text)(&l, env->out);
		talk(env, &l);
		rc = l.n ? REC_EXIT_DONE : EXIT_NONE;
	}
	rec_list_fini(&l);
	rec_patterns_fini(&patterns);
	return rc;
}

const struct rec_command rec_cmd_list = {
	.name = "list",
	.summary = "the events of this machine, and what each needs",
	.operands = "[sw|hw|cache|pmu|tracepoint|GLOB]…",
	.max_operands = SIZE_MAX,
	.opts = list_opts,
	.args_size = sizeof(struct list_args),
	.run = run,
};
