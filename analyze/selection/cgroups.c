/* --cgroup: threads by what the trace says of their process. */
#include "analyze/selection/choose.h"
#include "analyze/selection/kinds.h"

#include <stdlib.h>
#include <string.h>

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

/* The empty path is none that is known. */
static struct span path_of(const struct an_trace *t, uint32_t process)
{
	uint32_t cgroup = an_process_of(t, process)->cgroup;

	return cgroup == AN_NONE ? span_of("", 0) : an_string(t, cgroup);
}

static bool is_cgroup(const struct an_trace *t, uint32_t i, struct span word)
{
	struct span path = path_of(t, i);

	if (!path.n)
		return false;
	return word.n && memchr(word.p, '/', word.n) ?
		       is_below(path, word) : has_component(path, word);
}

static void show_cgroup(const struct an_trace *t, uint32_t i, struct buf *to)
{
	struct span path = path_of(t, i);

	buf_put(to, path.p, path.n);
}

static const struct an_kind by_cgroup = { "cgroup", "cgroup", false, is_cgroup,
					  show_cgroup };

static bool is_any_known(const struct an_trace *t)
{
	for (uint32_t i = 0; i < an_n_processes(t); i++)
		if (path_of(t, i).n)
			return true;
	return false;
}

static int select_threads(struct an_selection *sel, const bool *chosen,
			  const struct an_trace *t, struct err *err)
{
	size_t n = an_n_threads(t), n_processes = an_n_processes(t);
	bool *marks = an_marks_new(n, err);

	if (!marks)
		return ERR_NOMEM;
	for (uint32_t i = 0; i < n; i++) {
		uint32_t process = an_thread_of(t, i)->process;

		marks[i] = process < n_processes && chosen[process];
	}
	an_threads_narrow(sel, t, marks);
	return 0;
}

int an_select_cgroups(struct an_selection *sel,
		      const struct an_selection_args *args,
		      const struct an_trace *t, struct err *err)
{
	uint32_t n = (uint32_t)an_n_processes(t);
	bool *chosen;
	int rc;

	if (!args->cgroup.n)
		return 0;
	if (!is_any_known(t))
		return err_set(err, ERR_USAGE, "option '--cgroup': this trace "
			       "does not say which cgroups its processes were "
			       "in");
	chosen = an_marks_new(n, err);
	rc = chosen ? an_choose(&args->cgroup, &by_cgroup, t, n, chosen,
				err) : ERR_NOMEM;
	if (!rc)
		rc = select_threads(sel, chosen, t, err);
	free(chosen);
	return rc;
}
