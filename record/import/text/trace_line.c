#include "record/import/text/trace_line.h"

#include "format/base/mem.h"
#include "record/import/text/scan.h"

/* Of struct trace_entry.flags. */
enum { IRQS_OFF = 1, NEED_RESCHED = 4, HARD_IRQ = 8, SOFT_IRQ = 16 };

/* "( 3214)" and "(-----)" at the end, where they are there. */
static bool take_tgid(struct span *s, struct rec_text_trace_line *l)
{
	const uint8_t *open;
	struct span in;
	uint64_t v;

	l->pid = -1;
	if (!s->n || s->p[s->n - 1] != ')')
		return true;
	open = memrchr(s->p, '(', s->n);
	if (!open)
		return false;
	in = rec_text_trim(span_of(open + 1,
				   s->n - 2 - (size_t)(open - s->p)));
	if (rec_text_decimal(in, &v) && v <= INT32_MAX)
		l->pid = (int32_t)v;
	else if (!span_begins(in, "-"))
		return false;
	*s = rec_text_cut_blanks(span_of(s->p, (size_t)(open - s->p)));
	return true;
}

/* "kworker/2:1-109"; the name may hold anything. */
static bool who(struct span s, struct rec_text_trace_line *l)
{
	size_t i;

	s = rec_text_trim(s);
	if (!take_tgid(&s, l))
		return false;
	for (i = s.n; i && rec_text_digit(s.p[i - 1]); i--)
		;
	if (i < 2 || i == s.n || s.p[i - 1] != '-' ||
	    !rec_text_id(rec_text_from(s, i), &l->tid))
		return false;
	l->comm = span_of(s.p, i - 1);
	return true;
}

/* "505.064394:", or where the clock counts something "12345:". */
static bool take_time(struct span *s, struct rec_text_trace_line *l)
{
	struct span in = *s, word;

	if (!rec_text_word(&in, &word) || word.n < 2 ||
	    word.p[word.n - 1] != ':')
		return false;
	word.n--;
	l->counted = rec_text_decimal(word, &l->time);
	if (!l->counted && !rec_text_seconds(word, &l->time))
		return false;
	*s = in;
	return true;
}

/* "  45us : ", "12us+: ", "3us!: ": since the trace began. */
static bool take_latency(struct span *s, struct rec_text_trace_line *l)
{
	struct span in = rec_text_skip_blanks(*s);
	uint64_t us;
	size_t i = 0;

	while (i < in.n && rec_text_digit(in.p[i]))
		i++;
	if (!rec_text_decimal(span_of(in.p, i), &us) || in.n < i + 3 ||
	    memcmp(in.p + i, "us", 2) != 0 ||
	    ckd_mul(&l->time, us, (uint64_t)1000))
		return false;
	/* A mark of how long it took, or a blank. */
	i += in.p[i + 2] == ':' ? 2 : 3;
	if (i >= in.n || in.p[i] != ':')
		return false;
	*s = rec_text_from(in, i + 1);
	l->counted = false;
	return true;
}

static bool is_word_byte(uint8_t c)
{
	return rec_text_digit(c) || c == '_' ||
	       ((c | 0x20) >= 'a' && (c | 0x20) <= 'z');
}

static bool syscall(struct span in, struct rec_text_trace_line *l)
{
	size_t i = 4;

	if (!span_begins(in, "sys_"))
		return false;
	while (i < in.n && is_word_byte(in.p[i]))
		i++;
	if (i == 4)
		return false;
	if (i < in.n && in.p[i] == '(')
		l->syscall = REC_TEXT_ENTER;
	else if (span_begins(rec_text_from(in, i), " -> "))
		l->syscall = REC_TEXT_EXIT;
	else
		return false;
	l->event = span_of(in.p + 4, i - 4);
	return true;
}

/* Behind the time: "event: payload". */
static void message(struct span s, struct rec_text_trace_line *l)
{
	struct span in = rec_text_skip_blanks(s);
	size_t i = 0;

	while (i < in.n && !rec_text_blank(in.p[i]))
		i++;
	l->event = span_of(in.p, 0);
	l->payload = in;
	l->syscall = REC_TEXT_NO_SYSCALL;
	if (syscall(in, l))
		return;
	if (i < 2 || in.p[i - 1] != ':')
		return;
	l->event.n = i - 1;
	l->payload = rec_text_from(in, i);
	if (l->payload.n)
		l->payload = rec_text_from(l->payload, 1);
}

/* From a "[001]" on that a time follows, with flags before it or not. */
static bool with_cpu(struct span line, struct rec_text_trace_line *l)
{
	for (size_t i = 0; i < line.n; i++) {
		const uint8_t *open = memchr(line.p + i, '[', line.n - i);
		struct span rest, flags;
		uint64_t cpu;
		size_t end;

		if (!open)
			return false;
		end = i = (size_t)(open - line.p) + 1;
		while (end < line.n && rec_text_digit(line.p[end]))
			end++;
		if (end + 1 >= line.n || line.p[end] != ']' ||
		    !rec_text_decimal(span_of(line.p + i, end - i), &cpu) ||
		    cpu > INT32_MAX || !who(span_of(line.p, i - 1), l))
			continue;
		rest = rec_text_from(line, end + 1);
		l->cpu = (uint32_t)cpu;
		l->flags = span_of(rest.p, 0);
		if (!take_time(&rest, l)) {
			if (!rec_text_word(&rest, &flags) ||
			    !take_time(&rest, l))
				continue;
			l->flags = flags;
		}
		message(rest, l);
		return true;
	}
	return false;
}

/* "bash-1234    3d..2.   12us+: event: payload" */
static bool latency(struct span line, struct rec_text_trace_line *l)
{
	struct span rest = line, word;

	for (unsigned words = 0; words < 8; words++) {
		struct span behind;
		uint64_t cpu;
		size_t i = 0;

		if (!rec_text_word(&rest, &word))
			return false;
		while (i < word.n && rec_text_digit(word.p[i]))
			i++;
		behind = rest;
		if (!words || !rec_text_decimal(span_of(word.p, i), &cpu) ||
		    cpu > INT32_MAX ||
		    !(take_latency(&behind, l) || take_time(&behind, l)) ||
		    !who(span_of(line.p, (size_t)(word.p - line.p)), l))
			continue;
		l->cpu = (uint32_t)cpu;
		l->flags = rec_text_from(word, i);
		message(behind, l);
		return true;
	}
	return false;
}

bool rec_text_trace_line(struct span line, struct rec_text_trace_line *out)
{
	struct rec_text_trace_line l = { 0 };

	if (!with_cpu(line, &l) && !latency(line, &l))
		return false;
	*out = l;
	return true;
}

/* The first four letters have had the same meaning in every kernel; what came
 * later stands behind them. */
void rec_text_trace_flags(struct span flags, uint8_t *common, uint8_t *preempt)
{
	unsigned depth;

	*common = *preempt = 0;
	if (flags.n < 4)
		return;
	if (strchr("dD", flags.p[0]))
		*common |= IRQS_OFF;
	if (strchr("NnBb", flags.p[1]))
		*common |= NEED_RESCHED;
	if (strchr("hHzZ", flags.p[2]))
		*common |= HARD_IRQ;
	if (strchr("sH", flags.p[2]))
		*common |= SOFT_IRQ;
	depth = rec_text_hex_digit(flags.p[3]);
	if (depth < 16)
		*preempt = (uint8_t)depth;
}
