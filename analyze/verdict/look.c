/* Collects what a trace tells of one process: engines, then CPU time. */
#include "analyze/verdict/media.h"

#include "analyze/counter/series.h"
#include "analyze/counter/totals.h"
#include "analyze/samples.h"

#include "format/base/mem.h"
#include "format/catalog.h"

#include <stdlib.h>
#include <string.h>

struct look {
	struct an_media *m;
	struct an_trace *t;
	const struct an_selection *sel;
	struct an_counters c;
	bool blind;            /* its clients never tell of media engines */
	uint64_t *ns;          /* by event, then by image: CPU time */
	size_t n_images;       /* one more for what is lost */
};

static bool is_named(const struct look *l, const struct an_series *s,
		     const char *name)
{
	return strcmp(an_text(l->t, s->name), name) == 0;
}

/* -- Who it is -------------------------------------------------------------- */

/* The last name that a thread of it had; what is in brackets behind the name of
 * a client is its own. */
static void find_comm(struct look *l)
{
	for (uint32_t i = 0; i < an_n_series(l->t); i++)
		if (an_series_of(l->t, i)->pid == l->m->pid)
			l->m->comm = an_text(l->t, an_series_of(l->t, i)->label);
	for (uint32_t i = 0; i < an_n_threads(l->t); i++) {
		const struct an_thread *x = an_thread_of(l->t, i);

		if (x->pid == l->m->pid && (x->tid == x->pid || !l->m->comm))
			l->m->comm = an_text(l->t, x->comm);
	}
}

/* -- Engines ---------------------------------------------------------------- */

/* A mean that was read only once is of a time that is not known. */
static double mean_of(const struct look *l, const struct an_engine *e,
		      const struct an_engine_use *u)
{
	struct an_total total;

	if (u->known_ns)
		return u->busy_ns / (double)u->known_ns;
	if (e->kind != AN_ENGINE_PERCENT)
		return 0;
	an_total_of(&total, &l->c, e->series);
	return total.state == AN_INTERVAL_READ ? total.amount / 100 : 0;
}

static int note_engine(struct look *l, const struct an_engine *e,
		       struct err *err)
{
	const struct an_series *s = an_series_of(l->t, e->series);
	struct an_media *m = l->m;
	struct an_media_engine x = { .series = e->series,
				     .own = s->pid == m->pid };
	struct an_engine_use u;

	an_engine_name(l->t, e, x.name);
	x.role = an_media_role_of(x.name);
	if (x.role == AN_MEDIA_BLIND && x.own && s->source == TF_SERIES_FDINFO)
		l->blind = true;
	if (x.role != AN_MEDIA_CODES && x.role != AN_MEDIA_PROCESSES)
		return 0;
	an_engine_sum(&l->c, e, &u);
	x.busy = mean_of(l, e, &u);
	x.known_ns = u.known_ns;
	if (x.role == AN_MEDIA_CODES && x.own && x.busy > m->engine)
		m->engine = x.busy;
	if (x.role == AN_MEDIA_CODES && !x.own && x.busy > m->elsewhere)
		m->elsewhere = x.busy;
	if (!mem_grow(&m->engines, &m->engines_cap, m->n_engines + 1,
		      sizeof(*m->engines)))
		return err_nomem(err);
	m->engines[m->n_engines++] = x;
	return 0;
}

/* Clients of all processes were looked at: each that there is has series. */
static bool has_clients(const struct look *l)
{
	for (uint32_t i = 0; i < an_n_series(l->t); i++)
		if (an_series_of(l->t, i)->source == TF_SERIES_FDINFO)
			return true;
	return an_fact(l->t, "gpu.sources") && an_fact(l->t, "interval") &&
	       !an_fact(l->t, "gpu.missing.drm-fdinfo");
}

/* NVML tells of processes that did something: of some, so that it can. */
static bool has_nvml(const struct look *l, bool *of_processes)
{
	bool any = false;

	*of_processes = false;
	for (uint32_t i = 0; i < an_n_series(l->t); i++) {
		const struct an_series *s = an_series_of(l->t, i);

		if (s->source != TF_SERIES_NVML)
			continue;
		any = true;
		*of_processes |= s->pid && is_named(l, s, "utilization");
	}
	return any;
}

static void find_known(struct look *l)
{
	bool of_processes;

	for (uint32_t i = 0; i < an_n_series(l->t); i++) {
		const struct an_series *s = an_series_of(l->t, i);

		l->m->client |= s->pid == l->m->pid &&
				(s->source == TF_SERIES_FDINFO ||
				 s->source == TF_SERIES_NVML);
	}
	if (has_nvml(l, &of_processes))
		l->m->engines_known = of_processes;
	else
		l->m->engines_known = has_clients(l);
	l->m->engines_known &= !l->blind;
}

static int look_at_engines(struct look *l, struct err *err)
{
	struct an_engines engines = { 0 };
	int rc = an_engines_find(&engines, l->t, NULL, err);

	for (size_t i = 0; i < engines.n && !rc; i++)
		rc = note_engine(l, &engines.v[i], err);
	an_engines_fini(&engines);
	find_known(l);
	return rc;
}

/* -- CPU time --------------------------------------------------------------- */

/* ns that a sample stands for; 0: it does not tell. */
static uint64_t weight(const struct look *l, uint32_t event, uint64_t period)
{
	const struct an_event *e = an_event_of(l->t, event);

	if (e->tracepoint != AN_NONE)
		return 0;
	if (strcmp(an_text(l->t, e->unit), "ns") == 0)
		return period;
	return e->frequency ? 1000000000 / e->frequency : 0;
}

static void add_row(struct look *l, const struct an_batch *b, size_t i)
{
	const struct an_thread *thread = an_thread_of(l->t, b->thread[i]);
	size_t image = l->n_images - 1;

	if (b->thread[i] == AN_NONE || thread->pid != l->m->pid ||
	    b->event[i] >= an_n_events(l->t))
		return;
	if (b->ip[i] < an_n_frames(l->t))
		image = an_frame_of(l->t, b->ip[i])->image;
	if (image >= l->n_images)
		image = l->n_images - 1;
	l->ns[b->event[i] * l->n_images + image] +=
		weight(l, b->event[i], b->period[i]);
	l->m->samples++;
}

static int add_samples(struct look *l, struct err *err)
{
	const struct an_batch *b;
	struct an_samples *s;
	int rc = an_samples_new(&s, l->t, l->sel, AN_S_TIME | AN_S_THREAD |
				AN_S_EVENT | AN_S_PERIOD | AN_S_IP |
				AN_S_FLAGS, err);

	if (rc)
		return rc;
	while (!(rc = an_samples_next(s, &b, err)))
		for (size_t i = 0; i < b->n; i++)
			add_row(l, b, i);
	an_samples_free(s);
	return rc < 0 ? rc : 0;
}

/* Two events measure the same time: that counts which has more of it. */
static size_t best_event(const struct look *l, uint64_t *most)
{
	size_t best = 0;

	*most = 0;
	for (size_t e = 0; e < an_n_events(l->t); e++) {
		uint64_t sum = 0;

		for (size_t i = 0; i < l->n_images; i++)
			sum += l->ns[e * l->n_images + i];
		if (sum > *most) {
			*most = sum;
			best = e;
		}
	}
	return best;
}

static int by_time(const void *a, const void *b)
{
	const struct an_media_image *x = a, *y = b;

	return CMP(y->ns, x->ns);
}

static int take_images(struct look *l, size_t from, struct err *err)
{
	struct an_media *m = l->m;
	uint64_t codec = 0;

	m->images = calloc(l->n_images, sizeof(*m->images));
	if (!m->images)
		return err_nomem(err);
	for (uint32_t i = 0; i < l->n_images; i++) {
		uint32_t dso = i + 1 < l->n_images ?
				       an_image_of(l->t, i)->dso : 0;
		bool is_codec = an_media_is_codec(an_text(l->t, dso));
		uint64_t ns = l->ns[from + i];

		if (!ns)
			continue;
		m->images[m->n_images++] = (struct an_media_image){
			dso, ns, is_codec };
		codec += is_codec ? ns : 0;
	}
	if (m->n_images)
		qsort(m->images, m->n_images, sizeof(*m->images), by_time);
	m->codec = (double)codec / (double)m->length_ns;
	return 0;
}

/* Samples of CPU time are in the trace, of whomever: who has none did nothing. */
static bool has_events(const struct look *l)
{
	for (uint32_t i = 0; i < an_n_events(l->t); i++)
		if (weight(l, i, 1))
			return true;
	return false;
}

static int look_at_samples(struct look *l, struct err *err)
{
	uint64_t most = 0;
	size_t best, n_events = an_n_events(l->t);
	int rc;

	l->n_images = an_n_images(l->t) + 1;
	l->ns = calloc(n_events + 1, l->n_images * sizeof(*l->ns));
	if (!l->ns)
		return err_nomem(err);
	rc = add_samples(l, err);
	if (!rc && has_events(l)) {
		best = best_event(l, &most);
		l->m->cpu_by = AN_MEDIA_CPU_SAMPLES;
		l->m->cpu = (double)most / (double)l->m->length_ns;
		rc = take_images(l, best * l->n_images, err);
	}
	free(l->ns);
	l->ns = NULL;
	return rc;
}

/* Threads of it may have a series each. */
static void look_at_clocks(struct look *l)
{
	struct an_media *m = l->m;
	double ns = 0;
	bool any = false;

	if (m->cpu_by != AN_MEDIA_CPU_NONE)
		return;
	for (uint32_t i = 0; i < an_n_series(l->t); i++) {
		const struct an_series *s = an_series_of(l->t, i);
		struct an_total total;

		if (s->pid != m->pid || !is_named(l, s, "task-clock"))
			continue;
		an_total_of(&total, &l->c, i);
		if (total.state != AN_INTERVAL_READ)
			continue;
		ns += total.amount * an_series_time_unit(l->t, s);
		any = true;
	}
	if (!any)
		return;
	m->cpu_by = AN_MEDIA_CPU_CLOCK;
	m->cpu = ns / (double)m->length_ns;
}

/* -- All of it -------------------------------------------------------------- */

static int find_length(struct look *l, struct err *err)
{
	uint64_t begin = 0, end = 0;
	int rc = an_rows_bounds(l->t, &begin, &end, err);

	if (rc < 0)
		return rc;
	if (l->sel->t_min > begin)
		begin = l->sel->t_min;
	if (l->sel->t_max < end)
		end = l->sel->t_max;
	l->m->length_ns = end > begin ? end - begin : 1;
	return 0;
}

int an_media_look(struct an_media *m, struct an_trace *t,
		  const struct an_selection *sel, int32_t pid, struct err *err)
{
	struct look l = { .m = m, .t = t, .sel = sel };
	int rc;

	*m = (struct an_media){ .t = t, .pid = pid };
	find_comm(&l);
	rc = find_length(&l, err);
	if (!rc)
		rc = an_counters_load(&l.c, t, sel->t_min, sel->t_max, NULL,
				      err);
	if (!rc)
		rc = look_at_engines(&l, err);
	if (!rc)
		rc = look_at_samples(&l, err);
	if (!rc) {
		look_at_clocks(&l);
		an_media_judge(m);
	}
	an_counters_fini(&l.c);
	return rc;
}

void an_media_fini(struct an_media *m)
{
	free(m->engines);
	free(m->images);
	*m = (struct an_media){ 0 };
}
