/* Jobs while they are put together: for job.c, which reads rows, and ring.c,
 * which puts them on rings. */
#ifndef ANALYZE_GPU_JOB_DATA_H
#define ANALYZE_GPU_JOB_DATA_H

#include "analyze/gpu/job.h"

/* What the rows of a job said of its ring. */
struct an_job_place {
	enum an_gpu_role role; /* the first one: tells the driver */
	uint32_t dev, ring;    /* strings; 0: not told */
	uint64_t minor, engine_class, instance;
	uint32_t roles;        /* bit r: had a row of role r */
	uint32_t hardware;     /* fence + 1 that the driver made for it, 0: not
				* seen */
	bool done;             /* a row told of its end */
};

/* Gives each job its ring, tells when it really began, and sums. `places` has a
 * row for each job. */
int an_jobs_rings(struct an_jobs *j, const struct an_trace *t,
		  const struct an_job_place *places,
		  const struct an_tasks *tasks, struct err *err);

#endif
