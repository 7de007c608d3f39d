/* Which tracepoints tell of a GPU. Kernels and drivers have some of them. */
#ifndef RECORD_GPU_SOURCES_H
#define RECORD_GPU_SOURCES_H

#include <stdbool.h>
#include <stddef.h>

struct rec_gpu_source {
	const char *system;
	const char *events; /* patterns, blanks between them */
	bool by_caller;     /* they happen in the thread that works with the
			     * GPU, not in an interrupt or a worker for it */
};
extern const struct rec_gpu_source rec_gpu_sources[];
extern const size_t rec_n_gpu_sources;

/* What is not of one driver, and why it can be missing. */
struct rec_gpu_common {
	const char *system;
	const char *module; /* that has them; NULL: the kernel itself */
	const char *without; /* why, where that is not there */
};
extern const struct rec_gpu_common rec_gpu_commons[];
extern const size_t rec_n_gpu_commons;
bool rec_gpu_is_common(const char *system);

/* The system that a driver's events are in, by the name of the driver; NULL: it
 * has none. */
const char *rec_gpu_driver_system(const char *driver);

/* Whether one of the patterns is of that event. */
bool rec_gpu_matches(const char *patterns, const char *event);

/* Whether a tracepoint is one of them, or of the scheduler and the calls that
 * are recorded beside them; *by_caller as above. */
bool rec_gpu_knows(const char *system, const char *event, bool *by_caller);

#endif
