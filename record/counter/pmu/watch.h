/* CPUs that go away, come back or come anew while they are counted. The kernel
 * takes the events of a CPU that goes offline off for good: they tell what they
 * had counted and never count again. Events of devices it moves to another CPU,
 * where the driver asks for it. */
#ifndef RECORD_COUNTER_PMU_WATCH_H
#define RECORD_COUNTER_PMU_WATCH_H

#include "record/counter/pmu/state.h"

/* A guard for each CPU that is counted as a whole. */
int rec_pmu_watch_open(struct rec_pmu *p, struct err *err);

/* A thread that looks each second; without one (there is no memory for it) only
 * readings do. */
void rec_pmu_watch_begin(struct rec_pmu *p);

/* Before a reading: looks where a thread has not for a second, or where a CPU
 * is away. The lock is held. */
void rec_pmu_watch_look(struct rec_pmu *p);

/* Ends the thread and closes what it watched by; zeroed is fine. */
void rec_pmu_watch_fini(struct rec_pmu *p);

#endif
