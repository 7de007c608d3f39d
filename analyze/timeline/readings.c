#include "analyze/timeline/readings.h"

#include "analyze/counter/engine.h"
#include "analyze/counter/series.h"

#include "format/base/buf.h"
#include "format/catalog.h"

#include <math.h>
#include <stdlib.h>

struct filler {
	struct an_timeline *tl;
	struct an_trace *t;
	const struct an_selection *sel;
	struct an_counters c;
	struct an_engines engines;
	bool *taken;          /* by series: shown by its engine, or a help to
			       * one */
	struct buf text;
};

static int name_of(struct filler *f, uint32_t series, const char *behind,
		   uint32_t *id, struct err *err)
{
	buf_clear(&f->text);
	an_series_text(f->t, series, &f->text);
	buf_printf(&f->text, "%s", behind);
	if (buf_failed(&f->text))
		return err_nomem(err);
	return an_timeline_text(f->tl, span_of(f->text.p, f->text.n), id, err);
}

/* Series of a device stand together. */
static int group_of(struct filler *f, uint32_t series, uint32_t *id,
		    struct err *err)
{
	const struct an_series *s = an_series_of(f->t, series);
	struct span device = an_string(f->t, s->device);

	return an_timeline_textf(f->tl, id, err, "Counters%s%.*s",
				 device.n ? ": " : "", (int)device.n,
				 (const char *)device.p);
}

static int new_lane(struct filler *f, uint32_t series, const char *behind,
		    const char *unit, uint32_t *id, struct err *err)
{
	struct an_lane lane = { .kind = AN_LANE_COUNTER, .rank = series };
	int rc = name_of(f, series, behind, &lane.name, err);

	if (!rc)
		rc = group_of(f, series, &lane.group, err);
	if (!rc)
		rc = an_timeline_textf(f->tl, &lane.unit, err, "%s", unit);
	return rc ? rc : an_timeline_lane(f->tl, &lane, id, err);
}

/* Steps of what holds from one time to another; between two of them, and behind
 * the last, nothing may be known. */
struct stairs {
	struct filler *f;
	uint32_t lane;
	uint64_t end_ns;
	bool any;
};

static int step(struct stairs *s, uint64_t begin_ns, uint64_t end_ns,
		double value, struct err *err)
{
	int rc = 0;

	if (s->any && begin_ns > s->end_ns)
		rc = an_timeline_step(s->f->tl, s->lane, s->end_ns, NAN, err);
	s->any = true;
	s->end_ns = end_ns;
	return rc ? rc : an_timeline_step(s->f->tl, s->lane, begin_ns, value,
					  err);
}

static int last_step(struct stairs *s, struct err *err)
{
	return s->any ? an_timeline_step(s->f->tl, s->lane, s->end_ns, NAN,
					 err) : 0;
}

static int put_engine(struct filler *f, const struct an_engine *e,
		      struct err *err)
{
	struct stairs stairs = { .f = f };
	struct an_engine_share share;
	struct an_engine_walk walk;
	int rc = new_lane(f, e->series, e->kind == AN_ENGINE_PERCENT ? "" :
			  " busy", "%", &stairs.lane, err);

	an_engine_walk(&walk, &f->c, e);
	while (!rc && an_engine_next(&walk, &share))
		rc = step(&stairs, share.begin_ns, share.end_ns,
			  100 * share.busy, err);
	return rc ? rc : last_step(&stairs, err);
}

static bool is_level(const struct an_series *s)
{
	return s->kind == TF_SERIES_LEVEL || s->kind == TF_SERIES_MEAN ||
	       s->kind == TF_SERIES_INTEGRAL || s->kind == TF_SERIES_SUM;
}

/* Levels hold until the next reading, which tells their next value; what is of
 * the time before a reading holds from the reading before. */
static int put_interval(struct stairs *stairs, const struct an_series *s,
			const struct an_interval *i, struct err *err)
{
	uint64_t length = an_interval_length(i);

	if (i->state == AN_INTERVAL_GONE && s->kind == TF_SERIES_LEVEL)
		return an_timeline_step(stairs->f->tl, stairs->lane, i->end_ns,
					0, err);
	if (i->state != AN_INTERVAL_READ)
		return 0;
	if (s->kind == TF_SERIES_LEVEL) {
		stairs->any = false;
		return an_timeline_step(stairs->f->tl, stairs->lane, i->end_ns,
					i->amount, err);
	}
	if (!length)
		return 0;
	return step(stairs, i->begin_ns, i->end_ns, is_level(s) ? i->amount :
		    i->amount * 1e9 / (double)length, err);
}

static int put_series(struct filler *f, uint32_t series, struct err *err)
{
	const struct an_series *s = an_series_of(f->t, series);
	struct stairs stairs = { .f = f };
	const char *unit = an_text(f->t, s->unit);
	struct an_intervals walk;
	struct an_interval i;
	char rate[64];
	int rc;

	snprintf(rate, sizeof(rate), "%.50s/s", *unit ? unit : "1");
	rc = new_lane(f, series, "", is_level(s) ? unit : rate, &stairs.lane,
		      err);
	an_intervals_of(&walk, &f->c, series);
	while (!rc && an_intervals_next(&walk, &i))
		rc = put_interval(&stairs, s, &i, err);
	return rc ? rc : last_step(&stairs, err);
}

static int put_all(struct filler *f, struct err *err)
{
	const struct an_engines *e = &f->engines;
	int rc = 0;

	for (size_t i = 0; i < e->n && !rc; i++) {
		f->taken[e->v[i].series] = true;
		if (e->v[i].by != AN_NONE)
			f->taken[e->v[i].by] = true;
		if (an_series_is_beside(f->sel, e->v[i].series))
			rc = put_engine(f, &e->v[i], err);
	}
	for (uint32_t i = 0; i < an_n_series(f->t) && !rc; i++)
		if (!f->taken[i] && an_series_is_beside(f->sel, i) &&
		    !an_series_is_whole(f->t, an_series_of(f->t, i)))
			rc = put_series(f, i, err);
	return rc;
}

int an_readings_lanes(struct an_timeline *tl, struct an_trace *t,
		      const struct an_selection *sel, struct err *err)
{
	struct filler f = { .tl = tl, .t = t, .sel = sel };
	int rc;

	if (!an_n_series(t))
		return 0;
	buf_init(&f.text, 0);
	f.taken = calloc(an_n_series(t), sizeof(*f.taken));
	rc = f.taken ? an_counters_load(&f.c, t, sel->t_min, sel->t_max, NULL,
					err) :
		       err_nomem(err);
	if (!rc)
		rc = an_engines_find(&f.engines, t, NULL, err);
	if (!rc)
		rc = put_all(&f, err);
	an_engines_fini(&f.engines);
	an_counters_fini(&f.c);
	free(f.taken);
	buf_fini(&f.text);
	return rc;
}
