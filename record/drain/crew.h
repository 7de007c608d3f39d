/* Threads that run the shards of a drain side by side, one round at a time. */
#ifndef RECORD_DRAIN_CREW_H
#define RECORD_DRAIN_CREW_H

#include "format/base/err.h"
#include "record/drain/shard.h"
#include "record/state/row.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

struct rec_crew {
	pthread_mutex_t lock;
	pthread_cond_t work, done;
	struct rec_crew_member {
		struct rec_crew *crew;
		struct rec_shard *shard;
		pthread_t thread;
	} members[REC_SHARDS_MAX]; /* of shard 1 and up */
	unsigned n;       /* threads; 0: everything is done by the caller */
	uint64_t round;   /* counts the rounds that were begun */
	uint64_t until;
	unsigned busy;
	bool leave;
};

/* A thread for each shard but the first, which the caller runs itself. On
 * failure *c is to be given to rec_crew_stop(), too. */
int rec_crew_start(struct rec_crew *c, struct rec_shard *shards, unsigned n,
		   struct err *err);
void rec_crew_stop(struct rec_crew *c); /* zeroed is fine */

/* Runs all shards up to `until` and waits for them. */
void rec_crew_run(struct rec_crew *c, struct rec_shard *shards, unsigned n,
		  uint64_t until);

#endif
