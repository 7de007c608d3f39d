/* Which series are meant. */
#include "analyze/counter/series.h"

#include "analyze/selection/choose.h"
#include "analyze/selection/kinds.h"

#include "format/base/mem.h"

#include <inttypes.h>
#include <stdlib.h>

static bool is_name(const struct an_trace *t, uint32_t i, struct span word)
{
	return an_series_is_name(t, an_series_of(t, i), word);
}

static bool is_pid(const struct an_trace *t, uint32_t i, struct span word)
{
	return an_series_is_pid(t, an_series_of(t, i), word);
}

static bool is_label(const struct an_trace *t, uint32_t i, struct span word)
{
	return an_series_is_comm(t, an_series_of(t, i), word);
}

static void show_name(const struct an_trace *t, uint32_t i, struct buf *to)
{
	buf_printf(to, "%s", an_text(t, an_series_of(t, i)->name));
}

static void show_pid(const struct an_trace *t, uint32_t i, struct buf *to)
{
	if (an_series_of(t, i)->pid)
		buf_printf(to, "%" PRId32, an_series_of(t, i)->pid);
}

static void show_label(const struct an_trace *t, uint32_t i, struct buf *to)
{
	if (an_series_of(t, i)->pid)
		buf_printf(to, "%s", an_text(t, an_series_of(t, i)->label));
}

static const struct an_kind by_name = { "event", "counter", false, is_name,
					show_name };
static const struct an_kind by_pid = { "pid", "process with readings", true,
				       is_pid, show_pid };
static const struct an_kind by_label = { "comm", "command with readings",
					 false, is_label, show_label };

static int narrow(bool **have, const struct opt_list *l,
		  const struct an_kind *kind, const struct an_trace *t,
		  struct err *err)
{
	uint32_t n = (uint32_t)an_n_series(t);
	bool *marks;
	int rc;

	if (!l->n)
		return 0;
	marks = an_marks_new(n, err);
	if (!marks)
		return ERR_NOMEM;
	rc = an_choose(l, kind, t, n, marks, err);
	an_marks_narrow(have, marks, n);
	return rc;
}

static bool is_cpu(const struct an_selection *sel, int32_t cpu)
{
	size_t word = (size_t)cpu / 64;

	return cpu >= 0 && word < sel->n_cpu_words &&
	       sel->cpu_bits[word] >> (cpu % 64) & 1;
}

static int narrow_cpus(bool **have, const struct an_selection_args *args,
		       const struct an_trace *t, struct err *err)
{
	struct an_selection sel = { .t = t };
	uint32_t n = (uint32_t)an_n_series(t);
	bool *marks = NULL;
	int rc = an_select_cpus(&sel, args, t, err);

	if (!rc && sel.cpu_bits) {
		marks = an_marks_new(n, err);
		rc = marks ? 0 : ERR_NOMEM;
	}
	for (uint32_t i = 0; marks && i < n; i++)
		marks[i] = is_cpu(&sel, an_series_of(t, i)->cpu);
	if (marks)
		an_marks_narrow(have, marks, n);
	an_selection_fini(&sel);
	return rc;
}

static int refuse_others(const struct an_selection_args *args, struct err *err)
{
	const struct {
		const char *name;
		const struct opt_list *l;
	} others[] = {
		{ "tid", &args->tid }, { "cgroup", &args->cgroup },
		{ "image", &args->image }, { "symbol", &args->symbol },
		{ "through", &args->through },
	};

	for (size_t i = 0; i < ARRAY_LEN(others); i++)
		if (others[i].l->n)
			return err_set(err, ERR_USAGE, "option '--%s': readings"
				       " of counters cannot be chosen by it "
				       "(try: --pid, --comm, --cpu, --event)",
				       others[i].name);
	return 0;
}

int an_series_choose(bool **out, const struct an_selection_args *args,
		     const struct an_trace *t, struct err *err)
{
	bool *marks = NULL;
	int rc = refuse_others(args, err);

	if (!rc)
		rc = narrow(&marks, &args->event, &by_name, t, err);
	if (!rc)
		rc = narrow(&marks, &args->pid, &by_pid, t, err);
	if (!rc)
		rc = narrow(&marks, &args->comm, &by_label, t, err);
	if (!rc)
		rc = narrow_cpus(&marks, args, t, err);
	if (rc) {
		free(marks);
		return rc;
	}
	*out = marks;
	return 0;
}

bool an_series_is_beside(const struct an_selection *sel, uint32_t series)
{
	return !sel || !sel->series ||
	       (series < sel->n_series && sel->series[series]);
}
