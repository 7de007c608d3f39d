#include "analyze/command.h"
#include "analyze/gpu/show.h"

#include "format/base/mem.h"

#include <inttypes.h>
#include <stdlib.h>

struct frames_args {
	struct an_selection_args sel;
	uint64_t idle_ns;
	bool csv, json;
};

static const struct opt opts[] = {
	OPT_TIME(0, "idle", "TIME", struct frames_args, idle_ns, 1000000,
		 "a client that shows nothing for longer has paused and is "
		 "not late, unless it was held up (1s)"),
	OPT_FLAG(0, "csv", struct frames_args, csv, "rows as CSV"),
	OPT_FLAG(0, "json", struct frames_args, json, "all of it as JSON"),
	AN_SELECTION_TASK_OPTS(struct frames_args, sel),
	OPT_END,
};

static void set_defaults(void *args)
{
	((struct frames_args *)args)->idle_ns = AN_CLIENT_IDLE_NS;
}

struct frames {
	struct an_env *env;
	enum an_format format;
	struct an_selection sel;
	struct an_gpu gpu;
	struct an_head *heads; /* of the selected time */
	uint64_t found;        /* vblanks and frames in it */
	uint32_t *off_cadence; /* by client: frames that came otherwise */
};

#define NS(key, title) { key, title, AN_CELL_TIME, true, 10 }
#define COUNT(key, title) { key, title, AN_CELL_U64, true, 5 }
#define WORD(key, title) { key, title, AN_CELL_TEXT, false, 7 }

#define HEAD_COLUMNS                                                           \
	WORD("head", "Head"), { "rate_hz", "Hz", AN_CELL_F64, true, 7 },       \
	NS("period_ns", "Period"), WORD("refresh", "Refresh"),                 \
	COUNT("vblanks", "Vblanks"), COUNT("vblanks_off", "Off"),              \
	NS("jitter_p95_ns", "Jitter p95"), NS("shortest_ns", "Shortest"),      \
	NS("longest_ns", "Longest"), COUNT("restarts", "Restarts"),            \
	COUNT("duplicates", "Twice"), COUNT("strays", "Strays")
#define CLIENT_COLUMNS                                                         \
	COUNT("frames", "Frames"), COUNT("late", "Late"),                      \
	COUNT("missed", "Missed"), COUNT("pauses", "Pauses"),                  \
	COUNT("cadence", "Cadence"), COUNT("off_cadence", "Otherwise"),        \
	COUNT("asked", "Asked"), COUNT("pid", "PID"), COUNT("tid", "TID"),     \
	WORD("command", "Command"),                                            \
	{ "client", "Client", AN_CELL_HEX, true, 16 }

static const struct an_cell_column head_columns[] = { HEAD_COLUMNS };
static const struct an_cell_column client_columns[] = {
	WORD("head", "Head"), CLIENT_COLUMNS
};
static const struct an_cell_column all_columns[] = {
	HEAD_COLUMNS, CLIENT_COLUMNS
};

static bool in_time(const struct frames *f, uint64_t time)
{
	return !f->sel.any || (time >= f->sel.t_min && time <= f->sel.t_max);
}

static void add_head_name(const struct frames *f, struct an_table *t,
			  uint32_t head)
{
	char name[AN_HEAD_NAME];

	an_head_name(&f->gpu.heads, head, name);
	an_table_word(t, name);
}

/* `head` may be AN_NONE: one without vblanks. */
static void add_head(const struct frames *f, struct an_table *t, uint32_t head)
{
	static const struct an_head none;
	const struct an_head *h = head < f->gpu.heads.n_heads ?
					  &f->heads[head] : &none;
	const char *refresh = !(h->period_ns > 0) ? "unknown" :
			      h->vrr ? "variable" : "fixed";

	add_head_name(f, t, head);
	an_table_f64(t, h->period_ns > 0 ? 1e9 / h->period_ns : 0);
	an_table_u64(t, (uint64_t)(h->period_ns + 0.5));
	an_table_word(t, refresh);
	an_table_u64(t, h->end - h->first);
	an_table_u64(t, h->not_seen);
	an_table_u64(t, h->jitter_ns);
	an_table_u64(t, h->shortest_ns);
	an_table_u64(t, h->longest_ns);
	an_table_u64(t, h->restarts);
	an_table_u64(t, h->duplicates);
	an_table_u64(t, h->strays);
}

static const struct an_thread *thread_of(const struct frames *f,
					 const struct an_client *c)
{
	return an_thread_of(f->gpu.t, an_task_thread(&f->gpu.tasks, c->task,
						     UINT64_MAX));
}

static int measure_heads(struct frames *f, struct err *err)
{
	const struct an_heads *h = &f->gpu.heads;
	uint64_t from = f->sel.any ? f->sel.t_min : 0;
	uint64_t to = f->sel.any ? f->sel.t_max : UINT64_MAX;
	int rc = 0;

	f->heads = calloc(h->n_heads + 1, sizeof(*f->heads));
	f->off_cadence = calloc(f->gpu.clients.n_clients + 1,
				sizeof(*f->off_cadence));
	if (!f->heads || !f->off_cadence)
		return err_nomem(err);
	for (uint32_t i = 0; i < h->n_heads && !rc; i++) {
		rc = an_head_within(&f->heads[i], h, i, from, to, err);
		f->found += f->heads[i].end - f->heads[i].first;
	}
	return rc;
}

/* Of a client only what is selected. */
static void count(struct frames *f)
{
	struct an_clients *all = &f->gpu.clients;

	for (size_t i = 0; i < all->n_clients; i++) {
		struct an_client *c = &all->clients[i];

		c->frames = c->late = c->missed = c->pauses = c->asked = 0;
	}
	all->own = 0;
	for (size_t i = 0; i < all->n; i++) {
		const struct an_delivery *d = &all->v[i];
		struct an_client *c;

		if (!in_time(f, d->time))
			continue;
		all->own += d->client == AN_NONE;
		if (d->client == AN_NONE)
			continue;
		c = &all->clients[d->client];
		c->asked += d->asked;
		c->frames += !d->asked;
		c->late += d->missed > 0;
		c->missed += d->missed;
		c->pauses += d->paused;
		f->off_cadence[d->client] += d->steps &&
					     d->steps != c->cadence;
		f->found++;
	}
}

static void add_client(const struct frames *f, struct an_table *t,
		       const struct an_client *c)
{
	const struct an_thread *th = thread_of(f, c);

	an_table_u64(t, c->frames);
	an_table_u64(t, c->late);
	an_table_u64(t, c->missed);
	an_table_u64(t, c->pauses);
	an_table_u64(t, c->cadence);
	an_table_u64(t, f->off_cadence[c - f->gpu.clients.clients]);
	an_table_u64(t, c->asked);
	an_table_u64(t, c->task == AN_NONE ? 0 : an_gpu_number(th->pid));
	an_table_u64(t, c->task == AN_NONE ? 0 : an_gpu_number(th->tid));
	an_table_text(t, c->task == AN_NONE ? span_of("[unknown]", 9) :
					      an_string(f->gpu.t, th->comm));
	an_table_u64(t, c->file);
}

static bool is_selected(const struct frames *f, const struct an_client *c)
{
	uint32_t thread = an_task_thread(&f->gpu.tasks, c->task, UINT64_MAX);

	return !f->sel.thread || (thread < f->sel.n_threads &&
				  f->sel.thread[thread]);
}

enum with { WITH_HEADS = 1, WITH_CLIENTS = 2 };

static void add_clients(const struct frames *f, struct an_table *t,
			unsigned with)
{
	for (uint32_t i = 0; i < f->gpu.clients.n_clients; i++) {
		const struct an_client *c = &f->gpu.clients.clients[i];

		if (!is_selected(f, c))
			continue;
		if (with & WITH_HEADS)
			add_head(f, t, c->head);
		else
			add_head_name(f, t, c->head);
		add_client(f, t, c);
	}
}

static int make_table(const struct frames *f, struct an_table **out,
		      unsigned with, struct err *err)
{
	const struct an_cell_column *columns =
		with == WITH_HEADS ? head_columns :
		with == WITH_CLIENTS ? client_columns : all_columns;
	size_t n = with == WITH_HEADS ? ARRAY_LEN(head_columns) :
		   with == WITH_CLIENTS ? ARRAY_LEN(client_columns) :
					  ARRAY_LEN(all_columns);
	int rc = an_table_new(out, columns, n, err);

	if (rc)
		return rc;
	if (with == WITH_HEADS)
		for (uint32_t i = 0; i < f->gpu.heads.n_heads; i++)
			add_head(f, *out, i);
	else
		add_clients(f, *out, with);
	return 0;
}

static int print_text(const struct frames *f, struct err *err)
{
	struct an_table *heads = NULL, *clients = NULL;
	FILE *to = f->env->out;
	int rc = make_table(f, &heads, WITH_HEADS, err);

	if (!rc)
		rc = make_table(f, &clients, WITH_CLIENTS, err);
	if (!rc) {
		an_gpu_head_text(&f->gpu, to);
		fputs("#\n# Heads; Off: vblanks while nobody wanted them, "
		      "which were not missed\n#\n", to);
		rc = an_table_print_text(heads, to, NULL, err);
	}
	if (!rc) {
		fprintf(to, "\n# Clients; Cadence: vblanks from frame to frame; "
			"the kernel's own deliveries: %" PRIu32 "\n#\n",
			f->gpu.clients.own);
		rc = an_table_print_text(clients, to, NULL, err);
	}
	an_table_free(heads);
	an_table_free(clients);
	return rc;
}

static int print_csv(const struct frames *f, struct err *err)
{
	struct an_table *all = NULL;
	int rc = make_table(f, &all, WITH_HEADS | WITH_CLIENTS, err);

	if (!rc)
		rc = an_table_print_csv(all, f->env->out, err);
	an_table_free(all);
	return rc;
}

static int print_json(const struct frames *f, struct err *err)
{
	struct an_table *heads = NULL, *clients = NULL;
	struct json j;
	int rc = make_table(f, &heads, WITH_HEADS, err);

	if (!rc)
		rc = make_table(f, &clients, WITH_CLIENTS, err);
	if (!rc) {
		json_init(&j, f->env->out);
		an_gpu_head_json(&f->gpu, &j);
		json_u64(&j, "kernel_deliveries", f->gpu.clients.own);
		rc = an_table_print_json(heads, &j, "heads", NULL, err);
	}
	if (!rc)
		rc = an_table_print_json(clients, &j, "clients", NULL, err);
	if (!rc) {
		json_end_object(&j);
		putc('\n', f->env->out);
	}
	an_table_free(heads);
	an_table_free(clients);
	return rc;
}

static int print(const struct frames *f, struct err *err)
{
	switch (f->format) {
	case AN_FORMAT_CSV:
		return print_csv(f, err);
	case AN_FORMAT_JSON:
		return print_json(f, err);
	default:
		return print_text(f, err);
	}
}

static int frames_run(struct an_env *env, const void *args, struct err *err)
{
	const struct frames_args *a = args;
	struct frames f = { .env = env };
	int rc = an_gpu_format(&f.format, a->csv, a->json, err);

	if (!rc)
		rc = an_selection_make(&f.sel, &a->sel, env->trace, err);
	if (!rc)
		rc = an_gpu_make(&f.gpu, env->trace, a->idle_ns, err);
	if (!rc)
		rc = measure_heads(&f, err);
	if (!rc) {
		count(&f);
		rc = print(&f, err);
	}
	if (!rc && !f.found) {
		an_gpu_say_none(&f.gpu, "vblanks", env->log);
		rc = AN_EXIT_INCONCLUSIVE;
	}
	free(f.heads);
	free(f.off_cadence);
	an_gpu_fini(&f.gpu);
	an_selection_fini(&f.sel);
	return rc;
}

const struct an_command an_cmd_frames = {
	.name = "frames",
	.summary = "displays: their rate, and which frames came late",
	.operands = "[FILE...]",
	.opts = opts,
	.args_size = sizeof(struct frames_args),
	.needs = AN_ONE_TRACE,
	.defaults = set_defaults,
	.run = frames_run,
};
