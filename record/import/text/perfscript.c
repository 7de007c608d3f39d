/* What perf script prints. */
#include "format/base/mem.h"
#include "record/import/importer.h"
#include "record/import/text/bad.h"
#include "record/import/text/comments.h"
#include "record/import/text/events.h"
#include "record/import/text/frame.h"
#include "record/import/text/header.h"
#include "record/import/text/lines.h"
#include "record/import/text/record_line.h"
#include "record/import/text/sample.h"
#include "record/import/text/scan.h"
#include "record/import/text/threads.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* What the lines of a text do not tell. */
enum {
	LACKS_TIME = 1,
	LACKS_CPU = 2,
	LACKS_PID = 4,
	LACKS_PERIOD = 8,
	LACKS_END = 16, /* perf puts a blank line behind each stack */
	LACKS_TID = 32,
};

struct script {
	struct rec_intake *to;
	struct rec_text_lines lines;
	struct rec_text_bad bad;
	struct rec_text_threads threads;
	struct rec_text_events events;
	struct rec_text_sample sample;
	struct intern nameless; /* of threads without an id */
	uint64_t n;         /* samples */
	uint64_t time;      /* of the last one */
	uint64_t records;   /* that a text has no use for */
	unsigned lacks;
	bool in_stack;      /* the line before was a frame */
};

static void bad(struct script *s, struct span line, const char *why)
{
	rec_text_bad_add(&s->bad, s->lines.number, line, why);
}

/* The thread of a line: as it says, or one for each name. */
static int ids_of(struct script *s, const struct rec_text_header *h,
		  struct rec_ids *ids, struct err *err)
{
	uint32_t id;

	*ids = (struct rec_ids){ .pid = h->pid, .tid = h->tid, .cpu = h->cpu };
	if (h->has_tid)
		return 0;
	if (!intern_put(&s->nameless, h->comm.p, h->comm.n, &id, NULL))
		return err_nomem(err);
	if (id >= INT32_MAX)
		return err_set(err, ERR_LIMIT, "too many different threads");
	ids->pid = ids->tid = (int32_t)id + 1;
	return 0;
}

static int take_record(struct script *s, const struct rec_text_header *h,
		       struct span line, struct err *err)
{
	struct rec_record r;
	int rc;

	if (!rec_text_record(line, &r)) {
		s->records++;
		return 0;
	}
	rc = ids_of(s, h, &r.ids, err);
	r.ids.time = h->has_time ? h->time : s->time;
	rec_text_bad_row(&s->bad, s->to, r.ids.time);
	if (rc == 0 && r.type == PERF_RECORD_LOST)
		rec_intake_lost(s->to, TF_LOSS_RING, -1,
				h->has_cpu ? (int)h->cpu : -1, r.ids.time,
				r.lost.count);
	else if (rc == 0)
		rc = rec_text_threads_tell(&s->threads, s->to, &r.ids, h->comm,
					   err);
	if (rc == 0 && r.type != PERF_RECORD_LOST)
		rc = rec_intake_record(s->to, &r, err);
	return rc;
}

static struct rec_record record_of(struct script *s,
				   const struct rec_text_header *h,
				   const struct rec_ids *ids)
{
	struct rec_record r = {
		.type = PERF_RECORD_SAMPLE,
		.ids = *ids,
		.sample = { .period = h->period },
	};

	s->lacks |= (h->has_time ? 0u : LACKS_TIME) |
		    (h->has_cpu ? 0u : LACKS_CPU) |
		    (h->has_pid ? 0u : LACKS_PID) |
		    (h->has_tid ? 0u : LACKS_TID) |
		    (h->has_period ? 0u : LACKS_PERIOD);
	r.ids.time = s->time = h->has_time ? h->time : s->time + 1;
	return r;
}

/* Weights, addresses of data and the like stand between the event and the only
 * frame of its line: skipped as long as an address follows. */
static struct span skip_numbers(struct span rest)
{
	struct span after = rest, word, next;
	uint64_t v;

	while (rec_text_word(&after, &word)) {
		struct span further = after;

		if (!rec_text_hex(word, &v) ||
		    !rec_text_word(&further, &next) || next.n < 6 ||
		    !rec_text_hex(next, &v))
			break;
		rest = after;
	}
	return rest;
}

/* The frame on the line of the header itself. */
static int take_own_frame(struct script *s, struct span rest, struct err *err)
{
	struct rec_text_frame f;

	rest = skip_numbers(rest);
	if (!rec_text_frame(rest, &f) || !(f.image.n || f.symbol.n ||
					   f.address > UINT32_MAX))
		return 0;
	return rec_text_sample_frame(&s->sample, &f, err);
}

/* A tracepoint's text, also where it is empty; but not where only its place was
 * printed. */
static bool is_payload(const struct rec_text_event *event, struct span rest)
{
	struct rec_text_frame f;

	if (!event->tracepoint.n)
		return false;
	return !rec_text_frame(rest, &f) || !f.image.n ||
	       f.address <= UINT32_MAX;
}

static int begin(struct script *s, const struct rec_text_header *h,
		 struct span line, struct err *err)
{
	static const char unnamed[] = "unknown";
	struct span rest = rec_text_trim(h->rest);
	struct rec_text_event *event;
	struct rec_record r;
	struct rec_ids ids;
	size_t index = 0;
	int rc = ids_of(s, h, &ids, err);

	if (rc < 0)
		return rc;
	r = record_of(s, h, &ids);
	rec_text_bad_row(&s->bad, s->to, r.ids.time);
	rc = rec_text_events_named(&s->events, h->event.n ? h->event :
				   span_of(unnamed, sizeof(unnamed) - 1),
				   &event, err);
	if (rc == 1) {
		bad(s, line, "too many events of different names");
		return 0;
	}
	if (rc == 0 && is_payload(event, rest))
		rc = rec_text_events_payload(&s->events, s->to, event, ids.tid,
					     rest, &index, &r.sample.raw, err);
	else if (rc == 0)
		rc = rec_text_events_plain(&s->events, s->to, event, &index,
					   err);
	if (rc == 0)
		rc = rec_text_threads_tell(&s->threads, s->to, &r.ids, h->comm,
					   err);
	if (rc < 0)
		return rc;
	rc = rec_text_sample_begin(&s->sample, index, &r, err);
	if (rc < 0)
		return rc;
	s->n++;
	return r.sample.raw.n ? 0 : take_own_frame(s, rest, err);
}

static int flush(struct script *s, struct err *err)
{
	return rec_text_sample_flush(&s->sample, s->to, err);
}

static int take_header(struct script *s, const struct rec_text_header *h,
		       struct span line, struct err *err)
{
	int rc = flush(s, err);

	s->in_stack = false;
	if (rc < 0)
		return rc;
	if (rec_text_is_record(h))
		return take_record(s, h, line, err);
	return begin(s, h, line, err);
}

static int take_frame(struct script *s, const struct rec_text_frame *f,
		      struct span line, struct err *err)
{
	int rc;

	if (!s->sample.open || (s->sample.ended && s->sample.n)) {
		bad(s, line, "a frame without its sample");
		return 0;
	}
	/* A blank line between a sample and its stack. */
	s->sample.ended = false;
	s->in_stack = true;
	rc = rec_text_sample_frame(&s->sample, f, err);
	if (rc == 1)
		bad(s, line, "too many frames");
	return rc < 0 ? rc : 0;
}

/* Where perf script came to a sudden end, so does the last line. */
static bool is_cut(const struct script *s, struct span line)
{
	struct span trimmed = rec_text_trim(line);

	return s->lines.unended && memmem(line.p, line.n, " (", 2) &&
	       trimmed.p[trimmed.n - 1] != ')';
}

/* A line that is no header. */
static int take_stack_line(struct script *s, struct span line, struct err *err)
{
	struct rec_text_frame f;

	if (span_is(rec_text_trim(line), "[ empty]"))
		return 0;
	if (s->sample.open && rec_text_is_source_line(line))
		return 0;
	if (is_cut(s, line)) {
		bad(s, line, "the text ends in the middle of it");
		return 0;
	}
	if (rec_text_frame(line, &f))
		return take_frame(s, &f, line, err);
	bad(s, line, s->n ? "neither a sample nor a frame" : "not a sample");
	return 0;
}

/* A line in a stack that does not begin with a tab may be both: "cafe 12 x:" is
 * a header, "cafe f (lib.so)" is a frame. */
static bool is_lax_header(const struct script *s, struct span line,
			  struct rec_text_header *h)
{
	struct rec_text_frame f;

	if (s->sample.open && !s->sample.ended && rec_text_frame(line, &f) &&
	    f.image.n)
		return false;
	return rec_text_header(line, true, h);
}

static int take_line(struct script *s, struct span line, struct err *err)
{
	struct rec_text_header h;

	if (!rec_text_skip_blanks(line).n) {
		s->in_stack = false;
		s->sample.ended = true;
		return s->sample.n ? flush(s, err) : 0;
	}
	/* perf begins the lines of a stack, and no others, with a tab. */
	if (line.p[0] == '\t')
		return take_stack_line(s, line, err);
	if (rec_text_header(line, false, &h))
		return take_header(s, &h, line, err);
	if (line.p[0] == '#') {
		rec_text_comment(line, s->to);
		return 0;
	}
	if (rec_text_is_source_line(line) && s->sample.open)
		return 0;
	if (is_lax_header(s, line, &h))
		return take_header(s, &h, line, err);
	return take_stack_line(s, line, err);
}

static void tell_lacks(const struct script *s)
{
	static const struct {
		unsigned lack;
		const char *name, *note;
	} lacks[] = {
		{ LACKS_TIME, "times", "times (they are counted)" },
		{ LACKS_CPU, "cpus", "CPUs (all rows say 0)" },
		{ LACKS_TID, "tids", "threads' ids (those of one name are one)" },
		{ LACKS_PID, "pids", "processes (each thread is one)" },
		{ LACKS_PERIOD, "periods", "periods (each sample weighs 1)" },
		{ LACKS_END, "end", "line behind its last stack (which may be "
		  "cut)" },
	};
	char names[64] = "", notes[256] = "";
	size_t n = 0, k = 0;

	for (size_t i = 0; i < ARRAY_LEN(lacks); i++)
		if (s->lacks & lacks[i].lack) {
			n += (size_t)snprintf(names + n, sizeof(names) - n,
					      "%s%s", n ? " " : "",
					      lacks[i].name);
			k += (size_t)snprintf(notes + k, sizeof(notes) - k,
					      "%s%s", k ? ", " : "",
					      lacks[i].note);
		}
	rec_intake_fact(s->to, "import.lacks", "%s", names);
	rec_intake_fact(s->to, "note.import_lacks", "the text does not tell "
			"all: no %s", notes);
}

static void tell(const struct script *s)
{
	if (s->lacks)
		tell_lacks(s);
	if (s->records)
		rec_intake_fact(s->to, "note.import_records", "%" PRIu64
				" lines of the text are records other than "
				"samples, and left out", s->records);
	rec_text_events_tell(&s->events, s->to);
}

static int read_all(struct script *s, struct err *err)
{
	struct span line;
	int rc;

	while ((rc = rec_text_lines_next(&s->lines, &line, err)) == 0) {
		const char *fault = rec_text_lines_fault(&s->lines);

		if (fault)
			bad(s, line, fault);
		else
			rc = take_line(s, line, err);
		if (rc < 0)
			return rc;
	}
	if (rc < 0)
		return rc;
	s->lacks |= s->in_stack ? LACKS_END : 0u;
	return flush(s, err);
}

/* Whether stacks were asked for: the beginning of the text has lines of them. */
static int look_for_stacks(struct script *s, struct rec_input *in,
			   struct err *err)
{
	uint8_t utf8[REC_TEXT_HEAD];
	struct rec_text_header h;
	struct rec_text_frame f;
	struct span text, line;
	bool cut, after = false;
	int rc = rec_input_peek(in, sizeof(utf8), &text, err);

	if (rc < 0)
		return rc;
	text = rec_text_head(text, utf8, sizeof(utf8), &cut);
	while (!s->events.chains && rec_text_take_line(&text, &line)) {
		bool header = rec_text_header(line, true, &h);

		/* The last line may be a part of one only. */
		if (cut && !text.n)
			break;
		s->events.chains = (after && !header &&
				    rec_text_frame(line, &f) &&
				    (f.image.n || line.p[0] == '\t')) ||
				   span_is(rec_text_trim(line), "[ empty]");
		after |= header;
	}
	return 0;
}

static int run(struct rec_input *in, struct rec_intake *to,
	       const struct rec_import_options *options, struct err *err)
{
	struct script s = { .to = to };
	int rc;

	(void)options;
	rec_text_lines_init(&s.lines, in);
	rc = look_for_stacks(&s, in, err);
	if (rc == 0)
		rc = read_all(&s, err);
	/* What came before a failure of the input is sound. */
	if (rc == ERR_NOMEM || (rc < 0 && !s.n))
		goto out;
	if (!s.n) {
		rc = err_set(err, ERR_FORMAT, "no sample in %" PRIu64 " lines",
			     s.lines.number);
		goto out;
	}
	tell(&s);
	rc = rc < 0 ? 1 : rec_text_bad_tell(&s.bad, to, s.time, err);
out:
	rec_text_sample_fini(&s.sample);
	rec_text_events_fini(&s.events);
	rec_text_threads_fini(&s.threads);
	intern_fini(&s.nameless);
	rec_text_lines_fini(&s.lines);
	return rc;
}

/* Whether what follows the first header can be the text's next line. */
static bool goes_on(struct span text, bool cut, bool strict)
{
	struct rec_text_header h;
	struct rec_text_frame f;
	struct span line;

	if (!rec_text_take_line(&text, &line))
		return strict;
	if (!rec_text_skip_blanks(line).n) {
		/* A stack that a blank line parts from its sample is that of
		 * another tool. */
		while (rec_text_take_line(&text, &line))
			if (rec_text_skip_blanks(line).n)
				break;
		if (!rec_text_skip_blanks(line).n)
			return strict;
		return rec_text_header(line, !strict, &h);
	}
	if (cut && !text.n)
		return strict;
	return rec_text_frame(line, &f) || rec_text_header(line, !strict, &h) ||
	       span_is(rec_text_trim(line), "[ empty]") ||
	       rec_text_is_source_line(line);
}

/* Whether a text whose first line that is no record of the side band is this one
 * is perf script's; `text` is what follows. */
static bool begins_so(struct span line, struct span text, bool cut)
{
	struct rec_text_header h;
	struct rec_text_frame f;

	if (rec_text_header(line, false, &h))
		return (h.event.n || !rec_text_trim(h.rest).n ||
			rec_text_frame(h.rest, &f)) &&
		       goes_on(text, cut, true);
	if (!rec_text_header(line, true, &h))
		return false;
	return h.has_tid ? goes_on(text, cut, false) :
			   rec_text_take_line(&text, &line) &&
				   rec_text_frame(line, &f);
}

static bool is_perf_script(struct span head)
{
	uint8_t utf8[REC_TEXT_HEAD];
	struct rec_text_header h;
	struct rec_text_frame f;
	struct span text, line;
	bool cut, records = false;

	text = rec_text_head(head, utf8, sizeof(utf8), &cut);
	if (text.n && memchr(text.p, 0, text.n))
		return false;
	while (rec_text_take_line(&text, &line)) {
		bool strict = rec_text_header(line, false, &h);

		if (strict && rec_text_is_record(&h)) {
			records = true;
			continue;
		}
		/* Where the last line is cut, and where somebody cut the first
		 * sample off. */
		if ((cut && !text.n && records) ||
		    !rec_text_skip_blanks(line).n ||
		    (!strict && line.p[0] == '#') ||
		    (line.p[0] == '\t' && rec_text_frame(line, &f)))
			continue;
		return begins_so(line, text, cut);
	}
	return records;
}

const struct rec_importer rec_import_perf_script = {
	.name = "perf script",
	.summary = "text that perf script prints",
	.is = is_perf_script,
	.run = run,
};
