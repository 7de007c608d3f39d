#include "record/perf/event.h"

#include "format/base/mem.h"
#include "record/perf/event/kind.h"
#include "record/perf/event/pmu.h"
#include "record/perf/event/terms.h"
#include "record/perf/event_modifiers.h"
#include "record/perf/event_near.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* An event as it was written, cut into its parts. */
struct event_text {
	char *name;
	char *terms;     /* between slashes; NULL: none */
	char *modifiers; /* NULL: none */
};

const char *rec_events_root(const struct rec_events *e)
{
	return e->root ? e->root : "";
}

struct rec_event *rec_events_append(struct rec_events *to, const char *name,
				    struct err *err)
{
	struct rec_event e = { .unit = "", .scale = 1, .leader = to->n,
			       .attr.size = sizeof(e.attr) };

	if (name)
		e.name = strdup(name);
	if ((name && !e.name) ||
	    !mem_grow(&to->items, &to->cap, to->n + 1, sizeof(*to->items))) {
		free(e.name);
		(void)err_nomem(err);
		return NULL;
	}
	to->items[to->n] = e;
	return &to->items[to->n++];
}

void rec_event_fini(struct rec_event *e)
{
	free(e->name);
	free(e->system);
	free(e->tracepoint);
	free(e->filter);
	free(e->asked_filter);
	free(e->stands_for);
	free(e->cgroup);
	free(e->pmu_unit);
	rec_cpus_fini(&e->cpus);
	*e = (struct rec_event){ 0 };
}

/* false: out of memory. */
static bool copy_text(char **to, const char *from)
{
	*to = from ? strdup(from) : NULL;
	return !from || *to;
}

int rec_event_copy(struct rec_event *to, const struct rec_event *from,
		   struct err *err)
{
	struct rec_event e = *from;
	bool ok = copy_text(&e.name, from->name);

	ok = copy_text(&e.system, from->system) && ok;
	ok = copy_text(&e.tracepoint, from->tracepoint) && ok;
	ok = copy_text(&e.filter, from->filter) && ok;
	ok = copy_text(&e.asked_filter, from->asked_filter) && ok;
	ok = copy_text(&e.stands_for, from->stands_for) && ok;
	ok = copy_text(&e.cgroup, from->cgroup) && ok;
	ok = copy_text(&e.pmu_unit, from->pmu_unit) && ok;
	if (from->pmu_unit && from->unit == from->pmu_unit)
		e.unit = e.pmu_unit;
	e.cpus = (struct rec_cpus){ 0 };
	for (size_t i = 0; ok && i < from->cpus.n; i++)
		ok = !rec_cpus_add(&e.cpus, from->cpus.items[i], NULL);
	*to = e;
	if (ok)
		return 0;
	rec_event_fini(to);
	return err_nomem(err);
}

static int unknown(const char *text, const char *name, struct err *err)
{
	char near[512];

	rec_event_near(near, sizeof(near), name);
	return err_set(err, ERR_USAGE, "unknown event '%s'%s", text, near);
}

/* 0: appended; 1: of no kind. */
static int by_kind(struct rec_events *to, const char *name, struct err *err)
{
	int rc = 1;

	for (size_t i = 0; rc == 1 && i < rec_n_event_kinds; i++)
		rc = rec_event_kinds[i]->parse(to, name, err);
	return rc;
}

/* A colon may also be part of the name, as in sched:sched_switch: what stands
 * behind it decides, and where that does not, whether the name is known without
 * it. */
static int by_name(struct rec_events *to, struct event_text *t,
		   const char *whole, struct err *err)
{
	char *colon = strrchr(t->name, ':');
	int rc;

	if (!colon) {
		rc = by_kind(to, t->name, err);
		return rc == 1 ? unknown(whole, t->name, err) : rc;
	}
	*colon = 0;
	rc = by_kind(to, t->name, err);
	if (rc == 1 && rec_modifiers_are(colon + 1))
		return unknown(whole, t->name, err);
	if (!rc)
		t->modifiers = colon + 1;
	if (rc != 1)
		return rc;
	*colon = ':';
	rc = by_kind(to, t->name, err);
	return rc == 1 ? unknown(whole, t->name, err) : rc;
}

/* NAME/TERMS/MODIFIERS, the last with a colon before them or not. */
static int by_terms(struct rec_events *to, struct event_text *t,
		    const char *whole, struct err *err)
{
	char *slash = strchr(t->name, '/'), *end = strrchr(t->name, '/');
	size_t first = to->n;
	int rc;

	if (end == slash)
		return err_set(err, ERR_USAGE, "event '%s': the terms do not "
			       "end with a slash", whole);
	*slash = *end = 0;
	t->terms = slash + 1;
	t->modifiers = end[1] == ':' ? end + 2 : end[1] ? end + 1 : NULL;
	rc = rec_pmu_append(to, t->name, t->terms, err);
	if (rc != 1)
		return rc;
	rc = by_kind(to, t->name, err);
	if (rc == 1)
		return rec_pmu_unknown(to, t->name, err);
	return rc ? rc : rec_terms_apply(to, first, t->terms, err);
}

/* Its own slash and colons are no terms and modifiers: mem:ADDR/LEN:rw. */
static bool is_breakpoint(const char *text)
{
	return !strncmp(text, "mem:", 4);
}

static bool shows_modifiers(const char *name)
{
	const char *colon = strrchr(name, ':'), *slash = strrchr(name, '/');
	const char *tail = colon > slash ? colon : slash;

	return tail && (rec_modifiers_are(tail + 1) || tail[1] == 0);
}

int rec_event_show_modifiers(struct rec_event *e, const char *letters,
			     struct err *err)
{
	char *name;

	if (e->named)
		return 0;
	if (asprintf(&name, "%s%s%s", e->name,
		     shows_modifiers(e->name) ? "" : ":", letters) < 0)
		return err_nomem(err);
	free(e->name);
	e->name = name;
	return 0;
}

/* What a pattern found, or a PMU that stands for several, has its name from
 * there; a single event is called as it was written. */
static int name_event(struct rec_event *e, const char *whole,
		      const char *modifiers, struct err *err)
{
	if (e->name)
		return modifiers ? rec_event_show_modifiers(e, modifiers, err) :
				   0;
	e->name = strdup(whole);
	return e->name ? 0 : err_nomem(err);
}

/* Its own colon may stand before an access: mem:0x1000:rw. */
static int by_breakpoint(struct rec_events *to, struct event_text *t,
			 const char *whole, struct err *err)
{
	char *colon = strrchr(t->name, ':');
	int rc;

	if (colon != t->name + 3 && colon[1 + strspn(colon + 1, "rwx")]) {
		*colon = 0;
		t->modifiers = colon + 1;
	}
	rc = by_kind(to, t->name, err);
	return rc == 1 ? unknown(whole, t->name, err) : rc;
}

static int parse_one(struct rec_events *to, char *scratch, const char *whole,
		     struct err *err)
{
	struct event_text t = { .name = scratch };
	size_t first = to->n;
	int rc;

	if (is_breakpoint(scratch))
		rc = by_breakpoint(to, &t, whole, err);
	else if (strchr(scratch, '/'))
		rc = by_terms(to, &t, whole, err);
	else
		rc = by_name(to, &t, whole, err);
	if (!rc && to->n == first)
		rc = unknown(whole, scratch, err);
	for (size_t i = first; !rc && t.modifiers && i < to->n; i++)
		rc = rec_modifiers_apply(&to->items[i], whole, t.modifiers,
					 err);
	for (size_t i = first; !rc && i < to->n; i++)
		rc = name_event(&to->items[i], whole, t.modifiers, err);
	return rc;
}

static void drop_from(struct rec_events *e, size_t first)
{
	while (e->n > first)
		rec_event_fini(&e->items[--e->n]);
}

/* Bytes up to the comma that ends the first event: commas inside of braces and
 * of terms between slashes belong to it. */
static size_t first_length(const char *text, size_t size)
{
	bool in_terms = false, begins = true, breakpoint = false;
	int depth = 0;
	size_t i;

	for (i = 0; i < size; i++) {
		if (begins)
			breakpoint = is_breakpoint(text + i);
		begins = (text[i] == ',' || text[i] == '{') && !in_terms;
		if (text[i] == ',' && !in_terms && depth <= 0)
			break;
		if (text[i] == '/' && !breakpoint)
			in_terms = !in_terms;
		else if (text[i] == '{')
			depth++;
		else if (text[i] == '}')
			depth--;
	}
	return i;
}

static int add_list(struct rec_events *e, const char *text, size_t size,
		    bool groups, struct err *err);

/* Those of a group are for each of its events; S and W are for the group. */
static int modify_group(struct rec_events *e, size_t first, const char *whole,
			const char *modifiers, struct err *err)
{
	char shown[32] = "";
	size_t n = 0;

	for (const char *p = modifiers; *p && n + 1 < sizeof(shown); p++)
		if (!strchr("SW", *p))
			shown[n++] = *p;
	shown[n] = 0;
	for (size_t i = first; i < e->n; i++) {
		int rc = rec_modifiers_apply(&e->items[i], whole, modifiers,
					     err);

		if (!rc && n)
			rc = rec_event_show_modifiers(&e->items[i], shown, err);
		if (rc)
			return rc;
	}
	return 0;
}

/* The leader decides for its group. */
static void join_group(struct rec_events *e, size_t first)
{
	for (size_t i = first; i < e->n; i++) {
		struct rec_event *x = &e->items[i];

		x->leader = first;
		x->weak = e->items[first].weak;
		x->leader_samples = e->items[first].leader_samples &&
				    e->n > first + 1;
	}
}

/* {a,b}:modifiers */
static int add_group(struct rec_events *e, const char *whole, char *text,
		     struct err *err)
{
	char *end = strrchr(text, '}');
	size_t first = e->n;
	int rc;

	if (!end || end == text + 1)
		return err_set(err, ERR_USAGE, "event group '%s' %s", whole,
			       end ? "is empty" : "does not end");
	if (end[1] && end[1] != ':')
		return err_set(err, ERR_USAGE, "event group '%s': modifiers "
			       "begin with a colon", whole);
	*end = 0;
	rc = add_list(e, text + 1, strlen(text + 1), false, err);
	if (!rc && end[1])
		rc = modify_group(e, first, whole, end + 2, err);
	if (!rc)
		join_group(e, first);
	return rc;
}

/* One between commas. */
static int add_part(struct rec_events *e, const char *text, size_t n,
		    bool groups, struct err *err)
{
	char *scratch = strndup(text, n), *whole = strndup(text, n);
	size_t first = e->n;
	int rc;

	if (!scratch || !whole)
		rc = err_nomem(err);
	else if (groups && *text == '{')
		rc = add_group(e, whole, scratch, err);
	else
		rc = parse_one(e, scratch, whole, err);
	/* A single event has no others to sample for. */
	if (!rc && e->n == first + 1)
		e->items[first].leader_samples = false;
	free(scratch);
	free(whole);
	return rc;
}

static int add_list(struct rec_events *e, const char *text, size_t size,
		    bool groups, struct err *err)
{
	for (;;) {
		size_t n = first_length(text, size);
		int rc;

		if (!n)
			return err_set(err, ERR_USAGE, "an empty event name");
		rc = add_part(e, text, n, groups, err);
		if (rc || n == size)
			return rc;
		text += n + 1;
		size -= n + 1;
	}
}

int rec_events_add(struct rec_events *e, const char *text, struct err *err)
{
	size_t before = e->n;
	int rc = add_list(e, text, strlen(text), true, err);

	if (rc)
		drop_from(e, before);
	return rc;
}

void rec_events_fini(struct rec_events *e)
{
	drop_from(e, 0);
	free(e->items);
	*e = (struct rec_events){ 0 };
}
