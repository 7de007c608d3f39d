#include "analyze/dump/switches.h"

#include "format/base/buf.h"
#include "format/catalog.h"

#include <inttypes.h>

int an_switches_init(struct an_switches *s, const struct an_trace *t,
		     struct err *err)
{
	*s = (struct an_switches){ .t = t };
	for (uint32_t i = 0; i < an_n_threads(t); i++) {
		const struct an_thread *th = an_thread_of(t, i);
		bool is_new;
		uint32_t *pid = map64_put(&s->pids, map64_pair(th->source,
					  (uint32_t)th->tid), 0, &is_new);

		if (!pid)
			return err_nomem(err);
		*pid = (uint32_t)th->pid;
	}
	return 0;
}

void an_switches_fini(struct an_switches *s)
{
	map64_fini(&s->pids);
}

/* The row's `other` is the thread's id + 1. */
static uint32_t other_tid(const struct an_sample *row)
{
	return (uint32_t)(row->period - 1);
}

void an_switch_text(const struct an_switches *s, const struct an_sample *row,
		    struct buf *to)
{
	bool out = row->flags & TF_SWITCH_OUT;
	const char *how = !out ? "IN         " :
			  row->flags & TF_SWITCH_PREEMPT ? "OUT preempt" :
							   "OUT        ";
	uint32_t source = an_thread_of(s->t, row->thread)->source, pid;

	if (!row->period) {
		buf_printf(to, "PERF_RECORD_SWITCH %s", how);
		return;
	}
	if (!map64_get(&s->pids, map64_pair(source, other_tid(row)), &pid))
		pid = other_tid(row);
	buf_printf(to, "PERF_RECORD_SWITCH_CPU_WIDE %s  %s pid/tid: %5" PRIu32
		   "/%-5" PRIu32, how, out ? "next" : "prev", pid,
		   other_tid(row));
}

void an_switch_json(const struct an_sample *row, struct json *j)
{
	bool out = row->flags & TF_SWITCH_OUT;

	json_cstr(j, "switch", out ? "out" : "in");
	json_bool(j, "preempt", row->flags & TF_SWITCH_PREEMPT);
	if (row->period)
		json_u64(j, out ? "next_tid" : "prev_tid", other_tid(row));
}
