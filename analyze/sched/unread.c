#include "analyze/sched/unread.h"

#include "analyze/trace_data.h"

#include "format/base/mem.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

int an_unread_add(struct an_trace *t, uint32_t event, const char *field,
		  struct err *err)
{
	for (size_t i = 0; i < t->unread.n; i++) {
		struct an_unread *u = &t->unread.v[i];

		if (u->event == event && u->field == field) {
			u->rows++;
			return 0;
		}
	}
	if (!AN_ROOM(t->unread))
		return err_nomem(err);
	t->unread.v[t->unread.n++] = (struct an_unread){
		.event = event, .field = field, .rows = 1 };
	return 0;
}

void an_unread_restart(struct an_trace *t, uint32_t event)
{
	for (size_t i = 0; i < t->unread.n; i++)
		if (t->unread.v[i].event == event)
			t->unread.v[i].rows = 0;
}

void an_unread_say(struct an_trace *t)
{
	for (size_t i = 0; i < t->unread.n; i++) {
		struct an_unread *u = &t->unread.v[i];
		char text[AN_UNREAD_TEXT];

		if (u->said || !u->rows || !t->log)
			continue;
		u->said = true;
		an_unread_text(t, u, text);
		log_warn(t->log, "%s: %s: what they tell is not known",
			 t->path, text);
	}
}

size_t an_n_unread(const struct an_trace *t)
{
	return t->unread.n;
}

const struct an_unread *an_unread_of(const struct an_trace *t, size_t i)
{
	return &t->unread.v[i];
}

bool an_unread_any(const struct an_trace *t)
{
	for (size_t i = 0; i < t->unread.n; i++)
		if (t->unread.v[i].rows)
			return true;
	return false;
}

bool an_unread_has(const struct an_trace *t, uint32_t event)
{
	for (size_t i = 0; i < t->unread.n; i++)
		if (t->unread.v[i].event == event && t->unread.v[i].rows)
			return true;
	return false;
}

void an_unread_text(const struct an_trace *t, const struct an_unread *u,
		    char to[AN_UNREAD_TEXT])
{
	snprintf(to, AN_UNREAD_TEXT, "%" PRIu64 " row%s of %.200s ha%s no field "
		 "'%.*s'", u->rows, u->rows == 1 ? "" : "s",
		 an_text(t, an_event_of(t, u->event)->name),
		 u->rows == 1 ? "s" : "ve", (int)strcspn(u->field, " "),
		 u->field);
}
