#include "record/counter/reading.h"

#include "format/base/mem.h"

#include <stdlib.h>
#include <string.h>

/* Some 6 MB: who has not come for so long is stuck. */
#define MAX_ROWS 100000u

int rec_readings_init(struct rec_readings *r, struct err *err)
{
	int rc;

	*r = (struct rec_readings){ .n = 0 };
	rc = pthread_mutex_init(&r->lock, NULL);
	if (rc)
		return err_sys(err, rc, "cannot make a lock");
	r->ready = true;
	return 0;
}

void rec_readings_fini(struct rec_readings *r)
{
	if (!r->ready)
		return;
	pthread_mutex_destroy(&r->lock);
	arena_fini(&r->texts);
	free(r->series);
	free(r->rows);
	free(r->missing);
	*r = (struct rec_readings){ .n = 0 };
}

/* NULL: no memory. */
static const char *keep(struct rec_readings *r, const char *text)
{
	return text && *text ? arena_dup(&r->texts, text, strlen(text)) : "";
}

static bool keep_series(struct rec_readings *r, const struct rec_series *s)
{
	struct rec_series own = *s;

	if (!mem_grow(&r->series, &r->series_cap, r->n_series + 1,
		      sizeof(*r->series)))
		return false;
	own.name = keep(r, s->name);
	own.unit = keep(r, s->unit);
	own.device = keep(r, s->device);
	own.part = keep(r, s->part);
	own.label = keep(r, s->label);
	own.scale = s->scale > 0 || s->scale < 0 ? s->scale : 1;
	own.capacity = s->capacity ? s->capacity : 1;
	r->series[r->n_series] = own;
	return own.name && own.unit && own.device && own.part && own.label;
}

uint32_t rec_readings_series(struct rec_readings *r, const struct rec_series *s)
{
	uint32_t id = UINT32_MAX;

	pthread_mutex_lock(&r->lock);
	if (r->n_series < UINT32_MAX && keep_series(r, s))
		id = (uint32_t)r->n_series++;
	pthread_mutex_unlock(&r->lock);
	return id;
}

void rec_readings_add(struct rec_readings *r, uint32_t series,
		      const struct rec_reading *reading)
{
	pthread_mutex_lock(&r->lock);
	if (series == UINT32_MAX || r->n >= MAX_ROWS ||
	    !mem_grow(&r->rows, &r->cap, r->n + 1, sizeof(*r->rows)))
		r->dropped++;
	else
		r->rows[r->n++] = (struct rec_readings_row){ series, *reading };
	pthread_mutex_unlock(&r->lock);
}

static bool is_missed(const struct rec_readings *r, const char *name)
{
	for (size_t i = 0; i < r->n_missing; i++)
		if (!strcmp(r->missing[i].name, name))
			return true;
	return false;
}

static bool keep_missing(struct rec_readings *r, const char *name,
			 const char *why)
{
	struct rec_readings_missing m;

	if (!mem_grow(&r->missing, &r->missing_cap, r->n_missing + 1,
		      sizeof(*r->missing)))
		return false;
	m = (struct rec_readings_missing){ keep(r, name), keep(r, why) };
	if (!m.name || !m.why)
		return false;
	r->missing[r->n_missing++] = m;
	return true;
}

void rec_readings_miss(struct rec_readings *r, const char *name,
		       const char *why)
{
	pthread_mutex_lock(&r->lock);
	if (!is_missed(r, name) && !keep_missing(r, name, why))
		r->dropped++;
	pthread_mutex_unlock(&r->lock);
}
