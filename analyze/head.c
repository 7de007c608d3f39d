#include "analyze/head.h"

#include "analyze/breaks.h"
#include "analyze/clean.h"
#include "analyze/clock.h"
#include "analyze/ending.h"
#include "analyze/losses.h"
#include "analyze/overview.h"
#include "analyze/samples.h"

#include "format/base/buf.h"
#include "format/base/json.h"
#include "format/base/time.h"
#include "format/catalog.h"

#include <inttypes.h>
#include <string.h>

/* What a trace may say of itself that limits what can be read out of it. */
struct caveat {
	const char *fact;
	const char *text; /* when the fact is there and not "0" or "" */
};

static const struct caveat caveats[] = {
	{ "user_only", "kernel samples: user space only was recorded" },
};

static void print_fact(const struct an_trace *t, const char *key,
		       const char *before, FILE *to)
{
	const char *value = an_fact(t, key);

	if (!value || !*value)
		return;
	fputs(before, to);
	an_clean_print(to, span_of(value, strlen(value)));
}

static bool says(const struct an_trace *t, const struct an_fact *f,
		 const char *key)
{
	return *an_text(t, f->value) && strcmp(an_text(t, f->key), key) == 0;
}

/* Of several files, or sources, each has its own. */
static void print_each(const struct an_trace *t, const char *key,
		       const char *before, FILE *to)
{
	for (uint32_t i = 0; i < an_n_facts(t); i++) {
		const struct an_fact *f = an_fact_of(t, i);

		if (!says(t, f, key))
			continue;
		fputs(before, to);
		an_clean_print(to, an_string(t, f->value));
	}
}

static bool ended_by_itself(const struct an_trace *t)
{
	const char *by = an_fact(t, "ended_by");

	return by && strcmp(by, "command ended") == 0;
}

/* Each line of several files that are read as one. */
static void print_joined(const struct an_trace *t, FILE *to)
{
	const char *line = an_trace_joined(t);

	while (line && *line) {
		size_t n = strcspn(line, "\n");

		fputs("\n# Segments: ", to);
		an_clean_print(to, span_of(line, n));
		line += n + (line[n] != '\0');
	}
}

void an_damage_print(const struct an_trace *t, FILE *to)
{
	uint64_t n = an_trace_damage(t);

	if (n)
		fprintf(to, ", %" PRIu64 " damaged place%s skipped", n,
			n == 1 ? "" : "s");
}

static void print_origin(const struct an_trace *t, FILE *to)
{
	char ending[AN_ENDING_TEXT];

	an_ending_text(ending, an_trace_reader(t));
	fputs("# Trace: ", to);
	an_clean_print(to, span_of(an_trace_path(t),
				   strlen(an_trace_path(t))));
	fprintf(to, " (%s", ending);
	an_damage_print(t, to);
	fputc(')', to);
	print_joined(t, to);
	fputs("\n# Recorded: ", to);
	an_clock_print_began(t, to);
	print_fact(t, "hostname", " on ", to);
	print_fact(t, "kernel", ", Linux ", to);
	print_fact(t, "arch", ", ", to);
	print_fact(t, "cpus", ", CPUs: ", to);
	print_fact(t, "command", "\n# Command: ", to);
	if (!ended_by_itself(t))
		print_fact(t, "ended_by", "\n# Ended by: ", to);
	if (an_n_breaks(t) && !an_trace_joined(t)) {
		fputs("\n# Not recorded: ", to);
		an_breaks_print(t, to);
	}
	print_each(t, "incomplete", "\n# Incomplete: ", to);
	fputc('\n', to);
}

static void print_duration(const struct an_trace *t, FILE *to)
{
	uint64_t t_min, t_max;
	char text[TIME_TEXT];
	const char *what = "Samples";

	if (an_samples_bounds(t, &t_min, &t_max, NULL)) {
		what = "Readings";
		if (an_rows_bounds(t, &t_min, &t_max, NULL))
			return;
	}
	time_format(text, t_max - t_min);
	fprintf(to, "# %s from " TIME_MOMENT " to " TIME_MOMENT " s (", what,
		TIME_MOMENT_OF(t_min), TIME_MOMENT_OF(t_max));
	an_clock_print(t, to);
	fprintf(to, "): %s\n", text);
}

static bool is_kernel_nameless(const struct an_trace *t)
{
	bool any = false;

	for (uint32_t i = 0; i < an_n_frames(t); i++) {
		const struct an_frame *f = an_frame_of(t, i);

		if (an_image_of(t, f->image)->kind != TF_IMAGE_KERNEL)
			continue;
		if (f->symbol != AN_NONE)
			return false;
		any = true;
	}
	return any;
}

static void print_kernel_names(const struct an_trace *t, FILE *to)
{
	enum tf_ending ending = tf_reader_ending(an_trace_reader(t));
	const char *why = NULL;

	if (!is_kernel_nameless(t))
		return;
	if (an_fact(t, "note.kernel_names"))
		why = "the kernel hid its symbols (kptr_restrict)";
	else if (ending == TF_UNCLOSED || ending == TF_CUT)
		why = "they were not yet written when the recording ended";
	if (why)
		fprintf(to, "# Cannot tell: names of kernel functions: %s\n",
			why);
}

static void print_caveats(const struct an_trace *t, FILE *to)
{
	struct an_lost lost;

	for (size_t i = 0; i < sizeof(caveats) / sizeof(caveats[0]); i++) {
		const char *value = an_fact(t, caveats[i].fact);

		if (value && *value && strcmp(value, "0") != 0)
			fprintf(to, "# Cannot tell: %s\n", caveats[i].text);
	}
	print_kernel_names(t, to);
	an_losses_sum(t, AN_NONE, &lost);
	for (uint32_t k = 0; k < AN_N_LOSS_KINDS; k++)
		if (lost.rows[k] && k != TF_LOSS_RING && k != TF_LOSS_MEMORY) {
			fputs("# Loss: ", to);
			an_loss_print(to, &lost, k);
		}
}

static bool is_note(const struct an_trace *t, const struct an_fact *f)
{
	return strncmp(an_text(t, f->key), "note.", 5) == 0;
}

static void print_notes(const struct an_trace *t, FILE *to)
{
	for (uint32_t i = 0; i < an_n_facts(t); i++) {
		const struct an_fact *f = an_fact_of(t, i);

		if (!is_note(t, f))
			continue;
		fputs("# Note: ", to);
		an_clean_print(to, an_string(t, f->value));
		fputc('\n', to);
	}
}

void an_head_print(const struct an_trace *t, FILE *to)
{
	print_origin(t, to);
	print_duration(t, to);
	print_caveats(t, to);
	print_notes(t, to);
}

static void json_notes(const struct an_trace *t, struct json *j)
{
	json_array(j, "notes");
	for (uint32_t i = 0; i < an_n_facts(t); i++)
		if (is_note(t, an_fact_of(t, i)))
			json_text(j, NULL,
				  an_string(t, an_fact_of(t, i)->value));
	json_end_array(j);
}

static void json_joined(const struct an_trace *t, struct json *j)
{
	const char *line = an_trace_joined(t);

	json_array(j, "joined");
	while (line && *line) {
		size_t n = strcspn(line, "\n");

		json_text(j, NULL, span_of(line, n));
		line += n + (line[n] != '\0');
	}
	json_end_array(j);
}

static void json_breaks(const struct an_trace *t, struct json *j)
{
	json_array(j, "not_recorded");
	for (size_t i = 0; i < an_n_breaks(t); i++) {
		json_object(j, NULL);
		json_u64(j, "from_ns", an_break_of(t, i)->from);
		json_u64(j, "to_ns", an_break_of(t, i)->to);
		json_end_object(j);
	}
	json_end_array(j);
}

/* Of the sources of a merged trace, too. */
static void json_recovered(const struct an_trace *t, struct json *j)
{
	json_array(j, "recovered");
	for (uint32_t i = 0; i < an_n_facts(t); i++) {
		const struct an_fact *f = an_fact_of(t, i);
		struct span key = an_string(t, f->key);

		if (span_ends(key, "recovered") &&
		    !span_ends(key, "note.recovered"))
			json_text(j, NULL, an_string(t, f->value));
	}
	json_end_array(j);
}

void an_limits_json(const struct an_trace *t, struct json *j)
{
	json_notes(t, j);
	json_joined(t, j);
	json_breaks(t, j);
	json_recovered(t, j);
}

static void json_incomplete(const struct an_trace *t, struct json *j)
{
	struct buf text;

	buf_init(&text, 0);
	for (uint32_t i = 0; i < an_n_facts(t); i++)
		if (says(t, an_fact_of(t, i), "incomplete"))
			buf_printf(&text, "%s%s", text.n ? "; " : "",
				   an_text(t, an_fact_of(t, i)->value));
	if (text.n)
		json_text(j, "incomplete", span_of(text.p, text.n));
	else
		json_cstr_or_null(j, "incomplete", an_trace_incomplete(t));
	buf_fini(&text);
}

void an_head_json(const struct an_trace *t, struct json *j)
{
	json_cstr(j, "trace", an_trace_path(t));
	json_cstr(j, "ending", an_ending_word(an_trace_reader(t)));
	json_u64(j, "damaged_places", an_trace_damage(t));
	json_incomplete(t, j);
	an_limits_json(t, j);
}

/* By period; an event whose periods are all 0 is weighed by samples. */
void an_quality_of(const struct an_trace *t, const struct an_event_profile *e,
		   struct an_quality *out)
{
	enum an_weight w = e->total.period ? AN_WEIGHT_PERIOD :
					     AN_WEIGHT_SAMPLES;
	double total = (double)an_weight_of(&e->total, w);
	struct an_lost lost;

	*out = (struct an_quality){ 0 };
	if (total > 0) {
		out->unknown = (double)an_weight_of(&e->nameless, w) / total;
		out->truncated = (double)an_weight_of(&e->truncated, w) / total;
		out->no_chain = (double)an_weight_of(&e->no_chain, w) / total;
	}
	an_losses_sum(t, e->event, &lost);
	out->lost = lost.samples;
	out->unknown_loss = lost.unknown;
	out->lost_among = an_losses_own(t, an_event_of(t, e->event)->of);
}

/* As perf: 12345 is "12K". */
static void print_count(FILE *to, uint64_t n)
{
	static const char units[] = " KMGTPE";
	size_t unit = 0;

	for (; n > 9999 && unit < sizeof(units) - 2; unit++)
		n /= 1000;
	fprintf(to, "%" PRIu64 "%c", n, units[unit]);
}

static void print_lost_among(const struct an_trace *t, uint32_t event,
			     const struct an_quality *q, FILE *to)
{
	const struct an_event *of = an_event_of(t, an_event_of(t, event)->of);

	fprintf(to, "# Lost: up to %" PRIu64 " more: those of '",
		q->lost_among);
	an_clean_print(to, an_string(t, of->name));
	fputs("' cannot be told apart\n", to);
}

static void print_lost(const struct an_quality *q,
		       const struct an_event_profile *e, FILE *to)
{
	double all = (double)q->lost + (double)e->total.samples;

	fprintf(to, "# Lost: %s%" PRIu64, q->unknown_loss ? "at least " : "",
		q->lost);
	if (q->lost)
		fprintf(to, " samples (%.2f%%)", 100 * (double)q->lost / all);
	fputc('\n', to);
}

void an_head_event(const struct an_trace *t, const struct an_event_profile *e,
		   FILE *to)
{
	struct an_quality q;

	an_quality_of(t, e, &q);
	fputs("# Samples: ", to);
	print_count(to, e->total.samples);
	fputs(" of event '", to);
	an_clean_print(to, an_string(t, an_event_of(t, e->event)->name));
	fprintf(to, "'\n# Event count (approx.): %" PRIu64 "\n",
		e->total.period);
	print_lost(&q, e, to);
	if (q.lost_among)
		print_lost_among(t, e->event, &q, to);
	if (e->total.samples)
		fprintf(to, "# Unknown: %.2f%% of the weight is in code "
			"without a function name\n", 100 * q.unknown);
	if (e->truncated.samples)
		fprintf(to, "# Truncated: %.2f%% of the weight has a stack as "
			"deep as the kernel's limit and may be cut\n",
			100 * q.truncated);
	if (e->no_chain.samples)
		fprintf(to, "# No stack: %.2f%% of the weight came without the "
			"stack that was asked for\n", 100 * q.no_chain);
	if (e->lost_periods)
		fprintf(to, "# No weight: the period of %" PRIu64 " samples is "
			"lost; they count as 0 where weight is meant\n",
			e->lost_periods);
	if (e->lost_names)
		fprintf(to, "# Damaged: %" PRIu64 " samples lost a part of "
			"their stack with the damaged places\n",
			e->lost_names);
}
