/* What threads did: running, waiting for a CPU, blocked; and who ran on a CPU.
 * From sched_switch and the wake-ups, or from rows of `switch`. What lies before
 * the first row of a thread, and what losses may have changed, is unknown. */
#ifndef ANALYZE_SCHED_SCHED_H
#define ANALYZE_SCHED_SCHED_H

#include "analyze/sched/tasks.h"
#include "analyze/trace.h"

enum an_state {
	AN_STATE_UNKNOWN,
	AN_STATE_RUNNING,
	AN_STATE_WAITING, /* for a CPU: it could have run */
	AN_STATE_BLOCKED,
};
#define AN_N_STATES 4

const char *an_state_name(enum an_state s);

struct an_sched; /* of a trace */

/* Reads the whole trace. *out is NULL where it has no switches or wake-ups.
 * `tasks` outlives it. */
int an_sched_new(struct an_sched **out, struct an_trace *t,
		 struct an_tasks *tasks, struct err *err);
void an_sched_free(struct an_sched *s); /* NULL is fine */

/* Of the first and the last switch. */
void an_sched_bounds(const struct an_sched *s, uint64_t *from, uint64_t *to);

/* What it is made of. Without switches every state is unknown, without wake-ups
 * a thread counts as blocked until it has a CPU. Where the sched_waking of a
 * wake-up is not there its waker is he in whose place it was done, and not known
 * where that was an interrupt, or an idle CPU: it was asked for from another one. */
bool an_sched_has_switches(const struct an_sched *s);
bool an_sched_has_wakeups(const struct an_sched *s);
bool an_sched_has_wakings(const struct an_sched *s);

/* A time that a thread was in one state. */
struct an_stretch {
	uint64_t from, to;
	enum an_state state;
	/* Running: on this one. Waiting: for the one that it ran on next, else
	 * for the one that it left. Blocked: that it left. AN_NONE: not known */
	uint32_t cpu;
	char letter;         /* of a blocked one, as the kernel has it: S asleep,
			      * D not to be disturbed, X ended; ? not known */
	bool preempted;      /* a waiting one was taken off its CPU; else it was
			      * woken */
	uint32_t ip, kstack, ustack; /* where a blocked or a preempted one left
			      * its CPU; AN_NONE, 0, 0: not known */
	uint8_t flags;       /* of that sample */
	/* Who ended its being blocked, or had ended it when it waits; AN_NONE:
	 * not known */
	uint32_t waker, waker_ip, waker_kstack, waker_ustack;
	uint8_t waker_flags;
	uint64_t woken;      /* when; 0: not known */
	uint32_t waker_cpu;
	bool by_interrupt;   /* an interrupt did, that thread was only there */
};

/* Walks what a task did in [from, to), without holes. */
struct an_state_walk {
	const struct an_sched *s;
	uint32_t task;
	uint64_t at, to;
	size_t next, end;    /* its rows */
	struct an_stretch now;
	bool doubted;        /* by a loss, until its next row */
};
void an_state_walk(struct an_state_walk *w, const struct an_sched *s,
		   uint32_t task, uint64_t from, uint64_t to);
bool an_state_next(struct an_state_walk *w, struct an_stretch *out);

/* Walks who ran on a CPU in [from, to), without holes. */
struct an_cpu_interval {
	uint64_t from, to;
	uint32_t task;       /* AN_NONE: not known */
};
struct an_cpu_walk {
	const struct an_sched *s;
	uint32_t cpu;
	uint64_t at, to;
	size_t next, end;
	uint32_t task;
};
void an_cpu_walk(struct an_cpu_walk *w, const struct an_sched *s, uint32_t cpu,
		 uint64_t from, uint64_t to);
bool an_cpu_next(struct an_cpu_walk *w, struct an_cpu_interval *out);
uint32_t an_sched_cpus(const struct an_sched *s); /* the highest + 1 */

/* Its rows by time, for who looks for such as are missing: *at begins at 0. false:
 * no more. */
struct an_sched_told {
	uint64_t time;
	uint32_t task;       /* that got the CPU, or was woken */
	uint32_t left;       /* that left it; AN_NONE: none, or not known */
	bool is_switch;
	bool blocks;         /* who left it waits for somebody */
	bool is_done;        /* a wake-up: done here, else asked for */
};
bool an_sched_next_told(const struct an_sched *s, size_t *at,
			struct an_sched_told *out);

/* Who had the CPU longest meanwhile, idle or not, and how long. AN_NONE: not
 * known of any part of it. */
uint32_t an_sched_behind(const struct an_sched *s, uint32_t cpu, uint64_t from,
			 uint64_t to, uint64_t *ns);

/* The first task that somebody on a CPU wakes in [from, to); AN_NONE: none. */
uint32_t an_sched_woken(const struct an_sched *s, uint32_t cpu, uint64_t from,
			uint64_t to);
/* The first one that a task wakes in [from, to); AN_NONE: none. */
uint32_t an_sched_woken_by(const struct an_sched *s, uint32_t task,
			   uint64_t from, uint64_t to);
/* Those that get any CPU in [from, to), beside idle ones, in that order, each
 * once and at most `max`. Returns their number. */
size_t an_sched_next_in(const struct an_sched *s, uint64_t from, uint64_t to,
			uint32_t *tasks, size_t max);

#endif
