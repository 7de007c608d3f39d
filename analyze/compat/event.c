#include "analyze/compat/event.h"

#include "analyze/samples.h"

#include "format/catalog.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Letters behind an event's last colon that say where it counts, and how. */
static const char modifiers[] = "ukhGHpPSDWeIvb";

void an_compat_choice_fini(struct an_compat_choice *c)
{
	free(c->shown);
	*c = (struct an_compat_choice){ 0 };
}

static size_t at(const struct an_compat_choice *c, uint32_t event)
{
	return event < c->n ? event : c->n;
}

bool an_compat_shows(const struct an_compat_choice *c, uint32_t event)
{
	return c->shown[at(c, event)];
}

bool an_compat_has_period(const struct an_trace *t, uint32_t event)
{
	const struct an_event *e = an_event_of(t, event);

	return e->tracepoint == AN_NONE &&
	       (e->table == AN_NONE || e->table < TF_TABLE_DYNAMIC);
}

static size_t base_size(const char *name)
{
	const char *colon = strrchr(name, ':');

	if (!colon || !colon[1] || colon[1 + strspn(colon + 1, modifiers)])
		return strlen(name);
	return (size_t)(colon - name);
}

static bool is_same_but_modifiers(const struct an_trace *t, uint32_t a,
				  uint32_t b)
{
	const char *p = an_text(t, an_event_of(t, a)->name);
	const char *q = an_text(t, an_event_of(t, b)->name);

	return base_size(p) == base_size(q) && !memcmp(p, q, base_size(p));
}

/* Finds the first event, and which ones have stacks. */
static int look(struct an_compat_choice *c, bool *stacks, struct an_trace *t,
		const struct an_selection *sel, struct err *err)
{
	struct an_samples *s = NULL;
	const struct an_batch *b;
	uint64_t first = UINT64_MAX;
	int rc = an_samples_new(&s, t, sel, AN_S_TIME | AN_S_EVENT | AN_S_STACK,
				err);

	while (!rc) {
		rc = an_samples_next(s, &b, err);
		for (size_t i = 0; !rc && i < b->n; i++) {
			stacks[at(c, b->event[i])] |= b->kstack[i] ||
						      b->ustack[i];
			if (b->time[i] < first) {
				first = b->time[i];
				c->event = b->event[i];
			}
		}
	}
	an_samples_free(s);
	return rc < 0 ? rc : 0;
}

static int look_closer(struct an_compat_choice *c, struct an_trace *t,
		       const struct an_selection *sel, struct err *err)
{
	bool *stacks = calloc(c->n + 1, sizeof(*stacks));
	int rc = stacks ? look(c, stacks, t, sel, err) : err_nomem(err);

	for (uint32_t i = 0; i < c->n && !rc && c->event < c->n; i++)
		c->shown[i] = !stacks[i] && !stacks[c->event] &&
			      is_same_but_modifiers(t, i, c->event);
	free(stacks);
	return rc;
}

static void say_others(const struct an_compat_choice *c,
		       const struct an_trace *t, const struct an_profile *p,
		       const struct log *log)
{
	uint64_t samples = 0;
	size_t n = 0;

	for (size_t i = 0; i < p->n; i++)
		if (p->events[i].total.samples &&
		    !an_compat_shows(c, p->events[i].event)) {
			samples += p->events[i].total.samples;
			n++;
		}
	if (n)
		log_warn(log, "only event '%s' is shown, the first one that "
			 "was seen: %" PRIu64 " samples of %zu other%s are left "
			 "out (choose with -e, see: analyze info)",
			 an_text(t, an_event_of(t, c->event)->name), samples, n,
			 n > 1 ? "s" : "");
}

int an_compat_choose(struct an_compat_choice *out, struct an_trace *t,
		     const struct an_selection *sel,
		     const struct an_profile *counted, const struct log *log,
		     struct err *err)
{
	size_t n = 0;
	int rc = 0;

	*out = (struct an_compat_choice){ .n = an_n_events(t) };
	for (size_t i = 0; i < counted->n; i++)
		if (counted->events[i].total.samples && !n++)
			out->event = counted->events[i].event;
	if (!n)
		return 1;
	out->shown = calloc(out->n + 1, sizeof(*out->shown));
	if (!out->shown)
		return err_nomem(err);
	if (n > 1)
		rc = look_closer(out, t, sel, err);
	out->shown[at(out, out->event)] = true;
	if (!rc)
		say_others(out, t, counted, log);
	return rc;
}
