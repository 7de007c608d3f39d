#include "record/sink/queue.h"

int rec_queue_init(struct rec_queue *q)
{
	*q = (struct rec_queue){ 0 };
	if (pthread_mutex_init(&q->lock, NULL))
		return -1;
	pthread_cond_init(&q->filled, NULL);
	pthread_cond_init(&q->emptied, NULL);
	return 0;
}

void rec_queue_fini(struct rec_queue *q)
{
	pthread_cond_destroy(&q->emptied);
	pthread_cond_destroy(&q->filled);
	pthread_mutex_destroy(&q->lock);
}

struct rec_batch *rec_queue_empty(struct rec_queue *q, bool wait)
{
	struct rec_batch *b = NULL;

	pthread_mutex_lock(&q->lock);
	while (wait && !q->n_empty && !q->closed)
		pthread_cond_wait(&q->emptied, &q->lock);
	if (q->n_empty)
		b = q->empty[--q->n_empty];
	pthread_mutex_unlock(&q->lock);
	return b;
}

void rec_queue_settle(struct rec_queue *q, size_t n)
{
	pthread_mutex_lock(&q->lock);
	while (q->n_empty < n && !q->closed)
		pthread_cond_wait(&q->emptied, &q->lock);
	pthread_mutex_unlock(&q->lock);
}

void rec_queue_send(struct rec_queue *q, struct rec_batch *b)
{
	pthread_mutex_lock(&q->lock);
	q->full[q->n_full++] = b;
	pthread_cond_signal(&q->filled);
	pthread_mutex_unlock(&q->lock);
}

void rec_queue_close(struct rec_queue *q)
{
	pthread_mutex_lock(&q->lock);
	q->closed = true;
	pthread_cond_broadcast(&q->filled);
	pthread_cond_broadcast(&q->emptied);
	pthread_mutex_unlock(&q->lock);
}

struct rec_batch *rec_queue_receive(struct rec_queue *q)
{
	struct rec_batch *b = NULL;

	pthread_mutex_lock(&q->lock);
	while (!q->n_full && !q->closed)
		pthread_cond_wait(&q->filled, &q->lock);
	if (q->n_full) {
		b = q->full[0];
		q->n_full--;
		for (size_t i = 0; i < q->n_full; i++)
			q->full[i] = q->full[i + 1];
	}
	pthread_mutex_unlock(&q->lock);
	return b;
}

void rec_queue_return(struct rec_queue *q, struct rec_batch *b)
{
	pthread_mutex_lock(&q->lock);
	q->empty[q->n_empty++] = b;
	pthread_cond_signal(&q->emptied);
	pthread_mutex_unlock(&q->lock);
}
