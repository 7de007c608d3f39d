/* The kinds of selection, one file each. Each narrows what `sel` has already
 * and does nothing where its options were not given. */
#ifndef ANALYZE_SELECTION_KINDS_H
#define ANALYZE_SELECTION_KINDS_H

#include "analyze/selection.h"
#include "analyze/trace.h"

int an_select_time(struct an_selection *sel,
		   const struct an_selection_args *args,
		   const struct an_trace *t, struct err *err);
/* Behind the time; reads rows of the trace. */
int an_select_around(struct an_selection *sel,
		     const struct an_selection_args *args, struct an_trace *t,
		     struct err *err);
int an_select_threads(struct an_selection *sel,
		      const struct an_selection_args *args,
		      const struct an_trace *t, struct err *err);
int an_select_cgroups(struct an_selection *sel,
		      const struct an_selection_args *args,
		      const struct an_trace *t, struct err *err);
int an_select_cpus(struct an_selection *sel,
		   const struct an_selection_args *args,
		   const struct an_trace *t, struct err *err);
int an_select_events(struct an_selection *sel,
		     const struct an_selection_args *args,
		     const struct an_trace *t, struct err *err);
int an_select_frames(struct an_selection *sel,
		     const struct an_selection_args *args,
		     const struct an_trace *t, struct err *err);

/* Behind all others. */
int an_select_series(struct an_selection *sel,
		     const struct an_selection_args *args,
		     const struct an_trace *t, struct err *err);

/* Whether a word of --pid, --comm or --event names a series. */
bool an_series_is_pid(const struct an_trace *t, const struct an_series *s,
		      struct span word);
bool an_series_is_comm(const struct an_trace *t, const struct an_series *s,
		       struct span word);
bool an_series_is_name(const struct an_trace *t, const struct an_series *s,
		       struct span word);

/* Room for n marks; NULL: no memory. */
bool *an_marks_new(size_t n, struct err *err);
/* *have, which may be NULL for "all", becomes what both have; `marks` belongs
 * to it from then on. */
void an_marks_narrow(bool **have, bool *marks, size_t n);

/* Threads of the trace: sel->thread becomes what both have. Takes `marks`. */
void an_threads_narrow(struct an_selection *sel, const struct an_trace *t,
		       bool *marks);

#endif
