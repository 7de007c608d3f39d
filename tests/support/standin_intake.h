/* Stands in for the intake in a program that includes this once: what an
 * importer gives becomes lines of text. Such a program needs nothing else of
 * record/import/intake*.c. */
#ifndef TESTS_SUPPORT_STANDIN_INTAKE_H
#define TESTS_SUPPORT_STANDIN_INTAKE_H

#include "record/import/intake.h"

#include <inttypes.h>
#include <linux/perf_event.h>
#include <stdarg.h>
#include <stdio.h>

struct rec_intake {
	FILE *to;       /* NULL: nobody reads it */
	size_t n_events;
	uint64_t samples;
};

static void intake_text(struct rec_intake *in, struct span s)
{
	if (in->to)
		fprintf(in->to, " '%.*s'", (int)s.n, (const char *)s.p);
}

static void intake_hex(struct rec_intake *in, struct span s)
{
	for (size_t i = 0; i < s.n; i++)
		fprintf(in->to, "%02x", s.p[i]);
}

void rec_intake_fact(struct rec_intake *in, const char *key, const char *fmt,
		     ...)
{
	va_list ap;

	if (!in->to)
		return;
	fprintf(in->to, "fact %s ", key);
	va_start(ap, fmt);
	vfprintf(in->to, fmt, ap);
	va_end(ap);
	fputc('\n', in->to);
}

int rec_intake_event(struct rec_intake *in, const struct rec_event *e,
		     struct span format, size_t *index, struct err *err)
{
	(void)err;
	*index = in->n_events++;
	if (in->to)
		fprintf(in->to, "event %zu '%s' %s:%s format %zu\n", *index,
			e->name, e->system ? e->system : "",
			e->tracepoint ? e->tracepoint : "", format.n);
	return 0;
}

int rec_intake_build_id(struct rec_intake *in, enum tf_image_kind kind,
			struct span path, struct span build_id,
			struct err *err)
{
	(void)err;
	if (!in->to)
		return 0;
	fprintf(in->to, "build-id %d ", (int)kind);
	for (size_t i = 0; i < build_id.n; i++)
		fprintf(in->to, "%02x", build_id.p[i]);
	intake_text(in, path);
	fputc('\n', in->to);
	return 0;
}

int rec_intake_comm(struct rec_intake *in, int32_t pid, int32_t tid,
		    struct span comm, struct err *err)
{
	(void)err;
	if (!in->to)
		return 0;
	fprintf(in->to, "comm %d/%d", pid, tid);
	intake_text(in, comm);
	fputc('\n', in->to);
	return 0;
}

void rec_intake_clock(struct rec_intake *in, uint64_t monotonic,
		      uint64_t realtime, uint64_t boottime)
{
	if (in->to)
		fprintf(in->to, "clock %" PRIu64 " %" PRIu64 " %" PRIu64 "\n",
			monotonic, realtime, boottime);
}

static void intake_body(struct rec_intake *in, const struct rec_record *r)
{
	switch (r->type) {
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2:
		fprintf(in->to, " %d/%d 0x%" PRIx64 "+0x%" PRIx64 " @0x%" PRIx64
			" prot %" PRIu32 " id ", r->mmap.pid, r->mmap.tid,
			r->mmap.start, r->mmap.size, r->mmap.offset,
			r->mmap.prot);
		for (size_t i = 0; i < r->mmap.build_id_size; i++)
			fprintf(in->to, "%02x", r->mmap.build_id[i]);
		intake_text(in, r->mmap.path);
		break;
	case PERF_RECORD_COMM:
		fprintf(in->to, " %d/%d %d", r->comm.pid, r->comm.tid,
			r->comm.exec);
		intake_text(in, r->comm.name);
		break;
	case PERF_RECORD_FORK:
	case PERF_RECORD_EXIT:
		fprintf(in->to, " %d/%d of %d/%d", r->task.pid, r->task.tid,
			r->task.parent_pid, r->task.parent_tid);
		break;
	case PERF_RECORD_KSYMBOL:
		fprintf(in->to, " 0x%" PRIx64 "+0x%" PRIx32, r->ksymbol.address,
			r->ksymbol.size);
		intake_text(in, r->ksymbol.name);
		break;
	case PERF_RECORD_NAMESPACES:
		fprintf(in->to, " %d/%d pid ns %" PRIu64, r->namespaces.pid,
			r->namespaces.tid, r->namespaces.pid_ns);
		break;
	case PERF_RECORD_CGROUP:
		fprintf(in->to, " %" PRIu64, r->cgroup.id);
		intake_text(in, r->cgroup.path);
		break;
	case PERF_RECORD_SWITCH_CPU_WIDE:
		fprintf(in->to, " other %d/%d", r->cswitch.other_pid,
			r->cswitch.other_tid);
		break;
	default:
		break;
	}
}

int rec_intake_record(struct rec_intake *in, const struct rec_record *r,
		      struct err *err)
{
	(void)err;
	if (!in->to)
		return 0;
	fprintf(in->to, "record %" PRIu32 " misc %u time %" PRIu64
		" by %d/%d cpu %" PRIu32, r->type, r->misc, r->ids.time,
		r->ids.pid, r->ids.tid, r->ids.cpu);
	intake_body(in, r);
	fputc('\n', in->to);
	return 0;
}

int rec_intake_sample(struct rec_intake *in, size_t event,
		      const struct rec_record *r, bool chained,
		      struct err *err)
{
	(void)err;
	in->samples++;
	if (!in->to)
		return 0;
	fprintf(in->to, "sample %zu misc %u time %" PRIu64 " of %d/%d cpu %"
		PRIu32 " period %" PRIu64 " ip 0x%" PRIx64 "%s", event, r->misc,
		r->ids.time, r->ids.pid, r->ids.tid, r->ids.cpu,
		r->sample.period, r->sample.ip, chained ? " chain" : "");
	for (uint64_t i = 0; i < r->sample.n_chain; i++)
		fprintf(in->to, " 0x%" PRIx64, rec_chain_word(&r->sample, i));
	if (r->sample.cgroup)
		fprintf(in->to, " cgroup %" PRIu64, r->sample.cgroup);
	if (r->sample.raw.n) {
		fputs(" raw ", in->to);
		intake_hex(in, r->sample.raw);
	}
	fputc('\n', in->to);
	return 0;
}

int rec_intake_dump(struct rec_intake *in, size_t event,
		    const struct rec_record *r, uint64_t mask, struct err *err)
{
	(void)err;
	if (!in->to)
		return 0;
	fprintf(in->to, "dump %zu time %" PRIu64 " mask 0x%" PRIx64 " regs ",
		event, r->ids.time, mask);
	intake_hex(in, r->sample.user_regs);
	fputs(" stack ", in->to);
	intake_hex(in, r->sample.user_stack);
	fputc('\n', in->to);
	return 0;
}

int rec_intake_kallsyms(struct rec_intake *in, struct span text,
			struct err *err)
{
	(void)err;
	if (in->to)
		fprintf(in->to, "kallsyms %zu\n", text.n);
	return 0;
}

void rec_intake_lost(struct rec_intake *in, enum tf_loss_kind kind, int event,
		     int cpu, uint64_t time, uint64_t count)
{
	if (in->to)
		fprintf(in->to, "lost kind %d event %d cpu %d time %" PRIu64
			" count %" PRIu64 "\n", (int)kind, event, cpu, time,
			count);
}

#endif
