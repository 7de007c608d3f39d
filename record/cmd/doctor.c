/* rec doctor: what can be recorded here, and what would mend the rest. */
#include "format/base/json.h"
#include "format/base/utf8.h"
#include "record/command.h"
#include "record/doctor/doctor.h"
#include "record/session.h"

#include <stdlib.h>
#include <string.h>

#define JSON_VERSION 1
#define EXIT_NOTHING 1 /* not even own programs can be recorded */

struct doctor_args {
	struct rec_common common;
	bool json;
};

static const struct opt doctor_opts[] = {
	OPT_FLAG(0, "json", struct doctor_args, json, "as JSON"),
	REC_COMMON_OPTS(struct doctor_args),
	OPT_END,
};

/* All that was found. */
struct visit {
	struct rec_machine machine;
	struct rec_doctor doctor;
	struct rec_finding *findings;
	struct rec_setting *settings;
};

static const char *const verdicts[] = {
	[REC_YES] = "yes",
	[REC_PARTLY] = "partly",
	[REC_NO] = "no",
};

static int examine(struct visit *v, const char *root, struct err *err)
{
	v->findings = calloc(rec_n_abilities, sizeof(*v->findings));
	v->settings = calloc(rec_n_settings, sizeof(*v->settings));
	if (!v->findings || !v->settings)
		return err_nomem(err);
	if (rec_machine_read(&v->machine, root, err))
		return ERR_NOMEM;
	v->doctor.m = &v->machine;
	for (size_t i = 0; i < rec_n_abilities; i++)
		rec_abilities[i].examine(&v->doctor, &v->findings[i]);
	for (size_t i = 0; i < rec_n_settings; i++)
		rec_settings[i].read(&v->doctor, &v->settings[i]);
	return v->doctor.failed ? err_nomem(err) : 0;
}

static void print_finding(const struct rec_ability *a,
			  const struct rec_finding *f, FILE *to)
{
	fprintf(to, "  %-8s%s\n", verdicts[f->verdict], a->title);
	if (f->why) {
		fputs("          why: ", to);
		utf8_print_cstr(to, f->why);
		putc('\n', to);
	}
	for (size_t i = 0; i < f->n_mends; i++) {
		fputs(i ? "           or: " : "          try: ", to);
		utf8_print_cstr(to, f->mends[i].command);
		fprintf(to, "  # for %s\n", f->mends[i].scope);
	}
}

static bool any_mend(const struct visit *v, const char *begin)
{
	for (size_t i = 0; i < rec_n_abilities; i++)
		for (size_t k = 0; k < v->findings[i].n_mends; k++)
			if (!strncmp(v->findings[i].mends[k].command, begin,
				     strlen(begin)))
				return true;
	return false;
}

static void print_advice(const struct visit *v, const char *setcap, FILE *to)
{
	if (!any_mend(v, ""))
		return;
	fputs("\nThese commands are for root (of the host, where this is a "
	      "container); nothing was\nchanged.", to);
	if (any_mend(v, "sysctl "))
		fputs(" sysctl lasts until the next boot, a file in "
		      "/etc/sysctl.d keeps it.", to);
	putc('\n', to);
	if (!setcap)
		return;
	fputs("setcap replaces what it set before; all of the above at once:\n"
	      "  ", to);
	utf8_print_cstr(to, setcap);
	putc('\n', to);
}

static void print_settings(const struct visit *v, FILE *to)
{
	fputs("\nWhat decides it\n", to);
	for (size_t i = 0; i < rec_n_settings; i++) {
		const struct rec_setting *s = &v->settings[i];

		fprintf(to, "  %-28s", rec_settings[i].name);
		utf8_print_cstr(to, s->value);
		if (s->note) {
			fputs("; ", to);
			utf8_print_cstr(to, s->note);
		}
		putc('\n', to);
	}
}

static void print_text(const struct visit *v, const char *setcap, FILE *to)
{
	const struct rec_machine *m = &v->machine;

	fputs("rec " REC_VERSION ", Linux ", to);
	utf8_print_cstr(to, m->release);
	fprintf(to, ", user %u\n", m->uid);
	if (!m->live)
		fputs("Judged by the kernel's rules from a tree of files: "
		      "nothing was tried.\n", to);
	fputs("\nWhat can be recorded here\n", to);
	for (size_t i = 0; i < rec_n_abilities; i++)
		print_finding(&rec_abilities[i], &v->findings[i], to);
	print_advice(v, setcap, to);
	print_settings(v, to);
}

static void json_finding(struct json *j, const struct rec_ability *a,
			 const struct rec_finding *f)
{
	json_break(j);
	json_object(j, NULL);
	json_cstr(j, "id", a->id);
	json_cstr(j, "title", a->title);
	json_cstr(j, "verdict", verdicts[f->verdict]);
	json_cstr_or_null(j, "why", f->why);
	json_array(j, "mends");
	for (size_t i = 0; i < f->n_mends; i++) {
		json_object(j, NULL);
		json_cstr(j, "command", f->mends[i].command);
		json_cstr(j, "scope", f->mends[i].scope);
		json_end_object(j);
	}
	json_end_array(j);
	json_end_object(j);
}

static void print_json(const struct visit *v, const char *setcap, FILE *to)
{
	const struct rec_machine *m = &v->machine;
	struct json j;

	json_init(&j, to);
	json_object(&j, NULL);
	json_i64(&j, "version", JSON_VERSION);
	json_cstr(&j, "rec", REC_VERSION);
	json_cstr(&j, "kernel", m->release);
	json_i64(&j, "uid", m->uid);
	json_bool(&j, "tried", m->live);
	json_array(&j, "abilities");
	for (size_t i = 0; i < rec_n_abilities; i++)
		json_finding(&j, &rec_abilities[i], &v->findings[i]);
	json_end_array(&j);
	json_cstr_or_null(&j, "setcap_for_all", setcap);
	json_array(&j, "settings");
	for (size_t i = 0; i < rec_n_settings; i++) {
		json_break(&j);
		json_object(&j, NULL);
		json_cstr(&j, "name", rec_settings[i].name);
		json_cstr(&j, "value", v->settings[i].value);
		json_cstr_or_null(&j, "note", v->settings[i].note);
		json_end_object(&j);
	}
	json_end_array(&j);
	json_end_object(&j);
	putc('\n', to);
}

static int run(const struct rec_env *env, const void *args, struct err *err)
{
	const struct doctor_args *a = args;
	struct visit v = { 0 };
	const char *setcap = NULL;
	int rc = examine(&v, env->root, err);

	if (!rc && v.doctor.file_caps)
		setcap = rec_doctor_setcap(&v.doctor, v.doctor.file_caps);
	if (!rc && v.doctor.failed)
		rc = err_nomem(err);
	if (!rc) {
		(a->json ? print_json : print_text)(&v, setcap, env->out);
		rc = v.findings[0].verdict == REC_NO ? EXIT_NOTHING :
						       REC_EXIT_DONE;
	}
	rec_doctor_fini(&v.doctor);
	free(v.findings);
	free(v.settings);
	return rc;
}

const struct rec_command rec_cmd_doctor = {
	.name = "doctor",
	.summary = "what can be recorded here, and what would mend the rest",
	.operands = "",
	.opts = doctor_opts,
	.args_size = sizeof(struct doctor_args),
	.run = run,
};
