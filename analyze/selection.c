#include "analyze/selection.h"

#include "analyze/selection/kinds.h"

#include "format/base/mem.h"

#include <stdlib.h>

bool *an_marks_new(size_t n, struct err *err)
{
	bool *marks = calloc(n + 1, sizeof(*marks));

	if (!marks)
		err_nomem(err);
	return marks;
}

void an_marks_narrow(bool **have, bool *marks, size_t n)
{
	for (size_t i = 0; *have && i < n; i++)
		marks[i] = marks[i] && (*have)[i];
	free(*have);
	*have = marks;
}

typedef int select_fn(struct an_selection *sel,
		      const struct an_selection_args *args,
		      const struct an_trace *t, struct err *err);

static select_fn *const kinds[] = {
	an_select_threads, an_select_cgroups, an_select_events,
	an_select_cpus, an_select_frames, an_select_series,
};

int an_selection_make(struct an_selection *out,
		      const struct an_selection_args *args,
		      struct an_trace *t, struct err *err)
{
	struct an_selection sel = { .t_max = UINT64_MAX, .t = t };
	int rc = an_select_time(&sel, args, t, err);

	if (!rc)
		rc = an_select_around(&sel, args, t, err);
	for (size_t i = 0; i < ARRAY_LEN(kinds) && !rc; i++)
		rc = kinds[i](&sel, args, t, err);
	if (rc) {
		an_selection_fini(&sel);
		return rc;
	}
	sel.any = args->time || args->around || sel.thread || sel.event ||
		  sel.cpu_bits || sel.leaf || sel.through;
	*out = sel;
	return 0;
}

void an_selection_fini(struct an_selection *s)
{
	free(s->thread);
	free(s->event);
	free(s->event_rows);
	free(s->cpu_bits);
	free(s->leaf);
	free(s->through);
	free(s->node);
	free(s->series);
	*s = (struct an_selection){ 0 };
}
