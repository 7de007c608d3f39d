#include "record/perf/event.h"

#include "format/base/mem.h"
#include "record/perf/event_kinds.h"
#include "record/perf/event_modifiers.h"
#include "record/perf/event_near.h"

#include <stdlib.h>
#include <string.h>

static int unknown(const struct rec_event *e, const char *name,
		   struct err *err)
{
	char near[512];

	rec_event_near(near, sizeof(near), name);
	return err_set(err, ERR_USAGE, "unknown event '%s'%s", e->name, near);
}

/* 0 with e filled, 1: of no kind. */
static int by_kind(struct rec_event *e, const char *name, struct err *err)
{
	int rc = 1;

	for (size_t i = 0; rc == 1 && i < rec_n_event_kinds; i++)
		rc = rec_event_kinds[i].parse(e, name, err);
	return rc;
}

/* `text` is cut at its modifiers. A colon may also be part of the name, as in
 * sched:sched_switch: what stands behind it decides, and where that does not,
 * whether the name is known without it. */
static int parse_one(struct rec_event *e, char *text, struct err *err)
{
	char *colon = strrchr(text, ':');
	int rc;

	if (!colon) {
		rc = by_kind(e, text, err);
		return rc == 1 ? unknown(e, text, err) : rc;
	}
	*colon = 0;
	rc = by_kind(e, text, err);
	if (rc == 1 && rec_modifiers_are(colon + 1))
		return unknown(e, text, err);
	if (!rc)
		return rec_modifiers_apply(e, colon + 1, err);
	*colon = ':';
	rc = by_kind(e, text, err);
	return rc == 1 ? unknown(e, text, err) : rc;
}

static int add_one(struct rec_events *list, const char *text, size_t n,
		   struct err *err)
{
	struct rec_event e = { .unit = "" };
	char *scratch = NULL;
	int rc;

	if (!mem_grow(&list->items, &list->cap, list->n + 1,
		      sizeof(*list->items)))
		return err_nomem(err);
	e.attr.size = sizeof(e.attr);
	e.name = strndup(text, n);
	scratch = strndup(text, n);
	rc = e.name && scratch ? parse_one(&e, scratch, err) : err_nomem(err);
	free(scratch);
	if (rc) {
		free(e.name);
		return rc;
	}
	list->items[list->n++] = e;
	return 0;
}

/* Bytes up to the comma that ends the first event: commas inside of braces and
 * of terms between slashes belong to it. */
static size_t first_length(const char *text)
{
	bool in_terms = false;
	int depth = 0;
	size_t i;

	for (i = 0; text[i]; i++) {
		if (text[i] == ',' && !in_terms && depth <= 0)
			break;
		if (text[i] == '/')
			in_terms = !in_terms;
		else if (text[i] == '{')
			depth++;
		else if (text[i] == '}')
			depth--;
	}
	return i;
}

static void drop_from(struct rec_events *e, size_t first)
{
	while (e->n > first)
		free(e->items[--e->n].name);
}

int rec_events_add(struct rec_events *e, const char *text, struct err *err)
{
	size_t before = e->n;

	for (;;) {
		size_t n = first_length(text);
		int rc = n ? add_one(e, text, n, err) :
			     err_set(err, ERR_USAGE, "an empty event name");

		if (rc) {
			drop_from(e, before);
			return rc;
		}
		if (!text[n])
			return 0;
		text += n + 1;
	}
}

void rec_events_fini(struct rec_events *e)
{
	drop_from(e, 0);
	free(e->items);
	*e = (struct rec_events){ 0 };
}
