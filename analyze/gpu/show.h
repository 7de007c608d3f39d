/* What the commands about GPUs print alike. */
#ifndef ANALYZE_GPU_SHOW_H
#define ANALYZE_GPU_SHOW_H

#include "analyze/gpu/model.h"
#include "analyze/gpu/why.h"
#include "analyze/out/table.h"

#include "format/base/buf.h"
#include "format/base/json.h"

#define AN_GPU_JSON_VERSION 1

/* ERR_USAGE: both. */
int an_gpu_format(enum an_format *out, bool csv, bool json, struct err *err);

/* "# " lines: the trace, and what it cannot tell of GPUs. */
void an_gpu_head_text(const struct an_gpu *g, FILE *to);
/* Opens the object and says the same. */
void an_gpu_head_json(const struct an_gpu *g, struct json *j);

/* Where a row was, leaf first. */
struct an_gpu_place { uint32_t ip, kstack, ustack; uint8_t flags; };

/* "root;…;leaf" appended to `to`; nothing where no stack is known. */
void an_gpu_stack_folded(const struct an_gpu *g, const struct an_gpu_place *p,
			 struct buf *to);
/* Lines below a row, the leaf first. */
void an_gpu_stack_text(const struct an_gpu *g, const struct an_gpu_place *p,
		       FILE *to);
void an_gpu_stack_json(const struct an_gpu *g, const struct an_gpu_place *p,
		       struct json *j);

/* Of a thread that is not known: 0. */
static inline uint64_t an_gpu_number(int32_t pid)
{
	return pid < 0 ? 0 : (uint64_t)pid;
}

/* "comm/tid" as it was at that time. */
#define AN_TASK_TEXT 64
void an_gpu_task_text(const struct an_gpu *g, uint32_t task, uint64_t time,
		      char to[AN_TASK_TEXT]);
/* "drm_sched gfx 30:21", its driver, timeline, context and seqno. */
void an_gpu_fence_text(const struct an_gpu *g, uint32_t fence, struct buf *to);

/* Two cells: the thread to blame, its id and name; empty where it is none. */
void an_gpu_culprit_cells(const struct an_gpu *g, const struct an_why *w,
			  struct an_table *t);

/* Nothing about GPUs is in the trace: says what would have to be recorded. */
void an_gpu_say_none(const struct an_gpu *g, const char *what,
		     const struct log *log);

#endif
