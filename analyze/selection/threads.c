/* --pid, --tid, --comm */
#include "analyze/selection/choose.h"
#include "analyze/selection/kinds.h"

#include "format/base/mem.h"

#include <inttypes.h>

static bool is_number(int32_t have, struct span word)
{
	uint64_t number;

	return an_word_number(word, INT32_MAX, &number) &&
	       have == (int32_t)number;
}

/* Behind the threads come series of readings: a process may have readings and
 * no row. NULL: it is a thread. */
static const struct an_series *series_of(const struct an_trace *t, uint32_t i)
{
	size_t n = an_n_threads(t);

	return i < n ? NULL : an_series_of(t, i - (uint32_t)n);
}

static bool is_pid(const struct an_trace *t, uint32_t i, struct span word)
{
	const struct an_series *s = series_of(t, i);

	return s ? an_series_is_pid(t, s, word) :
		   is_number(an_thread_of(t, i)->pid, word);
}

static bool is_tid(const struct an_trace *t, uint32_t i, struct span word)
{
	return is_number(an_thread_of(t, i)->tid, word);
}

static bool is_comm(const struct an_trace *t, uint32_t i, struct span word)
{
	const struct an_series *s = series_of(t, i);

	return s ? an_series_is_comm(t, s, word) :
		   an_word_is(word, an_string(t, an_thread_of(t, i)->comm));
}

static void show_pid(const struct an_trace *t, uint32_t i, struct buf *to)
{
	const struct an_series *s = series_of(t, i);

	if (!s)
		buf_printf(to, "%" PRId32, an_thread_of(t, i)->pid);
	else if (s->pid)
		buf_printf(to, "%" PRId32, s->pid);
}

static void show_tid(const struct an_trace *t, uint32_t i, struct buf *to)
{
	buf_printf(to, "%" PRId32, an_thread_of(t, i)->tid);
}

static void show_comm(const struct an_trace *t, uint32_t i, struct buf *to)
{
	const struct an_series *s = series_of(t, i);

	if (!s)
		buf_printf(to, "%s", an_text(t, an_thread_of(t, i)->comm));
	else if (s->pid)
		buf_printf(to, "%s", an_text(t, s->label));
}

static const struct an_kind by_pid = { "pid", "process", true, is_pid,
				       show_pid };
static const struct an_kind by_tid = { "tid", "thread", true, is_tid,
				       show_tid };
static const struct an_kind by_comm = { "comm", "command", false, is_comm,
					show_comm };

void an_threads_narrow(struct an_selection *sel, const struct an_trace *t,
		       bool *marks)
{
	sel->n_threads = an_n_threads(t);
	an_marks_narrow(&sel->thread, marks, sel->n_threads);
}

static int select_by(struct an_selection *sel, const struct opt_list *l,
		     const struct an_kind *kind, const struct an_trace *t,
		     bool readings, struct err *err)
{
	uint32_t n = (uint32_t)(an_n_threads(t) +
				(readings ? an_n_series(t) : 0));
	bool *marks;
	int rc;

	if (!l->n)
		return 0;
	marks = an_marks_new(n, err);
	if (!marks)
		return ERR_NOMEM;
	rc = an_choose(l, kind, t, n, marks, err);
	an_threads_narrow(sel, t, marks);
	return rc;
}

int an_select_threads(struct an_selection *sel,
		      const struct an_selection_args *args,
		      const struct an_trace *t, struct err *err)
{
	int rc = select_by(sel, &args->pid, &by_pid, t, true, err);

	if (!rc)
		rc = select_by(sel, &args->tid, &by_tid, t, false, err);
	if (!rc)
		rc = select_by(sel, &args->comm, &by_comm, t, true, err);
	return rc;
}
