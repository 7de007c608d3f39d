/* A line of ftrace's text: "comm-pid (tgid) [cpu] flags time: event: payload",
 * or in the latency format "comm-pid cpuflags time: event: payload". */
#ifndef RECORD_IMPORT_TEXT_TRACE_LINE_H
#define RECORD_IMPORT_TEXT_TRACE_LINE_H

#include "format/base/span.h"

#include <stdbool.h>
#include <stdint.h>

/* "sys_openat(dfd: ffffff9c)", "sys_openat -> 0x3": of syscalls:sys_enter_openat
 * and sys_exit_openat. */
enum rec_text_syscall { REC_TEXT_NO_SYSCALL, REC_TEXT_ENTER, REC_TEXT_EXIT };

struct rec_text_trace_line {
	struct span comm;
	struct span flags;   /* may be empty */
	struct span event;   /* empty: `payload` is the whole message, as the
			      * function tracer's */
	struct span payload;
	int32_t tid, pid;    /* pid -1: not told */
	uint32_t cpu;
	uint64_t time;       /* ns */
	bool counted;        /* its clock is none of seconds */
	enum rec_text_syscall syscall; /* then `event` is its bare name, and
			      * `payload` the whole message */
};

/* Spans point into the line. false: it is none. */
bool rec_text_trace_line(struct span line, struct rec_text_trace_line *out);

/* The bytes common_flags and common_preempt_count of the record, as far as the
 * letters tell. */
void rec_text_trace_flags(struct span flags, uint8_t *common, uint8_t *preempt);

#endif
