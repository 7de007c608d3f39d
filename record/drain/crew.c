#include "record/drain/crew.h"

/* Waking threads takes longer than to drain this much. */
#define ALONE_BYTES ((size_t)256 << 10)

static void *member_main(void *arg)
{
	struct rec_crew_member *m = arg;
	struct rec_crew *c = m->crew;
	uint64_t round = 0, until;

	pthread_mutex_lock(&c->lock);
	for (;;) {
		while (c->round == round && !c->leave)
			pthread_cond_wait(&c->work, &c->lock);
		if (c->leave)
			break;
		round = c->round;
		until = c->until;
		pthread_mutex_unlock(&c->lock);
		rec_shard_run(m->shard, until);
		pthread_mutex_lock(&c->lock);
		if (--c->busy == 0)
			pthread_cond_signal(&c->done);
	}
	pthread_mutex_unlock(&c->lock);
	return NULL;
}

int rec_crew_start(struct rec_crew *c, struct rec_shard *shards, unsigned n,
		   struct err *err)
{
	pthread_mutex_init(&c->lock, NULL);
	pthread_cond_init(&c->work, NULL);
	pthread_cond_init(&c->done, NULL);
	for (unsigned i = 1; i < n; i++) {
		struct rec_crew_member *m = &c->members[c->n];

		m->crew = c;
		m->shard = &shards[i];
		if (pthread_create(&m->thread, NULL, member_main, m))
			return err_set(err, ERR_NOMEM,
				       "cannot start a thread");
		c->n++;
	}
	return 0;
}

void rec_crew_stop(struct rec_crew *c)
{
	if (!c->n)
		return;
	pthread_mutex_lock(&c->lock);
	c->leave = true;
	pthread_cond_broadcast(&c->work);
	pthread_mutex_unlock(&c->lock);
	for (unsigned i = 0; i < c->n; i++)
		pthread_join(c->members[i].thread, NULL);
	c->n = 0;
	pthread_cond_destroy(&c->done);
	pthread_cond_destroy(&c->work);
	pthread_mutex_destroy(&c->lock);
}

/* The threads sleep: what the shards hold is ours. */
static bool is_little(const struct rec_shard *shards, unsigned n)
{
	size_t waiting = 0;

	for (unsigned i = 0; i < n; i++)
		waiting += rec_shard_waiting(&shards[i]);
	return waiting < ALONE_BYTES;
}

void rec_crew_run(struct rec_crew *c, struct rec_shard *shards, unsigned n,
		  uint64_t until)
{
	if (!c->n || is_little(shards, n)) {
		for (unsigned i = 0; i < n; i++)
			rec_shard_run(&shards[i], until);
		return;
	}
	pthread_mutex_lock(&c->lock);
	c->until = until;
	c->busy = c->n;
	c->round++;
	pthread_cond_broadcast(&c->work);
	pthread_mutex_unlock(&c->lock);
	rec_shard_run(&shards[0], until);
	pthread_mutex_lock(&c->lock);
	while (c->busy)
		pthread_cond_wait(&c->done, &c->lock);
	pthread_mutex_unlock(&c->lock);
}
