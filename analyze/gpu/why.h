/* Why a thread came late: the cause that took most of its time, and who or what
 * it is to be named with. */
#ifndef ANALYZE_GPU_WHY_H
#define ANALYZE_GPU_WHY_H

#include "analyze/gpu/account.h"

#include "format/base/buf.h"
#include "format/base/json.h"

enum an_cause {
	AN_CAUSE_UNKNOWN,
	AN_CAUSE_CPU,        /* it computed */
	AN_CAUSE_RUNQ,       /* it could have run, another one had the CPU */
	AN_CAUSE_BLOCKED,    /* it waited for somebody */
	AN_CAUSE_ASLEEP,     /* it slept: nothing was submitted */
	AN_CAUSE_GPU,        /* its job took long */
	AN_CAUSE_QUEUE,      /* its job waited for others on the ring */
	AN_CAUSE_DEPENDENCY, /* its job was not given to the ring: it depends on
			      * another one */
	AN_CAUSE_FENCE,      /* a fence of no job that is known */
	AN_CAUSE_SCANOUT,    /* it was shown late: the picture was not ready */
	AN_CAUSE_COMMIT,     /* it was shown late: the worker that shows it was
			      * held up */
	AN_CAUSE_READY,      /* missed though all was ready */
	AN_N_CAUSES,
};
const char *an_cause_name(enum an_cause c); /* "run-queue" */

enum an_confidence { AN_LOW, AN_MEDIUM, AN_HIGH };
const char *an_confidence_name(enum an_confidence c);

struct an_why {
	enum an_cause cause;
	enum an_confidence confidence;
	uint64_t ns;         /* it took, in all; of waits for own jobs since
			      * the GPU had these */
	uint64_t most_ns;    /* of that, by the one that is named; 0: all */
	uint64_t waited_ns, waited_most_ns; /* of fences the waits alone; 0: as
			      * above */
	struct an_piece piece; /* the longest one of it */
	uint32_t task;       /* whose piece it is */
	uint32_t who;        /* rival, waker, whose jobs were ahead, or who gave
			      * the job to its ring; AN_NONE: not known */
	uint32_t fence, job; /* AN_NONE: none */
	uint32_t ahead;      /* jobs on the ring before it */
};

/* Of all that a thread did. `late_ns`: by so much it would have had to be
 * earlier; a cause is sure that took longer. */
void an_why_make(struct an_why *out, const struct an_gpu *g,
		 const struct an_account *a, uint64_t late_ns);

/* Of a wait for a fence that was not signalled in [from, to). */
void an_why_fence(struct an_why *out, const struct an_gpu *g, uint32_t fence,
		  uint64_t from, uint64_t to);

/* Of what those two are made, for who takes a thread's time apart. A cause is
 * sure that took as long as it would have had to be earlier; a piece in which it
 * was blocked says by whom. */
enum an_confidence an_why_confidence(const struct an_account *a, uint64_t ns,
				     uint64_t late_ns);
void an_why_blocked(struct an_why *w, const struct an_gpu *g,
		    const struct an_piece *p);
/* Lowers the confidence of what rests on events that the trace does not have. */
void an_why_doubt(struct an_why *w, const struct an_gpu *g);
/* How much of [from, to) a job spent in that part of its life: held up by what
 * it depends on, by others on its ring (queue), or with the GPU. */
uint64_t an_why_phase(const struct an_job *j, enum an_cause phase,
		      uint64_t from, uint64_t to);
/* Who is to blame for that part of the life of w->job: fills in `who`. */
void an_why_blame(struct an_why *w, const struct an_gpu *g);

/* "waited 45.0 ms for a CPU behind rival/293", of the thread in why->task. */
void an_why_text(const struct an_why *w, const struct an_gpu *g,
		 struct buf *to);
/* Members of an open object. */
void an_why_json(const struct an_why *w, const struct an_gpu *g,
		 struct json *j);

/* The pieces of an account, for those who want to see for themselves. */
void an_evidence_text(const struct an_account *a, const struct an_gpu *g,
		      FILE *to);
void an_evidence_json(const struct an_account *a, const struct an_gpu *g,
		      struct json *j);

#endif
