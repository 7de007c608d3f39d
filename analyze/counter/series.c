#include "analyze/counter/series.h"

#include "analyze/load.h"

#include "format/base/mem.h"
#include "format/catalog.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* A text that is not there is empty; one that was lost is that. */
static uint32_t text_of(const struct an_row *r, unsigned column)
{
	return an_row_has(r, column) ? an_row_ref(r, column, AN_SPACE_STRING) :
				       0;
}

static double scale_of(const struct an_row *r)
{
	uint64_t bits = an_row_value(r, TF_SERIES_SCALE);
	double scale = 1;

	if (an_row_has(r, TF_SERIES_SCALE))
		memcpy(&scale, &bits, sizeof(scale));
	return scale;
}

static uint32_t event_of(const struct an_row *r)
{
	uint64_t event = an_row_value(r, TF_SERIES_EVENT);

	return event ? an_ids_get(&r->epoch->ids[AN_SPACE_EVENT], event - 1) :
		       AN_NONE;
}

static uint32_t up_to(uint64_t v, uint32_t max)
{
	return v > max ? max : (uint32_t)v;
}

static struct an_series series_of(const struct an_row *r)
{
	uint64_t kind = an_row_value(r, TF_SERIES_KIND);
	uint64_t source = an_row_value(r, TF_SERIES_SOURCE);
	uint64_t cpu = an_row_value(r, TF_SERIES_CPU);
	uint64_t pid = an_row_value(r, TF_SERIES_PID);
	uint64_t capacity = an_row_value(r, TF_SERIES_CAPACITY);
	struct an_series s = {
		.name = text_of(r, TF_SERIES_NAME),
		.unit = text_of(r, TF_SERIES_UNIT),
		.device = text_of(r, TF_SERIES_DEVICE),
		.part = text_of(r, TF_SERIES_PART),
		.label = text_of(r, TF_SERIES_LABEL),
		.kind = kind <= TF_SERIES_SUM ? (uint8_t)kind : 0,
		.source = source <= TF_SERIES_PROC ? (uint8_t)source : 0,
		.scale = scale_of(r),
		.event = event_of(r),
		.cpu = cpu > INT32_MAX ? -1 : (int32_t)cpu - 1,
		.pid = pid > INT32_MAX ? 0 : (int32_t)pid,
		.client = an_row_value(r, TF_SERIES_CLIENT),
		.capacity = capacity ? up_to(capacity, UINT32_MAX) : 1,
		.run = up_to(an_row_value(r, TF_SERIES_RUN), UINT32_MAX),
		.machine = an_row_source(r),
	};

	if (!isfinite(s.scale)) {
		s.scale = 1;
		s.kind = 0;
	}
	return s;
}

static void put_key(struct buf *key, const struct an_series *s)
{
	uint64_t scale;

	memcpy(&scale, &s->scale, sizeof(scale));
	buf_u32(key, s->name);
	buf_u32(key, s->unit);
	buf_u32(key, s->device);
	buf_u32(key, s->part);
	buf_u32(key, s->label);
	buf_u8(key, s->kind);
	buf_u8(key, s->source);
	buf_u64(key, scale);
	buf_u32(key, s->event);
	buf_u32(key, (uint32_t)s->cpu);
	buf_u32(key, (uint32_t)s->pid);
	buf_u64(key, s->client);
	buf_u32(key, s->capacity);
	buf_u32(key, s->run);
	buf_u32(key, s->machine);
}

int an_load_series(const struct an_row *r, uint32_t *id, struct err *err)
{
	struct an_trace *t = r->t;
	struct an_series s = series_of(r);
	struct buf key;
	bool is_new = false;
	int rc;

	*id = AN_NONE;
	if (!an_row_has(r, TF_SERIES_NAME) || !an_row_has(r, TF_SERIES_KIND))
		return 0;
	buf_init(&key, 0);
	put_key(&key, &s);
	rc = an_key_put(&t->series_keys, &key, id, &is_new, err);
	if (rc || !is_new)
		return rc;
	if (!AN_ROOM(t->series))
		return err_nomem(err);
	t->series.v[t->series.n++] = s;
	return 0;
}

bool an_series_keeps_greatest(const struct an_series *s)
{
	return s->source == TF_SERIES_FDINFO && s->kind == TF_SERIES_COUNT;
}

bool an_series_is_whole(const struct an_trace *t, const struct an_series *s)
{
	static const char *const names[] = {
		"duration_time", "user_time", "system_time",
	};

	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		if (s->source == TF_SERIES_PROC &&
		    strcmp(an_text(t, s->name), names[i]) == 0)
			return true;
	return false;
}

double an_series_time_unit(const struct an_trace *t, const struct an_series *s)
{
	static const struct {
		const char *unit;
		double ns;
	} units[] = {
		{ "ns", 1 }, { "us", 1e3 }, { "ms", 1e6 }, { "msec", 1e6 },
		{ "s", 1e9 },
	};

	for (size_t i = 0; i < ARRAY_LEN(units); i++)
		if (s->kind == TF_SERIES_COUNT &&
		    strcmp(units[i].unit, an_text(t, s->unit)) == 0)
			return units[i].ns;
	return 0;
}

static void put_word(struct buf *to, const char *word)
{
	if (*word)
		buf_printf(to, " %s", word);
}

void an_series_what(const struct an_trace *t, uint32_t series, struct buf *to)
{
	const struct an_series *s = an_series_of(t, series);

	buf_printf(to, "%s", an_text(t, s->name));
	/* The name of an event has both; what it has of a label is its
	 * cgroup. */
	if (s->source != TF_SERIES_PMU) {
		put_word(to, an_text(t, s->part));
		put_word(to, an_text(t, s->device));
	} else {
		put_word(to, an_text(t, s->label));
	}
	if (s->pid)
		buf_printf(to, " %s/%" PRId32, an_text(t, s->label), s->pid);
	if (s->machine)
		buf_printf(to, " source %" PRIu32, s->machine - 1);
}

void an_series_text(const struct an_trace *t, uint32_t series, struct buf *to)
{
	const struct an_series *s = an_series_of(t, series);

	an_series_what(t, series, to);
	if (s->cpu >= 0)
		buf_printf(to, " CPU%" PRId32, s->cpu);
	if (s->run)
		buf_printf(to, " run %" PRIu32, s->run);
}
