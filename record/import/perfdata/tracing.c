#include "record/import/perfdata/tracing.h"

#include "format/base/mem.h"
#include "record/import/perfdata/fields.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* What all of it may take in memory: the formats of every event of a kernel
 * have 4 MiB. */
#define TEXT_MAX ((size_t)32 << 20)

#define NAME_MAX_SIZE 256u

/* A walk over the section. */
struct walk {
	struct rec_pd_tracing *t;
	struct rec_pd_bytes *in;
	bool foreign;
	struct err *err;
};

void rec_pd_tracing_fini(struct rec_pd_tracing *t)
{
	free(t->items);
	map64_fini(&t->by_id);
	arena_fini(&t->arena);
	*t = (struct rec_pd_tracing){ 0 };
}

static int cut_short(struct walk *w, const char *what)
{
	return err_set(w->err, ERR_FORMAT, "tracing data: %s cut short at "
		       "offset %" PRIu64, what, w->in->at);
}

static int number(struct walk *w, size_t size, uint64_t *out, const char *what)
{
	struct rec_pd_fields f;
	struct span s;
	uint32_t v32 = 0;
	int rc = rec_pd_bytes_peek(w->in, size, &s, w->err);

	*out = 0;
	if (rc)
		return rc < 0 ? rc : cut_short(w, what);
	f = rec_pd_fields(s, w->foreign);
	if (size == 8) {
		(void)rec_pd_u64(&f, out);
	} else {
		(void)rec_pd_u32(&f, &v32);
		*out = v32;
	}
	(void)rec_pd_bytes_skip(w->in, size);
	return 0;
}

static int text(struct walk *w, struct span *out, const char *what)
{
	struct span s;
	int rc = rec_pd_bytes_peek(w->in, NAME_MAX_SIZE, &s, w->err);

	if (rc < 0)
		return rc;
	*out = s;
	if (!span_cstr(&s, out))
		return cut_short(w, what);
	return 0;
}

/* Kept, with a NUL behind; NULL: no room, *rc says why. */
static char *copy(struct walk *w, const void *p, size_t n, int *rc)
{
	char *to = NULL;

	if (w->t->arena.used + n > TEXT_MAX)
		*rc = err_set(w->err, ERR_LIMIT, "tracing data: more than %zu "
			      "bytes of text", TEXT_MAX);
	else if (!(to = arena_dup(&w->t->arena, p, n)))
		*rc = err_nomem(w->err);
	return to;
}

/* A file's bytes, kept. */
static int keep(struct walk *w, uint64_t size, struct span *out,
		const char *what)
{
	struct span s;
	char *kept;
	int rc;

	if (size > w->in->size)
		return err_set(w->err, ERR_LIMIT, "tracing data: %s of %"
			       PRIu64 " bytes at offset %" PRIu64
			       ", limit %zu", what, size, w->in->at,
			       w->in->size);
	rc = rec_pd_bytes_peek(w->in, (size_t)size, &s, w->err);
	if (rc)
		return rc < 0 ? rc : cut_short(w, what);
	kept = copy(w, s.p, s.n, &rc);
	if (!kept)
		return rc;
	(void)rec_pd_bytes_skip(w->in, size);
	*out = span_of(kept, s.n);
	return 0;
}

/* One that is longer than the window. */
static int keep_long(struct walk *w, uint64_t size, struct span *out,
		     const char *what)
{
	size_t done = 0;
	uint8_t *to;

	if (size > TEXT_MAX - w->t->arena.used)
		return err_set(w->err, ERR_LIMIT, "tracing data: %s of %"
			       PRIu64 " bytes at offset %" PRIu64
			       ", limit %zu", what, size, w->in->at,
			       TEXT_MAX - w->t->arena.used);
	if (size > w->in->end - w->in->at)
		return cut_short(w, what);
	to = arena_alloc(&w->t->arena, (size_t)size + 1);
	if (!to)
		return err_nomem(w->err);
	while (done < size) {
		size_t n = (size_t)size - done;
		struct span s;
		int rc = rec_pd_bytes_peek(w->in, n < w->in->size ? n :
							w->in->size, &s,
					   w->err);

		if (rc)
			return rc < 0 ? rc : cut_short(w, what);
		memcpy(to + done, s.p, s.n);
		done += s.n;
		(void)rec_pd_bytes_skip(w->in, s.n);
	}
	*out = span_of(to, done);
	return 0;
}

/* A file of which only the size matters. */
static int pass(struct walk *w, size_t size_of_size, const char *what)
{
	uint64_t size;
	int rc = number(w, size_of_size, &size, what);

	if (!rc && !rec_pd_bytes_skip(w->in, size))
		rc = cut_short(w, what);
	return rc;
}

static int header(struct walk *w)
{
	static const char magic[] = "\x17\x08\x44tracing";
	const size_t n = sizeof(magic) - 1;
	struct span s, version;
	uint64_t page;
	int rc = rec_pd_bytes_peek(w->in, n, &s, w->err);

	if (rc < 0)
		return rc;
	if (rc || memcmp(s.p, magic, n) != 0)
		return err_set(w->err, ERR_FORMAT, "tracing data at offset %"
			       PRIu64 " in a layout that is not known",
			       w->in->at);
	(void)rec_pd_bytes_skip(w->in, n);
	rc = text(w, &version, "version");
	if (rc)
		return rc;
	(void)rec_pd_bytes_skip(w->in, version.n + 1);
	rc = rec_pd_bytes_peek(w->in, 2, &s, w->err);
	if (rc)
		return rc < 0 ? rc : cut_short(w, "header");
	w->foreign = s.p[0] != 0;
	w->t->long_size = s.p[1];
	(void)rec_pd_bytes_skip(w->in, 2);
	rc = number(w, 4, &page, "page size");
	w->t->page_size = (uint32_t)page;
	return rc;
}

/* header_page and header_event: how the kernel's own ring looks like, of no use
 * for records of perf. */
static int ring_headers(struct walk *w)
{
	for (int i = 0; i < 2; i++) {
		struct span name;
		int rc = text(w, &name, "name of a header");

		if (rc)
			return rc;
		(void)rec_pd_bytes_skip(w->in, name.n + 1);
		rc = pass(w, 8, "header of the ring");
		if (rc)
			return rc;
	}
	return 0;
}

static int add(struct walk *w, const char *system, struct span format)
{
	struct rec_pd_tracing *t = w->t;
	const char *line = (const char *)format.p;
	char *name;
	uint64_t id;
	bool fresh;
	size_t n;
	int rc = 0;

	if (strncmp(line, "name: ", 6) != 0)
		return 0;
	line += 6;
	n = strcspn(line, "\n");
	if (strncmp(line + n, "\nID: ", 5) != 0)
		return 0;
	id = strtoull(line + n + 5, NULL, 10);
	name = copy(w, line, n, &rc);
	if (!name)
		return rc;
	if (!mem_grow(&t->items, &t->cap, t->n + 1, sizeof(*t->items)) ||
	    !map64_put(&t->by_id, id, (uint32_t)t->n, &fresh))
		return err_nomem(w->err);
	t->items[t->n++] = (struct rec_pd_format){ system, name, format };
	return 0;
}

static int formats(struct walk *w, const char *system)
{
	uint64_t n, size;
	int rc = number(w, 4, &n, "number of formats");

	for (; !rc && n; n--) {
		struct span format = { NULL, 0 };

		rc = number(w, 8, &size, "format");
		if (!rc)
			rc = keep(w, size, &format, "format");
		if (!rc)
			rc = add(w, system, format);
	}
	return rc;
}

static int systems(struct walk *w)
{
	uint64_t n;
	int rc = number(w, 4, &n, "number of systems");

	for (; !rc && n; n--) {
		struct span name;
		const char *system;

		rc = text(w, &name, "name of a system");
		if (rc)
			break;
		system = copy(w, name.p, name.n, &rc);
		if (!system)
			break;
		(void)rec_pd_bytes_skip(w->in, name.n + 1);
		rc = formats(w, system);
	}
	return rc;
}

static int small_file(struct walk *w, size_t size_of_size, struct span *out,
		      const char *what)
{
	uint64_t size;
	int rc = number(w, size_of_size, &size, what);

	return rc ? rc : keep(w, size, out, what);
}

static int kallsyms(struct walk *w)
{
	static const char what[] = "kallsyms";
	uint64_t size;
	int rc = number(w, 4, &size, what);

	return rc || !size ? rc : keep_long(w, size, &w->t->kallsyms, what);
}

int rec_pd_tracing_read(struct rec_pd_tracing *t, struct rec_pd_bytes *in,
			struct err *err)
{
	struct walk w = { .t = t, .in = in, .err = err };
	struct span rest;
	int rc = header(&w);

	if (!rc)
		rc = ring_headers(&w);
	if (!rc)
		rc = formats(&w, "ftrace");
	if (!rc)
		rc = systems(&w);
	if (!rc)
		rc = kallsyms(&w);
	if (!rc)
		rc = small_file(&w, 4, &t->printk, "printk_formats");
	if (rc)
		return rc;
	/* Since version 0.6. Before it the section, padded, ends here. */
	rc = rec_pd_bytes_peek(in, 9, &rest, err);
	if (rc)
		return rc < 0 ? rc : 0;
	return small_file(&w, 8, &t->comms, "saved_cmdlines");
}

const struct rec_pd_format *rec_pd_tracing_of(const struct rec_pd_tracing *t,
					      uint64_t id)
{
	uint32_t i;

	return map64_get(&t->by_id, id, &i) ? &t->items[i] : NULL;
}

bool rec_pd_tracing_comm(struct span *lines, int32_t *tid, struct span *name)
{
	while (lines->n) {
		const uint8_t *nl = memchr(lines->p, '\n', lines->n);
		struct span line = *lines;
		uint64_t v = 0;

		line.n = nl ? (size_t)(nl - lines->p) : lines->n;
		(void)span_skip(lines, line.n + (nl ? 1 : 0));
		while (line.n && *line.p >= '0' && *line.p <= '9' &&
		       v <= INT32_MAX) {
			v = v * 10 + (uint64_t)(*line.p - '0');
			(void)span_skip(&line, 1);
		}
		if (v && v <= INT32_MAX && line.n > 1 && *line.p == ' ') {
			*tid = (int32_t)v;
			*name = span_of(line.p + 1, line.n - 1);
			return true;
		}
	}
	return false;
}
