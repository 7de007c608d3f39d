#include "analyze/verdict/show.h"

#include "analyze/counter/series.h"
#include "analyze/head.h"

#include "format/base/buf.h"
#include "format/base/json.h"
#include "format/base/time.h"
#include "format/base/utf8.h"

#include <inttypes.h>
#include <math.h>

/* Files below this are not listed: they decide nothing. */
#define IMAGES_SHOWN 8

static const char *const words[] = {
	[AN_MEDIA_HARDWARE] = "hardware", [AN_MEDIA_SOFTWARE] = "software",
	[AN_MEDIA_MIXED] = "mixed",	  [AN_MEDIA_IDLE] = "idle",
	[AN_MEDIA_UNKNOWN] = "unknown",
};

static const char *const sources[] = {
	[AN_MEDIA_CPU_NONE] = "none",
	[AN_MEDIA_CPU_CLOCK] = "task-clock",
	[AN_MEDIA_CPU_SAMPLES] = "samples",
};

const char *an_media_word(enum an_media_answer a)
{
	return words[a];
}

static const char *confidence(const struct an_media *m)
{
	if (m->answer == AN_MEDIA_UNKNOWN)
		return "none";
	return m->likely ? "likely" : "certain";
}

static const char *whose(const struct an_media *m,
			 const struct an_media_engine *e)
{
	if (e->own)
		return "own";
	return an_series_of(m->t, e->series)->pid ? "other" : "device";
}

/* What the words mean here. */
static const char *sentence(const struct an_media *m)
{
	switch (m->answer) {
	case AN_MEDIA_HARDWARE:
		return "its media engines worked, and no code of a codec did";
	case AN_MEDIA_SOFTWARE:
		return m->codec >= AN_MEDIA_CODEC_LEAST ?
			       "codecs computed in it; no media engine is seen "
			       "to have worked for it" :
			       "it computed and no media engine worked for it: "
			       "if it works on video, then by itself";
	case AN_MEDIA_MIXED:
		return "its media engines worked, and codecs computed in it";
	case AN_MEDIA_IDLE:
		return "neither media engines nor CPUs worked for it";
	case AN_MEDIA_UNKNOWN:
		break;
	}
	return "the trace does not tell";
}

static void text_head(const struct an_media *m, FILE *to)
{
	fprintf(to, "%s: ", words[m->answer]);
	utf8_print_cstr(to, m->comm ? m->comm : "?");
	fprintf(to, "/%" PRId32 ": %s%s\n", m->pid, sentence(m),
		m->likely ? " (likely)" : "");
	if (m->others)
		fprintf(to, "  another process's hardware: media engines "
			"worked, none of them for this process\n");
	else if (!m->engines_known && m->elsewhere >= AN_MEDIA_ENGINE_LEAST)
		fprintf(to, "  media engines worked; whether for this process, "
			"the trace does not tell\n");
}

static void text_figures(const struct an_media *m, FILE *to)
{
	char length[TIME_TEXT];

	time_format(length, m->length_ns);
	fprintf(to, "  looked at %s\n", length);
	fprintf(to, "  own media engines: ");
	if (m->engines_known || m->engine > 0)
		fprintf(to, "%.2f%% busy, the busiest (hardware: %g%% or "
			"more)%s\n", m->engine * 100,
			AN_MEDIA_ENGINE_LEAST * 100,
			m->client ? "" : "; it has no client of a GPU");
	else
		fprintf(to, "not known\n");
	if (m->cpu_by == AN_MEDIA_CPU_NONE) {
		fprintf(to, "  CPU: not known\n");
		return;
	}
	fprintf(to, "  CPU: %.2f%% of one, by %s (software without a known "
		"codec: %g%% or more)\n", m->cpu * 100, sources[m->cpu_by],
		AN_MEDIA_CPU_LEAST * 100);
	if (m->cpu_by == AN_MEDIA_CPU_SAMPLES)
		fprintf(to, "  codecs: %.2f%% of a CPU, of %" PRIu64
			" samples of the process (software: %g%% or more)\n",
			m->codec * 100, m->samples, AN_MEDIA_CODEC_LEAST * 100);
}

static int text_engines(const struct an_media *m, FILE *to, struct err *err)
{
	struct buf text;
	int rc = 0;

	buf_init(&text, 0);
	for (size_t i = 0; i < m->n_engines; i++) {
		const struct an_media_engine *e = &m->engines[i];

		buf_clear(&text);
		an_series_text(m->t, e->series, &text);
		buf_u8(&text, 0);
		if (buf_failed(&text)) {
			rc = err_nomem(err);
			break;
		}
		fprintf(to, "    %6.2f%%  %s%s: ", e->busy * 100, whose(m, e),
			e->role == AN_MEDIA_PROCESSES ? ", not coding" : "");
		utf8_print_cstr(to, (const char *)text.p);
		putc('\n', to);
	}
	buf_fini(&text);
	return rc;
}

static const char *image_name(const struct an_media *m,
			      const struct an_media_image *x)
{
	return x->dso ? an_text(m->t, x->dso) : "[lost]";
}

static void text_images(const struct an_media *m, FILE *to)
{
	for (size_t i = 0; i < m->n_images && i < IMAGES_SHOWN; i++) {
		const struct an_media_image *x = &m->images[i];

		fprintf(to, "    %6.2f%%  CPU in ",
			100 * (double)x->ns / (double)m->length_ns);
		utf8_print_cstr(to, image_name(m, x));
		fprintf(to, "%s\n", x->codec ? ": a codec" : "");
	}
}

static int show_text(const struct an_media *m, FILE *to, struct err *err)
{
	int rc;

	text_head(m, to);
	text_figures(m, to);
	rc = text_engines(m, to, err);
	if (rc)
		return rc;
	text_images(m, to);
	for (size_t i = 0; i < m->n_missing; i++)
		fprintf(to, "  missing: %s\n", m->missing[i]);
	return 0;
}

static void json_engines(const struct an_media *m, struct json *j)
{
	json_array(j, "engines");
	for (size_t i = 0; i < m->n_engines; i++) {
		const struct an_media_engine *e = &m->engines[i];
		const struct an_series *s = an_series_of(m->t, e->series);

		json_break(j);
		json_object(j, NULL);
		json_cstr(j, "engine", e->name);
		json_cstr(j, "device", an_text(m->t, s->device));
		json_cstr(j, "whose", whose(m, e));
		json_i64(j, "pid", s->pid);
		json_u64(j, "client", s->client);
		json_bool(j, "codes", e->role == AN_MEDIA_CODES);
		json_f64(j, "busy_percent", e->busy * 100);
		json_u64(j, "known_ns", e->known_ns);
		json_end_object(j);
	}
	json_end_array(j);
}

static void json_images(const struct an_media *m, struct json *j)
{
	json_array(j, "images");
	for (size_t i = 0; i < m->n_images; i++) {
		json_break(j);
		json_object(j, NULL);
		json_cstr(j, "image", image_name(m, &m->images[i]));
		json_bool(j, "codec", m->images[i].codec);
		json_u64(j, "cpu_ns", m->images[i].ns);
		json_end_object(j);
	}
	json_end_array(j);
}

static void json_percent(struct json *j, const char *key, bool known, double v)
{
	if (known)
		json_f64(j, key, v * 100);
	else
		json_null(j, key);
}

static void json_figures(const struct an_media *m, struct json *j)
{
	json_u64(j, "length_ns", m->length_ns);
	json_percent(j, "engine_percent", m->engines_known || m->engine > 0,
		     m->engine);
	json_f64(j, "elsewhere_percent", m->elsewhere * 100);
	json_bool(j, "others", m->others);
	json_bool(j, "client", m->client);
	json_cstr(j, "cpu_by", sources[m->cpu_by]);
	json_percent(j, "cpu_percent", m->cpu_by != AN_MEDIA_CPU_NONE, m->cpu);
	json_percent(j, "codec_percent", m->cpu_by == AN_MEDIA_CPU_SAMPLES,
		     m->codec);
	json_u64(j, "samples", m->samples);
	json_object(j, "least");
	json_f64(j, "engine_percent", AN_MEDIA_ENGINE_LEAST * 100);
	json_f64(j, "codec_percent", AN_MEDIA_CODEC_LEAST * 100);
	json_f64(j, "cpu_percent", AN_MEDIA_CPU_LEAST * 100);
	json_end_object(j);
}

static void show_json(const struct an_media *m, FILE *to)
{
	struct json j;

	json_init(&j, to);
	json_object(&j, NULL);
	json_u64(&j, "version", AN_MEDIA_JSON_VERSION);
	an_head_json(m->t, &j);
	json_cstr(&j, "verdict", words[m->answer]);
	json_cstr(&j, "confidence", confidence(m));
	json_i64(&j, "pid", m->pid);
	json_cstr_or_null(&j, "command", m->comm);
	json_cstr(&j, "why", sentence(m));
	json_figures(m, &j);
	json_engines(m, &j);
	json_images(m, &j);
	json_array(&j, "missing");
	for (size_t i = 0; i < m->n_missing; i++)
		json_cstr(&j, NULL, m->missing[i]);
	json_end_array(&j);
	json_end_object(&j);
	putc('\n', to);
}

static const struct an_cell_column columns[] = {
	{ "verdict", "verdict", AN_CELL_TEXT, false, 0 },
	{ "confidence", "confidence", AN_CELL_TEXT, false, 0 },
	{ "pid", "pid", AN_CELL_U64, true, 0 },
	{ "evidence", "evidence", AN_CELL_TEXT, false, 0 },
	{ "whose", "whose", AN_CELL_TEXT, false, 0 },
	{ "name", "name", AN_CELL_TEXT, false, 0 },
	{ "device", "device", AN_CELL_TEXT, false, 0 },
	{ "of_pid", "of_pid", AN_CELL_U64, true, 0 },
	{ "percent", "percent", AN_CELL_F64, true, 0 },
};

static void cells(const struct an_media *m, struct an_table *t,
		  const char *evidence, const char *who, const char *name,
		  const char *device, int32_t pid, double share)
{
	an_table_word(t, words[m->answer]);
	an_table_word(t, confidence(m));
	an_table_u64(t, (uint64_t)m->pid);
	an_table_word(t, evidence);
	an_table_word(t, who);
	an_table_word(t, name);
	an_table_word(t, device);
	an_table_u64(t, pid < 0 ? 0 : (uint64_t)pid);
	an_table_f64(t, share * 100);
}

static void csv_rows(const struct an_media *m, struct an_table *t)
{
	bool engine = m->engines_known || m->engine > 0;

	cells(m, t, "engines", "own", "", "", m->pid,
	      engine ? m->engine : (double)NAN);
	cells(m, t, "cpu", "own", sources[m->cpu_by], "", m->pid,
	      m->cpu_by != AN_MEDIA_CPU_NONE ? m->cpu : (double)NAN);
	cells(m, t, "codecs", "own", sources[m->cpu_by], "", m->pid,
	      m->cpu_by == AN_MEDIA_CPU_SAMPLES ? m->codec : (double)NAN);
	for (size_t i = 0; i < m->n_engines; i++) {
		const struct an_media_engine *e = &m->engines[i];
		const struct an_series *s = an_series_of(m->t, e->series);

		cells(m, t, "engine", whose(m, e), e->name,
		      an_text(m->t, s->device), s->pid, e->busy);
	}
	for (size_t i = 0; i < m->n_images; i++)
		cells(m, t, m->images[i].codec ? "codec" : "image", "own",
		      image_name(m, &m->images[i]), "", m->pid,
		      (double)m->images[i].ns / (double)m->length_ns);
	for (size_t i = 0; i < m->n_missing; i++)
		cells(m, t, "missing", "", m->missing[i], "", 0,
		      (double)NAN);
}

static int show_csv(const struct an_media *m, FILE *to, struct err *err)
{
	struct an_table *t = NULL;
	int rc = an_table_new(&t, columns, sizeof(columns) / sizeof(columns[0]),
			      err);

	if (rc)
		return rc;
	csv_rows(m, t);
	rc = an_table_print_csv(t, to, err);
	an_table_free(t);
	return rc;
}

int an_media_show(const struct an_media *m, enum an_format format, FILE *to,
		  struct err *err)
{
	switch (format) {
	case AN_FORMAT_CSV:
		return show_csv(m, to, err);
	case AN_FORMAT_JSON:
		show_json(m, to);
		return 0;
	default:
		return show_text(m, to, err);
	}
}
