#include "analyze/gpu/show.h"

#include "analyze/gpu/lack.h"
#include "analyze/head.h"
#include "analyze/losses.h"
#include "analyze/sched/unread.h"
#include "analyze/spot.h"

#include "format/base/utf8.h"

#include <inttypes.h>
#include <string.h>

#define LACK_TEXT 320
_Static_assert(LACK_TEXT >= AN_LACK_TEXT && LACK_TEXT >= AN_UNREAD_TEXT,
	      "holds any");

int an_gpu_format(enum an_format *out, bool csv, bool json, struct err *err)
{
	return an_format_choose(out, csv, json, err);
}

typedef void put_lack(void *to, const char *text);

/* Kinds of events, those that are missing for some time, what rows contradict
 * each other in, rows that cannot be read. */
static void put_lacks(const struct an_gpu *g, put_lack *put, void *to)
{
	char line[LACK_TEXT];

	for (unsigned i = 0; i < AN_N_LACKS; i++) {
		const char *text = an_lack_text(g, (enum an_lack)i);

		if (text)
			put(to, text);
	}
	for (size_t i = 0; i < g->holes.n; i++) {
		an_lack_hole_text(&g->holes.v[i], line);
		put(to, line);
	}
	for (unsigned i = 0; i < AN_N_CONTRARIES; i++)
		if (an_contrary_text(&g->contraries, i, line))
			put(to, line);
	for (size_t i = 0; i < an_n_unread(g->t); i++) {
		const struct an_unread *u = an_unread_of(g->t, i);

		if (!u->rows)
			continue;
		an_unread_text(g->t, u, line);
		put(to, line);
	}
}

static void print_lack(void *to, const char *text)
{
	fprintf(to, "# Not in this trace: ");
	utf8_print(to, span_of(text, strlen(text)));
	putc('\n', to);
}

static void json_lack(void *to, const char *text)
{
	json_cstr(to, NULL, text);
}

void an_gpu_head_text(const struct an_gpu *g, FILE *to)
{
	struct an_lost lost;

	an_head_print(g->t, to);
	an_losses_sum(g->t, AN_NONE, &lost);
	if (lost.samples || lost.unknown)
		fprintf(to, "# Lost: %s%" PRIu64 " rows: what they would have "
			"told is unknown\n", lost.unknown ? "at least " : "",
			lost.samples);
	put_lacks(g, print_lack, to);
}

void an_gpu_head_json(const struct an_gpu *g, struct json *j)
{
	struct an_lost lost;

	an_losses_sum(g->t, AN_NONE, &lost);
	json_object(j, NULL);
	json_u64(j, "version", AN_GPU_JSON_VERSION);
	an_head_json(g->t, j);
	json_u64(j, "lost", lost.samples);
	json_bool(j, "more_lost", lost.unknown);
	json_array(j, "not_in_trace");
	put_lacks(g, json_lack, j);
	json_end_array(j);
}

static struct an_spot spot_of(const struct an_gpu_place *p)
{
	return (struct an_spot){ p->ip, p->kstack, p->ustack, p->flags };
}

void an_gpu_stack_folded(const struct an_gpu *g, const struct an_gpu_place *p,
			 struct buf *to)
{
	const struct an_spot spot = spot_of(p);

	an_spot_folded(g->t, &spot, to);
}

void an_gpu_stack_text(const struct an_gpu *g, const struct an_gpu_place *p,
		       FILE *to)
{
	const struct an_spot spot = spot_of(p);

	an_spot_text(g->t, &spot, to);
}

void an_gpu_stack_json(const struct an_gpu *g, const struct an_gpu_place *p,
		       struct json *j)
{
	const struct an_spot spot = spot_of(p);

	an_spot_json(g->t, &spot, j, "stack");
}

void an_gpu_task_text(const struct an_gpu *g, uint32_t task, uint64_t time,
		      char to[AN_TASK_TEXT])
{
	const char *name = an_task_name(&g->tasks, task, time);

	if (task == AN_NONE)
		snprintf(to, AN_TASK_TEXT, "an unknown thread");
	else if (an_task_is_idle(&g->tasks, task))
		snprintf(to, AN_TASK_TEXT, "idle");
	else
		snprintf(to, AN_TASK_TEXT, "%.40s/%" PRId32, name,
			 an_task_tid(&g->tasks, task));
}

void an_gpu_fence_text(const struct an_gpu *g, uint32_t fence, struct buf *to)
{
	const struct an_fence *f;

	if (fence >= g->fences.n) {
		buf_printf(to, "an unknown fence");
		return;
	}
	f = &g->fences.v[fence];
	if (f->driver)
		buf_printf(to, "%s ", an_text(g->t, f->driver));
	if (f->timeline)
		buf_printf(to, "%s ", an_text(g->t, f->timeline));
	buf_printf(to, "%" PRIu32 ":%" PRIu32, f->context, f->seqno);
}

void an_gpu_culprit_cells(const struct an_gpu *g, const struct an_why *w,
			  struct an_table *t)
{
	char tid[16] = "";

	if (w->who != AN_NONE)
		snprintf(tid, sizeof(tid), "%" PRId32,
			 an_task_tid(&g->tasks, w->who));
	an_table_word(t, tid);
	an_table_word(t, w->who == AN_NONE ? "" :
			 an_task_name(&g->tasks, w->who, w->piece.from));
}

void an_gpu_say_none(const struct an_gpu *g, const char *what,
		     const struct log *log)
{
	bool recorded = false;

	for (unsigned i = 0; i < AN_GPU_N_ROLES; i++)
		recorded |= g->events.recorded[i];
	log_warn(log, "no %s in '%s', or none is selected%s", what,
		 an_trace_path(g->t), recorded ? "" :
		 " (record with: rec --gpu)");
}
