#include "analyze/selection.h"

#include "analyze/samples.h"
#include "analyze/trace.h"

#include "format/base/buf.h"
#include "format/base/mem.h"
#include "format/base/time.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define MAX_CPU 65535u
#define MAX_SHOWN 12 /* of what there is instead */

struct maker {
	struct an_selection *sel;
	const struct an_trace *t;
	struct err *err;
};

/* Calls `each` for the words of all values, which commas part. */
static int each_word(const struct opt_list *l,
		     int (*each)(struct maker *m, struct span word, void *ctx),
		     struct maker *m, void *ctx)
{
	int rc = 0;

	for (size_t i = 0; i < l->n; i++) {
		const char *at = l->items[i];

		while (!rc) {
			size_t n = strcspn(at, ",");

			rc = each(m, span_of(at, n), ctx);
			if (!at[n])
				break;
			at += n + 1;
		}
	}
	return rc;
}

static bool is_text(struct span a, const char *b, size_t n)
{
	return a.n == n && memcmp(a.p, b, n) == 0;
}

/* Threads by one of their fields. */
struct thread_field {
	const char *option, *what;
	bool (*is)(const struct an_trace *t, const struct an_thread *th,
		   struct span word, int32_t number);
	bool number;
	void (*show)(const struct an_trace *t, const struct an_thread *th,
		     struct buf *to);
};

static bool is_pid(const struct an_trace *t, const struct an_thread *th,
		   struct span word, int32_t number)
{
	(void)t;
	(void)word;
	return th->pid == number;
}

static bool is_tid(const struct an_trace *t, const struct an_thread *th,
		   struct span word, int32_t number)
{
	(void)t;
	(void)word;
	return th->tid == number;
}

static bool is_comm(const struct an_trace *t, const struct an_thread *th,
		    struct span word, int32_t number)
{
	(void)number;
	return is_text(an_string(t, th->comm), (const char *)word.p, word.n);
}

static void show_pid(const struct an_trace *t, const struct an_thread *th,
		     struct buf *to)
{
	(void)t;
	buf_printf(to, "%" PRId32, th->pid);
}

static void show_tid(const struct an_trace *t, const struct an_thread *th,
		     struct buf *to)
{
	(void)t;
	buf_printf(to, "%" PRId32, th->tid);
}

static void show_comm(const struct an_trace *t, const struct an_thread *th,
		      struct buf *to)
{
	buf_printf(to, "%s", an_text(t, th->comm));
}

static const struct thread_field by_pid = { "pid", "process", is_pid, true,
					    show_pid };
static const struct thread_field by_tid = { "tid", "thread", is_tid, true,
					    show_tid };
static const struct thread_field by_comm = { "comm", "command", is_comm, false,
					     show_comm };

/* A list of what there is, for a message. */
static void add_known(struct buf *list, size_t *n, struct buf *one)
{
	bool is_new = !buf_failed(one) && one->n && *n < MAX_SHOWN;

	buf_u8(one, 0);
	for (size_t at = 0; is_new && at < list->n;) {
		const char *have = (const char *)list->p + at;

		is_new = strcmp(have, (const char *)one->p) != 0;
		at += strlen(have) + 1;
	}
	if (is_new && !buf_failed(one)) {
		buf_put(list, one->p, one->n);
		++*n;
	}
	buf_clear(one);
}

static int no_such(struct maker *m, const char *what, struct span word,
		   struct buf *list, size_t n)
{
	bool damaged = an_trace_damage(m->t);
	int rc;

	for (size_t i = 0; i + 1 < list->n; i++)
		if (!list->p[i])
			list->p[i] = ' ';
	/* What was damaged may have defined it. */
	rc = err_set(m->err, damaged ? ERR_FORMAT : ERR_USAGE,
		     "no %s '%.*s' in %s%s%s%s", what, (int)word.n,
		     (const char *)word.p,
		     damaged ? "what is left of this damaged trace" :
			       "this trace",
		     list->n ? " (there is: " : "",
		     list->n ? (const char *)list->p : "",
		     !list->n ? "" : n < MAX_SHOWN ? ")" : " …)");
	buf_fini(list);
	return rc;
}

static int no_such_thread(struct maker *m, const struct thread_field *f,
			  struct span word)
{
	struct buf list, one;
	size_t n = 0;

	buf_init(&list, 0);
	buf_init(&one, 0);
	for (uint32_t i = 0; i < an_n_threads(m->t) && n < MAX_SHOWN; i++) {
		f->show(m->t, an_thread_of(m->t, i), &one);
		add_known(&list, &n, &one);
	}
	buf_fini(&one);
	return no_such(m, f->what, word, &list, n);
}

static bool parse_number(struct span word, uint64_t max, uint64_t *out)
{
	uint64_t v = 0;

	for (size_t i = 0; i < word.n; i++) {
		if (word.p[i] < '0' || word.p[i] > '9' ||
		    ckd_mul(&v, v, (uint64_t)10) ||
		    ckd_add(&v, v, (uint64_t)(word.p[i] - '0')) || v > max)
			return false;
	}
	*out = v;
	return word.n > 0;
}

struct thread_mark {
	const struct thread_field *field;
	bool *marks;
};

static int mark_threads(struct maker *m, struct span word, void *ctx)
{
	const struct thread_mark *mark = ctx;
	const struct thread_field *f = mark->field;
	uint64_t number = 0;
	bool any = false;

	if (f->number && !parse_number(word, INT32_MAX, &number))
		return err_set(m->err, ERR_USAGE,
			       "option '--%s': '%.*s' is not a number",
			       f->option, (int)word.n, (const char *)word.p);
	for (uint32_t i = 0; i < an_n_threads(m->t); i++)
		if (f->is(m->t, an_thread_of(m->t, i), word,
			  (int32_t)number)) {
			mark->marks[i] = true;
			any = true;
		}
	return any ? 0 : no_such_thread(m, f, word);
}

/* A further field narrows what the ones before it left. */
static int select_threads(struct maker *m, const struct opt_list *l,
			  const struct thread_field *f)
{
	struct an_selection *sel = m->sel;
	struct thread_mark mark = { .field = f };
	int rc;

	if (!l->n)
		return 0;
	sel->n_threads = an_n_threads(m->t);
	mark.marks = calloc(sel->n_threads + 1, sizeof(bool));
	if (!mark.marks)
		return err_nomem(m->err);
	rc = each_word(l, mark_threads, m, &mark);
	for (size_t i = 0; sel->thread && i < sel->n_threads; i++)
		mark.marks[i] &= sel->thread[i];
	free(sel->thread);
	sel->thread = mark.marks;
	return rc;
}

/* "cpu-clock:u" is found as "cpu-clock" too, "sched:sched_switch" is not found
 * as "sched". */
static bool is_event(struct span name, struct span word)
{
	static const char modifiers[] = "ukhGHpPISDWe";

	if (is_text(name, (const char *)word.p, word.n))
		return true;
	while (name.n && memchr(modifiers, name.p[name.n - 1],
				sizeof(modifiers) - 1))
		name.n--;
	return name.n && name.p[name.n - 1] == ':' &&
	       is_text(span_of(name.p, name.n - 1), (const char *)word.p,
		       word.n);
}

static bool mark_event(struct maker *m, struct span word)
{
	bool any = false;

	for (uint32_t i = 0; i < an_n_events(m->t); i++)
		if (is_event(an_string(m->t, an_event_of(m->t, i)->name),
			     word))
			any = m->sel->event[i] = true;
	return any;
}

static int mark_event_word(struct maker *m, struct span word, void *ctx)
{
	struct buf list, one;
	size_t n = 0;

	(void)ctx;
	if (mark_event(m, word))
		return 0;
	buf_init(&list, 0);
	buf_init(&one, 0);
	for (uint32_t i = 0; i < an_n_events(m->t) && n < MAX_SHOWN; i++) {
		buf_printf(&one, "%s",
			   an_text(m->t, an_event_of(m->t, i)->name));
		add_known(&list, &n, &one);
	}
	buf_fini(&one);
	return no_such(m, "event", word, &list, n);
}

/* A name may hold commas itself: "cpu/event=0x3c,umask=0/". */
static int select_events(struct maker *m, const struct opt_list *l)
{
	int rc = 0;

	if (!l->n)
		return 0;
	m->sel->n_events = an_n_events(m->t);
	m->sel->event = calloc(m->sel->n_events + 1, sizeof(bool));
	if (!m->sel->event)
		return err_nomem(m->err);
	for (size_t i = 0; i < l->n && !rc; i++) {
		struct opt_list one = { .items = l->items + i, .n = 1 };

		if (!mark_event(m, span_of(l->items[i], strlen(l->items[i]))))
			rc = each_word(&one, mark_event_word, m, NULL);
	}
	return rc;
}

/* "3" or "0-2". */
static int mark_cpus(struct maker *m, struct span word, void *ctx)
{
	const uint8_t *dash = memchr(word.p, '-', word.n);
	struct span first = word, last = word;
	uint64_t from, to;

	(void)ctx;
	if (dash) {
		first.n = (size_t)(dash - word.p);
		last = span_of(dash + 1, word.n - first.n - 1);
	}
	if (!parse_number(first, MAX_CPU, &from) ||
	    !parse_number(last, MAX_CPU, &to) || from > to)
		return err_set(m->err, ERR_USAGE, "option '--cpu': '%.*s' is "
			       "no CPU or range (such as 0 or 0-3)",
			       (int)word.n, (const char *)word.p);
	for (uint64_t c = from; c <= to; c++)
		m->sel->cpu_bits[c / 64] |= (uint64_t)1 << (c % 64);
	return 0;
}

static int select_cpus(struct maker *m, const struct opt_list *l)
{
	if (!l->n)
		return 0;
	m->sel->n_cpu_words = (MAX_CPU + 1) / 64;
	m->sel->cpu_bits = calloc(m->sel->n_cpu_words, sizeof(uint64_t));
	if (!m->sel->cpu_bits)
		return err_nomem(m->err);
	return each_word(l, mark_cpus, m, NULL);
}

/* A moment: "@S" of the clock, "-T" before the end, "P%" or "T" behind the
 * start. */
static bool parse_moment(char *text, uint64_t start, uint64_t end,
			 uint64_t *out)
{
	size_t n = strlen(text);
	uint64_t ns;
	char *rest;
	double share;

	if (n && text[n - 1] == '%') {
		errno = 0;
		share = strtod(text, &rest);
		if (errno || rest != text + n - 1 || !(share >= 0) ||
		    share > 100)
			return false;
		*out = start + (uint64_t)((double)(end - start) / 100 * share);
		return true;
	}
	if (text[0] == '@')
		return time_parse(text + 1, NSEC_PER_SEC, out);
	if (text[0] == '-') {
		if (!time_parse(text + 1, NSEC_PER_SEC, &ns))
			return false;
		*out = ns < end ? end - ns : 0;
		return true;
	}
	return time_parse(text, NSEC_PER_SEC, &ns) &&
	       !ckd_add(out, start, ns);
}

static int bad_time(struct maker *m, const char *text)
{
	return err_set(m->err, ERR_USAGE, "option '--time': '%s' is not A,B "
		       "(such as 1.5s,2s or 10%%,20%% or -2s, or @12.5,)",
		       text);
}

static int select_time(struct maker *m, const char *text)
{
	uint64_t start, end;
	char *copy, *comma;
	bool ok;
	int rc;

	if (!text)
		return 0;
	rc = an_samples_bounds(m->t, &start, &end, m->err);
	if (rc < 0)
		return rc;
	if (rc)
		start = end = 0;
	copy = strdup(text);
	if (!copy)
		return err_nomem(m->err);
	comma = strchr(copy, ',');
	ok = comma != NULL;
	if (ok) {
		*comma = 0;
		ok = (!*copy ||
		      parse_moment(copy, start, end, &m->sel->t_min)) &&
		     (!comma[1] ||
		      parse_moment(comma + 1, start, end, &m->sel->t_max));
	}
	free(copy);
	if (!ok)
		return bad_time(m, text);
	if (m->sel->t_min > m->sel->t_max)
		return err_set(m->err, ERR_USAGE,
			       "option '--time': '%s' ends before it begins",
			       text);
	return 0;
}

int an_selection_make(struct an_selection *out,
		      const struct an_selection_args *args,
		      const struct an_trace *t, struct err *err)
{
	struct an_selection sel = { .t_max = UINT64_MAX };
	struct maker m = { &sel, t, err };
	int rc = select_time(&m, args->time);

	if (!rc)
		rc = select_threads(&m, &args->pid, &by_pid);
	if (!rc)
		rc = select_threads(&m, &args->tid, &by_tid);
	if (!rc)
		rc = select_threads(&m, &args->comm, &by_comm);
	if (!rc)
		rc = select_events(&m, &args->event);
	if (!rc)
		rc = select_cpus(&m, &args->cpu);
	if (rc) {
		an_selection_fini(&sel);
		return rc;
	}
	sel.any = args->time || args->pid.n || args->tid.n || args->comm.n ||
		  args->event.n || args->cpu.n;
	*out = sel;
	return 0;
}

void an_selection_fini(struct an_selection *s)
{
	free(s->thread);
	free(s->event);
	free(s->cpu_bits);
	*s = (struct an_selection){ 0 };
}
