#include "analyze/clean.h"
#include "analyze/clock.h"
#include "analyze/command.h"
#include "analyze/counter/about.h"
#include "analyze/ending.h"
#include "analyze/head.h"
#include "analyze/marks.h"
#include "analyze/out/table.h"
#include "analyze/overview.h"

#include "format/base/json.h"
#include "format/base/mem.h"
#include "format/base/time.h"

#include <inttypes.h>
#include <string.h>

#define JSON_VERSION 1

struct info_args {
	bool json;
};

static const struct opt opts[] = {
	OPT_FLAG(0, "json", struct info_args, json, "for programs"),
	OPT_END,
};

static const char *unit_of(const struct an_trace *t, uint32_t event)
{
	return an_text(t, an_event_of(t, event)->unit);
}

/* What stands on the left of each line, as wide as the longest of them. */
#define LEFT "%-22s"
#define LEFT_WIDTH 22

static void print_line(FILE *to, const char *name, const char *value)
{
	if (!value || !*value)
		return;
	fprintf(to, LEFT, name);
	an_clean_print(to, span_of(value, strlen(value)));
	fputc('\n', to);
}

static void print_id(const struct tf_file_header *h, FILE *to)
{
	for (size_t i = 0; i < TF_FILE_ID_SIZE; i++)
		fprintf(to, "%02x", h->file_id[i]);
}

static void print_joined(const struct an_trace *t, FILE *to)
{
	const char *line = an_trace_joined(t);

	while (line && *line) {
		size_t n = strcspn(line, "\n");

		fprintf(to, LEFT, "segments");
		an_clean_print(to, span_of(line, n));
		fputc('\n', to);
		line += n + (line[n] != '\0');
	}
}

static void print_file(const struct an_trace *t, FILE *to)
{
	const struct tf_reader *r = an_trace_reader(t);
	const struct tf_file_header *h = tf_reader_header(r);
	char ending[AN_ENDING_TEXT];

	an_ending_text(ending, r);
	print_line(to, "file", an_trace_path(t));
	fprintf(to, LEFT "%" PRIu64 " bytes, %zu chunks\n", "size",
		tf_reader_size(r), tf_reader_chunks(r));
	fprintf(to, LEFT "%u.%u\n", "format", h->major, h->minor);
	fprintf(to, LEFT, "id");
	print_id(h, to);
	fprintf(to, "\n" LEFT "%s", "ending", ending);
	an_damage_print(t, to);
	fputc('\n', to);
	print_joined(t, to);
	fprintf(to, LEFT, "recorded");
	an_clock_print_began(t, to);
	fputc('\n', to);
}

/* Facts that come first; the others follow as they are. The clock's line has
 * more to say than the fact. */
static const char *const main_facts[] = {
	"command", "hostname", "kernel", "arch", "cpus", "version", "clock",
};

static bool is_main_fact(const char *key)
{
	for (size_t i = 0; i < ARRAY_LEN(main_facts); i++)
		if (strcmp(main_facts[i], key) == 0)
			return true;
	return false;
}

/* What is longer is a table for programs (printk_formats), which --json has. */
#define MAX_SHOWN 1000u

static void print_fact(const struct an_trace *t, const struct an_fact *f,
		       FILE *to)
{
	struct span key = an_string(t, f->key);
	struct span value = an_string(t, f->value);

	an_clean_print(to, key);
	fprintf(to, "%*s", key.n < LEFT_WIDTH ? LEFT_WIDTH - (int)key.n : 1, "");
	if (value.n > MAX_SHOWN)
		fprintf(to, "%zu bytes (--json shows them)", value.n);
	else
		an_clean_print(to, value);
	fputc('\n', to);
}

static void print_facts(const struct an_trace *t, FILE *to)
{
	size_t files = 0;

	for (size_t i = 0; i < ARRAY_LEN(main_facts); i++)
		if (strcmp(main_facts[i], "clock") != 0)
			print_line(to, main_facts[i],
				   an_fact(t, main_facts[i]));
	for (uint32_t i = 0; i < an_n_facts(t); i++) {
		const struct an_fact *f = an_fact_of(t, i);

		/* Of these there may be thousands. */
		if (strncmp(an_text(t, f->key), "file.", 5) == 0)
			files++;
		else if (!is_main_fact(an_text(t, f->key)))
			print_fact(t, f, to);
	}
	if (files)
		fprintf(to, "%-*s%zu (--json shows them)\n", LEFT_WIDTH,
			"open files", files);
}

static void print_seconds(FILE *to, uint64_t ns)
{
	fprintf(to, "%" PRIu64 ".%09" PRIu64, ns / NSEC_PER_SEC,
		ns % NSEC_PER_SEC);
}

static void print_times(const struct an_trace *t, const struct an_overview *o,
			FILE *to)
{
	const char *clock = an_clock_name(t);
	char text[TIME_TEXT];

	if (o->any) {
		time_format(text, o->t_max - o->t_min);
		fprintf(to, LEFT "%s, from ", "samples", text);
		print_seconds(to, o->t_min);
		fputs(" to ", to);
		print_seconds(to, o->t_max);
		fputs(" s\n", to);
	}
	an_readings_print(t, o, to, LEFT_WIDTH);
	fprintf(to, LEFT, "clock");
	an_clean_print(to, span_of(clock, strlen(clock)));
	fprintf(to, ", %zu readings of the wall clock\n", an_n_clocks(t));
	for (uint32_t i = 0; i < an_n_clocks(t) && i < 1; i++) {
		const struct an_clock *c = an_clock_of(t, i);

		fprintf(to, LEFT, "");
		print_seconds(to, c->monotonic);
		fputs(" s is ", to);
		an_print_date(to, c->realtime);
		fputc('\n', to);
	}
}

#define TEXT(k, t) { .key = k, .title = t, .kind = AN_CELL_TEXT }
#define NUMBER(k, t) { .key = k, .title = t, .kind = AN_CELL_U64, .right = true }
#define SHARE(k, t)                                                            \
	{ .key = k, .title = t, .kind = AN_CELL_PERCENT, .right = true }

static const struct an_cell_column event_columns[] = {
	TEXT("event", "Event"),
	NUMBER("samples", "Samples"),
	NUMBER("period", "Period sum"),
	TEXT("unit", "Unit"),
	NUMBER("frequency", "Hz"),
	NUMBER("sample_period", "Period"),
	NUMBER("lost", "Lost"),
	SHARE("unknown", "Nameless"),
	SHARE("truncated", "Cut"),
};

static int print_events(const struct an_trace *t, const struct an_overview *o,
			FILE *to, struct err *err)
{
	struct an_table *table;
	int rc = an_table_new(&table, event_columns, ARRAY_LEN(event_columns),
			      err);

	if (rc)
		return rc;
	for (size_t i = 0; i < o->profile.n; i++) {
		const struct an_event_profile *p = &o->profile.events[i];
		const struct an_event *e = an_event_of(t, p->event);
		struct an_quality q;

		an_quality_of(t, p, &q);
		an_table_text(table, an_string(t, e->name));
		an_table_u64(table, p->total.samples);
		an_table_u64(table, p->total.period);
		an_table_word(table, unit_of(t, p->event));
		an_table_u64(table, e->frequency);
		an_table_u64(table, e->period);
		an_table_u64(table, q.lost);
		an_table_f64(table, 100 * q.unknown);
		an_table_f64(table, 100 * q.truncated);
	}
	fputc('\n', to);
	rc = an_table_print(table, AN_FORMAT_TEXT, to, err);
	an_table_free(table);
	return rc;
}

static const struct an_cell_column table_columns[] = {
	TEXT("table", "Table"),
	NUMBER("rows", "Rows"),
	NUMBER("parts", "Parts"),
};

static int print_tables(const struct an_overview *o, FILE *to,
			struct err *err)
{
	struct an_table *table;
	int rc = an_table_new(&table, table_columns, ARRAY_LEN(table_columns),
			      err);

	if (rc)
		return rc;
	for (size_t i = 0; i < o->n_tables; i++) {
		if (!o->tables[i].parts)
			continue;
		an_table_word(table, o->tables[i].table->name);
		an_table_u64(table, o->tables[i].rows);
		an_table_u64(table, o->tables[i].parts);
	}
	fputc('\n', to);
	rc = an_table_print(table, AN_FORMAT_TEXT, to, err);
	an_table_free(table);
	return rc;
}

static void print_losses(const struct an_overview *o, FILE *to)
{
	fputc('\n', to);
	for (uint32_t k = 0; k < AN_N_LOSS_KINDS; k++)
		if (o->lost.rows[k]) {
			fputs("lost: ", to);
			an_loss_print(to, &o->lost, k);
		}
	if (!o->lost.samples && !o->lost.unknown)
		fputs("lost: no sample\n", to);
	fprintf(to, "images: %" PRIu64 ", %" PRIu64 " with names, %" PRIu64
		" without; %" PRIu64 " of %" PRIu64 " addresses have one\n",
		o->images.images, o->images.named, o->images.nameless,
		o->images.named_frames, o->images.frames);
}

static void print_more(const struct an_trace *t, const struct an_overview *o,
		       FILE *to)
{
	if (o->switches)
		fprintf(to, "switches of threads: %" PRIu64 "\n", o->switches);
	if (!o->n_unusable)
		return;
	fprintf(to, "formats that cannot be printed with: %zu:", o->n_unusable);
	for (uint32_t i = 0; i < an_n_events(t); i++)
		if (o->unusable[i]) {
			fputc(' ', to);
			an_clean_print(to, an_string(t,
						     an_event_of(t, i)->name));
		}
	fputc('\n', to);
}

static int print_text(const struct an_trace *t, const struct an_overview *o,
		      FILE *to, struct err *err)
{
	int rc;

	print_file(t, to);
	print_facts(t, to);
	print_times(t, o, to);
	rc = print_events(t, o, to, err);
	if (!rc) {
		an_marks_print(t, to);
		print_losses(o, to);
		print_more(t, o, to);
	}
	return rc ? rc : print_tables(o, to, err);
}

static void json_file(const struct an_trace *t, struct json *j)
{
	const struct tf_reader *r = an_trace_reader(t);
	const struct tf_file_header *h = tf_reader_header(r);
	char id[2 * TF_FILE_ID_SIZE + 1];

	for (size_t i = 0; i < TF_FILE_ID_SIZE; i++)
		snprintf(id + 2 * i, 3, "%02x", h->file_id[i]);
	json_object(j, "file");
	json_cstr(j, "path", an_trace_path(t));
	json_u64(j, "size", tf_reader_size(r));
	json_u64(j, "format_major", h->major);
	json_u64(j, "format_minor", h->minor);
	json_cstr(j, "id", id);
	json_u64(j, "start_unix_ns", h->start_unix_ns);
	an_clock_json_began(t, j);
	json_cstr(j, "ending", an_ending_word(r));
	json_u64(j, "foreign_bytes", tf_reader_size(r) - tf_reader_end(r));
	json_u64(j, "chunks", tf_reader_chunks(r));
	json_u64(j, "damaged_places", an_trace_damage(t));
	json_end_object(j);
}

static void json_machine(const struct an_trace *t, struct json *j)
{
	json_object(j, "machine");
	for (uint32_t i = 0; i < an_n_facts(t); i++) {
		const struct an_fact *f = an_fact_of(t, i);
		const char *key = an_text(t, f->key);

		/* Keys of an object are there once. */
		if (an_fact(t, key) == an_text(t, f->value))
			json_text(j, key, an_string(t, f->value));
	}
	json_end_object(j);
}

static void json_clock(const struct an_trace *t, struct json *j)
{
	json_object(j, "clock");
	json_cstr(j, "name", an_clock_name(t));
	json_array(j, "readings");
	for (uint32_t i = 0; i < an_n_clocks(t); i++) {
		const struct an_clock *c = an_clock_of(t, i);

		json_object(j, NULL);
		json_u64(j, "monotonic_ns", c->monotonic);
		json_u64(j, "realtime_ns", c->realtime);
		json_u64(j, "boottime_ns", c->boottime);
		json_end_object(j);
	}
	json_end_array(j);
	json_end_object(j);
}

static void json_event(const struct an_trace *t,
		       const struct an_event_profile *p, struct json *j)
{
	const struct an_event *e = an_event_of(t, p->event);
	struct an_quality q;

	an_quality_of(t, p, &q);
	json_object(j, NULL);
	json_text(j, "name", an_string(t, e->name));
	json_u64(j, "rows", p->total.samples);
	if (p->lost_periods && p->lost_periods == p->total.samples)
		json_null(j, "period_sum");
	else
		json_u64(j, "period_sum", p->total.period);
	if (p->lost_periods)
		json_u64(j, "lost_periods", p->lost_periods);
	json_cstr(j, "unit", unit_of(t, p->event));
	json_u64(j, "first_ns", p->t_min);
	json_u64(j, "last_ns", p->t_max);
	json_u64(j, "frequency", e->frequency);
	json_u64(j, "period", e->period);
	json_bool(j, "callchain", e->callchain);
	json_u64(j, "lost", q.lost);
	json_bool(j, "lost_more", q.unknown_loss || q.lost_among);
	json_f64(j, "unknown_share", q.unknown);
	json_f64(j, "truncated_share", q.truncated);
	json_f64(j, "no_stack_share", q.no_chain);
	json_end_object(j);
}

static void json_losses(const struct an_overview *o, struct json *j)
{
	json_object(j, "losses");
	json_u64(j, "samples", o->lost.samples);
	json_bool(j, "more", o->lost.unknown);
	json_array(j, "kinds");
	for (uint32_t k = 0; k < AN_N_LOSS_KINDS; k++) {
		if (!o->lost.rows[k])
			continue;
		json_object(j, NULL);
		json_cstr(j, "kind", an_loss_name(k));
		json_u64(j, "count", o->lost.by_kind[k]);
		json_u64(j, "rows", o->lost.rows[k]);
		json_end_object(j);
	}
	json_end_array(j);
	json_end_object(j);
}

static void json_tables(const struct an_overview *o, struct json *j)
{
	json_array(j, "tables");
	for (size_t i = 0; i < o->n_tables; i++) {
		if (!o->tables[i].parts)
			continue;
		json_object(j, NULL);
		json_cstr(j, "name", o->tables[i].table->name);
		json_u64(j, "rows", o->tables[i].rows);
		json_u64(j, "parts", o->tables[i].parts);
		json_end_object(j);
	}
	json_end_array(j);
}

static void json_images(const struct an_overview *o, struct json *j)
{
	json_object(j, "images");
	json_u64(j, "count", o->images.images);
	json_u64(j, "with_names", o->images.named);
	json_u64(j, "without_names", o->images.nameless);
	json_end_object(j);
	json_object(j, "addresses");
	json_u64(j, "total", o->images.frames);
	json_u64(j, "named", o->images.named_frames);
	json_end_object(j);
}

static void json_more(const struct an_trace *t, const struct an_overview *o,
		      struct json *j)
{
	json_u64(j, "switches", o->switches);
	json_array(j, "unusable_formats");
	for (uint32_t i = 0; i < an_n_events(t); i++)
		if (o->unusable[i])
			json_text(j, NULL,
				  an_string(t, an_event_of(t, i)->name));
	json_end_array(j);
}

static void print_json(const struct an_trace *t, const struct an_overview *o,
		       FILE *to)
{
	const char *command = an_fact(t, "command");
	struct json j;

	json_init(&j, to);
	json_object(&j, NULL);
	json_u64(&j, "version", JSON_VERSION);
	json_file(t, &j);
	json_machine(t, &j);
	json_clock(t, &j);
	json_cstr(&j, "command", command ? command : "");
	an_limits_json(t, &j);
	json_array(&j, "events");
	for (size_t i = 0; i < o->profile.n; i++)
		json_event(t, &o->profile.events[i], &j);
	json_end_array(&j);
	an_marks_json(t, &j);
	an_readings_json(t, o, &j);
	json_losses(o, &j);
	json_images(o, &j);
	json_more(t, o, &j);
	json_tables(o, &j);
	json_end_object(&j);
	fputc('\n', to);
}

static int info_run(struct an_env *env, const void *args, struct err *err)
{
	const struct info_args *a = args;
	struct an_overview o;
	int rc = an_overview_make(&o, env->trace, err);

	if (rc)
		return rc;
	if (a->json)
		print_json(env->trace, &o, env->out);
	else
		rc = print_text(env->trace, &o, env->out, err);
	an_overview_fini(&o);
	return rc < 0 ? rc : AN_EXIT_DONE;
}

const struct an_command an_cmd_info = {
	.name = "info",
	.summary = "what a trace holds, who made it and how well it went",
	.operands = "[FILE...]",
	.opts = opts,
	.args_size = sizeof(struct info_args),
	.needs = AN_ONE_TRACE,
	.run = info_run,
};
