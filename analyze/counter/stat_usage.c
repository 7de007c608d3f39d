/* Who used the engines of GPUs: by client, by engine, by device. */
#include "analyze/counter/stat.h"

#include "analyze/counter/engine.h"

#include "format/base/mem.h"
#include "format/catalog.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MIB 1048576.0

/* An engine of a client, or of the device itself; later of several. */
struct use {
	struct an_series s;   /* of the first one */
	char engine[AN_ENGINE_NAME];
	struct an_engine_use u;
	double memory;        /* bytes that the client had at last; NAN: not
			       * known */
	double memory_most;
	uint64_t clients;     /* that were summed */
};

struct usage {
	const struct an_stat *s;
	enum an_stat_by by;
	const bool *marks;
	struct an_engines engines;
	struct use *v;
	size_t n;
	uint64_t begin_ns, end_ns; /* of all of them */
};

/* Memory that clients have: resident where it is told, else all. */
static bool is_memory(const struct usage *g, uint32_t series, bool resident)
{
	const struct an_series *s = an_series_of(g->s->t, series);
	const char *name = an_text(g->s->t, s->name);

	return strcmp(name, resident ? "drm-memory-resident" :
				       "drm-memory-total") == 0 ||
	       (resident && s->pid && strcmp(name, "memory-used") == 0);
}

/* Series of memory, in the order of their clients. */
struct memory {
	struct an_series s;
	double last, most;
};

static int by_client(const struct an_series *x, const struct an_series *y)
{
	int order = CMP(x->machine, y->machine);

	order = order ? order : CMP(x->device, y->device);
	order = order ? order : CMP(x->client, y->client);
	return order ? order : CMP(x->pid, y->pid);
}

static int by_client_of(const void *a, const void *b)
{
	return by_client(&((const struct memory *)a)->s,
			 &((const struct memory *)b)->s);
}

static size_t find_memory(const struct usage *g, struct memory *v, bool resident)
{
	const struct an_totals *t = &g->s->totals;
	size_t n = 0;

	for (size_t i = 0; i < t->n; i++) {
		const struct an_total *tot = &t->v[i];

		if (tot->state != AN_INTERVAL_READ ||
		    !is_memory(g, tot->series, resident))
			continue;
		v[n++] = (struct memory){ *an_series_of(g->s->t, tot->series),
					  tot->last, tot->most };
	}
	if (n)
		qsort(v, n, sizeof(*v), by_client_of);
	return n;
}

static void add_memory(struct use *u, const struct memory *v, size_t n)
{
	size_t low = 0, high = n;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (by_client(&v[mid].s, &u->s) < 0)
			low = mid + 1;
		else
			high = mid;
	}
	if (low < n && by_client(&v[low].s, &u->s) == 0)
		u->memory = u->memory_most = 0;
	for (; low < n && by_client(&v[low].s, &u->s) == 0; low++) {
		u->memory += v[low].last;
		u->memory_most += v[low].most;
	}
}

static int find_all_memory(struct usage *g, struct err *err)
{
	struct memory *v = calloc(g->s->totals.n + 1, sizeof(*v));

	if (!v)
		return err_nomem(err);
	for (int resident = 1; resident >= 0; resident--) {
		size_t n = find_memory(g, v, resident);

		for (size_t i = 0; i < g->n; i++)
			if (isnan(g->v[i].memory))
				add_memory(&g->v[i], v, n);
	}
	free(v);
	return 0;
}

static void note_time(struct usage *g, const struct an_engine_use *u)
{
	if (!u->known_ns)
		return;
	if (!g->end_ns || u->begin_ns < g->begin_ns)
		g->begin_ns = u->begin_ns;
	if (u->end_ns > g->end_ns)
		g->end_ns = u->end_ns;
}

/* Processes that hold memory of an NVIDIA GPU, and whose load is not told: it is
 * of none that did nothing, and of none in a MIG instance. */
static void add_holders(struct usage *g)
{
	const struct an_totals *totals = &g->s->totals;
	size_t n = g->n;

	for (size_t i = 0; i < totals->n; i++) {
		const struct an_total *x = &totals->v[i];
		const struct an_series *s = an_series_of(g->s->t, x->series);
		size_t k = 0;

		if (s->source != TF_SERIES_NVML || !s->pid ||
		    x->state != AN_INTERVAL_READ ||
		    (g->marks && !g->marks[x->series]) ||
		    !is_memory(g, x->series, true))
			continue;
		while (k < g->n && (g->v[k].s.source != TF_SERIES_NVML ||
				    by_client(&g->v[k].s, s)))
			k++;
		/* Of a pid that came again the memory is added up. */
		if (k == g->n)
			g->v[g->n++] = (struct use){ .s = *s, .memory = NAN,
						     .memory_most = NAN,
						     .clients = 1 };
	}
	for (; n < g->n; n++)
		g->v[n].u.busiest = NAN;
}

static int find_uses(struct usage *g, struct err *err)
{
	const struct an_trace *t = g->s->t;
	int rc = an_engines_find(&g->engines, t, g->marks, err);

	if (rc)
		return rc;
	g->v = calloc(g->engines.n + g->s->totals.n + 1, sizeof(*g->v));
	if (!g->v)
		return err_nomem(err);
	for (size_t i = 0; i < g->engines.n; i++) {
		const struct an_engine *e = &g->engines.v[i];
		struct use *u = &g->v[g->n];

		*u = (struct use){ .s = *an_series_of(t, e->series),
				   .memory = NAN, .memory_most = NAN };
		an_engine_sum(g->s->c, e, &u->u);
		if (!u->u.known_ns && !u->u.unknown)
			continue;
		an_engine_name(t, e, u->engine);
		u->clients = u->s.source == TF_SERIES_FDINFO || u->s.pid;
		note_time(g, &u->u);
		g->n++;
	}
	if (g->by == AN_BY_CLIENT)
		add_holders(g);
	return find_all_memory(g, err);
}

static double busy_of(const struct usage *g, const struct use *u)
{
	uint64_t length = g->end_ns - g->begin_ns;

	if (isnan(u->u.busiest))
		return NAN;
	return length ? 100 * u->u.busy_ns / (double)length : 0;
}

static int by_busy(const void *a, const void *b)
{
	const struct use *x = a, *y = b;
	int order = CMP(y->u.busy_ns, x->u.busy_ns);

	order = order ? order : CMP(x->s.pid, y->s.pid);
	order = order ? order : CMP(x->s.client, y->s.client);
	order = order ? order : CMP(x->s.device, y->s.device);
	return order ? order : strcmp(x->engine, y->engine);
}

/* Those of one engine together; what its device tells itself stays apart from
 * the sum of its clients. */
static int by_engine(const void *a, const void *b)
{
	const struct use *x = a, *y = b;
	int order = CMP(x->s.machine, y->s.machine);

	order = order ? order : CMP(x->s.device, y->s.device);
	order = order ? order : CMP(x->clients == 0, y->clients == 0);
	order = order ? order : CMP(x->s.source, y->s.source);
	order = order ? order : strcmp(x->engine, y->engine);
	return order ? order : by_client(&x->s, &y->s);
}

static bool is_same_engine(const struct use *x, const struct use *y)
{
	return x->s.machine == y->s.machine && x->s.device == y->s.device &&
	       x->s.source == y->s.source && !x->clients == !y->clients &&
	       strcmp(x->engine, y->engine) == 0;
}

static void merge(struct use *to, const struct use *from)
{
	to->u.busy_ns += from->u.busy_ns;
	to->u.unknown += from->u.unknown;
	if (from->u.busiest > to->u.busiest)
		to->u.busiest = from->u.busiest;
	if (from->u.known_ns > to->u.known_ns)
		to->u.known_ns = from->u.known_ns;
	to->clients += from->clients;
}

static void sum_engines(struct usage *g)
{
	size_t n = 0;

	if (g->n)
		qsort(g->v, g->n, sizeof(*g->v), by_engine);
	for (size_t i = 0; i < g->n; i++) {
		if (n && is_same_engine(&g->v[n - 1], &g->v[i]))
			merge(&g->v[n - 1], &g->v[i]);
		else
			g->v[n++] = g->v[i];
	}
	g->n = n;
}

/* A device is as busy as the busiest of its engines. */
static void sum_devices(struct usage *g)
{
	size_t n = 0;

	sum_engines(g);
	if (g->n)
		qsort(g->v, g->n, sizeof(*g->v), by_busy);
	for (size_t i = 0; i < g->n; i++) {
		size_t k = 0;

		while (k < n && (g->v[k].s.device != g->v[i].s.device ||
				 g->v[k].s.machine != g->v[i].s.machine))
			k++;
		if (k == n)
			g->v[n++] = g->v[i];
		else if (g->v[i].clients > g->v[k].clients)
			g->v[k].clients = g->v[i].clients;
	}
	g->n = n;
}

#define WORD(k, t) { k, t, AN_CELL_TEXT, false, 0 }
#define SHARE(k, t) { k, t, AN_CELL_PERCENT, true, 8 }
#define COUNT(k, t) { k, t, AN_CELL_U64, true, 5 }

/* By enum an_stat_by, bit by bit. */
enum { CLIENT = 1, ENGINE = 2, DEVICE = 4, ALL = 7 };

static const struct column {
	struct an_cell_column c;
	unsigned of;
} columns[] = {
	{ SHARE("busy_percent", "Busy"), ALL },
	{ SHARE("busiest_percent", "At most"), ALL },
	{ { "known_ns", "Known for", AN_CELL_TIME, true, 9 }, ALL },
	{ WORD("device", "Device"), ALL },
	{ WORD("engine", "Engine"), ALL },
	{ COUNT("clients", "Clients"), ENGINE | DEVICE },
	{ { "memory_mib", "MiB", AN_CELL_F64, true, 9 }, CLIENT },
	{ { "memory_most_mib", "At most", AN_CELL_F64, true, 9 }, CLIENT },
	{ COUNT("pid", "PID"), CLIENT },
	{ WORD("command", "Command"), CLIENT },
	{ COUNT("client", "Client"), CLIENT },
	{ COUNT("unknown", "Unknown"), ALL },
};

static void add_row(const struct usage *g, struct an_table *t,
		    const struct use *u)
{
	const struct an_trace *trace = g->s->t;

	an_table_f64(t, busy_of(g, u));
	an_table_f64(t, 100 * u->u.busiest);
	an_table_u64(t, u->u.known_ns);
	an_table_text(t, an_string(trace, u->s.device));
	an_table_word(t, u->engine);
	if (g->by != AN_BY_CLIENT) {
		an_table_u64(t, u->clients);
	} else {
		an_table_f64(t, u->memory / MIB);
		an_table_f64(t, u->memory_most / MIB);
		an_table_u64(t, (uint64_t)u->s.pid);
		an_table_text(t, an_string(trace, u->s.label));
		an_table_u64(t, u->s.client);
	}
	an_table_u64(t, u->u.unknown);
}

static int fill(const struct usage *g, struct an_table **out,
		struct an_cell_column cells[ARRAY_LEN(columns)],
		struct err *err)
{
	size_t n = 0;
	int rc;

	for (size_t i = 0; i < ARRAY_LEN(columns); i++)
		if (columns[i].of >> g->by & 1)
			cells[n++] = columns[i].c;
	rc = an_table_new(out, cells, n, err);
	for (size_t i = 0; i < g->n && !rc; i++)
		if (g->by != AN_BY_CLIENT || g->v[i].clients)
			add_row(g, *out, &g->v[i]);
	return rc;
}

static int print_json(const struct usage *g, struct an_table *t,
		      struct err *err)
{
	struct json j;
	int rc;

	json_init(&j, g->s->to);
	json_object(&j, NULL);
	rc = an_stat_head_json(g->s, &j, err);
	if (!rc) {
		json_u64(&j, "begin_ns", g->begin_ns);
		json_u64(&j, "end_ns", g->end_ns);
		rc = an_table_print_json(t, &j, "usage", NULL, err);
	}
	if (rc)
		return rc;
	json_end_object(&j);
	putc('\n', g->s->to);
	return 0;
}

static int print(const struct usage *g, struct an_table *t, struct err *err)
{
	int rc;

	switch (g->s->format) {
	case AN_FORMAT_CSV:
		return an_table_print_csv(t, g->s->to, err);
	case AN_FORMAT_JSON:
		return print_json(g, t, err);
	default:
		break;
	}
	if (!g->s->told)
		an_stat_head_text(g->s);
	fprintf(g->s->to, "# Busy: of %.6f s, by all readings; at most: in one "
		"interval\n#\n",
		(double)(g->end_ns - g->begin_ns) / 1e9);
	rc = an_table_print_text(t, g->s->to, NULL, err);
	if (rc || g->s->told)
		return rc;
	fputs("#\n", g->s->to);
	return an_stat_notes_text(g->s, err);
}

int an_stat_usage(const struct an_stat *s, enum an_stat_by by,
		  const bool *marks, bool *any, struct err *err)
{
	struct usage g = { .s = s, .by = by, .marks = marks };
	struct an_cell_column cells[ARRAY_LEN(columns)];
	struct an_table *t = NULL;
	int rc = find_uses(&g, err);

	if (!rc && by == AN_BY_ENGINE)
		sum_engines(&g);
	if (!rc && by == AN_BY_DEVICE)
		sum_devices(&g);
	if (!rc && g.n)
		qsort(g.v, g.n, sizeof(*g.v), by_busy);
	if (!rc)
		rc = fill(&g, &t, cells, err);
	if (!rc)
		rc = print(&g, t, err);
	if (any)
		*any = g.n > 0;
	an_table_free(t);
	an_engines_fini(&g.engines);
	free(g.v);
	return rc;
}
