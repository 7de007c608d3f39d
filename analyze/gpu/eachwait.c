#include "analyze/gpu/eachwait.h"

#include "analyze/gpu/show.h"

#include "format/base/mem.h"

#define NUMBER(key, title) { key, title, AN_CELL_U64, true, 5 }
#define MOMENT(key, title) { key, title, AN_CELL_MOMENT, true, 12 }
#define WORD(key, title) { key, title, AN_CELL_TEXT, false, 8 }

static const struct an_cell_column columns[] = {
	MOMENT("from_ns", "From"), MOMENT("to_ns", "To"),
	{ "waited_ns", "Waited", AN_CELL_TIME, true, 10 },
	MOMENT("signaled_ns", "Signalled"), NUMBER("pid", "PID"),
	NUMBER("tid", "TID"), WORD("command", "Command"),
	WORD("driver", "Driver"), WORD("timeline", "Timeline"),
	NUMBER("context", "Context"), NUMBER("seqno", "Seqno"),
	WORD("ring", "Ring of job"), WORD("how", "How"),
};

static void add_wait(struct an_table *t, const struct an_gpu *g,
		     const struct an_wait *w)
{
	static const struct an_fence none = { .job = AN_NONE };
	const struct an_fence *f = w->fence == AN_NONE ?
					   &none : &g->fences.v[w->fence];
	const struct an_thread *th = an_thread_of(g->t, w->thread);

	an_table_u64(t, w->from);
	an_table_u64(t, w->to);
	an_table_u64(t, an_wait_ns(w));
	an_table_u64(t, f->signaled);
	an_table_u64(t, an_gpu_number(th->pid));
	an_table_u64(t, an_gpu_number(th->tid));
	an_table_text(t, an_string(g->t, th->comm));
	an_table_text(t, an_string(g->t, f->driver));
	an_table_text(t, an_string(g->t, f->timeline));
	an_table_u64(t, f->context);
	an_table_u64(t, f->seqno);
	an_table_word(t, f->job == AN_NONE ? "" :
		 g->jobs.rings[g->jobs.v[f->job].ring].name);
	an_table_word(t, an_wait_kind_name(w->kind));
}

int an_waits_table(struct an_table **out, const struct an_gpu *g,
		   const struct an_selection *sel, struct err *err)
{
	int rc = an_table_new(out, columns, ARRAY_LEN(columns), err);

	for (size_t i = 0; i < g->fences.n_waits && !rc; i++)
		if (an_wait_is_selected(g, &g->fences.waits[i], sel))
			add_wait(*out, g, &g->fences.waits[i]);
	return rc;
}
