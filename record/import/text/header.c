#include "record/import/text/header.h"

#include "record/import/text/scan.h"

/* perf prints a period in as many columns, right-aligned, and ids in five. */
#define PERIOD_WIDTH 10

/* A thread's id as it is printed has no more. */
#define ID_DIGITS 9

/* "123/456", "456". */
static bool take_ids(struct span word, struct rec_text_header *h)
{
	const uint8_t *slash = memchr(word.p, '/', word.n);

	h->has_pid = false;
	if (!slash) {
		h->has_tid = rec_text_id(word, &h->tid);
		return h->has_tid;
	}
	h->has_tid = h->has_pid =
		rec_text_id(span_of(word.p, (size_t)(slash - word.p)),
			    &h->pid) &&
		rec_text_id(rec_text_from(word, (size_t)(slash - word.p) + 1),
			    &h->tid);
	return h->has_tid;
}

static bool take_cpu(struct span word, struct rec_text_header *h)
{
	uint64_t cpu;

	if (word.n < 3 || word.p[0] != '[' || word.p[word.n - 1] != ']' ||
	    !rec_text_decimal(span_of(word.p + 1, word.n - 2), &cpu) ||
	    cpu > INT32_MAX)
		return false;
	h->cpu = (uint32_t)cpu;
	h->has_cpu = true;
	return true;
}

/* K, U, H, G, g, P, M, E, S …: of perf script -F misc. */
static bool is_misc(struct span word)
{
	if (word.n > 5)
		return false;
	for (size_t i = 0; i < word.n; i++)
		if (!strchr("KUHGgPMESDp", word.p[i]))
			return false;
	return true;
}

/* What stands before the time: "comm", ids, "[cpu]", misc. From the right, as
 * the name of a thread may hold anything. `bare`: it may be there without
 * ids. */
static bool who(struct span s, struct rec_text_header *h)
{
	struct span word, before = s;

	h->has_cpu = false;
	if (!rec_text_last_word(&before, &word))
		return false;
	if (is_misc(word)) {
		struct span further = before, next;

		if (rec_text_last_word(&further, &next) &&
		    (take_cpu(next, h) || take_ids(next, h))) {
			before = further;
			word = next;
			h->has_cpu = false;
		}
	}
	if (take_cpu(word, h) && !rec_text_last_word(&before, &word))
		return false;
	if (!take_ids(word, h))
		return false;
	h->comm = rec_text_trim(before);
	return true;
}

/* The name up to a ':' that a blank or the end follows. A blank in the name is
 * one only where nothing follows it. */
static bool take_event(struct span *s, struct span *event)
{
	struct span in = rec_text_skip_blanks(*s);
	bool blank = false;

	for (size_t i = 0; i < in.n; i++) {
		if (rec_text_blank(in.p[i]))
			blank = true;
		if (in.p[i] != ':' ||
		    (i + 1 < in.n && !rec_text_blank(in.p[i + 1])))
			continue;
		if (!i || (blank &&
			   rec_text_skip_blanks(rec_text_from(in, i + 1)).n))
			return false;
		*event = span_of(in.p, i);
		*s = rec_text_from(in, i + 1);
		return true;
	}
	return false;
}

/* "   2654110 cycles:u: rest", each of it there or not. */
static void behind_time(struct span s, struct rec_text_header *h)
{
	struct span after = s, word;

	if (rec_text_word(&after, &word) &&
	    rec_text_decimal(word, &h->period)) {
		struct span next = after, event;

		/* A lone number may be an address; one before a name is not. */
		if (take_event(&next, &event) || !rec_text_trim(after).n) {
			h->has_period = true;
			s = after;
		}
	}
	(void)take_event(&s, &h->event);
	h->rest = s;
}

/* The next "12.345678:" with a blank before it and behind it. */
static bool find_time(struct span line, size_t *from, size_t *at, uint64_t *ns)
{
	for (size_t i = *from; i < line.n; i++) {
		const uint8_t *colon = memchr(line.p + i, ':', line.n - i);
		size_t end, begin;

		if (!colon)
			return false;
		end = begin = i = (size_t)(colon - line.p);
		if (end + 1 < line.n && !rec_text_blank(line.p[end + 1]))
			continue;
		while (begin && (rec_text_digit(line.p[begin - 1]) ||
				 line.p[begin - 1] == '.'))
			begin--;
		if (begin && !rec_text_blank(line.p[begin - 1]))
			continue;
		if (!rec_text_seconds(span_of(line.p + begin, end - begin), ns))
			continue;
		*at = begin;
		*from = end + 1;
		return true;
	}
	return false;
}

static bool with_time(struct span line, struct rec_text_header *h)
{
	size_t from = 0, at;

	while (find_time(line, &from, &at, &h->time)) {
		if (!who(span_of(line.p, at), h))
			continue;
		h->has_time = true;
		behind_time(rec_text_from(line, from), h);
		return true;
	}
	return false;
}

/* "comm-12", "comm-12 [001] d..2", which is ftrace's, or an id that is none. */
static bool is_traced(struct span comm)
{
	size_t i = comm.n;

	while (i && rec_text_digit(comm.p[i - 1]))
		i--;
	return memchr(comm.p, '[', comm.n) ||
	       (i && i < comm.n && (comm.p[i - 1] == '-' ||
				    rec_text_blank(comm.p[i - 1])));
}

/* "comm [cpu] time: event:" of perf script -F comm,time,event: only where there
 * is an event to believe it by. */
static bool without_ids(struct span line, struct rec_text_header *h)
{
	size_t from = 0, at;
	struct span before, word, rest;

	if (!find_time(line, &from, &at, &h->time))
		return false;
	before = span_of(line.p, at);
	rest = before;
	if (rec_text_last_word(&rest, &word) && take_cpu(word, h))
		before = rest;
	h->comm = rec_text_trim(before);
	h->has_time = true;
	behind_time(rec_text_from(line, from), h);
	return h->comm.n && h->event.n && !is_traced(h->comm);
}

/* Takes a period from the end where the printed columns say that it is one, and
 * no thread's id. */
static void take_period(struct span *s, struct rec_text_header *h)
{
	struct span before = rec_text_cut_blanks(*s), word, ids = { 0 };
	size_t pad = 0;

	if (!rec_text_last_word(&before, &word) ||
	    !rec_text_decimal(word, &h->period))
		return;
	for (size_t i = before.n; i && before.p[i - 1] == ' '; i--)
		pad++;
	before = rec_text_cut_blanks(before);
	if (!rec_text_last_word(&before, &ids))
		return;
	if (word.n <= ID_DIGITS && pad + word.n != PERIOD_WIDTH + 1)
		return;
	h->has_period = true;
	*s = span_of(s->p, (size_t)(ids.p + ids.n - s->p));
}

/* A name of an event that is no number, up to a ':' and a blank. */
static bool find_event(struct span line, size_t *from, size_t *at)
{
	for (size_t i = *from; i < line.n; i++) {
		const uint8_t *colon = memchr(line.p + i, ':', line.n - i);
		size_t begin;

		if (!colon)
			return false;
		i = (size_t)(colon - line.p);
		if (i + 1 < line.n && !rec_text_blank(line.p[i + 1]))
			continue;
		for (begin = i; begin && !rec_text_blank(line.p[begin - 1]);
		     begin--)
			;
		if (begin == i || !begin || rec_text_digit(line.p[begin]))
			continue;
		*at = begin;
		*from = i + 1;
		return true;
	}
	return false;
}

static bool without_time(struct span line, struct rec_text_header *h)
{
	size_t from = 0, at;

	while (find_event(line, &from, &at)) {
		struct span before = span_of(line.p, at);

		h->has_period = false;
		take_period(&before, h);
		if (!who(before, h) || !h->comm.n)
			continue;
		h->event = span_of(line.p + at, from - at - 1);
		h->rest = rec_text_from(line, from);
		return true;
	}
	return false;
}

bool rec_text_header(struct span line, bool lax, struct rec_text_header *out)
{
	struct rec_text_header h = { 0 };

	if (!with_time(line, &h)) {
		h = (struct rec_text_header){ 0 };
		if (!lax)
			return false;
		if (!without_ids(line, &h)) {
			h = (struct rec_text_header){ 0 };
			if (!without_time(line, &h))
				return false;
		}
	}
	if (!h.has_tid)
		h.tid = -1;
	if (!h.has_pid)
		h.pid = h.tid;
	if (!h.has_period)
		h.period = 1;
	*out = h;
	return true;
}
