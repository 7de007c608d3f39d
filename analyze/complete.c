#include "analyze/complete.h"

#include "analyze/command.h"
#include "analyze/report/keys.h"
#include "analyze/trace.h"

#include "flamegraph/fg.h"
#include "format/base/mem.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define DEFAULT_TRACE "trace.ctr"

struct place {
	const struct complete *c;
	const struct complete_line *line;
	const struct an_trace *t;
	struct err *err;
};

/* Says rows of a table of the trace: of those with equal keys the last one that
 * is best, or the last one. */
struct column {
	uint64_t (*key)(const struct an_trace *t, uint32_t row);
	bool (*best)(const struct an_trace *t, uint32_t row); /* or NULL */
	void (*say)(const struct place *p, uint32_t row);
};

struct keyed {
	uint64_t key;
	uint32_t row;
	bool best;
};

static int by_key(const void *a, const void *b)
{
	const struct keyed *x = a, *y = b;

	if (x->key != y->key)
		return CMP(x->key, y->key);
	return x->best != y->best ? x->best - y->best : CMP(x->row, y->row);
}

static struct keyed keyed_of(const struct column *column,
			     const struct an_trace *t, uint32_t row)
{
	return (struct keyed){ column->key(t, row), row,
			       column->best && column->best(t, row) };
}

static int say_each(const struct place *p, size_t n,
		    const struct column *column)
{
	struct keyed *rows = calloc(n + 1, sizeof(*rows));

	if (!rows)
		return err_nomem(p->err);
	for (size_t i = 0; i < n; i++)
		rows[i] = keyed_of(column, p->t, (uint32_t)i);
	qsort(rows, n, sizeof(*rows), by_key);
	for (size_t i = 0; i < n; i++)
		if (i + 1 == n || rows[i].key != rows[i + 1].key)
			column->say(p, rows[i].row);
	free(rows);
	return 0;
}

static void say_number(const struct place *p, int32_t n, uint32_t comm)
{
	char number[16];

	snprintf(number, sizeof(number), "%" PRId32, n);
	complete_say(p->c, number, an_text(p->t, comm));
}

static uint64_t pid_of(const struct an_trace *t, uint32_t row)
{
	return (uint32_t)an_thread_of(t, row)->pid;
}

static bool is_first_thread(const struct an_trace *t, uint32_t row)
{
	return an_thread_of(t, row)->tid == an_thread_of(t, row)->pid;
}

static void say_pid(const struct place *p, uint32_t row)
{
	const struct an_thread *th = an_thread_of(p->t, row);

	say_number(p, th->pid, th->comm);
}

static uint64_t tid_of(const struct an_trace *t, uint32_t row)
{
	return (uint32_t)an_thread_of(t, row)->tid;
}

static void say_tid(const struct place *p, uint32_t row)
{
	const struct an_thread *th = an_thread_of(p->t, row);

	say_number(p, th->tid, th->comm);
}

static uint64_t comm_of(const struct an_trace *t, uint32_t row)
{
	return an_thread_of(t, row)->comm;
}

static void say_comm(const struct place *p, uint32_t row)
{
	complete_say(p->c, an_text(p->t, an_thread_of(p->t, row)->comm), NULL);
}

static uint64_t event_of(const struct an_trace *t, uint32_t row)
{
	return an_event_of(t, row)->name;
}

static void say_event(const struct place *p, uint32_t row)
{
	complete_say(p->c, an_text(p->t, an_event_of(p->t, row)->name), NULL);
}

static uint64_t dso_of(const struct an_trace *t, uint32_t row)
{
	return an_image_of(t, row)->dso;
}

static void say_dso(const struct place *p, uint32_t row)
{
	complete_say(p->c, an_text(p->t, an_image_of(p->t, row)->dso),
		     an_text(p->t, an_image_of(p->t, row)->path));
}

static uint64_t symbol_of(const struct an_trace *t, uint32_t row)
{
	return an_symbol_of(t, row)->name;
}

static void say_symbol(const struct place *p, uint32_t row)
{
	complete_say(p->c, an_text(p->t, an_symbol_of(p->t, row)->name), NULL);
}

static uint64_t cgroup_of(const struct an_trace *t, uint32_t row)
{
	return an_process_of(t, row)->cgroup;
}

static void say_cgroup(const struct place *p, uint32_t row)
{
	complete_say(p->c, an_text(p->t, an_process_of(p->t, row)->cgroup),
		     NULL);
}

static uint64_t mark_of(const struct an_trace *t, uint32_t row)
{
	return an_mark_of(t, row)->text;
}

static void say_mark(const struct place *p, uint32_t row)
{
	char text[256];

	snprintf(text, sizeof(text), "mark:%s",
		 an_text(p->t, an_mark_of(p->t, row)->text));
	complete_say(p->c, text, NULL);
}

static const struct column pids = { pid_of, is_first_thread, say_pid };
static const struct column tids = { tid_of, NULL, say_tid };
static const struct column comms = { comm_of, NULL, say_comm };
static const struct column events = { event_of, NULL, say_event };
static const struct column dsos = { dso_of, NULL, say_dso };
static const struct column symbols = { symbol_of, NULL, say_symbol };
static const struct column cgroups = { cgroup_of, NULL, say_cgroup };
static const struct column marks = { mark_of, NULL, say_mark };

static int say_keys(const struct place *p)
{
	for (const struct an_key *k = an_keys; k->name; k++)
		complete_say(p->c, k->name,
			     k->title + strspn(k->title, " "));
	return 0;
}

/* Without the words that are only known to be refused by name. */
static int say_graphs(const struct place *p)
{
	static const char *const words[] = { "graph", "fractal", "none",
					     "caller", "callee", NULL };

	complete_words(p->c, words);
	return 0;
}

static int say_palettes(const struct place *p)
{
	const struct fg_palette *palette;

	for (size_t i = 0; (palette = fg_palette_at(i)); i++)
		complete_say(p->c, fg_palette_name(palette),
			     fg_palette_summary(palette));
	return 0;
}

static int say_weights(const struct place *p)
{
	static const char *const words[] = { "samples", "period", "time",
					     NULL };

	complete_words(p->c, words);
	return 0;
}

static int say_fields(const struct place *p)
{
	static const char *const words[] = { "comm", "pid", "tid", "cpu",
					     "time", "period", "event",
					     "trace", "ip", "sym", "symoff",
					     "dso", NULL };

	complete_words(p->c, words);
	return 0;
}

static int ask_traces(const struct place *p)
{
	complete_ask(p->c, "files", ".ctr");
	return 0;
}

static int ask_files(const struct place *p)
{
	complete_ask(p->c, "files", "");
	return 0;
}

/* Values by the name of the option. */
static const struct kind {
	const char *option;
	int (*say)(const struct place *p);                /* without a trace */
	size_t (*rows)(const struct an_trace *t);         /* or from it */
	const struct column *column;
} kinds[] = {
	{ "pid", NULL, an_n_threads, &pids },
	{ "tid", NULL, an_n_threads, &tids },
	{ "comm", NULL, an_n_threads, &comms },
	{ "event", NULL, an_n_events, &events },
	{ "image", NULL, an_n_images, &dsos },
	{ "symbol", NULL, an_n_symbols, &symbols },
	{ "through", NULL, an_n_symbols, &symbols },
	{ "comms", NULL, an_n_threads, &comms },
	{ "dsos", NULL, an_n_images, &dsos },
	{ "symbols", NULL, an_n_symbols, &symbols },
	{ "cgroup", NULL, an_n_processes, &cgroups },
	{ "time", NULL, an_n_marks, &marks },
	{ "fields", say_fields, NULL, NULL },
	{ "sort", say_keys, NULL, NULL },
	{ "call-graph", say_graphs, NULL, NULL },
	{ "palette", say_palettes, NULL, NULL },
	{ "weight", say_weights, NULL, NULL },
	{ "input", ask_traces, NULL, NULL },
	{ "output", ask_files, NULL, NULL },
};

/* The trace that the line names, wherever in it. */
static const char *path_of(const struct place *p)
{
	const struct complete_line *l = p->line;

	for (int i = 0; i < l->n; i++) {
		if (i == l->at)
			continue;
		if (strncmp(l->words[i], "--input=", 8) == 0)
			return l->words[i] + 8;
		if (strncmp(l->words[i], "-i", 2) == 0 && l->words[i][2])
			return l->words[i] + 2;
		if (i + 1 < l->n && i + 1 != l->at &&
		    (!strcmp(l->words[i], "-i") ||
		     !strcmp(l->words[i], "--input")))
			return l->words[i + 1];
	}
	return p->c->first_operand >= 0 ? l->words[p->c->first_operand] :
					  DEFAULT_TRACE;
}

/* Of standard input nothing must be taken away. */
static int from_trace(struct place *p, const struct kind *kind)
{
	const char *path = path_of(p);
	struct an_trace *t = NULL;
	int rc;

	if (!strcmp(path, "-") || an_trace_open_names(&t, path, NULL, NULL))
		return 0;
	p->t = t;
	rc = say_each(p, kind->rows(t), kind->column);
	an_trace_close(t);
	return rc;
}

static int say_value(struct place *p)
{
	for (size_t i = 0; i < ARRAY_LEN(kinds); i++) {
		const struct kind *k = &kinds[i];

		if (p->c->opt->name && !strcmp(p->c->opt->name, k->option))
			return k->say ? k->say(p) : from_trace(p, k);
	}
	complete_values(p->c);
	return 0;
}

void an_complete_command(const struct complete_line *line, FILE *to)
{
	static const char *const words[] = { "help", "--help", "--version",
					     NULL };
	struct complete c = {
		.to = to, .word = line->n ? line->words[line->at] : "",
	};

	for (size_t i = 0; an_commands[i]; i++)
		complete_say(&c, an_commands[i]->name,
			     an_commands[i]->summary);
	complete_words(&c, words);
}

int an_complete(const struct an_command *cmd, const struct opt *rows,
		const struct complete_line *line, FILE *to, struct err *err)
{
	struct complete c;
	struct place p = { &c, line, NULL, err };
	int rc = 0;

	complete_find(&c, rows, OPT_ANYWHERE, line, to);
	if (c.what == COMPLETE_OPTION)
		complete_options(&c, rows);
	if (c.what == COMPLETE_VALUE)
		rc = say_value(&p);
	if ((c.what == COMPLETE_OPERAND || c.optional) &&
	    cmd->needs != AN_NO_TRACE)
		complete_ask(&c, "files", ".ctr");
	return rc;
}
