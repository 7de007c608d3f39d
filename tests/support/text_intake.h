/* Stands in for the input and the intake of an importer: reads from memory, and
 * writes what it is given as lines of text. To be included by one file of a
 * program; it must not be linked with the real ones. */
#ifndef TESTS_SUPPORT_TEXT_INTAKE_H
#define TESTS_SUPPORT_TEXT_INTAKE_H

#include "format/base/buf.h"
#include "record/import/importer.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

struct rec_input {
	struct span text;
	size_t at;
	size_t step; /* bytes a read gives at most; 0: any number */
	int fd;      /* of rec_input_file(); 0: none */
};

struct rec_intake {
	struct buf log;
	struct buf facts;
	size_t n_events, n_samples;
	uint64_t periods, lost, last_time;
};

ssize_t rec_input_read(struct rec_input *in, void *p, size_t n, struct err *err)
{
	size_t left = in->text.n - in->at;

	(void)err;
	if (in->step && n > in->step)
		n = in->step;
	if (n > left)
		n = left;
	if (n)
		memcpy(p, in->text.p + in->at, n);
	in->at += n;
	return (ssize_t)n;
}

int rec_input_peek(struct rec_input *in, size_t n, struct span *head,
		   struct err *err)
{
	(void)err;
	*head = span_of(in->text.p, n < in->text.n ? n : in->text.n);
	return 0;
}

int rec_input_file(struct rec_input *in, int *fd, uint64_t *size,
		   struct err *err)
{
	in->fd = memfd_create("text", MFD_CLOEXEC);
	if (in->fd < 0 || (in->text.n && write(in->fd, in->text.p, in->text.n) !=
						 (ssize_t)in->text.n))
		return err_set(err, ERR_IO, "no file in memory");
	*fd = in->fd;
	*size = in->text.n;
	return 0;
}

const char *rec_input_name(const struct rec_input *in)
{
	(void)in;
	return "text";
}

void rec_intake_fact(struct rec_intake *in, const char *key, const char *fmt,
		     ...)
{
	char value[4200];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(value, sizeof(value), fmt, ap);
	va_end(ap);
	buf_printf(&in->facts, "%s=%s\n", key, value);
}

static void text_intake_put(struct rec_intake *in, struct span s)
{
	buf_put(&in->log, s.p, s.n);
}

int rec_intake_event(struct rec_intake *in, const struct rec_event *e,
		     struct span format, size_t *index, struct err *err)
{
	*index = in->n_events++;
	buf_printf(&in->log, "event %zu %s", *index, e->name);
	if (format.n)
		buf_printf(&in->log, " %s:%s", e->system, e->tracepoint);
	buf_printf(&in->log, "%s%s\n", *e->unit ? " " : "", e->unit);
	/* Only the fields: "\tfield:s64 pid;\toffset:8;" */
	for (struct span s = format; s.n;) {
		const uint8_t *end = memchr(s.p, '\n', s.n);
		size_t n = end ? (size_t)(end - s.p) : s.n;

		if (n > 7 && memcmp(s.p, "\tfield:", 7) == 0 &&
		    !memmem(s.p, n, "common_", 7)) {
			const uint8_t *semi = memchr(s.p, ';', n);

			buf_printf(&in->log, "  %.*s\n",
				   (int)(semi - s.p - 7),
				   (const char *)s.p + 7);
		}
		s = span_of(s.p + n + !!end, s.n - n - !!end);
	}
	return buf_failed(&in->log) ? err_nomem(err) : 0;
}

int rec_intake_comm(struct rec_intake *in, int32_t pid, int32_t tid,
		    struct span comm, struct err *err)
{
	buf_printf(&in->log, "comm %d/%d ", pid, tid);
	text_intake_put(in, comm);
	buf_printf(&in->log, "\n");
	return buf_failed(&in->log) ? err_nomem(err) : 0;
}

int rec_intake_record(struct rec_intake *in, const struct rec_record *r,
		      struct err *err)
{
	buf_printf(&in->log, "record %u %d/%d @%" PRIu64 " ", r->type,
		   r->ids.pid, r->ids.tid, r->ids.time);
	if (r->type == PERF_RECORD_COMM)
		text_intake_put(in, r->comm.name);
	else
		buf_printf(&in->log, "%s%s %d/%d", r->cswitch.out ? "OUT" : "IN",
			   r->cswitch.preempt ? " preempt" : "",
			   r->cswitch.other_pid, r->cswitch.other_tid);
	buf_printf(&in->log, "\n");
	return buf_failed(&in->log) ? err_nomem(err) : 0;
}

static void text_intake_raw(struct rec_intake *in, struct span raw)
{
	uint64_t sum = 0;

	if (!raw.n)
		return;
	for (size_t i = 0; i < raw.n; i++)
		sum += raw.p[i];
	buf_printf(&in->log, " raw=%zu", raw.n);
	if (sum == UINT64_MAX)
		abort();
}

int rec_intake_named(struct rec_intake *in, size_t event,
		     const struct rec_record *r,
		     const struct rec_named_frame *frames, size_t n,
		     struct err *err)
{
	in->n_samples++;
	in->periods += r->sample.period;
	in->last_time = r->ids.time;
	buf_printf(&in->log, "sample %zu %d/%d cpu%u @%" PRIu64 " x%" PRIu64,
		   event, r->ids.pid, r->ids.tid, r->ids.cpu, r->ids.time,
		   r->sample.period);
	text_intake_raw(in, r->sample.raw);
	for (size_t i = 0; i < n; i++) {
		const struct rec_named_frame *f = &frames[i];

		buf_printf(&in->log, " <%s", f->kernel ? "k " : "");
		if (f->has_address)
			buf_printf(&in->log, "%" PRIx64 " ", f->address);
		text_intake_put(in, f->symbol);
		if (f->has_offset)
			buf_printf(&in->log, "+%" PRIx64, f->offset);
		buf_printf(&in->log, "|");
		text_intake_put(in, f->image);
		buf_printf(&in->log, ">");
	}
	buf_printf(&in->log, "\n");
	return buf_failed(&in->log) ? err_nomem(err) : 0;
}

int rec_intake_sample(struct rec_intake *in, size_t event,
		      const struct rec_record *r, bool chained, struct err *err)
{
	(void)chained;
	return rec_intake_named(in, event, r, NULL, 0, err);
}

int rec_intake_mark(struct rec_intake *in, const struct rec_ids *ids,
		    struct span text, struct err *err)
{
	buf_printf(&in->log, "mark %d @%" PRIu64 " ", ids->tid, ids->time);
	text_intake_put(in, text);
	buf_printf(&in->log, "\n");
	return buf_failed(&in->log) ? err_nomem(err) : 0;
}

void rec_intake_lost(struct rec_intake *in, enum tf_loss_kind kind, int event,
		     int cpu, uint64_t time, uint64_t count)
{
	in->lost += count;
	buf_printf(&in->log, "lost %d event%d cpu%d @%" PRIu64 " x%" PRIu64
		   "\n", (int)kind, event, cpu, time, count);
}

/* Imports a text; *in is what came of it, to be released with
 * text_intake_fini(). */
static inline int text_intake_run(struct rec_intake *in,
				  const struct rec_importer *importer,
				  const void *text, size_t n, size_t step,
				  struct err *err)
{
	struct rec_input input = { .text = span_of(text, n), .step = step };
	struct rec_import_options options = { .quiet = true };
	int rc;

	*in = (struct rec_intake){ 0 };
	rc = importer->run(&input, in, &options, err);
	if (input.fd > 0)
		close(input.fd);
	return rc;
}

static inline void text_intake_fini(struct rec_intake *in)
{
	buf_fini(&in->log);
	buf_fini(&in->facts);
}

/* A run of a fuzz target: the first byte says in pieces of which size the others
 * are read. */
static inline void text_intake_fuzz(const struct rec_importer *importer,
				    const uint8_t *data, size_t size)
{
	struct rec_intake in;
	struct err err = { 0 };
	uint8_t *copy;
	int rc;

	if (!size)
		return;
	/* In memory of its own, so that a byte too far is found. */
	copy = malloc(size > 1 ? size - 1 : 1);
	if (!copy)
		return;
	memcpy(copy, data + 1, size - 1);
	(void)importer->is(span_of(copy, size - 1));
	rc = text_intake_run(&in, importer, copy, size - 1, data[0], &err);
	/* A text is refused exactly where nothing of it could be used, and a
	 * failure says why. */
	if ((rc < 0) != (in.n_samples == 0) || (rc && !err.text[0]))
		abort();
	text_intake_fini(&in);
	free(copy);
}

#endif
