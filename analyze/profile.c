#include "analyze/profile.h"

#include "analyze/index.h"
#include "analyze/losses.h"
#include "analyze/samples.h"
#include "analyze/trace_data.h"

#include "format/base/mem.h"
#include "format/catalog.h"

#include <stdlib.h>
#include <string.h>

/* One event while it is summed. */
struct sums {
	struct an_event_profile out;
	struct an_index index; /* of out.places */
	size_t cap;
};

struct maker {
	struct an_trace *t;
	struct sums *sums;     /* by event; one more for the lost event */
	size_t n;              /* events of the trace */
	bool *nameless;        /* by frame */
	size_t n_frames;
	uint32_t *alike;       /* by thread: the first that looks the same */
	size_t n_threads;
	uint64_t places_left;
};

static uint64_t place_hash(const void *rows, uint32_t row)
{
	const struct an_place *p = (const struct an_place *)rows + row;

	return an_hash(an_hash(map64_pair(p->thread, p->ip),
			       map64_pair(p->kstack, p->ustack)), p->flags);
}

static bool is_same_place(const struct an_place *a, const struct an_place *b)
{
	return a->ip == b->ip && a->ustack == b->ustack &&
	       a->kstack == b->kstack && a->thread == b->thread &&
	       a->flags == b->flags;
}

static void add_saturated(uint64_t *sum, uint64_t v)
{
	if (ckd_add(sum, *sum, v))
		*sum = UINT64_MAX;
}

static void sum_add(struct an_sum *to, uint64_t period)
{
	to->samples++;
	add_saturated(&to->period, period);
}

/* The place equal to *key, made where it is new; NULL: no memory or, with
 * *full, more places than a file of this size can have. */
static struct an_place *place_of(struct maker *m, struct sums *s,
				 const struct an_place *key, uint64_t hash,
				 bool *full)
{
	struct an_event_profile *e = &s->out;
	size_t i;

	if (!an_index_room(&s->index, place_hash, e->places))
		return NULL;
	for (i = an_index_first(&s->index, hash);
	     s->index.slots[i] != AN_INDEX_FREE;
	     i = an_index_next(&s->index, i)) {
		struct an_place *have = &e->places[s->index.slots[i]];

		if (is_same_place(have, key))
			return have;
	}
	*full = !m->places_left;
	if (*full || !mem_grow(&e->places, &s->cap, e->n + 1,
			       sizeof(*e->places)))
		return NULL;
	m->places_left--;
	an_index_set(&s->index, i, (uint32_t)e->n);
	e->places[e->n] = *key;
	return &e->places[e->n++];
}

void an_event_note(struct an_event_profile *e, uint64_t time, uint64_t period,
		   uint8_t flags, bool nameless)
{
	if (e->total.samples == 0 || time < e->t_min)
		e->t_min = time;
	if (time > e->t_max)
		e->t_max = time;
	sum_add(&e->total, period);
	if (nameless)
		sum_add(&e->nameless, period);
	if (flags & TF_SAMPLE_TRUNCATED)
		sum_add(&e->truncated, period);
	if (flags & TF_SAMPLE_NO_CHAIN)
		sum_add(&e->no_chain, period);
}

bool *an_nameless_frames(const struct an_trace *t)
{
	size_t n = an_n_frames(t);
	bool *nameless = malloc((n + 1) * sizeof(*nameless));

	for (uint32_t i = 0; nameless && i <= n; i++) {
		const struct an_frame *f = an_frame_of(t, i);

		nameless[i] = f->symbol == AN_NONE &&
			      an_image_of(t, f->image)->kind !=
				      TF_IMAGE_SPECIAL;
	}
	return nameless;
}

static void note(struct maker *m, struct an_event_profile *e,
		 const struct an_place *p, uint64_t time, uint64_t period)
{
	uint32_t ip = p->ip < m->n_frames ? p->ip : (uint32_t)m->n_frames;

	an_event_note(e, time, period, p->flags, m->nameless[ip]);
	e->lost_names += p->ip == AN_NONE || p->kstack == AN_NONE ||
			 p->ustack == AN_NONE;
}

static uint32_t alike(const struct maker *m, uint32_t thread)
{
	return thread < m->n_threads ? m->alike[thread] : thread;
}

/* Some samples at a time, so that the memory which their places are in is on
 * its way before it is needed: of 700 k places nearly all miss the cache. */
#define RUN 32

struct run {
	struct sums *sums[RUN];
	struct an_place key[RUN];
	uint64_t hash[RUN];
};

static void run_begin(struct run *r, struct maker *m, const struct an_batch *b,
		      size_t from, size_t n)
{
	for (size_t k = 0; k < n; k++) {
		size_t i = from + k;
		struct sums *s = &m->sums[b->event[i] < m->n ? b->event[i] :
							       m->n];

		r->sums[k] = s;
		r->key[k] = (struct an_place){
			.thread = alike(m, b->thread[i]),
			.ip = b->ip[i],
			.kstack = b->kstack[i],
			.ustack = b->ustack[i],
			.flags = b->flags[i],
		};
		r->hash[k] = place_hash(&r->key[k], 0);
		if (s->index.cap)
			__builtin_prefetch(&s->index.slots[an_index_first(
				&s->index, r->hash[k])]);
	}
	for (size_t k = 0; k < n; k++) {
		const struct sums *s = r->sums[k];
		uint32_t row = AN_INDEX_FREE;

		if (s->index.cap)
			row = s->index.slots[an_index_first(&s->index,
							    r->hash[k])];
		if (row != AN_INDEX_FREE)
			__builtin_prefetch(&s->out.places[row]);
	}
}

static int run_add(const struct run *r, struct maker *m,
		   const struct an_batch *b, size_t from, size_t n,
		   struct err *err)
{
	bool full = false;

	for (size_t k = 0; k < n; k++) {
		struct sums *s = r->sums[k];
		struct an_place *p = place_of(m, s, &r->key[k], r->hash[k],
					      &full);

		if (full)
			return err_set(err, ERR_LIMIT, "%s: more different "
				       "stacks than a file of this size can "
				       "hold", an_trace_path(m->t));
		if (!p)
			return err_nomem(err);
		note(m, &s->out, &r->key[k], b->time[from + k],
		     b->period[from + k]);
		s->out.lost_periods += (b->lacks & AN_S_PERIOD) != 0;
		sum_add(&p->sum, b->period[from + k]);
	}
	return 0;
}

static int add_batch(struct maker *m, const struct an_batch *b,
		     struct err *err)
{
	struct run r;
	int rc = 0;

	for (size_t i = 0; i < b->n && !rc; i += RUN) {
		size_t n = b->n - i < RUN ? b->n - i : RUN;

		run_begin(&r, m, b, i, n);
		rc = run_add(&r, m, b, i, n, err);
	}
	return rc;
}

static int count_batch(struct maker *m, const struct an_batch *b,
		       struct err *err)
{
	(void)err;
	for (size_t i = 0; i < b->n; i++)
		m->sums[b->event[i] < m->n ? b->event[i] : m->n]
			.out.total.samples++;
	return 0;
}

static int each_batch(struct maker *m, const struct an_selection *sel,
		      unsigned columns,
		      int (*add)(struct maker *m, const struct an_batch *b,
				 struct err *err),
		      struct err *err)
{
	struct an_samples *s = NULL;
	const struct an_batch *b;
	int rc = an_samples_new(&s, m->t, sel, columns, err);

	while (!rc) {
		rc = an_samples_next(s, &b, err);
		if (!rc)
			rc = add(m, b, err);
	}
	an_samples_free(s);
	return rc < 0 ? rc : 0;
}

/* A row without a name that no sample refers to stands for "no event". */
static bool is_shown(const struct maker *m, const struct an_selection *sel,
		     size_t event)
{
	if (event == m->n)
		return m->sums[event].out.total.samples > 0;
	/* Its rows went to the events that it is split into; what was lost
	 * did not. */
	if (an_event_of(m->t, (uint32_t)event)->split &&
	    !m->sums[event].out.total.samples &&
	    !an_losses_own(m->t, (uint32_t)event))
		return false;
	if (sel && sel->event)
		return sel->event[event];
	return m->sums[event].out.total.samples ||
	       an_event_of(m->t, (uint32_t)event)->name;
}

/* Moves the places of the shown events over. */
static int hand_over(struct maker *m, const struct an_selection *sel,
		     struct an_profile *out, struct err *err)
{
	out->n = 0;
	out->events = calloc(m->n + 1, sizeof(*out->events));
	if (!out->events)
		return err_nomem(err);
	for (size_t i = 0; i <= m->n; i++) {
		if (!is_shown(m, sel, i))
			continue;
		m->sums[i].out.event = i < m->n ? (uint32_t)i : AN_NONE;
		out->events[out->n++] = m->sums[i].out;
		m->sums[i].out.places = NULL;
	}
	return 0;
}

static int maker_init(struct maker *m, struct an_trace *t, struct err *err)
{
	*m = (struct maker){ .t = t, .n = an_n_events(t),
			     .n_frames = an_n_frames(t),
			     .places_left = an_trace_rows_limit(t) };
	m->sums = calloc(m->n + 1, sizeof(*m->sums));
	return m->sums ? 0 : err_nomem(err);
}

static void maker_fini(struct maker *m)
{
	for (size_t i = 0; m->sums && i <= m->n; i++) {
		an_index_fini(&m->sums[i].index);
		free(m->sums[i].out.places);
	}
	free(m->sums);
	free(m->nameless);
	free(m->alike);
}

/* Threads that differ in nothing that is shown: a number that was used again
 * under one name. In a long recording there are many. */
static int find_alike(struct maker *m, struct err *err)
{
	struct intern keys = { 0 };
	uint32_t *first;
	int rc = 0;

	m->n_threads = an_n_threads(m->t);
	m->alike = malloc((m->n_threads + 1) * sizeof(*m->alike));
	first = malloc((m->n_threads + 1) * sizeof(*first));
	if (!m->alike || !first)
		rc = err_nomem(err);
	for (uint32_t i = 0; i < m->n_threads && !rc; i++) {
		const struct an_thread *th = an_thread_of(m->t, i);
		const uint32_t key[] = { (uint32_t)th->tid, (uint32_t)th->pid,
					 th->comm, th->source };
		uint32_t id;
		bool is_new;

		if (!intern_put(&keys, key, sizeof(key), &id, &is_new)) {
			rc = err_nomem(err);
			break;
		}
		if (is_new)
			first[id] = i;
		m->alike[i] = first[id];
	}
	intern_fini(&keys);
	free(first);
	return rc;
}

int an_profile_make(struct an_profile *out, struct an_trace *t,
		    const struct an_selection *sel, struct err *err)
{
	struct maker m;
	int rc = maker_init(&m, t, err);

	if (!rc) {
		m.nameless = an_nameless_frames(t);
		rc = m.nameless ? find_alike(&m, err) : err_nomem(err);
	}
	if (!rc)
		rc = each_batch(&m, sel, AN_S_ALL & ~(unsigned)AN_S_CPU,
				add_batch, err);
	if (!rc)
		rc = hand_over(&m, sel, out, err);
	maker_fini(&m);
	return rc;
}

int an_profile_count(struct an_profile *out, struct an_trace *t,
		     const struct an_selection *sel, struct err *err)
{
	struct maker m;
	int rc = maker_init(&m, t, err);

	if (!rc)
		rc = each_batch(&m, sel, AN_S_EVENT, count_batch, err);
	if (!rc)
		rc = hand_over(&m, sel, out, err);
	maker_fini(&m);
	return rc;
}

void an_profile_fini(struct an_profile *p)
{
	for (size_t i = 0; i < p->n; i++)
		free(p->events[i].places);
	free(p->events);
	*p = (struct an_profile){ 0 };
}

uint32_t an_place_ip(const struct an_trace *t, const struct an_place *p)
{
	return p->flags & TF_SAMPLE_KERNEL ? an_frame_in_kernel(t, p->ip) :
					     p->ip;
}

static size_t walk(const struct an_trace *t, uint32_t node, bool kernel,
		   uint32_t *frames, size_t n, size_t max)
{
	while (node && n < max) {
		const struct an_node *at = an_node_of(t, node);

		frames[n++] = kernel ? an_frame_in_kernel(t, at->frame) :
				       at->frame;
		node = at->parent;
	}
	return n;
}

size_t an_place_frames(const struct an_trace *t, const struct an_place *p,
		       uint32_t *frames, size_t max)
{
	size_t n = 0;

	if (!(p->flags & TF_SAMPLE_IP_IN_STACK) && n < max)
		frames[n++] = an_place_ip(t, p);
	n = walk(t, p->kstack, true, frames, n, max);
	return walk(t, p->ustack, false, frames, n, max);
}

static const char *const weight_names[] = {
	[AN_WEIGHT_SAMPLES] = "samples",
	[AN_WEIGHT_PERIOD] = "period",
	[AN_WEIGHT_TIME] = "time",
};

int an_weight_parse(const char *text, enum an_weight *out, struct err *err)
{
	for (size_t i = 0; i < ARRAY_LEN(weight_names); i++)
		if (strcmp(weight_names[i], text) == 0) {
			*out = (enum an_weight)i;
			return 0;
		}
	return err_set(err, ERR_USAGE, "option '--weight': '%s' is not "
		       "samples, period or time", text);
}

uint64_t an_weight_of(const struct an_sum *s, enum an_weight w)
{
	return w == AN_WEIGHT_SAMPLES ? s->samples : s->period;
}

const char *an_weight_unit(const struct an_trace *t, uint32_t event,
			   enum an_weight w)
{
	const struct an_event *e = an_event_of(t, event);

	if (w == AN_WEIGHT_SAMPLES)
		return "samples";
	return an_string(t, e->unit).n ? an_text(t, e->unit) :
					 an_text(t, e->name);
}

int an_weight_check(const struct an_trace *t, uint32_t event, enum an_weight w,
		    struct err *err)
{
	const struct an_event *e = an_event_of(t, event);

	if (w != AN_WEIGHT_TIME || strcmp(an_text(t, e->unit), "ns") == 0)
		return 0;
	return err_set(err, ERR_USAGE, "event '%s' does not count time (try: "
		       "--weight period)", an_text(t, e->name));
}
