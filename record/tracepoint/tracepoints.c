#include "record/tracepoint/tracepoints.h"

#include "format/base/buf.h"
#include "format/base/mem.h"
#include "format/catalog.h"
#include "record/perf/syscalls.h"
#include "record/perf/tracefs.h"
#include "record/proc/procfs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NO_TABLE UINT32_MAX

static int read_format(const struct rec_tracepoints *t, struct buf *to,
		       const char *system, const char *name, struct err *err)
{
	return rec_procfs_read(to, err, t->root, "%s/events/%s/%s/format",
			       t->tracefs, system, name);
}

static int add(struct rec_tracepoints *t, struct rec_tracepoint_list *to,
	       const char *system, const char *name, uint32_t table,
	       struct err *err)
{
	struct buf text;
	int rc;

	if (!mem_grow(&to->items, &to->cap, to->n + 1, sizeof(*to->items)))
		return err_nomem(err);
	buf_init(&text, 0);
	rc = read_format(t, &text, system, name, err);
	if (rc == 0)
		rc = rec_tracepoint_new(&to->items[to->n], system, name,
					span_of(text.p, text.n), table, err);
	if (rc == 0)
		to->n++;
	buf_fini(&text);
	return rc;
}

/* As find(), where the same name may have another format. */
static struct rec_tracepoint *find_text(const struct rec_tracepoint_list *l,
					const struct rec_event *e,
					struct span text)
{
	for (size_t i = 0; i < l->n; i++)
		if (strcmp(l->items[i]->name, e->tracepoint) == 0 &&
		    strcmp(l->items[i]->system, e->system) == 0 &&
		    l->items[i]->text_size == text.n &&
		    memcmp(l->items[i]->text, text.p, text.n) == 0)
			return l->items[i];
	return NULL;
}

static struct rec_tracepoint *find(const struct rec_tracepoint_list *l,
				   const struct rec_event *e)
{
	for (size_t i = 0; i < l->n; i++)
		if (strcmp(l->items[i]->name, e->tracepoint) == 0 &&
		    strcmp(l->items[i]->system, e->system) == 0)
			return l->items[i];
	return NULL;
}

/* Its leader samples for it: there is no payload. */
static bool is_read_only(const struct rec_event *e, size_t i)
{
	return e->leader_samples && e->leader != i;
}

int rec_tracepoints_load(struct rec_tracepoints *t,
			 const struct rec_event *const *events, size_t n,
			 const char *root, struct err *err)
{
	int rc = 0;

	*t = (struct rec_tracepoints){ .root = root, .n_events = n };
	t->of_event = calloc(n + 1, sizeof(*t->of_event));
	if (!t->of_event)
		return err_nomem(err);
	for (size_t i = 0; i < n && rc == 0; i++) {
		const struct rec_event *e = events[i];

		if (!e->system || is_read_only(e, i))
			continue;
		t->of_event[i] = find(&t->tables, e);
		if (t->of_event[i])
			continue;
		if (!t->tracefs)
			rc = rec_tracefs(&t->tracefs, root, err);
		if (rc == 0)
			rc = add(t, &t->tables, e->system, e->tracepoint,
				 TF_TABLE_DYNAMIC + (uint32_t)t->tables.n, err);
		if (rc == 0)
			t->of_event[i] = t->tables.items[t->tables.n - 1];
	}
	return rc;
}

static int add_text(struct rec_tracepoints *t, const struct rec_event *e,
		    struct span text, struct rec_tracepoint **out,
		    struct err *err)
{
	struct rec_tracepoint_list *to = &t->tables;
	int rc;

	*out = find_text(to, e, text);
	if (*out)
		return 0;
	if (!mem_grow(&to->items, &to->cap, to->n + 1, sizeof(*to->items)))
		return err_nomem(err);
	rc = rec_tracepoint_new(&to->items[to->n], e->system, e->tracepoint,
				text, TF_TABLE_DYNAMIC + (uint32_t)to->n, err);
	if (rc == 0)
		*out = to->items[to->n++];
	return rc;
}

int rec_tracepoints_add(struct rec_tracepoints *t, const struct rec_event *e,
			size_t event, struct span format, struct err *err)
{
	struct rec_tracepoint *tracepoint = NULL, **of;
	int rc = format.n ? add_text(t, e, format, &tracepoint, err) : 0;

	if (rc < 0)
		return rc;
	of = realloc(t->of_event, (event + 1) * sizeof(*of));
	if (!of)
		return err_nomem(err);
	t->of_event = of;
	while (t->n_events < event)
		of[t->n_events++] = NULL;
	of[event] = tracepoint;
	t->n_events = event + 1;
	return 0;
}

static void free_list(struct rec_tracepoint_list *l)
{
	for (size_t i = 0; i < l->n; i++)
		rec_tracepoint_free(l->items[i]);
	free(l->items);
}

void rec_tracepoints_fini(struct rec_tracepoints *t)
{
	free_list(&t->tables);
	free_list(&t->keyed);
	free(t->of_event);
	map64_fini(&t->keys);
	*t = (struct rec_tracepoints){ 0 };
}

static uint32_t load_key(struct rec_tracepoints *t, const struct rec_event *e,
			 uint32_t key)
{
	const char *call = rec_syscall_name(key);
	char name[128];

	if (!call || snprintf(name, sizeof(name), "%s_%s", e->tracepoint,
			      call) >= (int)sizeof(name))
		return 0;
	return add(t, &t->keyed, "syscalls", name, NO_TABLE, NULL) == 0 ?
		       (uint32_t)t->keyed.n : 0;
}

struct rec_tracepoint *rec_tracepoints_by_key(struct rec_tracepoints *t,
					      const struct rec_event *e,
					      size_t event, uint32_t key)
{
	bool fresh = false;
	uint32_t *at = map64_put(&t->keys, (uint64_t)event << 32 | key, 0,
				 &fresh);

	if (!at)
		return NULL;
	if (fresh)
		*at = load_key(t, e, key);
	return *at ? t->keyed.items[*at - 1] : NULL;
}
