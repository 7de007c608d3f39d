#include "record/import/tracedat/options.h"

#include "format/base/mem.h"
#include "record/import/tracedat/bytes.h"
#include "record/proc/procfs.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Bytes of a CPU in the option of a buffer. */
#define EXTENT_SIZE 20u

/* Until the options are read, a span of the bytes that hold them; its copy in
 * memory that stays. false: out of memory. */
static bool keep(struct rec_dat_options *o, struct span *s)
{
	char *copy = s->n ? arena_dup(&o->memory, s->p, s->n) : NULL;

	if (s->n && !copy)
		return false;
	*s = span_of(copy, s->n);
	return true;
}

/* Up to its zero, where it has one. */
static struct span text_of(struct span s)
{
	const uint8_t *end = s.n ? memchr(s.p, 0, s.n) : NULL;

	if (end)
		s.n = (size_t)(end - s.p);
	return s;
}

static int keep_text(struct rec_dat_options *o, struct span *to, struct span s,
		     struct err *err)
{
	s = text_of(s);
	if (!keep(o, &s))
		return err_nomem(err);
	*to = s;
	return 0;
}

struct rec_dat_buffer *rec_dat_buffer_add(struct rec_dat_options *o)
{
	if (!mem_grow(&o->buffers, &o->buffers_cap, o->n_buffers + 1,
		      sizeof(*o->buffers)))
		return NULL;
	o->buffers[o->n_buffers] = (struct rec_dat_buffer){ 0 };
	return &o->buffers[o->n_buffers++];
}

int rec_dat_extents_add(struct rec_dat_options *o, struct rec_dat_buffer *b,
			uint32_t n, struct err *err)
{
	if (n > REC_DAT_EXTENTS_MAX - o->n_extents)
		return err_set(err, ERR_LIMIT, "%" PRIu32 " CPUs beside %zu "
			       "of other buffers, limit %u", n, o->n_extents,
			       REC_DAT_EXTENTS_MAX);
	b->cpus = arena_alloc(&o->memory, n * sizeof(*b->cpus) + 1);
	if (!b->cpus)
		return err_nomem(err);
	b->n = n;
	o->n_extents += n;
	return 0;
}

/* Of an option that is cut short those that are there. */
static int take_extents(struct rec_dat_options *o, struct rec_dat_buffer *b,
			struct rec_dat_bytes *in, bool cut, struct err *err)
{
	uint32_t n;
	int rc;

	if (!rec_dat_u32(in, &b->page_size) || !rec_dat_u32(in, &n))
		return err_set(err, ERR_FORMAT, "a buffer's option is cut "
			       "short");
	if (n > in->s.n / EXTENT_SIZE && !cut)
		return err_set(err, ERR_FORMAT, "a buffer of %" PRIu32
			       " CPUs in an option of %zu bytes", n, in->s.n);
	if (n > in->s.n / EXTENT_SIZE)
		n = (uint32_t)(in->s.n / EXTENT_SIZE);
	rc = rec_dat_extents_add(o, b, n, err);
	if (rc < 0)
		return rc;
	for (uint32_t i = 0; i < n; i++) {
		(void)rec_dat_u32(in, &b->cpus[i].cpu);
		(void)rec_dat_u64(in, &b->cpus[i].at);
		(void)rec_dat_u64(in, &b->cpus[i].size);
	}
	return 0;
}

struct buffer_option {
	struct rec_dat_bytes in;
	int version;
	bool text;
	bool cut;
};

/* In version 6 an instance has only its name and its place. */
static int fill_buffer(struct rec_dat_options *o, struct rec_dat_buffer *b,
		       struct buffer_option *from, struct err *err)
{
	struct rec_dat_bytes *in = &from->in;
	bool later = from->version > 6;

	b->text = from->text;
	if (!rec_dat_u64(in, &b->at) || !span_cstr(&in->s, &b->name) ||
	    (later && !span_cstr(&in->s, &b->clock)))
		return err_set(err, ERR_FORMAT, "a buffer's option is cut "
			       "short");
	if (!keep(o, &b->name) || !keep(o, &b->clock))
		return err_nomem(err);
	return later && !b->text ? take_extents(o, b, in, from->cut, err) : 0;
}

/* One that makes no sense is left out. */
static int take_buffer(struct rec_dat_options *o, struct buffer_option from,
		       struct err *err)
{
	struct rec_dat_buffer *b = rec_dat_buffer_add(o);
	int rc = b ? fill_buffer(o, b, &from, err) : err_nomem(err);

	if (b && rc < 0)
		o->n_buffers--;
	return rc;
}

/* "overrun: 12" of per_cpu/cpuN/stats. */
static void stat_line(struct rec_dat_stat *to, struct span line)
{
	const uint8_t *colon = line.n ? memchr(line.p, ':', line.n) : NULL;
	struct span key, word;
	uint64_t v;

	if (!colon)
		return;
	key = span_of(line.p, (size_t)(colon - line.p));
	(void)span_skip(&line, key.n + 1);
	if (!rec_word(&line, &word) || !rec_number(word, 10, &v))
		return;
	if (key.n == 3 && !memcmp(key.p, "CPU", 3))
		to->cpu = (uint32_t)v;
	else if ((key.n == 7 && !memcmp(key.p, "overrun", 7)) ||
		 (key.n == 14 && !memcmp(key.p, "dropped events", 14)))
		to->lost += v;
}

static int take_stat(struct rec_dat_options *o, struct span text,
		     struct err *err)
{
	struct rec_dat_stat s = { 0 };
	struct span line;

	text = text_of(text);
	while (rec_line(&text, &line))
		stat_line(&s, line);
	if (!mem_grow(&o->stats, &o->stats_cap, o->n_stats + 1,
		      sizeof(*o->stats)))
		return err_nomem(err);
	o->stats[o->n_stats++] = s;
	return 0;
}

/* strtoll of a text that need not end; *has: it is a number. */
static int64_t signed_text(struct span s, bool *has)
{
	char text[32] = "";
	char *end;
	long long v;

	s = text_of(s);
	if (s.n)
		memcpy(text, s.p, s.n < sizeof(text) ? s.n : sizeof(text) - 1);
	v = strtoll(text, &end, 0);
	*has = end != text;
	return v;
}

static void take_tsc(struct rec_dat_options *o, struct rec_dat_bytes in)
{
	uint32_t mult, shift;

	if (!rec_dat_u32(&in, &mult) || !rec_dat_u32(&in, &shift) ||
	    shift > 63)
		return;
	o->tsc_mult = mult;
	o->tsc_shift = shift;
}

static int take_clock(struct rec_dat_options *o, struct span s,
		      struct err *err)
{
	o->has_clock = true;
	return s.n ? keep_text(o, &o->clocks, s, err) : 0;
}

static int take_maps(struct rec_dat_options *o, struct span s, struct err *err)
{
	s = text_of(s);
	buf_put(&o->maps, s.p, s.n);
	return buf_failed(&o->maps) ? err_nomem(err) : 0;
}

static int take_one(struct rec_dat_options *o, uint16_t id,
		    struct rec_dat_bytes in, int version, struct err *err)
{
	switch (id) {
	case REC_DAT_O_DATE:
		o->date = signed_text(in.s, &o->has_date);
		return 0;
	case REC_DAT_O_CPUSTAT:
		return take_stat(o, in.s, err);
	case REC_DAT_O_BUFFER:
	case REC_DAT_O_BUFFER_TEXT:
		return take_buffer(o, (struct buffer_option){
			.in = in, .version = version,
			.text = id == REC_DAT_O_BUFFER_TEXT }, err);
	case REC_DAT_O_TRACECLOCK:
		return take_clock(o, in.s, err);
	case REC_DAT_O_UNAME:
		return keep_text(o, &o->uname, in.s, err);
	case REC_DAT_O_OFFSET:
		o->offset = signed_text(in.s, &o->has_offset);
		return 0;
	case REC_DAT_O_CPUCOUNT:
		(void)rec_dat_u32(&in, &o->cpus);
		return 0;
	case REC_DAT_O_VERSION:
		return keep_text(o, &o->version, in.s, err);
	case REC_DAT_O_PROCMAPS:
		return take_maps(o, in.s, err);
	case REC_DAT_O_TIME_SHIFT:
		o->shifted = true;
		return 0;
	case REC_DAT_O_GUEST:
		o->guests++;
		return 0;
	case REC_DAT_O_TSC2NSEC:
		take_tsc(o, in);
		return 0;
	case REC_DAT_O_HOOK:
	case REC_DAT_O_TRACEID:
		return 0; /* of no use here */
	default:
		break;
	}
	if (version > 6 && id >= REC_DAT_O_FIRST_PART &&
	    id <= REC_DAT_O_LAST_PART)
		(void)rec_dat_u64(&in, &o->parts[id - REC_DAT_O_FIRST_PART]);
	else
		o->unknown++;
	return 0;
}

/* What there is of the option: the buffers stand in the last one of a file, so
 * that one that is cut short has lost a part of it. */
static int take_cut(struct rec_dat_options *o, uint16_t id,
		    struct rec_dat_bytes in, int version, struct err *err)
{
	struct err why;
	int rc = 0;

	if (id == REC_DAT_O_BUFFER && version > 6)
		rc = take_buffer(o, (struct buffer_option){
			.in = in, .version = version, .cut = true }, &why);
	if (rc == ERR_NOMEM)
		return err_nomem(err);
	return err_set(err, ERR_FORMAT, "option %u is cut short", id);
}

int rec_dat_options_take(struct rec_dat_options *o, struct span *in, bool big,
			 int version, uint64_t *next, struct err *err)
{
	struct rec_dat_bytes b = { *in, big }, one = { .big = big };
	uint32_t size;
	uint16_t id;
	int rc;

	*next = 0;
	for (;;) {
		if (!rec_dat_u16(&b, &id))
			return err_set(err, ERR_FORMAT, "options are cut "
				       "short");
		if (id == REC_DAT_O_DONE && version < 7)
			break;
		if (!rec_dat_u32(&b, &size) || !span_take(&b.s, size, &one.s))
			return take_cut(o, id, b, version, err);
		if (id == REC_DAT_O_DONE) {
			(void)rec_dat_u64(&one, next);
			break;
		}
		rc = take_one(o, id, one, version, err);
		if (rc < 0)
			return err_in(err, rc, "option %u", id);
	}
	*in = b.s;
	return 0;
}

void rec_dat_options_fini(struct rec_dat_options *o)
{
	free(o->buffers);
	free(o->stats);
	buf_fini(&o->maps);
	arena_fini(&o->memory);
	*o = (struct rec_dat_options){ 0 };
}

struct span rec_dat_clock(const struct rec_dat_options *o,
			  const struct rec_dat_buffer *b)
{
	const uint8_t *open = o->clocks.n ? memchr(o->clocks.p, '[',
						   o->clocks.n) : NULL;
	const uint8_t *close;
	size_t left;

	if (b->clock.n)
		return b->clock;
	if (!open)
		return (struct span){ 0 };
	left = o->clocks.n - (size_t)(open - o->clocks.p);
	close = memchr(open, ']', left);
	return close ? span_of(open + 1, (size_t)(close - open) - 1) :
		       (struct span){ 0 };
}
