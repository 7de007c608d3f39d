#include "record/import/perfdata/runs.h"

#include "format/io.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Holds the largest record and what stands before it. */
#define WINDOW ((size_t)256 << 10)

/* In front of each record: time, its place in the input, its size. */
#define HEAD 20u

void rec_pd_runs_fini(struct rec_pd_runs *r)
{
	for (size_t i = 0; i < REC_PD_RUNS_MAX; i++)
		free(r->items[i].window);
	free(r->out);
	if (r->open)
		close(r->fd);
	*r = (struct rec_pd_runs){ 0 };
}

static int open_file(struct rec_pd_runs *r, struct err *err)
{
	int fd = tf_temporary_file(err);

	if (fd < 0)
		return err_in(err, fd, "records out of order");
	r->fd = fd;
	r->open = true;
	return 0;
}

static int write_out(struct rec_pd_runs *r, struct err *err)
{
	size_t done = 0;

	while (done < r->filled) {
		ssize_t w = pwrite(r->fd, r->out + done, r->filled - done,
				   (off_t)r->size);

		if (w < 0 && errno == EINTR)
			continue;
		if (w < 0)
			return err_sys(err, errno, "cannot write the temporary "
				       "file for records out of order");
		done += (size_t)w;
		r->size += (uint64_t)w;
	}
	r->filled = 0;
	return 0;
}

static int fill(struct rec_pd_runs *r, struct rec_pd_run *run, struct err *err)
{
	size_t waits = run->filled - run->from, want = WINDOW - waits;

	memmove(run->window, run->window + run->from, waits);
	run->from = 0;
	run->filled = waits;
	if (want > run->end - run->at)
		want = (size_t)(run->end - run->at);
	while (want) {
		ssize_t n = pread(r->fd, run->window + run->filled, want,
				  (off_t)run->at);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return err_sys(err, n ? errno : EIO, "cannot read the "
				       "temporary file for records out of "
				       "order");
		run->at += (uint64_t)n;
		run->filled += (size_t)n;
		want -= (size_t)n;
	}
	return 0;
}

/* 1: the run is at its end. */
static int find_head(struct rec_pd_runs *r, struct rec_pd_run *run,
		     struct err *err)
{
	struct rec_pd_head h = { 0 };
	struct span s;
	uint32_t size = 0;
	int rc;

	for (;;) {
		s = span_of(run->window + run->from, run->filled - run->from);
		if (span_u64(&s, &h.time) && span_u64(&s, &h.at) &&
		    span_u32(&s, &size) && span_take(&s, size, &h.record)) {
			run->head = h;
			run->has_head = true;
			return 0;
		}
		if (run->at == run->end)
			return 1;
		rc = fill(r, run, err);
		if (rc)
			return rc;
	}
}

static void drop(struct rec_pd_runs *r, size_t i)
{
	free(r->items[i].window);
	memmove(&r->items[i], &r->items[i + 1],
		(r->n - i - 1) * sizeof(r->items[0]));
	r->n--;
	r->items[r->n] = (struct rec_pd_run){ 0 };
}

/* The lowest of the runs from `first` on. */
static int lowest(struct rec_pd_runs *r, size_t first, struct rec_pd_head *out,
		  struct err *err)
{
	const struct rec_pd_run *best = NULL;

	for (size_t i = first; i < r->n;) {
		struct rec_pd_run *run = &r->items[i];
		int rc = run->has_head ? 0 : find_head(r, run, err);

		if (rc < 0)
			return rc;
		if (rc) {
			drop(r, i);
			continue;
		}
		if (!best || run->head.time < best->head.time)
			best = run;
		i++;
	}
	if (!best)
		return 1;
	*out = best->head;
	out->run = (size_t)(best - r->items);
	return 0;
}

int rec_pd_runs_peek(struct rec_pd_runs *r, struct rec_pd_head *out,
		     struct err *err)
{
	int rc = lowest(r, 0, out, err);

	/* Nothing waits: the file begins anew. */
	if (rc == 1 && r->size) {
		r->size = 0;
		if (ftruncate(r->fd, 0) < 0)
			return err_sys(err, errno, "cannot cut the temporary "
				       "file for records out of order");
	}
	return rc;
}

void rec_pd_runs_next(struct rec_pd_runs *r, const struct rec_pd_head *head)
{
	r->items[head->run].from += HEAD + head->record.n;
	r->items[head->run].has_head = false;
}

int rec_pd_runs_put(struct rec_pd_runs *r, uint64_t time, uint64_t at,
		    struct span record, struct err *err)
{
	uint32_t size = (uint32_t)record.n;
	uint8_t *p;
	int rc;

	if (WINDOW - r->filled < HEAD + record.n) {
		rc = write_out(r, err);
		if (rc)
			return rc;
	}
	p = r->out + r->filled;
	for (unsigned i = 0; i < 8; i++) {
		p[i] = (uint8_t)(time >> 8 * i);
		p[8 + i] = (uint8_t)(at >> 8 * i);
	}
	for (unsigned i = 0; i < 4; i++)
		p[16 + i] = (uint8_t)(size >> 8 * i);
	memcpy(p + HEAD, record.p, record.n);
	r->filled += HEAD + record.n;
	return 0;
}

/* Merges the runs from `first` on into one, which takes their place. */
static int merge(struct rec_pd_runs *r, size_t first, struct err *err)
{
	struct rec_pd_run into = { .at = r->size };
	struct rec_pd_head h;
	int rc;

	into.level = r->items[first].level + 1;
	into.window = malloc(WINDOW);
	if (!into.window)
		return err_nomem(err);
	while (!(rc = lowest(r, first, &h, err))) {
		rc = rec_pd_runs_put(r, h.time, h.at, h.record, err);
		if (rc)
			break;
		rec_pd_runs_next(r, &h);
	}
	if (rc >= 0)
		rc = write_out(r, err);
	if (rc) {
		free(into.window);
		return rc;
	}
	into.end = r->size;
	r->items[r->n++] = into;
	return 0;
}

/* Those at the end that were merged least; never fewer than two. */
static size_t mergeable(const struct rec_pd_runs *r)
{
	size_t i = r->n - 1;

	while (i > 0 && (r->items[i - 1].level <= r->items[r->n - 1].level ||
			 i == r->n - 1))
		i--;
	return i;
}

int rec_pd_runs_begin(struct rec_pd_runs *r, struct err *err)
{
	int rc = r->open ? 0 : open_file(r, err);

	if (!rc && !r->out) {
		r->out = malloc(WINDOW);
		rc = r->out ? 0 : err_nomem(err);
	}
	if (!rc && r->n == REC_PD_RUNS_MAX)
		rc = merge(r, mergeable(r), err);
	if (rc)
		return rc;
	r->items[r->n] = (struct rec_pd_run){ .at = r->size };
	r->items[r->n].window = malloc(WINDOW);
	return r->items[r->n].window ? 0 : err_nomem(err);
}

int rec_pd_runs_end(struct rec_pd_runs *r, struct err *err)
{
	int rc = write_out(r, err);

	if (rc)
		return rc;
	r->items[r->n].end = r->size;
	r->n++;
	return 0;
}
