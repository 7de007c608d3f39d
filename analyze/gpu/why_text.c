#include "analyze/gpu/show.h"
#include "analyze/gpu/why.h"

#include "format/base/time.h"
#include "format/base/utf8.h"

#include <inttypes.h>

static void put_who(const struct an_gpu *g, uint32_t task, uint64_t time,
		    struct buf *to)
{
	char who[AN_TASK_TEXT];

	an_gpu_task_text(g, task, time, who);
	buf_printf(to, "%s", who);
}

/* Where it was: the function of the kernel, else the call. */
static void put_where(const struct an_gpu *g, const struct an_piece *p,
		      struct buf *to)
{
	struct span function = an_piece_function(g, p);

	if (function.n) {
		buf_printf(to, " in ");
		buf_put(to, function.p, function.n);
	} else if (p->call) {
		buf_printf(to, " in %s", p->call->name);
	}
}

static void put_waker(const struct an_gpu *g, const struct an_piece *p,
		      struct buf *to)
{
	const struct an_stretch *i = &p->state;

	if (i->waker == AN_NONE) {
		buf_printf(to, ", by whom it was woken was not recorded");
	} else if (i->by_interrupt || an_task_is_idle(&g->tasks, i->waker)) {
		buf_printf(to, ", woken by an interrupt");
	} else {
		buf_printf(to, ", woken by ");
		put_who(g, i->waker, p->to, to);
	}
}

static void put_rival(const struct an_gpu *g, const struct an_piece *p,
		      struct buf *to)
{
	if (p->rival == AN_NONE) {
		buf_printf(to, ", who had that is not known");
		return;
	}
	if (an_task_is_idle(&g->tasks, p->rival)) {
		buf_printf(to, " that was idle");
		return;
	}
	buf_printf(to, " behind ");
	put_who(g, p->rival, p->from, to);
	if (p->state.waker != AN_NONE && p->state.waker == p->rival &&
	    !p->state.by_interrupt)
		buf_printf(to, ", which had woken it");
	else if (p->taken)
		buf_printf(to, ", which had taken it");
}

static void put_fence(const struct an_why *w, const struct an_gpu *g,
		      struct buf *to)
{
	if (w->fence != AN_NONE)
		buf_printf(to, "fence ");
	an_gpu_fence_text(g, w->fence, to);
}

static void put_job(const struct an_why *w, const struct an_gpu *g,
		    struct buf *to)
{
	const struct an_job *j = &g->jobs.v[w->job];
	char time[TIME_TEXT];

	switch (w->cause) {
	case AN_CAUSE_QUEUE:
		if (!w->ahead) {
			time_format(time, j->run > j->submit ?
					  j->run - j->submit : 0);
			buf_printf(to, ", whose job was not given to ring %s "
				   "for %s by ", g->jobs.rings[j->ring].name,
				   time);
			put_who(g, w->who, j->run, to);
			break;
		}
		buf_printf(to, ", whose job was behind %" PRIu32 " of ",
			   w->ahead);
		put_who(g, w->who, j->run, to);
		buf_printf(to, " on ring %s", g->jobs.rings[j->ring].name);
		break;
	case AN_CAUSE_DEPENDENCY:
		buf_printf(to, ", whose job for ring %s was held up by ",
			   g->jobs.rings[j->ring].name);
		an_gpu_fence_text(g, an_fences_find(&g->fences, j->dep,
						    j->submit), to);
		break;
	default:
		time_format(time, j->end > j->start ? j->end - j->start : 0);
		buf_printf(to, ", whose job of ");
		put_who(g, j->task, j->submit, to);
		buf_printf(to, " ran for %s on ring %s", time,
			   g->jobs.rings[j->ring].name);
	}
}

/* Of a fence that is of no job. */
static void put_signaler(const struct an_why *w, const struct an_gpu *g,
			 struct buf *to)
{
	const struct an_fence *f = w->fence == AN_NONE ? NULL :
				   &g->fences.v[w->fence];

	if (!f || !f->signaled)
		return;
	buf_printf(to, ", signalled by ");
	if (f->in_interrupt || an_task_is_idle(&g->tasks, f->signaler))
		buf_printf(to, "an interrupt");
	else
		put_who(g, f->signaler, f->signaled, to);
}

/* What was due to several ones: how much to the one that is named. */
#define NEARLY_ALL 0.9

static bool is_nearly_all(uint64_t part_ns, uint64_t ns)
{
	return !part_ns || (double)part_ns > (double)ns * NEARLY_ALL;
}

static void put_share(const struct an_why *w, struct buf *to)
{
	char time[TIME_TEXT];

	if (is_nearly_all(w->most_ns, w->ns))
		return;
	time_format(time, w->most_ns);
	buf_printf(to, ", %s of it", time);
}

static void put_waited(const struct an_why *w, struct buf *to)
{
	uint64_t most = w->waited_ns ? w->waited_most_ns : w->ns;
	char time[TIME_TEXT];

	buf_printf(to, "waited ");
	if (!is_nearly_all(most, w->waited_ns)) {
		time_format(time, w->waited_ns);
		buf_printf(to, "%s for fences, ", time);
	}
	time_format(time, most);
	buf_printf(to, "%s%s for ", time, is_nearly_all(most, w->waited_ns) ?
					  "" : " of it");
}

void an_why_text(const struct an_why *w, const struct an_gpu *g,
		 struct buf *to)
{
	char time[TIME_TEXT];

	time_format(time, w->ns);
	switch (w->cause) {
	case AN_CAUSE_CPU:
		buf_printf(to, "computed for %s", time);
		if (w->piece.call)
			buf_printf(to, ", in %s", w->piece.call->name);
		break;
	case AN_CAUSE_RUNQ:
		buf_printf(to, "waited %s for a CPU", time);
		put_share(w, to);
		put_rival(g, &w->piece, to);
		break;
	case AN_CAUSE_BLOCKED:
		buf_printf(to, "was blocked for %s", time);
		put_share(w, to);
		put_where(g, &w->piece, to);
		put_waker(g, &w->piece, to);
		break;
	case AN_CAUSE_ASLEEP:
		buf_printf(to, "slept for %s", time);
		put_where(g, &w->piece, to);
		if (an_piece_is_mute(g, &w->piece))
			buf_printf(to, ", or was blocked: what it waited for "
				   "was not recorded");
		break;
	case AN_CAUSE_GPU:
	case AN_CAUSE_QUEUE:
	case AN_CAUSE_DEPENDENCY:
	case AN_CAUSE_FENCE:
	case AN_CAUSE_SCANOUT:
		if (w->task == AN_NONE)
			buf_printf(to, "for want of ");
		else
			put_waited(w, to);
		put_fence(w, g, to);
		if (w->job != AN_NONE)
			put_job(w, g, to);
		else
			put_signaler(w, g, to);
		break;
	case AN_CAUSE_COMMIT:
	case AN_CAUSE_READY:
	case AN_CAUSE_UNKNOWN:
	case AN_N_CAUSES:
		buf_printf(to, "did what is not known");
		break;
	}
}

static void json_task(const struct an_gpu *g, struct json *j, const char *key,
		      uint32_t task, uint64_t time)
{
	if (task == AN_NONE) {
		json_null(j, key);
		return;
	}
	json_object(j, key);
	json_i64(j, "tid", an_task_tid(&g->tasks, task));
	json_cstr(j, "command", an_task_name(&g->tasks, task, time));
	json_end_object(j);
}

static void json_fence(const struct an_gpu *g, struct json *j, const char *key,
		       uint32_t fence)
{
	const struct an_fence *f;

	if (fence >= g->fences.n) {
		json_null(j, key);
		return;
	}
	f = &g->fences.v[fence];
	json_object(j, key);
	json_text(j, "driver", an_string(g->t, f->driver));
	json_text(j, "timeline", an_string(g->t, f->timeline));
	json_u64(j, "context", f->context);
	json_u64(j, "seqno", f->seqno);
	json_end_object(j);
}

static void json_job(const struct an_gpu *g, struct json *j, const char *key,
		     uint32_t job)
{
	const struct an_job *v;

	if (job >= g->jobs.n) {
		json_null(j, key);
		return;
	}
	v = &g->jobs.v[job];
	json_object(j, key);
	json_cstr(j, "ring", g->jobs.rings[v->ring].name);
	json_u64(j, "submit_ns", v->submit);
	json_u64(j, "run_ns", v->run);
	json_u64(j, "start_ns", v->start);
	json_u64(j, "end_ns", v->end);
	json_task(g, j, "by", v->task, v->submit);
	json_end_object(j);
}

void an_why_json(const struct an_why *w, const struct an_gpu *g,
		 struct json *j)
{
	json_cstr(j, "cause", an_cause_name(w->cause));
	json_cstr(j, "confidence", an_confidence_name(w->confidence));
	json_u64(j, "took_ns", w->ns);
	json_u64(j, "most_ns", w->most_ns ? w->most_ns : w->ns);
	json_u64(j, "from_ns", w->piece.from);
	json_u64(j, "to_ns", w->piece.to);
	json_task(g, j, "thread", w->task, w->piece.from);
	json_task(g, j, "culprit", w->who, w->piece.from);
	json_fence(g, j, "fence", w->fence);
	json_job(g, j, "job", w->job);
}

static void piece_text(const struct an_piece *p, const struct an_gpu *g,
		       struct buf *to)
{
	buf_printf(to, "%s", an_doing_name(p->what));
	switch (p->what) {
	case AN_DOES_RUN:
		buf_printf(to, " on CPU %" PRIu32, p->state.cpu);
		if (p->call)
			buf_printf(to, " in %s", p->call->name);
		break;
	case AN_DOES_QUEUE:
		put_rival(g, p, to);
		break;
	case AN_DOES_BLOCK:
	case AN_DOES_SLEEP:
		put_where(g, p, to);
		put_waker(g, p, to);
		break;
	case AN_DOES_FENCE:
		buf_u8(to, ' ');
		an_gpu_fence_text(g, g->fences.waits[p->wait].fence, to);
		break;
	default:
		break;
	}
}

/* Shorter pieces explain nothing; they are counted. */
#define SHOWN_NS 500000u

void an_evidence_text(const struct an_account *a, const struct an_gpu *g,
		      FILE *to)
{
	uint64_t hidden = 0;
	size_t n = 0;
	struct buf line;

	buf_init(&line, 0);
	for (size_t i = 0; i < a->n; i++) {
		const struct an_piece *p = &a->v[i];
		char time[TIME_TEXT];

		if (p->to - p->from < SHOWN_NS) {
			hidden += p->to - p->from;
			n++;
			continue;
		}
		buf_clear(&line);
		piece_text(p, g, &line);
		time_format(time, p->to - p->from);
		fprintf(to, "    %14.6f %10s  ", (double)p->from / 1e9, time);
		utf8_print(to, span_of(line.p, line.n));
		putc('\n', to);
	}
	if (n) {
		char time[TIME_TEXT];

		time_format(time, hidden);
		fprintf(to, "    %14s %10s  %zu shorter piece%s\n", "", time, n,
			n == 1 ? "" : "s");
	}
	buf_fini(&line);
}

void an_evidence_json(const struct an_account *a, const struct an_gpu *g,
		      struct json *j)
{
	struct buf line;

	buf_init(&line, 0);
	json_array(j, "evidence");
	for (size_t i = 0; i < a->n; i++) {
		const struct an_piece *p = &a->v[i];

		buf_clear(&line);
		piece_text(p, g, &line);
		json_object(j, NULL);
		json_u64(j, "from_ns", p->from);
		json_u64(j, "to_ns", p->to);
		json_cstr(j, "doing", an_doing_name(p->what));
		json_text(j, "text", span_of(line.p, line.n));
		json_end_object(j);
	}
	json_end_array(j);
	buf_fini(&line);
}
