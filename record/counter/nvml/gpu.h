/* Which GPU it is, and how its series begin, go on and end. */
#ifndef RECORD_COUNTER_NVML_GPU_H
#define RECORD_COUNTER_NVML_GPU_H

#include "record/counter/nvml/library.h"
#include "record/counter/reading.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct rec_nvml_gpu {
	const struct rec_nvml *lib;
	struct rec_readings *to;
	const char *root;           /* before /proc and /sys */
	uint64_t interval_ns;
	uint64_t since_us;          /* CLOCK_REALTIME when it was opened */
	const pid_t *pids;          /* n_pids 0: all */
	size_t n_pids;
	struct nvml_device *device; /* NULL: not attached, it sleeps */
	char address[56];           /* as /sys has it: "0000:03:00.0"; of an
				     * instance "0000:03:00.0/gi1/ci0" */
	char name[2 * NVML_NAME_SIZE + 2];
	size_t n;                   /* GPUs that there are */
	bool lost;                  /* whoever asks it learns that */
	bool mig;                   /* it is divided into instances */
	bool divided;               /* they tell of their processes */
	struct nvml_device *parent; /* not NULL: this is such an instance, of
				     * that GPU, and these are its numbers */
	unsigned instance, part;
};

/* A series before, in and after its time. Zeroed: not tried. */
struct rec_nvml_line {
	uint32_t id;
	bool begun;
	bool over; /* it cannot be had, or has ended */
};

/* Its name, into `to`; a general one where there is none. */
void rec_nvml_name(const struct rec_nvml *lib, struct nvml_device *d,
		   char to[NVML_NAME_SIZE]);

/* What a code that this GPU gave means. */
const char *rec_nvml_why(const struct rec_nvml_gpu *g, int code);

/* Whether the next time gives that code again. */
bool rec_nvml_is_never(int code);

/* Takes what came of asking for `what` (whose source and device, and label
 * where it has none, are filled in): the value where `code` is NVML_OK; that it
 * failed this time; that there is none, which ends the line and is said with
 * the reason; that the GPU is lost, which is left to the caller. */
void rec_nvml_take(struct rec_nvml_gpu *g, struct rec_nvml_line *line,
		   const struct rec_series *what, int code,
		   const struct rec_reading *r);

/* Ends it with a row that says so, if it has begun. */
void rec_nvml_end(struct rec_nvml_gpu *g, struct rec_nvml_line *line);

/* Says that `name` of this GPU (`part` may be empty) cannot be had. */
void rec_nvml_miss(const struct rec_nvml_gpu *g, const char *name,
		   const char *part, const char *why);

/* An Xid that the driver reported of it, at this moment. */
void rec_nvml_xid(struct rec_nvml_gpu *g, struct rec_nvml_line *line,
		  uint64_t xid);

/* The middle of the time since `begin_ns`. */
struct rec_reading rec_nvml_since(uint64_t begin_ns, int64_t value);

/* Both clocks at one moment. */
struct rec_nvml_moment { uint64_t real_ns, mono_ns; };
struct rec_nvml_moment rec_nvml_moment(void);

/* A stamp of CLOCK_REALTIME as CLOCK_MONOTONIC has it, by a moment close to it;
 * what lies behind that moment is taken for it. 0: before the clock began. */
uint64_t rec_nvml_time(struct rec_nvml_moment at, uint64_t stamp_us);

#endif
