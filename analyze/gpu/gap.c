#include "analyze/gpu/gap.h"

#include "analyze/gpu/show.h"

#include "format/base/mem.h"
#include "format/base/time.h"
#include "format/base/utf8.h"

#include <inttypes.h>
#include <string.h>

static uint32_t ring_at(const struct an_gpu *g, size_t at)
{
	return g->jobs.v[g->jobs.by_ring[at]].ring;
}

static size_t n_ran(const struct an_gpu *g)
{
	size_t n = 0;

	for (size_t i = 0; i < g->jobs.n_rings; i++)
		n += g->jobs.rings[i].n_jobs;
	return n;
}

/* Jobs of a ring stand by their begin, and one that began later may not have
 * ended later where several were in flight. */
static uint32_t last_before(const struct an_gpu *g, size_t at)
{
	uint32_t last = g->jobs.by_ring[at - 1];

	for (size_t i = at - 1; i-- > 0 && ring_at(g, i) == ring_at(g, at);) {
		uint32_t job = g->jobs.by_ring[i];

		if (g->jobs.v[job].end <= g->jobs.v[last].start)
			break;
		if (g->jobs.v[job].end > g->jobs.v[last].end)
			last = job;
	}
	return last;
}

bool an_gap_next(const struct an_gpu *g, uint64_t min_ns, size_t *at,
		 struct an_gap *out)
{
	size_t n = n_ran(g);

	for (; *at < n; ++*at) {
		const struct an_job *next, *before;
		uint32_t last;

		if (!*at || ring_at(g, *at - 1) != ring_at(g, *at))
			continue;
		last = last_before(g, *at);
		before = &g->jobs.v[last];
		next = &g->jobs.v[g->jobs.by_ring[*at]];
		if (next->start <= before->end ||
		    next->start - before->end < min_ns ||
		    an_trace_breaks_in(g->t, before->end, next->start))
			continue;
		*out = (struct an_gap){
			.ring = next->ring, .before = last,
			.next = g->jobs.by_ring[*at],
			.from = before->end, .to = next->start,
		};
		++*at;
		return true;
	}
	return false;
}

/* The thread of the scheduler that hands jobs over: did it wait for a CPU? */
static int blame_runner(struct an_gap *gap, const struct an_gpu *g,
			uint64_t from, bool *found, struct err *err)
{
	const struct an_job *j = &g->jobs.v[gap->next];
	uint64_t most = (j->run - from) / 2;
	struct an_account a;
	struct an_why why = { 0 };
	int rc;

	*found = false;
	if (j->runner == AN_NONE)
		return 0;
	rc = an_account_make(&a, g, j->runner, from, j->run, err);
	if (!rc)
		an_why_make(&why, g, &a, most);
	*found = !rc && why.cause == AN_CAUSE_RUNQ &&
		 why.confidence == AN_HIGH;
	if (*found)
		rc = an_parts_account(&gap->parts, g, &a, most, err);
	if (*found && j->run - from > gap->why.ns) {
		an_account_fini(&gap->account);
		gap->account = a;
		gap->why = why;
		return rc;
	}
	an_account_fini(&a);
	return rc;
}

/* The job that it depends on, and its fence; AN_NONE: not known. */
static uint32_t dependency(const struct an_gpu *g, const struct an_job *j,
			   uint32_t *fence)
{
	*fence = j->depends ? an_fences_find(&g->fences, j->dep, j->submit) :
			      AN_NONE;
	return *fence == AN_NONE ? AN_NONE : g->fences.v[*fence].job;
}

/* The job was there and not handed over. */
static int blame_hand_over(struct an_gap *gap, const struct an_gpu *g,
			   uint64_t from, struct err *err)
{
	const struct an_job *j = &g->jobs.v[gap->next];
	uint32_t fence, job = dependency(g, j, &fence);
	struct an_why w = {
		.cause = AN_CAUSE_DEPENDENCY,
		.confidence = j->depends ? AN_HIGH : AN_LOW,
		.task = j->task, .who = AN_NONE,
		.job = gap->next, .fence = j->fence,
		.ns = j->run - from,
		.piece = { .from = from, .to = j->run },
	};

	if (job != AN_NONE)
		w.who = g->jobs.v[job].task;
	if (w.ns > gap->why.ns)
		gap->why = w;
	return an_parts_add(&gap->parts, &w, err);
}

static int explain_submitter(struct an_gap *gap, const struct an_gpu *g,
			     uint64_t until, struct err *err)
{
	uint64_t late = (until - gap->from) / 2;
	int rc = an_account_make(&gap->account, g, g->jobs.v[gap->next].task,
				 gap->from, until, err);

	if (rc)
		return rc;
	an_why_make(&gap->why, g, &gap->account, late);
	return an_parts_account(&gap->parts, g, &gap->account, late, err);
}

int an_gap_explain(struct an_gap *gap, const struct an_gpu *g,
		   struct err *err)
{
	const struct an_job *j = &g->jobs.v[gap->next];
	uint64_t submit = j->submit < gap->to ? j->submit : gap->to;
	uint64_t from = submit > gap->from ? submit : gap->from;
	bool found = false;
	int rc = 0;

	gap->why = (struct an_why){ .task = AN_NONE, .who = AN_NONE,
				    .fence = AN_NONE, .job = AN_NONE };
	if (!j->submit || j->task == AN_NONE)
		return 0;
	if (from > gap->from)
		rc = explain_submitter(gap, g, from, err);
	if (!rc && j->run > from && !j->depends)
		rc = blame_runner(gap, g, from, &found, err);
	if (!rc && j->run > from && !found)
		rc = blame_hand_over(gap, g, from, err);
	/* It may have gone on for longer. */
	if (j->guessed_run)
		gap->why.confidence = AN_LOW;
	an_parts_settle(&gap->parts, (gap->to - gap->from) / 10);
	/* A job that kept the ring busy may be missing. */
	if (an_lossy_in(&g->lossy, gap->from, gap->to))
		an_parts_doubt(&gap->parts, &gap->why);
	return rc;
}

void an_gap_fini(struct an_gap *gap)
{
	an_account_fini(&gap->account);
	an_parts_fini(&gap->parts);
}

static void job_text(const struct an_job *j, const struct an_gpu *g, FILE *to)
{
	char who[AN_TASK_TEXT], time[TIME_TEXT];

	an_gpu_task_text(g, j->task, j->start, who);
	time_format(time, j->end - j->start);
	fprintf(to, "    %14.6f %10s  job of ", (double)j->start / 1e9, time);
	utf8_print(to, span_of(who, strlen(who)));
	fputs(" on ring ", to);
	utf8_print(to, span_of(g->jobs.rings[j->ring].name,
			       strlen(g->jobs.rings[j->ring].name)));
	putc('\n', to);
}

void an_gap_evidence(const struct an_gap *gap, const struct an_gpu *g, FILE *to)
{
	uint32_t fence, job = dependency(g, &g->jobs.v[gap->next], &fence);

	if (job != AN_NONE && g->jobs.v[job].start)
		job_text(&g->jobs.v[job], g, to);
	an_evidence_text(&gap->account, g, to);
}

static void put_dependency(const struct an_gap *gap, const struct an_gpu *g,
			   struct buf *to)
{
	const struct an_job *j = &g->jobs.v[gap->next];
	uint32_t fence, job = dependency(g, j, &fence);

	buf_printf(to, "the job was submitted and not handed over: ");
	if (!j->depends) {
		buf_printf(to, "what held it up was not recorded");
		return;
	}
	buf_printf(to, "it depends on %s", fence == AN_NONE ? "" : "fence ");
	an_gpu_fence_text(g, fence, to);
	if (job != AN_NONE)
		buf_printf(to, " of a job on ring %s",
			   g->jobs.rings[g->jobs.v[job].ring].name);
}

void an_gap_part_text(const struct an_why *w, const struct an_gap *gap,
		      const struct an_gpu *g, struct buf *to)
{
	const struct an_job *j = &g->jobs.v[gap->next];
	char who[AN_TASK_TEXT];

	if (w->cause == AN_CAUSE_UNKNOWN) {
		buf_printf(to, "what its submitter did is not known");
	} else if (w->cause == AN_CAUSE_DEPENDENCY && w->job == gap->next) {
		put_dependency(gap, g, to);
	} else if (w->task != j->task) {
		an_gpu_task_text(g, w->task, j->run, who);
		buf_printf(to, "the job was submitted, and %s, which hands it "
			   "over, ", who);
		an_why_text(w, g, to);
	} else {
		buf_printf(to, "it ");
		an_why_text(w, g, to);
	}
}

void an_gap_text(const struct an_gap *gap, const struct an_gpu *g,
		 struct buf *to)
{
	const struct an_job *j = &g->jobs.v[gap->next];
	char who[AN_TASK_TEXT], time[TIME_TEXT];

	time_format(time, gap->to - gap->from);
	an_gpu_task_text(g, j->task, j->submit, who);
	buf_printf(to, "ring %s was idle for %s until a job of %s came: ",
		   g->jobs.rings[gap->ring].name, time, who);
	an_gap_part_text(&gap->why, gap, g, to);
	buf_printf(to, " (confidence %s)",
		   an_confidence_name(gap->why.confidence));
}
