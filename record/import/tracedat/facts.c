#include "record/import/tracedat/facts.h"

#include "format/base/mem.h"
#include "record/import/tracedat/maps.h"
#include "record/proc/procfs.h"

#include <inttypes.h>
#include <string.h>

#define NSEC_PER_USEC 1000

static void fact_span(struct rec_intake *to, const char *key, struct span s)
{
	if (s.n && s.n < INT32_MAX)
		rec_intake_fact(to, key, "%.*s", (int)s.n,
				(const char *)s.p);
}

/* "Linux buildroot 5.15.18 i686" */
static void uname_facts(struct rec_intake *to, struct span text)
{
	static const char *const keys[] = { NULL, "hostname", "kernel",
					    "arch" };
	struct span word;

	for (size_t i = 0; i < 4 && rec_word(&text, &word); i++)
		if (keys[i])
			fact_span(to, keys[i], word);
}

static const char *codec_name(const struct rec_dat_file *f)
{
	switch (f->codec) {
	case REC_DAT_ZSTD:
		return ", zstd";
	case REC_DAT_ZLIB:
		return ", zlib";
	default:
		return "";
	}
}

static const struct rec_dat_buffer *top(const struct rec_dat_options *o)
{
	for (size_t i = 0; i < o->n_buffers; i++)
		if (!o->buffers[i].name.n)
			return &o->buffers[i];
	return o->n_buffers ? &o->buffers[0] : NULL;
}

static uint32_t cpus_of(const struct rec_dat_meta *m)
{
	const struct rec_dat_buffer *b = top(&m->options);

	if (m->options.cpus)
		return m->options.cpus;
	return m->cpus ? m->cpus : b ? (uint32_t)b->n : 0;
}

/* Times of the buffers are compared as they are. */
static void instance_notes(struct rec_intake *to,
			   const struct rec_dat_options *o)
{
	const struct rec_dat_buffer *first = top(o);
	struct span clock = first ? rec_dat_clock(o, first) : span_of("", 0);
	unsigned others = 0;

	for (size_t i = 0; i < o->n_buffers; i++) {
		struct span c = rec_dat_clock(o, &o->buffers[i]);

		others += o->buffers[i].name.n != 0;
		if (c.n != clock.n || (c.n && memcmp(c.p, clock.p, c.n)))
			rec_intake_fact(to, "note.instance_clock", "instance "
					"'%.*s' has clock '%.*s', the others "
					"'%.*s': times do not compare",
					(int)o->buffers[i].name.n,
					(const char *)o->buffers[i].name.p,
					(int)c.n, (const char *)c.p,
					(int)clock.n, (const char *)clock.p);
	}
	if (others)
		rec_intake_fact(to, "note.instances", "events of %u tracing "
				"instance%s have its name before theirs",
				others, others > 1 ? "s" : "");
}

static void shift_notes(struct rec_intake *to, const struct rec_dat_options *o)
{
	if (o->shifted)
		rec_intake_fact(to, "note.time_shift", "recorded in a guest: "
				"times are its own, what was measured against "
				"its host's is not applied");
	if (o->guests)
		rec_intake_fact(to, "note.guests", "%u guest%s recorded at the "
				"same time, in other files", o->guests,
				o->guests > 1 ? "s were" : " was");
	if (o->has_offset && o->offset)
		rec_intake_fact(to, "note.offset", "%" PRId64 " ns were added "
				"to all times, as the file asks for",
				o->offset);
}

int rec_dat_facts(struct rec_intake *to, const struct rec_dat_file *f,
		  const struct rec_dat_meta *m, struct err *err)
{
	const struct rec_dat_options *o = &m->options;

	rec_intake_fact(to, "import.format", "trace.dat");
	rec_intake_fact(to, "import.layout", "version %d%s%s", f->version,
			codec_name(f), f->big ? ", big-endian" : "");
	fact_span(to, "import.version", o->version);
	uname_facts(to, o->uname);
	rec_intake_fact(to, "cpus", "%" PRIu32, cpus_of(m));
	rec_intake_fact(to, "page_size", "%" PRIu32, f->page_size);
	rec_intake_fact(to, "pointer_size", "%u", f->long_size);
	fact_span(to, "printk_formats", rec_dat_text(m, f, REC_DAT_PRINTK));
	instance_notes(to, o);
	shift_notes(to, o);
	return rec_dat_maps(to, span_of(o->maps.p, o->maps.n), err);
}

/* Of a clock that does not count nanoseconds. */
static const char *what_counts(const struct rec_dat_options *o,
			       struct span clock)
{
	static const struct {
		const char *clock, *text;
	} other[] = {
		{ "counter", ", which counts events" },
		{ "x86-tsc", ", which counts cycles, each shown as 1 ns" },
		{ "uptime", ", which counts 1/100 s, each shown as 1 ns" },
	};

	if (!clock.n)
		return ", as the file names none";
	if (o->tsc_mult)
		return ", made nanoseconds as the file says";
	for (size_t i = 0; i < ARRAY_LEN(other); i++)
		if (span_is(clock, other[i].clock))
			return other[i].text;
	return "";
}

void rec_dat_facts_clock(struct rec_intake *to, const struct rec_dat_meta *m,
			 uint64_t first)
{
	const struct rec_dat_options *o = &m->options;
	const struct rec_dat_buffer *b = top(o);
	struct span clock = b ? rec_dat_clock(o, b) : span_of("", 0);
	uint64_t time = rec_dat_time(o, first);

	if (span_is(clock, "mono"))
		rec_intake_fact(to, "clock", "monotonic");
	else if (clock.n)
		fact_span(to, "clock", clock);
	else
		rec_intake_fact(to, "clock", "unknown");
	if (!span_is(clock, "mono"))
		rec_intake_fact(to, "note.clock", "times are of the tracer's "
				"clock '%.*s'%s", (int)(clock.n ? clock.n : 5),
				clock.n ? (const char *)clock.p : "local",
				what_counts(o, clock));
	if (o->has_date)
		rec_intake_clock(to, time, time + (uint64_t)o->date *
							NSEC_PER_USEC,
				 span_is(clock, "boot") ? time : 0);
}

void rec_dat_facts_end(const struct rec_dat_give *g,
		       const struct rec_dat_formats *formats)
{
	if (g->stacks)
		rec_intake_fact(g->to, "import.stacks", "%" PRIu64, g->stacks);
	if (g->meta->options.unknown)
		rec_intake_fact(g->to, "import.unknown_options", "%u",
				g->meta->options.unknown);
	if (g->unknown)
		rec_intake_fact(g->to, "note.unknown_events", "%" PRIu64
				" records are of events that the file has no "
				"formats of: left out", g->unknown);
	if (g->bare)
		rec_intake_fact(g->to, "note.bare_events", "%u events have a "
				"format that makes no table: their fields are "
				"left out", g->bare);
	if (formats->skipped)
		rec_intake_fact(g->to, "import.unknown_formats", "%u",
				formats->skipped);
}
