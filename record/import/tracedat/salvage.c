/* Version 7 whose options are cut off or damaged: sections stand one behind
 * another, and pages of a CPU behind those of the one before. */
#include "record/import/tracedat/meta.h"

#include "format/base/mem.h"
#include "record/import/tracedat/bytes.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define STRINGS 15u

struct sections {
	struct rec_dat_file *f;
	struct rec_dat_section last; /* in which the file ends, or behind it */
	bool any, inside, records;   /* they were found */
};

static const char *name_of(unsigned id)
{
	static const char *const parts[REC_DAT_PARTS] = {
		[REC_DAT_HEADERS] = "headers of the ring",
		[REC_DAT_FTRACE] = "formats of ftrace",
		[REC_DAT_EVENTS] = "formats of events",
		[REC_DAT_KALLSYMS] = "kallsyms",
		[REC_DAT_PRINTK] = "printk formats",
		[REC_DAT_COMMS] = "saved command lines",
	};

	if (id >= REC_DAT_O_FIRST_PART && id <= REC_DAT_O_LAST_PART)
		return parts[id - REC_DAT_O_FIRST_PART];
	return id == REC_DAT_O_DONE   ? "options" :
	       id == REC_DAT_O_BUFFER ? "records" :
	       id == STRINGS          ? "strings" : NULL;
}

static uint64_t number(const struct rec_dat_file *f, const uint8_t *p)
{
	return rec_dat_number(p, 4, f->big);
}

/* Behind the packed chunks that begin at `at`, or the file's end. 1: not one of
 * them is whole. */
static int chunks_end(const struct rec_dat_file *f, uint64_t at,
		      uint64_t *end)
{
	uint8_t head[8];
	uint64_t n, i;
	int rc = rec_dat_file_read(f, at, head, 4, NULL);

	n = rc ? 0 : number(f, head);
	at += 4;
	for (i = 0; i < n && !rc && at < f->size; i++) {
		rc = rec_dat_file_read(f, at, head, sizeof(head), NULL);
		at += sizeof(head) + (rc ? 0 : number(f, head));
	}
	*end = at < f->size ? at : f->size;
	if (rc == ERR_FORMAT || at > f->size)
		return i > 1 ? 0 : 1;
	return rc;
}

/* Where the next CPU's chunks begin: trace-cmd leaves the rest of a page free,
 * whose zeros are no number of chunks. */
static uint64_t begin_of(const struct rec_dat_file *f, uint64_t at)
{
	uint8_t n[4];

	if (rec_dat_file_read(f, at, n, sizeof(n), NULL) == 0 && number(f, n))
		return at;
	return (at + f->page_size - 1) / f->page_size * f->page_size;
}

/* Room for the places of all CPUs; those that an option told are there. */
static int more_cpus(struct rec_dat_options *o, struct rec_dat_buffer *b,
		     struct err *err)
{
	struct rec_dat_buffer told = *b;
	int rc = rec_dat_extents_add(o, b, o->cpus, err);

	if (rc == 0 && told.n)
		memcpy(b->cpus, told.cpus, told.n * sizeof(*told.cpus));
	b->n = told.n;
	return rc;
}

/* The places of CPUs, up to where the file ends. */
static int find_cpus(struct rec_dat_options *o, struct rec_dat_buffer *b,
		     const struct rec_dat_file *f,
		     const struct rec_dat_section *s, struct err *err)
{
	uint64_t at = s->at, end;
	int rc = more_cpus(o, b, err);

	if (!rc && b->n && chunks_end(f, b->cpus[b->n - 1].at, &at))
		return 0;
	while (!rc && b->n < o->cpus) {
		at = begin_of(f, at);
		if (at >= f->size || at - s->at >= s->size ||
		    chunks_end(f, at, &end))
			break;
		b->cpus[b->n] = (struct rec_dat_extent){ (uint32_t)b->n, at,
							 end - at };
		b->n++;
		at = end;
	}
	return rc;
}

/* The one that stands in these records, whose option may be cut short. */
static struct rec_dat_buffer *buffer_of(struct rec_dat_options *o,
					uint64_t at)
{
	struct rec_dat_buffer *b = o->buffers;

	if (!o->n_buffers)
		b = rec_dat_buffer_add(o);
	if (b)
		b->at = at;
	return b;
}

/* The main buffer comes first. Plain pages do not tell of which CPU they are. */
static int add_buffer(struct rec_dat_meta *m, struct sections *w,
		      struct err *err)
{
	const struct rec_dat_section *s = &w->last;
	struct rec_dat_options *o = &m->options;
	uint64_t at = s->at - REC_DAT_SECTION_HEADER;
	struct rec_dat_buffer *b;

	if (w->records || !s->packed || o->n_buffers > 1 ||
	    o->cpus > REC_DAT_EXTENTS_MAX - o->n_extents ||
	    (o->n_buffers && (o->buffers[0].at != at ||
			      o->buffers[0].n >= o->cpus)))
		return 0;
	b = buffer_of(o, at);
	if (!b)
		return err_nomem(err);
	w->records = true;
	if (!b->n)
		b->page_size = w->f->page_size;
	return find_cpus(o, b, w->f, s, err);
}

static int take(struct rec_dat_meta *m, struct sections *w, struct err *err)
{
	unsigned id = w->last.id;
	uint64_t *part;

	if (id == REC_DAT_O_BUFFER)
		return add_buffer(m, w, err);
	if (id < REC_DAT_O_FIRST_PART || id > REC_DAT_O_LAST_PART)
		return 0;
	part = &m->options.parts[id - REC_DAT_O_FIRST_PART];
	if (!*part)
		*part = w->last.at - REC_DAT_SECTION_HEADER;
	return 0;
}

static int walk(struct rec_dat_meta *m, struct sections *w, struct err *err)
{
	uint64_t at = w->f->body;
	struct rec_dat_section s;
	int rc = 0;

	while (!rc && !w->inside &&
	       rec_dat_section_at(&s, w->f, at, NULL) == 0 && name_of(s.id)) {
		w->last = s;
		w->any = true;
		w->inside = s.size > w->f->size - s.at;
		at = s.at + s.size;
		rc = take(m, w, err);
	}
	return rc;
}

/* Where the file ends, which is why options are missing, and what is there. */
static void tell(struct rec_dat_meta *m, const struct sections *w)
{
	const struct rec_dat_section *s = &w->last;
	char where[160], found[120] = "";

	/* Something else is wrong where the options lie in the file. */
	if (!w->any || m->damage.code != ERR_FORMAT ||
	    (!w->inside && m->lists_end < w->f->size &&
	     w->f->size - m->lists_end >= REC_DAT_SECTION_HEADER))
		return;
	if (w->inside)
		snprintf(where, sizeof(where), "in its %s, bytes %" PRIu64
			 " to %" PRIu64, name_of(s->id), s->at,
			 s->at + s->size - 1);
	else
		snprintf(where, sizeof(where), "behind its %s",
			 name_of(s->id));
	if (!w->records && !m->options.n_buffers)
		snprintf(found, sizeof(found), "; no records are in it");
	else if (w->records)
		snprintf(found, sizeof(found), "; of %" PRIu32 " CPUs there "
			 "are those of %zu, by their order", m->options.cpus,
			 m->options.buffers[0].n);
	(void)err_set(&m->damage, ERR_FORMAT, "the file is cut short at offset "
		      "%" PRIu64 ", %s%s", w->f->size, where, found);
}

int rec_dat_salvage(struct rec_dat_meta *m, struct rec_dat_file *f,
		    struct err *err)
{
	struct sections w = { .f = f };
	int rc = walk(m, &w, err);

	if (rc == 0)
		tell(m, &w);
	return rc;
}
