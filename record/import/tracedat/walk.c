/* Version 6: one thing behind another, each with its size in front. */
#include "record/import/tracedat/meta.h"

#include "record/import/tracedat/bytes.h"

#include <inttypes.h>
#include <string.h>

#define KIND_SIZE 10u   /* "flyrecord", with its zero */
#define EXTENT_SIZE 16u
#define NAME_MAX_SIZE 256u

struct walk {
	struct rec_dat_file *f;
	uint64_t at;
	struct err *err;
};

static int number(struct walk *w, size_t size, uint64_t *out)
{
	uint8_t bytes[8];
	int rc = rec_dat_file_read(w->f, w->at, bytes, size, w->err);

	if (rc == 0) {
		*out = rec_dat_number(bytes, size, w->f->big);
		w->at += size;
	}
	return rc;
}

static int skip(struct walk *w, uint64_t n)
{
	if (w->at > w->f->size || n > w->f->size - w->at)
		return err_set(w->err, ERR_FORMAT, "%" PRIu64 " bytes at "
			       "offset %" PRIu64 ", but the file ends at %"
			       PRIu64, n, w->at, w->f->size);
	w->at += n;
	return 0;
}

/* A number, and as many bytes. */
static int skip_sized(struct walk *w, size_t size_of_size)
{
	uint64_t n = 0;
	int rc = number(w, size_of_size, &n);

	return rc < 0 ? rc : skip(w, n);
}

static int skip_name(struct walk *w)
{
	char name[NAME_MAX_SIZE];
	uint64_t left = w->f->size - w->at;
	size_t n = left < sizeof(name) ? (size_t)left : sizeof(name);
	int rc = rec_dat_file_read(w->f, w->at, name, n, w->err);
	const char *end;

	if (rc < 0)
		return rc;
	end = n ? memchr(name, 0, n) : NULL;
	if (!end)
		return err_set(w->err, ERR_FORMAT, "name of a system at "
			       "offset %" PRIu64 " does not end", w->at);
	return skip(w, (uint64_t)(end - name) + 1);
}

static int headers(struct walk *w)
{
	int rc = skip(w, sizeof("header_page"));

	if (rc == 0)
		rc = skip_sized(w, 8);
	if (rc == 0)
		rc = skip(w, sizeof("header_event"));
	return rc < 0 ? rc : skip_sized(w, 8);
}

static int formats(struct walk *w)
{
	uint64_t n = 0;
	int rc = number(w, 4, &n);

	for (uint64_t i = 0; i < n && rc == 0; i++)
		rc = skip_sized(w, 8);
	return rc;
}

static int systems(struct walk *w)
{
	uint64_t n = 0;
	int rc = number(w, 4, &n);

	for (uint64_t i = 0; i < n && rc == 0; i++) {
		rc = skip_name(w);
		if (rc == 0)
			rc = formats(w);
	}
	return rc;
}

static int sized_by_4(struct walk *w)
{
	return skip_sized(w, 4);
}

static int sized_by_8(struct walk *w)
{
	return skip_sized(w, 8);
}

static int walk_parts(struct walk *w, struct rec_dat_meta *m)
{
	static const struct {
		const char *what;
		int (*skip)(struct walk *w);
	} parts[REC_DAT_PARTS] = {
		[REC_DAT_HEADERS] = { "headers of the ring", headers },
		[REC_DAT_FTRACE] = { "formats of ftrace", formats },
		[REC_DAT_EVENTS] = { "formats of events", systems },
		[REC_DAT_KALLSYMS] = { "kallsyms", sized_by_4 },
		[REC_DAT_PRINTK] = { "printk formats", sized_by_4 },
		[REC_DAT_COMMS] = { "saved command lines", sized_by_8 },
	};
	int rc = 0;

	for (int i = 0; i < REC_DAT_PARTS && rc == 0; i++) {
		uint64_t from = w->at;

		rc = parts[i].skip(w);
		if (rc == 0)
			rc = rec_dat_part_load(&m->parts[i], w->f, from,
					       w->at - from, w->err);
		if (rc < 0)
			return err_in(w->err, rc, "%s", parts[i].what);
	}
	return rc;
}

/* Their number is not told: all of the file's rest may be options. */
static int walk_options(struct walk *w, struct rec_dat_meta *m)
{
	struct rec_dat_part rest;
	struct span in;
	uint64_t next, end = w->at;
	int rc;

	/* A first look finds how long they are. */
	for (;;) {
		struct walk at = { w->f, end, w->err };
		uint64_t id = 0;

		rc = number(&at, 2, &id);
		if (rc == 0 && id != REC_DAT_O_DONE)
			rc = skip_sized(&at, 4);
		if (rc < 0)
			return err_in(w->err, rc, "options");
		end = at.at;
		if (id == REC_DAT_O_DONE)
			break;
	}
	rc = rec_dat_part_load(&rest, w->f, w->at, end - w->at, w->err);
	if (rc < 0)
		return rc;
	in = span_of(rest.p, rest.n);
	rc = rec_dat_options_take(&m->options, &in, w->f->big, 6, &next,
				  w->err);
	rec_dat_part_fini(&rest, w->f);
	w->at = end;
	return rc;
}

static int kind_of_rest(struct walk *w, char kind[KIND_SIZE])
{
	int rc = rec_dat_file_read(w->f, w->at, kind, KIND_SIZE, w->err);

	w->at += KIND_SIZE;
	return rc < 0 ? err_in(w->err, rc, "kind of the data") : 0;
}

static bool is(const char kind[KIND_SIZE], const char *word)
{
	return !memcmp(kind, word, strlen(word));
}

/* Where the pages of each CPU are; in file order of CPUs. */
static int extents(struct walk *w, struct rec_dat_options *o,
		   struct rec_dat_buffer *b, uint32_t n)
{
	uint64_t left = w->f->size - w->at;
	int rc;

	if (n > left / EXTENT_SIZE)
		return err_set(w->err, ERR_FORMAT, "%" PRIu32 " CPUs in %"
			       PRIu64 " bytes at offset %" PRIu64, n, left,
			       w->at);
	b->page_size = w->f->page_size;
	rc = rec_dat_extents_add(o, b, n, w->err);
	for (uint32_t i = 0; i < n && rc == 0; i++) {
		b->cpus[i].cpu = i;
		rc = number(w, 8, &b->cpus[i].at);
		if (rc == 0)
			rc = number(w, 8, &b->cpus[i].size);
	}
	return rc;
}

/* The list of clocks behind the extents of the main buffer. */
static int clocks(struct walk *w, struct rec_dat_options *o)
{
	struct rec_dat_part text;
	uint64_t n = 0, from;
	char *copy;
	int rc = number(w, 8, &n);

	if (rc < 0)
		return rc;
	from = w->at;
	rc = rec_dat_part_load(&text, w->f, from, n, w->err);
	if (rc < 0)
		return err_in(w->err, rc, "clocks");
	copy = arena_dup(&o->memory, text.p, text.n);
	if (copy)
		o->clocks = span_of(copy, text.n);
	rec_dat_part_fini(&text, w->f);
	return copy ? 0 : err_nomem(w->err);
}

/* At the place of an instance, its kind and its extents. */
static int instance(struct walk *w, struct rec_dat_options *o, size_t i,
		    uint32_t cpus)
{
	struct rec_dat_buffer *b = &o->buffers[i];
	struct walk at = { w->f, b->at, w->err };
	char kind[KIND_SIZE];
	int rc = kind_of_rest(&at, kind);

	if (rc < 0)
		return rc;
	if (!is(kind, "flyrecord"))
		return err_set(w->err, ERR_FORMAT, "no buffer at offset %"
			       PRIu64, b->at);
	return extents(&at, o, b, cpus);
}

static int buffers(struct walk *w, struct rec_dat_meta *m)
{
	struct rec_dat_options *o = &m->options;
	uint32_t cpus = o->cpus ? o->cpus : m->cpus;
	size_t instances = o->n_buffers;
	struct rec_dat_buffer *top = rec_dat_buffer_add(o);
	int rc;

	if (!top)
		return err_nomem(w->err);
	rc = extents(w, o, top, cpus);
	if (rc == 0 && o->has_clock)
		rc = clocks(w, o);
	for (size_t i = 0; i < instances && rc == 0; i++) {
		rc = instance(w, o, i, cpus);
		if (rc < 0)
			return err_in(w->err, rc, "instance '%.*s'",
				      (int)o->buffers[i].name.n,
				      (const char *)o->buffers[i].name.p);
	}
	return rc;
}

int rec_dat_walk(struct rec_dat_meta *m, struct rec_dat_file *f,
		 struct err *err)
{
	struct walk w = { f, f->body, err };
	char kind[KIND_SIZE];
	uint64_t cpus = 0;
	int rc = walk_parts(&w, m);

	if (rc == 0)
		rc = number(&w, 4, &cpus);
	m->cpus = (uint32_t)cpus;
	if (rc == 0)
		rc = kind_of_rest(&w, kind);
	if (rc == 0 && is(kind, "options")) {
		rc = walk_options(&w, m);
		if (rc == 0)
			rc = kind_of_rest(&w, kind);
	}
	if (rc < 0)
		return rc;
	if (is(kind, "latency")) {
		m->latency = w.at;
		return 0;
	}
	if (!is(kind, "flyrecord"))
		return err_set(err, ERR_FORMAT, "neither flyrecord nor "
			       "latency data at offset %" PRIu64,
			       w.at - KIND_SIZE);
	return buffers(&w, m);
}
