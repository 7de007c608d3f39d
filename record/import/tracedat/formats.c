#include "record/import/tracedat/formats.h"

#include "format/base/mem.h"
#include "record/import/tracedat/bytes.h"
#include "record/proc/procfs.h"
#include "record/tracepoint/field.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static enum rec_dat_use use_of(struct span system, struct span name)
{
	static const struct {
		const char *system, *name;
		enum rec_dat_use use;
	} known[] = {
		{ "ftrace", "print", REC_DAT_PRINT },
		{ "ftrace", "bprint", REC_DAT_BPRINT },
		{ "ftrace", "bputs", REC_DAT_BPUTS },
		{ "ftrace", "kernel_stack", REC_DAT_KERNEL_STACK },
		{ "ftrace", "user_stack", REC_DAT_USER_STACK },
		{ "sched", "sched_switch", REC_DAT_SWITCH },
	};

	for (size_t i = 0; i < ARRAY_LEN(known); i++)
		if (span_is(system, known[i].system) && span_is(name, known[i].name))
			return known[i].use;
	return REC_DAT_ROW;
}

static bool take_value(struct span line, const char *key, struct span *out)
{
	size_t n = strlen(key);

	if (line.n < n || memcmp(line.p, key, n))
		return false;
	(void)span_skip(&line, n);
	return rec_word(&line, out);
}

/* Its name and its number stand before the fields. */
static bool take_names(struct rec_dat_event *e)
{
	struct span text = e->text, line, id;
	bool named = false, numbered = false;

	while (!(named && numbered) && rec_line(&text, &line)) {
		if (!named)
			named = take_value(line, "name:", &e->name);
		if (!numbered && take_value(line, "ID:", &id))
			numbered = rec_number(id, 10, &e->id);
	}
	return named && numbered;
}

static int add(struct rec_dat_formats *f, struct span system,
	       struct span text, struct err *err)
{
	struct rec_dat_event e = { .system = system, .text = text };
	bool fresh;

	if (!take_names(&e)) {
		f->skipped++;
		return 0;
	}
	e.use = use_of(system, e.name);
	if (!mem_grow(&f->items, &f->cap, f->n + 1, sizeof(*f->items)) ||
	    !map64_put(&f->by_id, e.id, (uint32_t)f->n, &fresh))
		return err_nomem(err);
	if (fresh)
		f->items[f->n++] = e;
	return 0;
}

static int add_texts(struct rec_dat_formats *f, struct span system,
		     struct rec_dat_bytes *in, struct err *err)
{
	uint64_t size;
	struct span text;
	uint32_t n;
	int rc = 0;

	if (!rec_dat_u32(in, &n))
		return err_set(err, ERR_FORMAT, "formats of '%.*s' are cut "
			       "short", (int)system.n,
			       (const char *)system.p);
	for (uint32_t i = 0; i < n && rc == 0; i++) {
		if (!rec_dat_u64(in, &size) || size > in->s.n)
			return err_set(err, ERR_FORMAT, "format %" PRIu32
				       " of '%.*s' is cut short", i,
				       (int)system.n, (const char *)system.p);
		(void)span_take(&in->s, (size_t)size, &text);
		rc = add(f, system, text, err);
	}
	return rc;
}

int rec_dat_formats_add_ftrace(struct rec_dat_formats *f, struct span part,
			       bool big, struct err *err)
{
	struct rec_dat_bytes in = { part, big };

	return add_texts(f, span_of("ftrace", strlen("ftrace")), &in, err);
}

int rec_dat_formats_add_systems(struct rec_dat_formats *f, struct span part,
				bool big, struct err *err)
{
	struct rec_dat_bytes in = { part, big };
	struct span system;
	uint32_t n;
	int rc = 0;

	if (!rec_dat_u32(&in, &n))
		return err_set(err, ERR_FORMAT, "formats of events are cut "
			       "short");
	for (uint32_t i = 0; i < n && rc == 0; i++) {
		if (!span_cstr(&in.s, &system))
			return err_set(err, ERR_FORMAT, "system %" PRIu32
				       " of %" PRIu32 " is cut short", i, n);
		rc = add_texts(f, system, &in, err);
	}
	return rc;
}

void rec_dat_formats_fini(struct rec_dat_formats *f)
{
	for (size_t i = 0; i < f->n; i++)
		rec_dat_shape_fini(&f->items[i].shape);
	free(f->items);
	map64_fini(&f->by_id);
	*f = (struct rec_dat_formats){ 0 };
}

static bool find_common(struct span text, struct rec_dat_common *c)
{
	struct rec_field_line l;
	struct span line;

	*c = (struct rec_dat_common){ 0 };
	while (rec_line(&text, &line)) {
		if (!rec_field_line(line, &l) || l.offset > UINT8_MAX ||
		    !l.size || l.size > 8)
			continue;
		if (span_is(l.name, "common_type")) {
			c->type_at = (uint16_t)l.offset;
			c->type_size = (uint16_t)l.size;
		} else if (span_is(l.name, "common_pid")) {
			c->pid_at = (uint16_t)l.offset;
			c->pid_size = (uint16_t)l.size;
		}
	}
	return c->type_size && c->pid_size;
}

int rec_dat_formats_common(const struct rec_dat_formats *f,
			   struct rec_dat_common *out, struct err *err)
{
	for (size_t i = 0; i < f->n; i++)
		if (find_common(f->items[i].text, out))
			return 0;
	return err_set(err, ERR_FORMAT, "no format tells what records begin "
		       "with");
}

struct rec_dat_event *rec_dat_formats_find(const struct rec_dat_formats *f,
					   uint64_t id)
{
	uint32_t i;

	return map64_get(&f->by_id, id, &i) ? &f->items[i] : NULL;
}

int rec_dat_event_shape(struct rec_dat_event *e, bool big, unsigned long_size,
			struct err *err)
{
	int rc;

	if (e->shaped)
		return 0;
	e->shaped = true;
	rc = rec_dat_shape_init(&e->shape, e->text, big, long_size, err);
	return rc < 0 ? err_in(err, rc, "format of %.*s:%.*s",
			       (int)e->system.n, (const char *)e->system.p,
			       (int)e->name.n, (const char *)e->name.p) : 0;
}
