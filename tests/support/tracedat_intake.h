/* Stands in for the intake in a program that includes this once: what is
 * imported of a trace.dat becomes lines of text. */
#ifndef TESTS_SUPPORT_TRACEDAT_INTAKE_H
#define TESTS_SUPPORT_TRACEDAT_INTAKE_H

#include "format/base/buf.h"
#include "record/import/importer.h"

#include <inttypes.h>
#include <linux/perf_event.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

struct rec_input {
	struct span bytes;
	int fd;
};

struct rec_intake {
	struct buf facts, log;
	struct buf format; /* of the event that was added last */
	size_t n_events, n_samples;
	bool refuse;       /* formats: they make no table */
};

int rec_input_file(struct rec_input *in, int *fd, uint64_t *size,
		   struct err *err)
{
	in->fd = memfd_create("trace.dat", MFD_CLOEXEC);
	if (in->fd < 0 || (in->bytes.n && write(in->fd, in->bytes.p,
						in->bytes.n) !=
						  (ssize_t)in->bytes.n))
		return err_set(err, ERR_IO, "no file in memory");
	*fd = in->fd;
	*size = in->bytes.n;
	return 0;
}

void rec_intake_fact(struct rec_intake *in, const char *key, const char *fmt,
		     ...)
{
	char value[4096];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(value, sizeof(value), fmt, ap);
	va_end(ap);
	buf_printf(&in->facts, "%s=%s\n", key, value);
}

int rec_intake_event(struct rec_intake *in, const struct rec_event *e,
		     struct span format, size_t *index, struct err *err)
{
	if (in->refuse && format.n)
		return err_set(err, ERR_LIMIT, "refused");
	*index = in->n_events++;
	buf_printf(&in->log, "event %zu %s (%s:%s)%s%s\n", *index, e->name,
		   e->system, e->tracepoint,
		   e->attr.sample_type & PERF_SAMPLE_CALLCHAIN ? " chained" :
								 "",
		   format.n ? "" : " bare");
	buf_clear(&in->format);
	buf_put(&in->format, format.p, format.n);
	return 0;
}

int rec_intake_comm(struct rec_intake *in, int32_t pid, int32_t tid,
		    struct span comm, struct err *err)
{
	(void)err;
	buf_printf(&in->log, "comm %d/%d '%.*s'\n", pid, tid, (int)comm.n,
		   (const char *)comm.p);
	return 0;
}

void rec_intake_clock(struct rec_intake *in, uint64_t monotonic,
		      uint64_t realtime, uint64_t boottime)
{
	buf_printf(&in->facts, "clock %" PRIu64 " %" PRIu64 " %" PRIu64 "\n",
		   monotonic, realtime, boottime);
}

int rec_intake_kallsyms(struct rec_intake *in, struct span text,
			struct err *err)
{
	(void)err;
	buf_printf(&in->log, "kallsyms %zu\n", text.n);
	return 0;
}

int rec_intake_record(struct rec_intake *in, const struct rec_record *r,
		      struct err *err)
{
	(void)err;
	buf_printf(&in->log, "map %d 0x%" PRIx64 "+0x%" PRIx64 " %.*s\n",
		   r->mmap.pid, r->mmap.start, r->mmap.size,
		   (int)r->mmap.path.n, (const char *)r->mmap.path.p);
	return 0;
}

int rec_intake_sample(struct rec_intake *in, size_t event,
		      const struct rec_record *r, bool chained,
		      struct err *err)
{
	(void)err;
	in->n_samples++;
	buf_printf(&in->log, "row %zu %d/%d cpu%u @%" PRIu64, event,
		   r->ids.pid, r->ids.tid, r->ids.cpu, r->ids.time);
	for (uint64_t i = 0; i < r->sample.n_chain; i++) {
		uint64_t word = rec_chain_word(&r->sample, i);

		if (word == (uint64_t)PERF_CONTEXT_KERNEL)
			buf_printf(&in->log, " k:");
		else if (word == (uint64_t)PERF_CONTEXT_USER)
			buf_printf(&in->log, " u:");
		else
			buf_printf(&in->log, " %" PRIx64, word);
	}
	if (chained)
		buf_printf(&in->log, " ip %" PRIx64, r->sample.ip);
	buf_printf(&in->log, " raw ");
	for (size_t i = 0; i < r->sample.raw.n; i++)
		buf_printf(&in->log, "%02x", r->sample.raw.p[i]);
	buf_printf(&in->log, "\n");
	return 0;
}

int rec_intake_mark(struct rec_intake *in, const struct rec_ids *ids,
		    struct span text, struct err *err)
{
	(void)err;
	buf_printf(&in->log, "mark %d @%" PRIu64 " '%.*s'\n", ids->tid,
		   ids->time, (int)text.n, (const char *)text.p);
	return 0;
}

void rec_intake_lost(struct rec_intake *in, enum tf_loss_kind kind, int event,
		     int cpu, uint64_t time, uint64_t count)
{
	(void)event;
	buf_printf(&in->log, "lost %d cpu%d @%" PRIu64 " x%" PRIu64 "\n",
		   (int)kind, cpu, time, count);
}

/* *in is what came of it, to be released with tracedat_intake_fini(). */
static inline int tracedat_intake_run(struct rec_intake *in, struct span bytes,
				      struct err *err)
{
	struct rec_input input = { .bytes = bytes };
	struct rec_import_options options = { .quiet = true };
	int rc = rec_import_trace_dat.run(&input, in, &options, err);

	if (input.fd > 0)
		close(input.fd);
	if (rc >= 0 && (buf_failed(&in->log) || buf_failed(&in->facts) ||
			buf_failed(&in->format)))
		return err_nomem(err);
	return rc;
}

static inline void tracedat_intake_fini(struct rec_intake *in)
{
	buf_fini(&in->facts);
	buf_fini(&in->log);
	buf_fini(&in->format);
}

#endif
