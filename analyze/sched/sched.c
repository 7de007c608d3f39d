#include "analyze/sched/sched_data.h"

#include "analyze/sched/letters.h"
#include "analyze/sched/points.h"

#include "format/base/mem.h"
#include "format/catalog.h"

#include <stdlib.h>
#include <string.h>

#define MAX_CPU 65535u

enum kind { K_SWITCH, K_WAKING, K_WAKEUP, N_KINDS };

enum { F_PREV_COMM, F_PREV_PID, F_PREV_STATE, F_NEXT_COMM, F_NEXT_PID };
enum { F_COMM, F_PID, F_SUCCESS };

/* Before 4.9 it said so of those that were awake, too: without success. */
#define WAKE_FIELDS                                                            \
	{ [F_COMM] = "comm", [F_PID] = "pid", [F_SUCCESS] = "success" }

static const struct an_point_kind kinds[N_KINDS] = {
	[K_SWITCH] = { "sched:sched_switch", {
		[F_PREV_COMM] = "prev_comm", [F_PREV_PID] = "prev_pid",
		[F_PREV_STATE] = "prev_state", [F_NEXT_COMM] = "next_comm",
		[F_NEXT_PID] = "next_pid",
	}, { AN_FIELD(F_PREV_PID) | AN_FIELD(F_PREV_STATE) |
	     AN_FIELD(F_NEXT_PID) } },
	[K_WAKING] = { "sched:sched_waking", WAKE_FIELDS,
		       { AN_FIELD(F_PID) } },
	[K_WAKEUP] = { "sched:sched_wakeup sched:sched_wakeup_new",
		       WAKE_FIELDS, { AN_FIELD(F_PID) } },
};

struct take {
	struct an_sched *s;
	struct an_letters letters;
	bool by_switch;  /* there is sched_switch: rows of `switch` say the
			  * same again, and less */
};

const char *an_state_name(enum an_state s)
{
	static const char *const names[AN_N_STATES] = {
		[AN_STATE_UNKNOWN] = "unknown",
		[AN_STATE_RUNNING] = "running",
		[AN_STATE_WAITING] = "waiting for a CPU",
		[AN_STATE_BLOCKED] = "blocked",
	};

	return names[s];
}

static int add(struct an_sched *s, struct an_sched_row row,
	       const struct an_point *p, struct err *err)
{
	if (s->n >= UINT32_MAX || p->cpu > MAX_CPU)
		return 0;
	s->switches |= row.kind == AN_SCHED_SWITCH;
	if (!mem_grow(&s->rows, &s->cap, s->n + 1, sizeof(*s->rows)) ||
	    !mem_grow(&s->places, &s->places_cap, s->n_places + 1,
		      sizeof(*s->places)))
		return err_nomem(err);
	row.time = p->time;
	row.cpu = p->cpu;
	row.order = (uint32_t)s->n;
	row.in_interrupt = p->in_interrupt;
	if (p->kstack || p->ustack) {
		s->places[s->n_places++] = (struct an_sched_place){
			p->ip, p->kstack, p->ustack, p->flags };
		row.place = (uint32_t)s->n_places;
	}
	s->rows[s->n++] = row;
	return 0;
}

static int task_of(struct take *k, const struct an_point *p, unsigned pid,
		   unsigned comm, uint32_t *task, struct err *err)
{
	uint32_t source = an_thread_of(p->t, p->thread)->source;

	*task = AN_NONE;
	if (!an_point_has(p, pid))
		return 0;
	return an_tasks_get(k->s->tasks, source,
			    (int32_t)an_point_number(p, pid),
			    an_point_text(p, comm), task, err);
}

static int take_switch(struct take *k, const struct an_point *p,
		       struct err *err)
{
	struct an_sched_row row = {
		.kind = AN_SCHED_SWITCH,
		.letter = an_letter_of(&k->letters,
				       an_point_number(p, F_PREV_STATE)),
	};
	int rc = task_of(k, p, F_PREV_PID, F_PREV_COMM, &row.a, err);

	if (!rc)
		rc = task_of(k, p, F_NEXT_PID, F_NEXT_COMM, &row.b, err);
	return rc ? rc : add(k->s, row, p, err);
}

static int take_wake(struct take *k, const struct an_point *p, struct err *err)
{
	struct an_sched_row row = {
		.kind = AN_SCHED_WAKE,
		.b = an_tasks_of_thread(k->s->tasks, p->thread),
		.done = p->kind == K_WAKEUP,
	};
	int rc;

	if (an_point_has(p, F_SUCCESS) && !an_point_number(p, F_SUCCESS))
		return 0;
	k->s->wakeups = true;
	k->s->wakings |= p->kind == K_WAKING;
	rc = task_of(k, p, F_PID, F_COMM, &row.a, err);
	return rc ? rc : add(k->s, row, p, err);
}

/* PERF_RECORD_SWITCH: one row for him who leaves, one for him who comes. */
static int take_half(struct take *k, const struct an_point *p, struct err *err)
{
	struct an_sched_row row = { .kind = AN_SCHED_SWITCH, .letter = '?',
				    .a = AN_NONE, .b = AN_NONE };
	uint32_t self = an_tasks_of_thread(k->s->tasks, p->thread);
	uint32_t source = an_thread_of(p->t, p->thread)->source;
	uint32_t other = AN_NONE;
	int rc = 0;

	if (k->by_switch)
		return 0;
	if (p->other && p->other <= INT32_MAX)
		rc = an_tasks_get(k->s->tasks, source, (int32_t)p->other - 1, 0,
				  &other, err);
	if (p->flags & TF_SWITCH_OUT) {
		row.a = self;
		row.b = other;
		if (p->flags & TF_SWITCH_PREEMPT)
			row.letter = 'R';
	} else {
		row.b = self;
	}
	return rc ? rc : add(k->s, row, p, err);
}

static int take(void *ctx, const struct an_point *p, struct err *err)
{
	switch (p->kind) {
	case K_SWITCH:
		return take_switch(ctx, p, err);
	case K_WAKING:
	case K_WAKEUP:
		return take_wake(ctx, p, err);
	default:
		return take_half(ctx, p, err);
	}
}

/* Whether it has sched_switch, and how that spells states. */
static void look_at_events(struct take *k, const struct an_trace *t)
{
	struct span format = span_of("", 0);

	for (uint32_t i = 0; i < an_n_events(t); i++) {
		const struct an_event *e = an_event_of(t, i);

		if (an_point_kind_of(t, i, kinds, N_KINDS) != K_SWITCH)
			continue;
		k->by_switch = true;
		if (!format.n)
			format = an_tracepoint_of(t, e->tracepoint)->format;
	}
	an_letters_make(&k->letters, format);
}

static int by_time(const void *a, const void *b)
{
	const struct an_sched_row *x = a, *y = b;
	int order = CMP(x->time, y->time);

	return order ? order : CMP(x->order, y->order);
}

/* What a row is of: up to two things. */
typedef unsigned keys_of(const struct an_sched_row *r, uint32_t keys[2]);

static unsigned tasks_of_row(const struct an_sched_row *r, uint32_t keys[2])
{
	unsigned n = 0;

	if (r->a != AN_NONE)
		keys[n++] = r->a;
	if (r->kind == AN_SCHED_SWITCH && r->b != AN_NONE && r->b != r->a)
		keys[n++] = r->b;
	return n;
}

static unsigned cpu_of_row(const struct an_sched_row *r, uint32_t keys[2])
{
	keys[0] = r->cpu;
	return r->kind == AN_SCHED_SWITCH;
}

/* Counts, sums up, then puts each row in its place. */
static int make_lists(struct an_sched_lists *l, const struct an_sched *s,
		      size_t n, keys_of *of, struct err *err)
{
	uint32_t keys[2];
	size_t sum = 0;

	l->n = n;
	l->first = calloc(n + 2, sizeof(*l->first));
	if (!l->first)
		return err_nomem(err);
	for (size_t i = 0; i < s->n; i++)
		for (unsigned k = of(&s->rows[i], keys); k-- > 0;)
			l->first[keys[k] + 2]++;
	for (size_t i = 0; i < n; i++) {
		sum += l->first[i + 2];
		l->first[i + 2] = sum;
	}
	l->list = calloc(sum + 1, sizeof(*l->list));
	if (!l->list)
		return err_nomem(err);
	for (size_t i = 0; i < s->n; i++)
		for (unsigned k = of(&s->rows[i], keys); k-- > 0;)
			l->list[l->first[keys[k] + 1]++] = (uint32_t)i;
	return 0;
}

static uint32_t n_cpus(const struct an_sched *s)
{
	uint32_t n = 0;

	for (size_t i = 0; i < s->n; i++)
		if (s->rows[i].cpu >= n)
			n = s->rows[i].cpu + 1;
	return n;
}

static bool is_doubt(const struct an_trace *t, const struct an_loss *l)
{
	if (l->kind != TF_LOSS_RING && l->kind != TF_LOSS_MEMORY &&
	    l->kind != TF_LOSS_CPU_OFFLINE)
		return false;
	return l->event == AN_NONE ||
	       an_point_kind_of(t, l->event, kinds, N_KINDS) != AN_NONE;
}

/* The last switch on a CPU before a time, 0: there is none. */
static uint64_t last_on(const struct an_sched *s, uint32_t cpu, uint64_t time)
{
	size_t low = s->of_cpu.first[cpu], high = s->of_cpu.first[cpu + 1];
	size_t first = low;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (s->rows[s->of_cpu.list[mid]].time < time)
			low = mid + 1;
		else
			high = mid;
	}
	return low > first ? s->rows[s->of_cpu.list[low - 1]].time : 0;
}

static int by_from(const void *a, const void *b)
{
	const struct an_sched_doubt *x = a, *y = b;

	return CMP(x->from, y->from);
}

static void order_doubts(struct an_sched *s)
{
	uint64_t until = 0;

	if (s->n_doubts)
		qsort(s->doubts, s->n_doubts, sizeof(*s->doubts), by_from);
	for (size_t i = 0; i < s->n_doubts; i++) {
		if (s->doubts[i].to > until)
			until = s->doubts[i].to;
		s->doubts[i].until = until;
	}
}

/* A loss is noticed with the first row behind it: what was there before it was
 * lost is the last row of the same CPU. */
static int make_doubts(struct an_sched *s, struct err *err)
{
	size_t n = an_n_losses(s->t), breaks = an_n_breaks(s->t);

	s->doubts = calloc(n + breaks + 1, sizeof(*s->doubts));
	if (!s->doubts)
		return err_nomem(err);
	for (uint32_t i = 0; i < n; i++) {
		const struct an_loss *l = an_loss_of(s->t, i);
		struct an_sched_doubt *d = &s->doubts[s->n_doubts];

		if (!is_doubt(s->t, l))
			continue;
		*d = (struct an_sched_doubt){ .from = l->time, .to = l->time,
					      .cpu = l->cpu };
		for (uint32_t c = 0; c < s->of_cpu.n; c++) {
			uint64_t last = last_on(s, c, l->time);

			if ((l->cpu < 0 || c == (uint32_t)l->cpu) &&
			    last < d->from)
				d->from = last;
		}
		s->n_doubts++;
	}
	for (size_t i = 0; i < breaks; i++) {
		const struct an_break *b = an_break_of(s->t, i);

		s->doubts[s->n_doubts++] = (struct an_sched_doubt){
			.from = b->from, .to = b->to, .cpu = -1 };
	}
	order_doubts(s);
	return 0;
}

static void find_bounds(struct an_sched *s)
{
	size_t from = 0, to = s->n;

	if (!s->n)
		return;
	while (s->switches && s->rows[from].kind != AN_SCHED_SWITCH)
		from++;
	while (s->switches && s->rows[to - 1].kind != AN_SCHED_SWITCH)
		to--;
	s->first = s->rows[from].time;
	s->last = s->rows[to - 1].time;
}

static int fill(struct an_sched *s, struct an_trace *t, struct err *err)
{
	struct take k = { .s = s };
	int rc;

	look_at_events(&k, t);
	rc = an_points_walk(t, kinds, N_KINDS, !k.by_switch, take, &k, err);
	if (rc)
		return rc;
	if (s->n)
		qsort(s->rows, s->n, sizeof(*s->rows), by_time);
	find_bounds(s);
	rc = make_lists(&s->of_task, s, s->tasks->n, tasks_of_row, err);
	if (!rc)
		rc = make_lists(&s->of_cpu, s, n_cpus(s), cpu_of_row, err);
	return rc ? rc : make_doubts(s, err);
}

int an_sched_new(struct an_sched **out, struct an_trace *t,
		 struct an_tasks *tasks, struct err *err)
{
	struct an_sched *s = calloc(1, sizeof(*s));
	int rc;

	if (!s)
		return err_nomem(err);
	s->t = t;
	s->tasks = tasks;
	rc = fill(s, t, err);
	if (rc || !s->n) {
		an_sched_free(s);
		s = NULL;
	}
	if (!rc)
		*out = s;
	return rc;
}

void an_sched_free(struct an_sched *s)
{
	if (!s)
		return;
	free(s->rows);
	free(s->places);
	free(s->of_task.list);
	free(s->of_task.first);
	free(s->of_cpu.list);
	free(s->of_cpu.first);
	free(s->doubts);
	free(s);
}

void an_sched_bounds(const struct an_sched *s, uint64_t *from, uint64_t *to)
{
	*from = s->first;
	*to = s->last;
}

bool an_sched_next_told(const struct an_sched *s, size_t *at,
			struct an_sched_told *out)
{
	const struct an_sched_row *r;

	if (*at >= s->n)
		return false;
	r = &s->rows[(*at)++];
	*out = (struct an_sched_told){
		.time = r->time, .left = AN_NONE,
		.is_switch = r->kind == AN_SCHED_SWITCH,
	};
	out->task = out->is_switch ? r->b : r->a;
	if (out->is_switch)
		out->left = r->a;
	out->blocks = out->is_switch && r->letter != 'R';
	out->is_done = !out->is_switch && r->done;
	return true;
}

bool an_sched_has_switches(const struct an_sched *s)
{
	return s->switches;
}

bool an_sched_has_wakeups(const struct an_sched *s)
{
	return s->wakeups;
}

bool an_sched_has_wakings(const struct an_sched *s)
{
	return s->wakings;
}

uint32_t an_sched_cpus(const struct an_sched *s)
{
	return (uint32_t)s->of_cpu.n;
}
