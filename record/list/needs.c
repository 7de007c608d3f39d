/* What stands between an event and its recording. */
#include "record/list/list.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

/* Counted inside of the kernel only: what an ordinary user is left with is
 * nothing. */
static bool in_kernel_only(const struct perf_event_attr *a)
{
	return a->type == PERF_TYPE_SOFTWARE &&
	       (a->config == PERF_COUNT_SW_CONTEXT_SWITCHES ||
		a->config == PERF_COUNT_SW_CPU_MIGRATIONS ||
		a->config == 11 /* PERF_COUNT_SW_CGROUP_SWITCHES */);
}

/* The value of perf_event_paranoid that would do, or the capability. */
static const char *permission(struct rec_list *l,
			      const struct perf_event_attr *a, int cpu)
{
	int enough = cpu >= 0 ? 0 : in_kernel_only(a) ? 1 : 2;
	char text[80];

	if (rec_machine_perfmon(l->m) || l->m->perf.paranoid <= enough)
		return "a permission (see: rec doctor)";
	snprintf(text, sizeof(text), "perf_event_paranoid %d or %s", enough,
		 rec_machine_perfmon_name(l->m));
	return arena_dup(&l->texts, text, strlen(text));
}

static const char *refused(struct rec_list *l, const struct perf_event_attr *a,
			   int cpu, int errnum)
{
	const char *text = strerror(errnum);

	switch (errnum) {
	case EACCES:
	case EPERM:
		return rec_machine_reach(l->m) ?
			       "perf_event_open, kept from this process" :
			       permission(l, a, cpu);
	case ENOSYS:
		return "perf_event_open, kept from this process";
	case ENOENT:
	case ENODEV:
	case EOPNOTSUPP:
		return l->m->cpu_pmu ? "a CPU that counts it" :
				       "hardware counters";
	default:
		return arena_dup(&l->texts, text, strlen(text));
	}
}

static bool denied(int errnum)
{
	return errnum == EACCES || errnum == EPERM;
}

/* Whether the refusal of a form's example holds for its other events. */
static bool holds_for_all(const struct rec_machine *m, int errnum)
{
	return denied(errnum) || errnum == ENOSYS ||
	       (errnum == ENOENT && !m->cpu_pmu);
}

static int open_once(struct rec_list *l, struct perf_event_attr *a, int cpu,
		     bool *user_only)
{
	pid_t pid = cpu < 0 ? 0 : -1;
	int errnum = rec_machine_try(l->m, a, pid, cpu);

	*user_only = false;
	if (!denied(errnum) || a->exclude_kernel || in_kernel_only(a))
		return errnum;
	/* rec asks for less, too. The kernel looks at permissions first. */
	a->exclude_kernel = a->exclude_hv = 1;
	errnum = rec_machine_try(l->m, a, pid, cpu);
	*user_only = !errnum;
	return errnum;
}

/* As rec opens it, sampling. *read_only: the kernel counts it, but does not
 * sample it. */
static int try(struct rec_list *l, struct perf_event_attr *a, int cpu,
	       struct rec_listed *item, bool *read_only)
{
	struct perf_event_attr counting;
	int errnum;

	a->disabled = 1;
	counting = *a;
	a->sample_type = PERF_SAMPLE_IP;
	if (!a->sample_period)
		a->sample_period = 1000000;
	errnum = open_once(l, a, cpu, &item->user_only);
	*read_only = errnum == EINVAL || errnum == EOPNOTSUPP;
	if (!*read_only)
		return errnum;
	errnum = open_once(l, &counting, cpu, &item->user_only);
	*read_only = !errnum;
	return errnum;
}

/* Without what could be written instead. */
static const char *other_rec(struct rec_list *l, const char *why)
{
	const char *end = strstr(why, " (");
	char needs[512];

	snprintf(needs, sizeof(needs), "a rec that understands it: %.*s",
		 (int)(end ? end - why : (ptrdiff_t)strlen(why)), why);
	return arena_dup(&l->texts, needs, strlen(needs));
}

/* Where nothing can be tried: what counts beside the cores, or not for certain
 * types of them, seldom interrupts. */
static bool only_reads(const struct rec_event *e)
{
	return e->no_tasks || (e->attr.type >= PERF_TYPE_MAX && !e->cpus.n);
}

/* 0 with *a filled, 1 with item->needs, or a failure. */
static int parse(struct rec_list *l, const char *text,
		 struct perf_event_attr *a, bool *reads,
		 struct rec_listed *item, struct err *err)
{
	struct rec_events e = { .root = l->m->root };
	struct err why = { 0 };
	int rc = rec_events_add(&e, text, &why);

	*reads = !rc && only_reads(&e.items[0]);
	*a = (struct perf_event_attr){ .type = PERF_TYPE_MAX,
				       .size = sizeof(*a) };
	if (!rc)
		*a = e.items[0].attr;
	rec_events_fini(&e);
	if (rc == ERR_NOMEM)
		return err_nomem(err);
	if (!rc)
		return 0;
	item->needs = other_rec(l, why.text);
	return item->needs ? 1 : err_nomem(err);
}

static const char *beside(struct rec_list *l, const char *name)
{
	char needs[512];

	snprintf(needs, sizeof(needs), "a sampled event beside it: "
		 "{cpu-clock,%s}:S", name);
	return arena_dup(&l->texts, needs, strlen(needs));
}

int rec_list_needs(struct rec_list *l, const char *text, int cpu,
		   struct rec_listed *item, struct err *err)
{
	struct perf_event_attr a;
	bool reads, read_only;
	int errnum, rc = parse(l, text, &a, &reads, item, err);

	if (rc)
		return rc < 0 ? rc : 0;
	errnum = try(l, &a, cpu, item, &read_only);
	if (!l->m->live && reads && !errnum)
		read_only = true;
	if (read_only) {
		item->needs = beside(l, item->name);
		return item->needs ? 0 : err_nomem(err);
	}
	if (!errnum || (item->kind == REC_LISTED_FORM &&
			!holds_for_all(l->m, errnum)))
		return 0;
	item->needs = refused(l, &a, cpu, errnum);
	return item->needs ? 0 : err_nomem(err);
}
