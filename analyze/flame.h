/* Samples as a tree of flamegraph/: what folded and flamegraph share. */
#ifndef ANALYZE_FLAME_H
#define ANALYZE_FLAME_H

#include "analyze/profile.h"

#include "flamegraph/fg.h"
#include "format/base/log.h"

struct an_flame_options {
	enum an_weight weight;
	bool plain_kernel; /* kernel frames are frames like any other */
	bool plain_jit;
	bool sums;         /* of the event are wanted, too */
};

/* Makes the tree of one event, e->event: command, then the stack from its root.
 * Release with fg_tree_free(). With opt->sums those of *e, which was counted
 * before, are of the same samples then, but for lost_names. */
int an_flame_tree(struct fg_tree **out, struct an_event_profile *e,
		  struct an_trace *t, const struct an_selection *sel,
		  const struct an_flame_options *opt, struct err *err);

/* The event to show: the first that has samples, NULL if none has. Says which
 * one and how to have another where several have. */
struct an_event_profile *an_flame_pick(const struct an_trace *t,
				       const struct an_profile *p,
				       const struct log *log);

/* Says "no samples" and what there is instead. */
void an_flame_say_none(const struct an_trace *t, const struct an_profile *p,
		       const struct log *log);

/* A failure of fg_*, which is -errno. */
int an_flame_err(int rc, struct err *err, const char *what);

#endif
