/* What tracefs shows in trace and trace_pipe, and what atrace, systrace (its
 * page too) and trace-cmd report make of it. */
#include "format/base/mem.h"
#include "record/import/importer.h"
#include "record/import/text/bad.h"
#include "record/import/text/events.h"
#include "record/import/text/lines.h"
#include "record/import/text/lost.h"
#include "record/import/text/scan.h"
#include "record/import/text/threads.h"
#include "record/import/text/trace_line.h"
#include "record/import/text/window.h"

#include <inttypes.h>
#include <stdio.h>

/* Where stacks begin to show, if there are any. */
#define PEEK ((size_t)64 << 10)

/* A mark has no more bytes. */
#define MARK_MAX 4096u

struct ftrace {
	struct rec_intake *to;
	struct rec_text_lines lines;
	struct rec_text_bad bad;
	struct rec_text_lost lost;
	struct rec_text_threads threads;
	struct rec_text_events events;
	struct rec_text_window rows; /* that wait for their stacks */
	struct rec_text_sample *stack; /* the one whose lines follow */
	uint64_t stacks;     /* of no row that waits */
	bool page;           /* of HTML: the trace is a part of it */
	bool inside;         /* of that part */
	bool counted;        /* times are no seconds */
	uint64_t n;          /* rows */
	uint64_t time;       /* of the last one */
	uint64_t functions;  /* lines of function_graph, left out */
};

static void bad(struct ftrace *s, struct span line, const char *why)
{
	rec_text_bad_add(&s->bad, s->lines.number, line, why);
}

/* " => func", " => func+0x12/0x34", " => func <ffffffff81000000>", of trace-cmd
 * "=> func (ffffffff81000000)". */
static int take_stack_line(struct ftrace *s, struct span line, struct err *err)
{
	static const char kernel[] = "[kernel.kallsyms]";
	struct rec_text_frame f = {
		.image = span_of(kernel, sizeof(kernel) - 1),
	};
	struct span rest, word, address;
	const uint8_t *plus;
	int rc;

	rest = rec_text_from(rec_text_skip_blanks(line), 2);
	if (!rec_text_word(&rest, &word))
		return 0;
	plus = rec_text_find(word, "+0x");
	f.symbol = plus ? span_of(word.p, (size_t)(plus - word.p)) : word;
	if (plus) {
		struct span digits = rec_text_from(
			word, (size_t)(plus - word.p) + 3);
		const uint8_t *slash = memchr(digits.p, '/', digits.n);

		if (slash)
			digits.n = (size_t)(slash - digits.p);
		f.has_offset = rec_text_hex(digits, &f.offset);
	}
	if (rec_text_word(&rest, &address) && address.n > 2 &&
	    strchr("<(", address.p[0]))
		f.has_address = rec_text_hex(
			span_of(address.p + 1, address.n - 2), &f.address);
	rc = rec_text_sample_frame(s->stack, &f, err);
	if (rc == 1)
		bad(s, line, "too many frames");
	return rc < 0 ? rc : 0;
}

static bool is_mark(struct span event)
{
	return span_is(event, "tracing_mark_write") ||
	       span_is(event, "print") || span_is(event, "bprint") ||
	       span_is(event, "bputs");
}

/* The writer's text: "print" has its function before it. */
static int take_mark(struct ftrace *s, const struct rec_text_trace_line *l,
		     const struct rec_ids *ids, struct err *err)
{
	struct span text = l->payload, rest = text, word;

	if (!span_is(l->event, "tracing_mark_write") &&
	    rec_text_word(&rest, &word) && word.p[word.n - 1] == ':')
		text = rec_text_skip_blanks(rest);
	if (!text.n)
		return 0;
	if (text.n > MARK_MAX)
		text.n = MARK_MAX;
	return rec_intake_mark(s->to, ids, text, err);
}

/* "func <-parent": a row that is two frames. */
static int take_function(struct ftrace *s, struct span message,
			 struct rec_record *r, struct err *err)
{
	static const char name[] = "function", kernel[] = "[kernel.kallsyms]";
	const uint8_t *arrow = rec_text_find(message, " <-");
	struct rec_text_frame f = {
		.image = span_of(kernel, sizeof(kernel) - 1),
	};
	struct rec_text_event *event;
	struct rec_text_sample *row;
	size_t index;
	int rc = rec_text_events_named(&s->events,
				       span_of(name, sizeof(name) - 1),
				       &event, err);

	if (rc == 0)
		rc = rec_text_events_plain(&s->events, s->to, event, &index,
					   err);
	if (rc == 0)
		rc = rec_text_window_add(&s->rows, index, r, &row, err);
	if (rc)
		return rc;
	f.symbol = rec_text_trim(span_of(message.p,
					 (size_t)(arrow - message.p)));
	rc = rec_text_sample_frame(row, &f, err);
	if (rc)
		return rc;
	f.symbol = rec_text_trim(rec_text_from(
		message, (size_t)(arrow - message.p) + 3));
	return rec_text_sample_frame(row, &f, err);
}

static int event_of(struct ftrace *s, const struct rec_text_trace_line *l,
		    struct rec_text_event **event, struct err *err)
{
	char name[64];
	int n;

	if (l->syscall == REC_TEXT_NO_SYSCALL)
		return rec_text_events_traced(&s->events, l->event, event,
					      err);
	n = snprintf(name, sizeof(name), "sys_%s_%.*s",
		     l->syscall == REC_TEXT_ENTER ? "enter" : "exit",
		     l->event.n < 48 ? (int)l->event.n : 48,
		     (const char *)l->event.p);
	return rec_text_events_traced(&s->events, span_of(name, (size_t)n),
				      event, err);
}

static int take_event(struct ftrace *s, const struct rec_text_trace_line *l,
		      struct rec_record *r, struct err *err)
{
	struct rec_text_event *event;
	struct rec_text_sample *row;
	size_t index;
	int rc = event_of(s, l, &event, err);

	if (rc == 0 && is_mark(l->event))
		rc = take_mark(s, l, &r->ids, err);
	if (rc == 0)
		rc = rec_text_events_payload(&s->events, s->to, event, l->tid,
					     rec_text_skip_blanks(l->payload),
					     &index, &r->sample.raw, err);
	if (rc)
		return rc;
	rec_text_trace_flags(l->flags, &s->events.raw.p[2],
			     &s->events.raw.p[3]);
	return rec_text_window_add(&s->rows, index, r, &row, err);
}

static struct rec_record record_of(struct ftrace *s,
				   const struct rec_text_trace_line *l)
{
	int32_t pid = l->pid >= 0 ? l->pid :
				    rec_text_threads_pid(&s->threads, l->tid);

	s->time = l->time;
	s->counted |= l->counted;
	return (struct rec_record){
		.type = PERF_RECORD_SAMPLE,
		.ids = { .pid = pid < 0 ? l->tid : pid, .tid = l->tid,
			 .time = l->time, .cpu = l->cpu },
		.sample = { .period = 1 },
	};
}

/* Stacks come as messages of their own, behind the event that they are of. Those
 * of users have no names. */
static bool take_stack(struct ftrace *s, const struct rec_text_trace_line *l)
{
	struct span text = rec_text_skip_blanks(l->payload);
	bool kernel = span_begins(text, "<stack trace");

	if ((l->event.n && !span_is(l->event, "kernel_stack") &&
	     !span_is(l->event, "user_stack")) ||
	    (!kernel && !span_begins(text, "<user stack")))
		return false;
	s->stack = kernel ? rec_text_window_find(&s->rows, l->tid, l->cpu) :
			    NULL;
	s->stacks += kernel && !s->stack;
	return true;
}

static int take_row(struct ftrace *s, const struct rec_text_trace_line *l,
		    struct span line, struct err *err)
{
	struct rec_record r;
	int rc;

	s->stack = NULL;
	rec_text_lost_row(&s->lost, s->to, l->cpu, l->time);
	rec_text_bad_row(&s->bad, s->to, l->time);
	if (take_stack(s, l))
		return 0;
	rc = rec_text_window_room(&s->rows, s->to, err);
	if (rc < 0)
		return rc;
	r = record_of(s, l);
	if (!l->event.n && !rec_text_find(l->payload, " <-")) {
		bad(s, line, "not an event");
		return 0;
	}
	/* ftrace has forgotten some names. */
	if (!span_is(l->comm, "<...>"))
		rc = rec_text_threads_tell(&s->threads, s->to, &r.ids, l->comm,
					   err);
	if (rc == 0)
		rc = l->event.n ? take_event(s, l, &r, err) :
				  take_function(s, l->payload, &r, err);
	if (rc == 1)
		bad(s, line, "too many events of different names");
	else if (rc == 0)
		s->n++;
	return rc < 0 ? rc : 0;
}

/* "CPU:1 [LOST 47 EVENTS]" */
static bool take_loss(struct ftrace *s, struct span line)
{
	static const char begins[] = "[LOST ";
	struct span rest = line, cpu, word;
	uint64_t n, number;

	if (!span_begins(line, "CPU:") || !rec_text_word(&rest, &cpu))
		return false;
	rest = rec_text_skip_blanks(rest);
	if (!span_begins(rest, begins))
		return false;
	rest = rec_text_from(rest, sizeof(begins) - 1);
	if (!rec_text_word(&rest, &word) || !rec_text_decimal(word, &n) ||
	    !rec_text_decimal(rec_text_from(cpu, 4), &number) ||
	    number > INT32_MAX)
		return false;
	rec_text_lost_add(&s->lost, s->to, (uint32_t)number, n);
	return true;
}

/* "# entries-in-buffer/entries-written: 116/120   #P:1" */
static void take_entries(struct ftrace *s, struct span rest)
{
	struct span word, part;
	uint64_t kept, written;
	const uint8_t *slash;

	if (!rec_text_word(&rest, &word))
		return;
	slash = memchr(word.p, '/', word.n);
	if (!slash)
		return;
	part = span_of(word.p, (size_t)(slash - word.p));
	if (rec_text_decimal(part, &kept) &&
	    rec_text_decimal(rec_text_from(word, part.n + 1), &written) &&
	    written > kept)
		s->lost.overwritten = written - kept;
	rest = rec_text_skip_blanks(rest);
	if (span_begins(rest, "#P:")) {
		rest = rec_text_trim(rec_text_from(rest, 3));
		rec_intake_fact(s->to, "cpus", "%.*s", (int)rest.n,
				(const char *)rest.p);
	}
}

static void take_comment(struct ftrace *s, struct span line)
{
	static const char tracer[] = "# tracer: ",
		entries[] = "# entries-in-buffer/entries-written: ";

	if (span_begins(line, tracer)) {
		s->inside = true;
		line = rec_text_trim(rec_text_from(line, sizeof(tracer) - 1));
		rec_intake_fact(s->to, "import.tracer", "%.*s", (int)line.n,
				(const char *)line.p);
	} else if (span_begins(line, entries)) {
		take_entries(s, rec_text_from(line, sizeof(entries) - 1));
	}
}

/* " 0)   0.541 us    |  func();" and what goes with it. */
static bool is_graph(struct span line)
{
	struct span s = rec_text_skip_blanks(line);
	size_t i = 0;

	while (i < s.n && rec_text_digit(s.p[i]))
		i++;
	return (i && i < s.n && s.p[i] == ')') ||
	       span_begins(s, "------------------");
}

/* Before the first row: what the programs that print traces say first. */
static bool is_prelude(struct span line)
{
	static const char *const begins[] = {
		"capturing trace", "TRACE:", "cpus=", "version =", "CPU ",
		"trace.dat", "##### CPU",
	};

	for (size_t i = 0; i < ARRAY_LEN(begins); i++)
		if (span_begins(line, begins[i]))
			return true;
	return false;
}

static int take_line(struct ftrace *s, struct span line, struct err *err)
{
	struct rec_text_trace_line l;

	/* Old pages hold the trace as a string of JavaScript. */
	if (s->page && span_ends(line, "\\n\\"))
		line.n -= 3;
	if (rec_text_trace_line(line, &l)) {
		s->inside = true;
		return take_row(s, &l, line, err);
	}
	if (span_begins(rec_text_skip_blanks(line), "=>"))
		return s->stack ? take_stack_line(s, line, err) : 0;
	if (!rec_text_skip_blanks(line).n || take_loss(s, line) ||
	    is_prelude(line))
		return 0;
	if (line.p[0] == '#') {
		take_comment(s, line);
		return 0;
	}
	if (is_graph(line)) {
		s->functions++;
		return 0;
	}
	if (s->page && rec_text_find(line, "</script>"))
		s->inside = false;
	else if (!s->page || s->inside)
		bad(s, line, "not a line of a trace");
	return 0;
}

static void tell(const struct ftrace *s)
{
	if (s->counted)
		rec_intake_fact(s->to, "note.import_times", "the trace's clock "
				"does not tell seconds: a count stands for "
				"nanoseconds");
	if (s->functions)
		rec_intake_fact(s->to, "note.import_functions", "%" PRIu64
				" lines of the function_graph tracer are left "
				"out", s->functions);
	if (s->stacks)
		rec_intake_fact(s->to, "note.import_stacks", "%" PRIu64
				" stacks are left out: the event that they are "
				"of is too far away", s->stacks);
	rec_text_events_tell(&s->events, s->to);
}

static bool is_page(struct span head)
{
	return span_begins(head, "<!DOCTYPE html") ||
	       span_begins(head, "<!doctype html") ||
	       span_begins(head, "<html");
}

static int read_all(struct ftrace *s, struct err *err)
{
	struct span line;
	int rc;

	while ((rc = rec_text_lines_next(&s->lines, &line, err)) == 0) {
		const char *fault = rec_text_lines_fault(&s->lines);

		if (s->lines.number == 1)
			s->page = is_page(line);
		if (fault && (!s->page || (s->inside && !s->lines.cut)))
			bad(s, line, fault);
		else if (!fault)
			rc = take_line(s, line, err);
		if (rc < 0)
			return rc;
	}
	return rc < 0 ? rc : rec_text_window_flush(&s->rows, s->to, err);
}

static int none(const struct ftrace *s, struct err *err)
{
	if (s->functions)
		return err_set(err, ERR_UNSUPPORTED, "%" PRIu64 " lines of the "
			       "function_graph tracer, which are not imported, "
			       "and no event", s->functions);
	return err_set(err, ERR_FORMAT, "no event in %" PRIu64 " lines",
		       s->lines.number);
}

static int run(struct rec_input *in, struct rec_intake *to,
	       const struct rec_import_options *options, struct err *err)
{
	struct ftrace s = { .to = to };
	struct span head;
	int rc = rec_input_peek(in, PEEK, &head, err);

	(void)options;
	rec_text_lines_init(&s.lines, in);
	if (rc == 0) {
		s.events.chains = rec_text_find(head, "<stack trace");
		s.rows.limit = s.events.chains ? REC_TEXT_WINDOW : 1;
		rc = read_all(&s, err);
	}
	/* What came before a failure of the input is sound. */
	if (rc == ERR_NOMEM || (rc < 0 && !s.n))
		goto out;
	if (!s.n) {
		rc = none(&s, err);
		goto out;
	}
	tell(&s);
	rec_text_lost_end(&s.lost, to);
	rc = rc < 0 ? 1 : rec_text_bad_tell(&s.bad, to, s.time, err);
out:
	rec_text_window_fini(&s.rows);
	rec_text_events_fini(&s.events);
	rec_text_threads_fini(&s.threads);
	rec_text_lines_fini(&s.lines);
	return rc;
}

static bool is_trace_page(struct span head)
{
	return is_page(head) && (rec_text_find(head, "systrace") ||
				 rec_text_find(head, "trace-viewer") ||
				 rec_text_find(head, "trace-data") ||
				 rec_text_find(head, "linuxPerfData") ||
				 rec_text_find(head, "Android System Trace"));
}

static bool is_ftrace(struct span head)
{
	uint8_t utf8[REC_TEXT_HEAD];
	struct rec_text_trace_line l;
	struct span text, line;
	bool cut;

	if (is_trace_page(head))
		return true;
	text = rec_text_head(head, utf8, sizeof(utf8), &cut);
	if (text.n && memchr(text.p, 0, text.n))
		return false;
	while (rec_text_take_line(&text, &line)) {
		if (span_begins(line, "# tracer: "))
			return true;
		if (rec_text_trace_line(line, &l))
			return l.event.n || rec_text_find(l.payload, " <-");
		if (rec_text_skip_blanks(line).n && line.p[0] != '#' &&
		    !span_begins(line, "CPU:") && !is_prelude(line))
			return false;
	}
	return false;
}

const struct rec_importer rec_import_ftrace_text = {
	.name = "ftrace text",
	.summary = "what tracefs shows in trace, also of atrace and systrace",
	.is = is_ftrace,
	.run = run,
};
