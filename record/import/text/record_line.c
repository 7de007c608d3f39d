#include "record/import/text/record_line.h"

#include "record/import/text/scan.h"

#include <linux/perf_event.h>

static const char name[] = "PERF_RECORD_";

bool rec_text_is_record(const struct rec_text_header *h)
{
	return span_begins(h->event, name) ||
	       span_begins(rec_text_skip_blanks(h->rest), name);
}

/* Takes a word that is expected; false: another one comes. */
static bool take(struct span *s, const char *want)
{
	struct span rest = *s, word;

	if (!rec_text_word(&rest, &word) || !span_is(word, want))
		return false;
	*s = rest;
	return true;
}

static bool lost(struct span s, struct rec_record *out)
{
	struct span word;

	out->type = PERF_RECORD_LOST;
	return take(&s, "lost") && rec_text_word(&s, &word) &&
	       rec_text_decimal(word, &out->lost.count);
}

/* "OUT preempt  next pid/tid:  6126/6126"; of one task only "OUT" and "IN". */
static bool cswitch(struct span s, bool wide, struct rec_record *out)
{
	struct rec_switch *w = &out->cswitch;
	const uint8_t *slash;
	struct span word;

	*w = (struct rec_switch){ .other_pid = -1, .other_tid = -1 };
	out->type = wide ? PERF_RECORD_SWITCH_CPU_WIDE : PERF_RECORD_SWITCH;
	w->out = take(&s, "OUT");
	if (!w->out && !take(&s, "IN"))
		return false;
	w->preempt = take(&s, "preempt");
	out->misc = (uint16_t)((w->out ? PERF_RECORD_MISC_SWITCH_OUT : 0) |
			       (w->preempt ? PERF_RECORD_MISC_SWITCH_OUT_PREEMPT :
					     0));
	if (!wide)
		return true;
	if ((!take(&s, "next") && !take(&s, "prev")) || !take(&s, "pid/tid:") ||
	    !rec_text_word(&s, &word))
		return false;
	slash = memchr(word.p, '/', word.n);
	return slash &&
	       rec_text_id(span_of(word.p, (size_t)(slash - word.p)),
			   &w->other_pid) &&
	       rec_text_id(rec_text_from(word, (size_t)(slash - word.p) + 1),
			   &w->other_tid);
}

bool rec_text_record(struct span line, struct rec_record *out)
{
	const uint8_t *at = rec_text_find(line, name);
	struct span s, kind;

	*out = (struct rec_record){ 0 };
	if (!at)
		return false;
	s = rec_text_from(line, (size_t)(at - line.p));
	if (!rec_text_word(&s, &kind))
		return false;
	if (span_is(kind, "PERF_RECORD_LOST"))
		return lost(s, out);
	if (span_is(kind, "PERF_RECORD_SWITCH_CPU_WIDE"))
		return cswitch(s, true, out);
	return span_is(kind, "PERF_RECORD_SWITCH") && cswitch(s, false, out);
}
