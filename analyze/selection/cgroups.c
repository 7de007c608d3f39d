/* --cgroup: threads by what the table of processes says of their process. Only
 * this option asks for that table, so it is read here and now. */
#include "analyze/selection/choose.h"
#include "analyze/selection/kinds.h"

#include "analyze/columns.h"
#include "analyze/epochs.h"

#include "format/base/mem.h"
#include "format/catalog.h"

#include <stdlib.h>
#include <string.h>

struct process {
	int32_t pid;
	uint64_t time;   /* valid from */
	uint32_t cgroup; /* string */
};

struct processes {
	struct process *v; /* by pid, then time */
	size_t n, cap;
};

static int by_pid(const void *a, const void *b)
{
	const struct process *x = a, *y = b;
	int order = CMP(x->pid, y->pid);

	return order ? order : CMP(x->time, y->time);
}

static uint32_t string_of(const struct an_trace *t, uint32_t epoch,
			  uint64_t at)
{
	size_t n;
	const uint32_t *ids = an_trace_ids(t, epoch, AN_SPACE_STRING, &n);

	return at < n ? ids[at] : AN_NONE;
}

static int add_part(struct processes *p, const struct an_trace *t,
		    const struct tf_view *v, const struct an_columns *c,
		    struct err *err)
{
	for (uint32_t i = 0; i < v->rows; i++) {
		uint64_t cgroup = an_column_value(c, v, TF_PROCESS_CGROUP, i);
		uint32_t id = string_of(t, v->epoch, cgroup);

		if (id == AN_NONE || !an_string(t, id).n)
			continue;
		if (!mem_grow(&p->v, &p->cap, p->n + 1, sizeof(*p->v)))
			return err_nomem(err);
		p->v[p->n++] = (struct process){
			.pid = (int32_t)(uint32_t)an_column_value(
				c, v, TF_PROCESS_PID, i),
			.time = an_column_value(c, v, TF_PROCESS_TIME, i),
			.cgroup = id,
		};
	}
	return 0;
}

/* What is damaged there was told of when the trace was opened. */
static int read_processes(struct processes *p, const struct an_trace *t,
			  struct err *err)
{
	const struct tf_reader *r = an_trace_reader(t);
	struct tf_query q = { .table = TF_TABLE_PROCESS, .t_max = UINT64_MAX };
	struct tf_cursor *cursor = NULL;
	const struct tf_view *v;
	struct an_columns c;
	int rc;

	if (!an_columns_find(&c, r, q.table, UINT64_MAX))
		return 0;
	q.columns = c.mask;
	rc = tf_cursor_new(&cursor, r, &q, err);
	while (!rc) {
		rc = tf_cursor_next(cursor, &v, err);
		if (!rc)
			rc = add_part(p, t, v, &c, err);
		else if (rc < 0 && rc != ERR_NOMEM && rc != ERR_IO)
			rc = 0;
	}
	tf_cursor_free(cursor);
	if (rc < 0)
		return rc;
	if (p->n)
		qsort(p->v, p->n, sizeof(*p->v), by_pid);
	return 0;
}

/* Takes the first component of a path. */
static struct span take_component(struct span *path)
{
	struct span one;
	size_t n = 0;

	while (path->n && *path->p == '/')
		*path = span_of(path->p + 1, path->n - 1);
	while (n < path->n && path->p[n] != '/')
		n++;
	one = span_of(path->p, n);
	*path = span_of(path->p + n, path->n - n);
	return one;
}

static bool is_below(struct span path, struct span word)
{
	for (;;) {
		struct span want = take_component(&word);
		struct span have = take_component(&path);

		if (!want.n)
			return true;
		if (!have.n || !an_word_is(want, have))
			return false;
	}
}

static bool has_component(struct span path, struct span word)
{
	struct span one = take_component(&path);

	while (one.n && !an_word_is(word, one))
		one = take_component(&path);
	return one.n > 0;
}

static bool is_cgroup(const struct an_trace *t, const void *ctx, uint32_t i,
		      struct span word)
{
	const struct processes *p = ctx;
	struct span path = an_string(t, p->v[i].cgroup);

	return memchr(word.p, '/', word.n) ? is_below(path, word) :
					     has_component(path, word);
}

static void show_cgroup(const struct an_trace *t, const void *ctx, uint32_t i,
			struct buf *to)
{
	const struct processes *p = ctx;

	buf_printf(to, "%s", an_text(t, p->v[i].cgroup));
}

static const struct an_kind by_cgroup = { "cgroup", "cgroup", false, is_cgroup,
					  show_cgroup };

/* The process that a thread was of: the last that had this pid when the row of
 * the thread began, or else the first. p->n: none is known. */
static size_t process_of(const struct processes *p, const struct an_thread *th)
{
	struct process key = { .pid = th->pid, .time = th->time };
	size_t low = 0, high = p->n;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (by_pid(&p->v[mid], &key) <= 0)
			low = mid + 1;
		else
			high = mid;
	}
	if (low && p->v[low - 1].pid == th->pid)
		return low - 1;
	return low < p->n && p->v[low].pid == th->pid ? low : p->n;
}

static int select_threads(struct an_selection *sel, const struct processes *p,
			  const bool *chosen, const struct an_trace *t,
			  struct err *err)
{
	size_t n = an_n_threads(t);
	bool *marks = an_marks_new(n, err);

	if (!marks)
		return ERR_NOMEM;
	for (uint32_t i = 0; i < n; i++) {
		size_t at = process_of(p, an_thread_of(t, i));

		marks[i] = at < p->n && chosen[at];
	}
	an_threads_narrow(sel, t, marks);
	return 0;
}

int an_select_cgroups(struct an_selection *sel,
		      const struct an_selection_args *args,
		      const struct an_trace *t, struct err *err)
{
	struct processes p = { .n = 0 };
	bool *chosen = NULL;
	int rc;

	if (!args->cgroup.n)
		return 0;
	rc = read_processes(&p, t, err);
	if (!rc && !p.n)
		rc = err_set(err, ERR_USAGE, "option '--cgroup': this trace "
			     "does not say which cgroups its processes were "
			     "in");
	if (!rc) {
		chosen = an_marks_new(p.n, err);
		rc = chosen ? an_choose(&args->cgroup, &by_cgroup, t, &p,
					(uint32_t)p.n, chosen, err) :
			      ERR_NOMEM;
	}
	if (!rc)
		rc = select_threads(sel, &p, chosen, t, err);
	free(chosen);
	free(p.v);
	return rc;
}
