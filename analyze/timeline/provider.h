/* Who fills a timeline: one file and one row in providers.c add one. */
#ifndef ANALYZE_TIMELINE_PROVIDER_H
#define ANALYZE_TIMELINE_PROVIDER_H

#include "analyze/gpu/model.h"
#include "analyze/selection.h"
#include "analyze/timeline/timeline.h"
#include "analyze/trace.h"

struct an_timeline_input {
	struct an_trace *t;
	const struct an_selection *sel;
	/* Times of the first and the last row of the trace, or those that are
	 * selected where those are within; both 0: it has none. */
	uint64_t t_min, t_max;
	size_t max_lanes;    /* of threads in one group: others share one lane;
			      * 0: any number */
	size_t frames, late; /* display frames that have spans */
	struct an_gpu gpu;   /* see an_input_read() */
	bool read;
};

void an_input_fini(struct an_timeline_input *in);
/* Makes in->gpu, with what threads did, once for all. */
int an_input_read(struct an_timeline_input *in, struct err *err);
/* The same; *out is NULL where the trace does not tell what threads did, or
 * only other events are selected. */
int an_input_sched(struct an_timeline_input *in, const struct an_sched **out,
		   struct err *err);

struct an_provider {
	const char *name;    /* of option --lanes */
	const char *summary;
	/* Adds lanes and what is on them, or nothing where the trace has
	 * nothing for it, which is no failure. What is not selected is not
	 * added. */
	int (*fill)(struct an_timeline *tl, struct an_timeline_input *in,
		    struct err *err);
};

/* In the order of their lanes; NULL-ended. */
extern const struct an_provider *const an_providers[];

/* By words with commas between them, NULL: all. ERR_USAGE names a word that is
 * none. */
int an_providers_fill(struct an_timeline *tl, struct an_timeline_input *in,
		      const char *words, struct err *err);

static inline bool an_input_has_time(const struct an_timeline_input *in,
				     uint64_t time)
{
	return time >= in->sel->t_min && time <= in->sel->t_max;
}

/* Some of [from, to]. */
static inline bool an_input_touches(const struct an_timeline_input *in,
				    uint64_t from, uint64_t to)
{
	return to >= in->sel->t_min && from <= in->sel->t_max;
}

static inline bool an_input_has_thread(const struct an_timeline_input *in,
				       uint32_t thread)
{
	const struct an_selection *sel = in->sel;

	return !sel->thread || (thread < sel->n_threads && sel->thread[thread]);
}

static inline bool an_input_has_cpu(const struct an_timeline_input *in,
				    uint64_t cpu)
{
	const struct an_selection *sel = in->sel;

	return !sel->cpu_bits || (cpu / 64 < sel->n_cpu_words &&
				  sel->cpu_bits[cpu / 64] >> cpu % 64 & 1);
}

#endif
