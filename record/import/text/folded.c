/* Folded stacks: a stack a line, and how often it was there. */
#include "format/base/mem.h"
#include "record/import/importer.h"
#include "record/import/text/bad.h"
#include "record/import/text/events.h"
#include "record/import/text/folded_line.h"
#include "record/import/text/lines.h"
#include "record/import/text/sample.h"
#include "record/import/text/scan.h"

#include <inttypes.h>

struct folded {
	struct rec_intake *to;
	struct rec_text_lines lines;
	struct rec_text_bad bad;
	struct rec_text_events events;
	struct rec_text_sample row;
	struct intern roots;   /* a thread each */
	unsigned columns;      /* of counts: 1 or 2 */
	unsigned decimals;     /* weights are counts times ten to this */
	uint64_t n;
};

/* What the whole text is like, which takes a walk of its own. */
struct survey {
	uint64_t n, two;       /* lines with a count, and with two */
	unsigned decimals;
	uint64_t greatest;     /* whole part of a count */
};

static void survey_count(struct survey *v, const struct rec_text_count *c)
{
	uint64_t whole = c->digits;

	for (unsigned i = 0; i < c->decimals; i++)
		whole /= 10;
	if (c->decimals > v->decimals)
		v->decimals = c->decimals;
	if (whole > v->greatest)
		v->greatest = whole;
}

static int survey(struct survey *v, struct rec_text_lines *lines,
		  struct err *err)
{
	struct rec_text_folded f;
	struct span line;
	int rc;

	while ((rc = rec_text_lines_next(lines, &line, err)) == 0) {
		if (rec_text_lines_fault(lines) ||
		    !rec_text_folded(line, 1, &f))
			continue;
		v->n++;
		survey_count(v, &f.counts[0]);
		if (!rec_text_folded(line, 2, &f))
			continue;
		v->two++;
		survey_count(v, &f.counts[0]);
	}
	return rc < 0 ? rc : 0;
}

/* As many decimals as the greatest count has room for. */
static unsigned decimals_of(const struct survey *v)
{
	uint64_t greatest = v->greatest;
	unsigned n = 0;

	if (ckd_add(&greatest, greatest, (uint64_t)1))
		return 0;
	while (n < v->decimals && !ckd_mul(&greatest, greatest, (uint64_t)10))
		n++;
	return n;
}

static bool weigh(const struct folded *s, const struct rec_text_count *c,
		  uint64_t *out)
{
	struct rec_text_count cut = *c;

	for (; cut.decimals > s->decimals; cut.decimals--)
		cut.digits /= 10;
	return rec_text_count_scale(&cut, s->decimals, out);
}

/* The root of a stack is what folds it by: its thread's name. */
static int take_root(struct folded *s, struct span *stack, struct rec_ids *ids,
		     struct err *err)
{
	const uint8_t *semi = memchr(stack->p, ';', stack->n);
	struct span root = *stack;
	uint32_t id;
	bool fresh;

	if (semi)
		root.n = (size_t)(semi - root.p);
	*stack = semi ? rec_text_from(*stack, root.n + 1) :
			span_of(stack->p, 0);
	if (!intern_put(&s->roots, root.p, root.n, &id, &fresh))
		return err_nomem(err);
	if (id >= INT32_MAX)
		return err_set(err, ERR_LIMIT, "too many different roots");
	ids->pid = ids->tid = (int32_t)id + 1;
	if (!fresh || !root.n)
		return 0;
	return rec_intake_comm(s->to, ids->pid, ids->tid, root, err);
}

static int take_stack(struct folded *s, struct span stack, struct err *err)
{
	struct rec_text_frame f;
	int rc = 0;

	while (rc == 0 && stack.n) {
		rec_text_folded_frame(&stack, &f);
		rc = rec_text_sample_frame(&s->row, &f, err);
	}
	return rc;
}

static int take_count(struct folded *s, struct span stack,
		      struct rec_record *r, const char *name, struct err *err)
{
	struct rec_text_event *event;
	size_t index;
	int rc = rec_text_events_named(&s->events,
				       span_of(name, strlen(name)), &event,
				       err);

	if (rc == 0)
		rc = rec_text_events_plain(&s->events, s->to, event, &index,
					   err);
	if (rc)
		return rc;
	rc = rec_text_sample_begin(&s->row, index, r, err);
	if (rc == 0)
		rc = take_stack(s, stack, err);
	if (rc < 0)
		return rc;
	if (rc == 1)
		rec_text_bad_add(&s->bad, s->lines.number, stack,
				 "frames beyond the limit are left out");
	return rec_text_sample_flush(&s->row, s->to, err);
}

static int take_line(struct folded *s, struct span line, struct err *err)
{
	static const char *const names[][2] = { { "folded", NULL },
						{ "before", "after" } };
	struct rec_record r = { .type = PERF_RECORD_SAMPLE,
				.ids.time = s->lines.number };
	struct rec_text_folded f;
	int rc;

	if (!rec_text_skip_blanks(line).n)
		return 0;
	if (!rec_text_folded(line, s->columns, &f)) {
		rec_text_bad_add(&s->bad, s->lines.number, line,
				 s->columns == 2 ? "it does not end with two "
				 "counts" : "it does not end with a count");
		return 0;
	}
	rc = take_root(s, &f.stack, &r.ids, err);
	for (unsigned i = 0; i < s->columns && rc == 0; i++) {
		if (!weigh(s, &f.counts[i], &r.sample.period)) {
			rec_text_bad_add(&s->bad, s->lines.number, line,
					 "its count is too great");
			continue;
		}
		/* Nothing on this side of a comparison. */
		if (s->columns == 2 && !r.sample.period)
			continue;
		rc = take_count(s, f.stack, &r, names[s->columns - 1][i], err);
		s->n++;
	}
	return rc;
}

static void tell(const struct folded *s, const struct survey *v)
{
	uint64_t scale = 1;

	for (unsigned i = 0; i < s->decimals; i++)
		scale *= 10;
	rec_intake_fact(s->to, "import.lacks", "times cpus pids");
	rec_intake_fact(s->to, "clock", "none");
	rec_intake_fact(s->to, "note.import_rows", "folded text has no times, "
			"CPUs or processes: a row is a line, its time the "
			"line's number, its period the line's count, and its "
			"thread the root of the stack");
	if (s->decimals)
		rec_intake_fact(s->to, "note.import_scale", "some counts have "
				"decimals: periods are counts times %" PRIu64,
				scale);
	if (s->decimals < v->decimals)
		rec_intake_fact(s->to, "note.import_cut", "some counts have "
				"more decimals than fit; they are cut");
}

static int walk(struct folded *s, struct err *err)
{
	struct span line;
	int rc;

	while ((rc = rec_text_lines_next(&s->lines, &line, err)) == 0) {
		const char *fault = rec_text_lines_fault(&s->lines);

		if (fault)
			rec_text_bad_add(&s->bad, s->lines.number, line,
					 fault);
		else
			rc = take_line(s, line, err);
		if (rc < 0)
			return rc;
	}
	return rc < 0 ? rc : 0;
}

static int import(struct folded *s, int fd, struct err *err)
{
	struct survey v = { 0 };
	int rc;

	rec_text_lines_of_file(&s->lines, fd);
	rc = survey(&v, &s->lines, err);
	if (rc < 0)
		return rc;
	if (!v.n)
		return err_set(err, ERR_FORMAT, "no line of %" PRIu64 " ends "
			       "with a count within %zu bytes",
			       s->lines.number, REC_TEXT_LINE_MAX);
	s->columns = v.two == v.n ? 2 : 1;
	s->decimals = decimals_of(&v);
	rec_text_lines_fini(&s->lines);
	rec_text_lines_of_file(&s->lines, fd);
	rc = walk(s, err);
	if (rc < 0)
		return rc;
	if (!s->n)
		return err_set(err, ERR_FORMAT, "all counts are zero");
	tell(s, &v);
	return rec_text_bad_tell(&s->bad, s->to, 0, err);
}

static int run(struct rec_input *in, struct rec_intake *to,
	       const struct rec_import_options *options, struct err *err)
{
	struct folded s = { .to = to, .events.chains = true };
	uint64_t size;
	int fd, rc;

	(void)options;
	rec_text_lines_of_file(&s.lines, -1);
	rc = rec_input_file(in, &fd, &size, err);
	if (rc >= 0)
		rc = import(&s, fd, err);
	rec_text_sample_fini(&s.row);
	rec_text_events_fini(&s.events);
	rec_text_lines_fini(&s.lines);
	intern_fini(&s.roots);
	return rc;
}

/* Frames with nothing between them and the ';' before: a ';' of prose has a
 * blank behind it. */
static bool is_deep(struct span stack)
{
	for (size_t i = 0; i + 1 < stack.n; i++)
		if (stack.p[i] == ';' && !strchr(" \t;", stack.p[i + 1]))
			return true;
	return false;
}

/* A stack of thousands of frames is more than is looked at. Data of other kinds
 * that is one long line begins otherwise: JSON, HTML. */
static bool is_long_stack(struct span line)
{
	return line.n && !memchr("{[<", line.p[0], 3) && is_deep(line);
}

/* Any text may end its lines with numbers, so that there must be stacks of
 * several frames, too, and no more lines without a count than with one. */
static bool is_folded(struct span head)
{
	uint8_t utf8[REC_TEXT_HEAD];
	struct rec_text_folded f;
	struct span text, line;
	size_t good = 0, other = 0, deep = 0;
	bool cut;

	text = rec_text_head(head, utf8, sizeof(utf8), &cut);
	if (text.n && memchr(text.p, 0, text.n))
		return false;
	while (rec_text_take_line(&text, &line)) {
		bool part = cut && !text.n;

		if (part && !good && !other)
			return is_long_stack(line);
		if ((part && good) || !rec_text_skip_blanks(line).n)
			continue;
		if (rec_text_folded(line, 1, &f)) {
			good++;
			deep += is_deep(f.stack);
		} else {
			other++;
		}
	}
	return deep && good >= other;
}

const struct rec_importer rec_import_folded = {
	.name = "folded stacks",
	.summary = "stacks as one line each, for flame graph tools",
	.is = is_folded,
	.run = run,
};
