/* Events as perf writes them: text to perf_event_attr. Knows names and
 * modifiers, opens nothing. */
#ifndef RECORD_PERF_EVENT_H
#define RECORD_PERF_EVENT_H

#include "format/base/err.h"
#include "record/perf/cpus.h"

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>

enum rec_event_chain {
	REC_CHAIN_DEFAULT, /* as the recording is asked to */
	REC_CHAIN_NONE,    /* call-graph=no */
	REC_CHAIN_FP,      /* call-graph=fp */
};

enum rec_event_inherit {
	REC_INHERIT_DEFAULT, /* as the recording is asked to */
	REC_INHERIT_YES,
	REC_INHERIT_NO,
};

/* Of whom an event is recorded while the threads that work with a GPU are
 * followed: its filter changes with them. */
enum rec_event_follow {
	REC_FOLLOW_NO,
	REC_FOLLOW_OTHERS,  /* all but those; the rest begins with the first */
	REC_FOLLOW_SWITCH,  /* those, as they leave a CPU */
	REC_FOLLOW_WAKING,  /* those, as they are woken and as they wake */
	REC_FOLLOW_CALL,    /* any: its filter stays as it is */
	REC_FOLLOW_RETURN,  /* those */
};

struct rec_event {
	char *name;        /* as the user wrote it, or as it is to be shown
			    * (name=…, each match of a pattern); owned */
	char *system;      /* tracepoint: "sched"; NULL: is none; owned */
	char *tracepoint;  /* "sched_switch"; owned. attr.config is its id */
	bool by_key;       /* stands for all events of syscalls:… that a
			    * pattern matched: raw_syscalls:sys_enter or
			    * sys_exit, filtered by number */
	char *filter;      /* the kernel's expression, NULL: none; owned */
	char *asked_filter; /* what of it the user asked for by --filter; NULL:
			     * nothing; owned */
	char *stands_for;  /* --alias: "dma_fence:dma_fence_init"; NULL: for
			    * itself; owned */
	enum rec_event_follow follow;
	bool gpu_caller;   /* its rows come from threads that work with a GPU */
	char *cgroup;      /* -G: only this one, NULL: any; owned */
	size_t leader;     /* index of its group's first; alone: its own */
	bool leader_samples; /* :S: only the leader samples, the others are
			      * read with it and become rows of their own */
	bool switches;     /* is not an event, but the switch records of the
			    * recorded tasks or CPUs (--switch-events) */
	enum rec_event_chain chain;
	enum rec_event_inherit inherit;
	bool weak;         /* W: of a group that may be opened one by one */
	struct rec_cpus cpus; /* its PMU counts on these only; none: on any */
	bool no_tasks;     /* its PMU counts for CPUs, not for tasks */
	const char *unit;  /* of its period: "ns" for clocks, else "" */
	char *pmu_unit;    /* as its PMU says, times `scale`; NULL: says
			    * nothing; owned */
	double scale;      /* 1 where nothing is said */
	struct perf_event_attr attr; /* type, config, exclude_* and what the
				      * text asked for; the rest is set later */
	bool user_only, kernel_only; /* by modifier */
	bool fixed_rate;   /* the text itself set a period or a frequency */
	bool named;        /* name=… */
	bool precise_max;  /* P: attr.precise_ip may be lowered */
	bool guest_set;    /* G or H: exclude_guest is the user's word */
};

struct rec_events {
	struct rec_event *items;
	size_t n;
	size_t cap;
	const char *root; /* before /sys; NULL: this machine */
	bool each;        /* a pattern of system calls is one event for each, to
			   * be counted; else it is two, with a filter */
};

/* Adds the events of one -e text ("cpu-clock,page-faults:u", "sched:*",
 * "{cycles,instructions}:S"). ERR_USAGE names the part that is unknown and near
 * matches; on failure *e is as before. */
int rec_events_add(struct rec_events *e, const char *text, struct err *err);
void rec_events_fini(struct rec_events *e);

/* An event with copies of all that it owns; on failure *to is zeroed. */
int rec_event_copy(struct rec_event *to, const struct rec_event *from,
		   struct err *err);
void rec_event_fini(struct rec_event *e); /* zeroed is fine */

/* It is opened when there is something to follow, not before: even a tracepoint
 * that counts nothing makes each of its events, or each system call of anybody,
 * a little slower. */
static inline bool rec_event_is_held(const struct rec_event *e)
{
	return e->follow > REC_FOLLOW_OTHERS;
}

/* Shows modifiers in its name, unless that was chosen by name=…. */
int rec_event_show_modifiers(struct rec_event *e, const char *letters,
			     struct err *err);

/* The event to take when none is named: cycles where the hardware counts
 * them, else cpu-clock; *why says in a few words why not cycles (NULL: it is
 * cycles). */
int rec_events_default(struct rec_events *e, const char **why, struct err *err);

#endif
