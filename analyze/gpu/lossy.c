#include "analyze/gpu/lossy.h"

#include "analyze/sched/unread.h"

#include "format/base/mem.h"
#include "format/catalog.h"
#include "format/fact.h"

#include <stdlib.h>
#include <string.h>

/* A recorder notices a loss with a later row, or when it next looks. */
#define NOTICED_NS 50000000u

/* CPUs have lower numbers, in traces that are sound. */
#define MAX_CPU 65536u

/* A loss: noticed at `to`, and behind the row before it. */
struct loss {
	uint64_t from, to;
	int32_t cpu;         /* -1: not known */
	bool of_ring;
};

struct build {
	struct loss *v;      /* by `to` */
	size_t n;
	uint32_t n_cpus;
	uint64_t *last;      /* by CPU: its last row so far, 0: there is none */
	bool *has_rows;      /* by CPU */
	size_t next;         /* the first loss that is not behind these rows */
	uint64_t newest;
};

static bool takes_events(const struct an_loss *l)
{
	return l->kind == TF_LOSS_RING || l->kind == TF_LOSS_MEMORY ||
	       l->kind == TF_LOSS_DECODE;
}

/* Only a part of the rows of an event was recorded, by a filter or a frequency:
 * what it lacks may have been anywhere. A wake-up or a call that is not there
 * leaves open who it was, or in what, and makes nothing else of it. */
static bool tells_of_a_part(struct span key)
{
	return span_is(key, "note.thinned") ||
	       (span_begins(key, "filter.") &&
		!span_begins(key, "filter.sched:sched_wak") &&
		!span_begins(key, "filter.syscalls:") &&
		!span_begins(key, "filter.raw_syscalls:"));
}

/* Facts that tell of losses without a time: how many an import had, and which
 * places of a damaged file it was saved from. A merged trace has the facts of
 * each with its number in front. */
static bool tells_of_any(const struct an_trace *t)
{
	static const char *const keys[] = { "import.undated_losses",
					    "recovered" };

	for (uint32_t i = 0; i < an_n_facts(t); i++) {
		const struct an_fact *f = an_fact_of(t, i);
		struct span key = an_string(t, f->key);
		uint8_t first = (uint8_t)*an_text(t, f->value);

		if (tells_of_a_part(tf_fact_own_key(key)))
			return true;
		for (size_t k = 0; k < ARRAY_LEN(keys); k++)
			if (span_ends(key, keys[k]) && first >= '0' &&
			    first <= '9')
				return true;
	}
	return false;
}

static int by_to(const void *a, const void *b)
{
	const struct loss *x = a, *y = b;

	return CMP(x->to, y->to);
}

static int by_from(const void *a, const void *b)
{
	const struct an_lossy_span *x = a, *y = b;

	return CMP(x->from, y->from);
}

static int collect(struct build *b, const struct an_trace *t, struct err *err)
{
	b->v = calloc(an_n_losses(t) + 1, sizeof(*b->v));
	if (!b->v)
		return err_nomem(err);
	for (uint32_t i = 0; i < an_n_losses(t); i++) {
		const struct an_loss *l = an_loss_of(t, i);

		if (takes_events(l))
			b->v[b->n++] = (struct loss){
				.to = l->time, .cpu = l->cpu,
				.of_ring = l->kind != TF_LOSS_DECODE,
			};
	}
	if (b->n)
		qsort(b->v, b->n, sizeof(*b->v), by_to);
	return 0;
}

static int count_cpus(struct build *b, const struct an_gpu_events *events,
		      const struct an_sched *sched, struct err *err)
{
	uint32_t n = sched ? an_sched_cpus(sched) : 0;

	for (size_t i = 0; i < events->n; i++)
		if (events->v[i].cpu >= n && events->v[i].cpu < MAX_CPU)
			n = events->v[i].cpu + 1;
	b->n_cpus = n < MAX_CPU ? n : MAX_CPU;
	b->last = calloc((size_t)b->n_cpus + 1, sizeof(*b->last));
	b->has_rows = calloc((size_t)b->n_cpus + 1, sizeof(*b->has_rows));
	return b->last && b->has_rows ? 0 : err_nomem(err);
}

/* -- The row before a loss --------------------------------------------------*/

static bool is_of(const struct build *b, const struct loss *l)
{
	return l->cpu >= 0 && (uint32_t)l->cpu < b->n_cpus;
}

static void begin_rows(struct build *b)
{
	memset(b->last, 0, b->n_cpus * sizeof(*b->last));
	b->newest = 0;
	b->next = 0;
}

/* All losses up to a time have what comes before them. */
static void pass(struct build *b, uint64_t time)
{
	for (; b->next < b->n && b->v[b->next].to <= time; b->next++) {
		struct loss *l = &b->v[b->next];
		uint64_t last = is_of(b, l) ? b->last[l->cpu] : b->newest;

		if (last > l->from)
			l->from = last;
	}
}

static void take_row(struct build *b, uint32_t cpu, uint64_t time)
{
	pass(b, time);
	b->newest = time;
	if (cpu >= b->n_cpus)
		return;
	b->last[cpu] = time;
	b->has_rows[cpu] = true;
}

static void take_switches(struct build *b, const struct an_sched *s,
			  uint32_t cpu)
{
	struct an_cpu_interval i;
	struct an_cpu_walk w;
	size_t row;

	begin_rows(b);
	an_cpu_walk(&w, s, cpu, 0, UINT64_MAX);
	row = w.next;
	while (an_cpu_next(&w, &i)) {
		if (w.next != row) /* else a doubt ends there, and no row is */
			take_row(b, cpu, i.to);
		row = w.next;
	}
	pass(b, UINT64_MAX);
}

static void take_rows(struct build *b, const struct an_gpu_events *events,
		      const struct an_sched *sched)
{
	begin_rows(b);
	for (size_t i = 0; i < events->n; i++)
		take_row(b, events->v[i].cpu, events->v[i].time);
	pass(b, UINT64_MAX);
	for (uint32_t c = 0; sched && c < b->n_cpus; c++)
		take_switches(b, sched, c);
}

/* -- Where it may have been -------------------------------------------------*/

/* Without its CPU: what a text left out stood behind the line before it, what a
 * ring lost may be of one that had no row for long. Of a CPU without any row not
 * much can be missing: it is only not said when. */
static struct an_lossy_span span_of_loss(const struct build *b,
					 const struct loss *l)
{
	uint64_t noticed = l->to > NOTICED_NS ? l->to - NOTICED_NS : 0;
	struct an_lossy_span s = { l->from, l->to };

	if (l->cpu < 0 && l->of_ring)
		s.from = 0;
	else if (l->cpu >= 0 && !(is_of(b, l) && b->has_rows[l->cpu]))
		s.from = noticed;
	if (s.from > noticed)
		s.from = noticed;
	return s;
}

/* Those that touch become one. */
void an_lossy_settle(struct an_lossy *l)
{
	size_t n = 0;

	if (l->n)
		qsort(l->v, l->n, sizeof(*l->v), by_from);
	for (size_t i = 0; i < l->n; i++) {
		if (!n || l->v[i].from > l->v[n - 1].to)
			l->v[n++] = l->v[i];
		else if (l->v[i].to > l->v[n - 1].to)
			l->v[n - 1].to = l->v[i].to;
	}
	l->n = n;
}

static int fill(struct an_lossy *out, struct build *b,
		const struct an_gpu_events *events,
		const struct an_sched *sched, struct err *err)
{
	int rc = count_cpus(b, events, sched, err);

	if (rc)
		return rc;
	take_rows(b, events, sched);
	for (size_t i = 0; i < b->n && !rc; i++) {
		struct an_lossy_span s = span_of_loss(b, &b->v[i]);

		rc = an_lossy_add(out, s.from, s.to, err);
	}
	an_lossy_settle(out);
	return rc;
}

int an_lossy_make(struct an_lossy *out, const struct an_trace *t,
		  const struct an_gpu_events *events,
		  const struct an_sched *sched, struct err *err)
{
	struct build b = { 0 };
	int rc;

	*out = (struct an_lossy){
		.all = an_trace_damage(t) || tells_of_any(t) ||
		       an_unread_any(t),
	};
	rc = collect(&b, t, err);
	if (!rc && b.n)
		rc = fill(out, &b, events, sched, err);
	free(b.v);
	free(b.last);
	free(b.has_rows);
	return rc;
}

int an_lossy_add(struct an_lossy *l, uint64_t from, uint64_t to,
		 struct err *err)
{
	if (!mem_grow(&l->v, &l->cap, l->n + 1, sizeof(*l->v)))
		return err_nomem(err);
	l->v[l->n++] = (struct an_lossy_span){ from, to < from ? from : to };
	return 0;
}

void an_lossy_fini(struct an_lossy *l)
{
	free(l->v);
	*l = (struct an_lossy){ 0 };
}

bool an_lossy_in(const struct an_lossy *l, uint64_t from, uint64_t to)
{
	size_t low = 0, high = l->n;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (l->v[mid].to <= from)
			low = mid + 1;
		else
			high = mid;
	}
	return l->all || (low < l->n && l->v[low].from <= to);
}
