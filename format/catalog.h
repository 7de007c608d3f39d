/* The tables every coltrace file may have, by fixed id. spec/tables.md names
 * each column and is tested against this. Ids from TF_TABLE_DYNAMIC on are
 * given out per file, to tracepoints. */
#ifndef FORMAT_CATALOG_H
#define FORMAT_CATALOG_H

#include "format/schema.h"

#include <stddef.h>

enum tf_table_id {
	/* definitions: ids restart with each epoch */
	TF_TABLE_STRING = 1,
	TF_TABLE_IMAGE = 2,
	TF_TABLE_PROCESS = 3,
	TF_TABLE_THREAD = 4,
	TF_TABLE_MAPPING = 5,
	TF_TABLE_EVENT = 6,
	TF_TABLE_FRAME = 7,
	TF_TABLE_STACK = 8,
	TF_TABLE_SYMBOL = 9,
	TF_TABLE_CLOCK = 10,
	TF_TABLE_FACT = 11,
	TF_TABLE_LOSS = 12,
	/* 13 cgroup: a number kept for it */
	TF_TABLE_SERIES = 14,
	TF_TABLE_TRACEPOINT = 15,
	/* 16 inline chain, 17 source line: numbers kept for them */
	TF_TABLE_MARK = 18,
	TF_TABLE_INDEX = 31,
	TF_TABLE_SAMPLE = 32,
	TF_TABLE_SWITCH = 33,
	/* 34 task, 36 aux: numbers kept for them */
	TF_TABLE_COUNTER = 35,
	TF_TABLE_USER_DUMP = 37,

	/* One a tracepoint: the columns of `sample`, then those of enum
	 * tf_payload_column, then from TF_PAYLOAD_FIRST on its own fields. */
	TF_TABLE_DYNAMIC = 256,
};

/* Column positions (and ids) of each table, in order. */
enum tf_string_column { TF_STRING_BYTES };

enum tf_image_column {
	TF_IMAGE_KIND,       /* enum tf_image_kind */
	TF_IMAGE_PATH,       /* string */
	TF_IMAGE_BUILD_ID,   /* bytes, empty: none known */
	TF_IMAGE_GENERATION, /* tells reuses of one area apart */
};
enum tf_image_kind {
	TF_IMAGE_UNKNOWN = 0, /* no mapping covered the address */
	TF_IMAGE_ELF = 1,     /* address in image = file offset */
	TF_IMAGE_KERNEL = 2,  /* offset from _text */
	TF_IMAGE_MODULE = 3,  /* offset from the module's start */
	TF_IMAGE_VDSO = 4,    /* offset in the vDSO's ELF image */
	TF_IMAGE_BPF = 5,     /* offset in the program */
	TF_IMAGE_ANON = 6,    /* memory of no file (JIT): the address itself */
	TF_IMAGE_SPECIAL = 7, /* not an address: path is what to show */
};

enum tf_process_column {
	TF_PROCESS_PID,
	TF_PROCESS_PARENT,   /* pid, 0 unknown */
	TF_PROCESS_TIME,     /* when it began or was first seen */
	TF_PROCESS_COMMAND,  /* string: arguments, NUL separated; may be empty*/
	TF_PROCESS_NS_PID,   /* pid in its own pid namespace, 0 unknown */
	TF_PROCESS_PID_NS,   /* inode of that namespace, 0 unknown */
	TF_PROCESS_CGROUP,   /* string: path of the (v2) group when first seen;
			      * empty: unknown */
	TF_PROCESS_SOURCE,   /* not of the catalog: as that of a thread */
};

enum tf_thread_column { /* a new row whenever the name changes */
	TF_THREAD_TID,
	TF_THREAD_PID,
	TF_THREAD_TIME,      /* valid from */
	TF_THREAD_COMM,      /* string */
	TF_THREAD_SOURCE,    /* not of the catalog: in traces that were merged
			      * out of several machines; source + 1 */
};

enum tf_mapping_column {
	TF_MAPPING_PID,
	TF_MAPPING_TIME,     /* valid from */
	TF_MAPPING_START,
	TF_MAPPING_SIZE,
	TF_MAPPING_OFFSET,   /* of `start` in the file */
	TF_MAPPING_IMAGE,
};

enum tf_event_column {
	TF_EVENT_NAME,       /* string, as asked for: "cpu-clock:u" */
	TF_EVENT_UNIT,       /* string: unit of the period: "ns", "" a count */
	TF_EVENT_TYPE,       /* perf_event_attr.type */
	TF_EVENT_CONFIG,     /* perf_event_attr.config */
	TF_EVENT_FREQUENCY,  /* Hz, 0: a fixed period */
	TF_EVENT_PERIOD,     /* sample_period, 0: by frequency */
	TF_EVENT_CALLCHAIN,  /* bool: stacks were asked for */
	TF_EVENT_ATTR,       /* bytes: the perf_event_attr as given */
	TF_EVENT_TABLE,      /* id of the table its rows are in, 0: sample */
	TF_EVENT_TRACEPOINT, /* tracepoint + 1 (a u64, not a reference), 0: is
			      * none */
	TF_EVENT_KEY,        /* 0, or k + 1: of the rows of event TF_EVENT_OF,
			      * those whose payload column `id` is k */
	TF_EVENT_OF,         /* event whose rows these are; own row: itself */
};

enum tf_frame_column {
	TF_FRAME_IMAGE,
	TF_FRAME_ADDRESS,    /* in the image, by its kind */
	TF_FRAME_KIND,       /* enum tf_frame_kind */
};
enum tf_frame_kind {
	TF_FRAME_EXACT = 0,  /* the instruction pointer itself */
	TF_FRAME_RETURN = 1, /* a return address: the call is just before it */
};

enum tf_stack_column { /* row 0 is the empty stack and is written */
	TF_STACK_PARENT,     /* a lower row; row 0's is itself */
	TF_STACK_FRAME,
};

/* Keyed by image content (build-id, else path) and address, for the whole
 * file: a later row replaces an earlier one that covers the same start. */
enum tf_symbol_column {
	TF_SYMBOL_IMAGE,
	TF_SYMBOL_START,     /* address in image */
	TF_SYMBOL_SIZE,      /* bytes, at least 1 */
	TF_SYMBOL_NAME,      /* demangled; empty: looked up, has no name */
	TF_SYMBOL_LINKAGE,   /* as in the ELF file; empty: same as name */
};

enum tf_clock_column { /* readings of the same moment */
	TF_CLOCK_MONOTONIC,
	TF_CLOCK_REALTIME,
	TF_CLOCK_BOOTTIME,
};

enum tf_fact_column { /* keys are listed in spec/tables.md; later row wins */
	TF_FACT_KEY,
	TF_FACT_VALUE,
};

enum tf_loss_column {
	TF_LOSS_TIME,        /* when it was noticed; it happened before */
	TF_LOSS_KIND,        /* enum tf_loss_kind */
	TF_LOSS_EVENT,       /* event + 1 (a u64, not a reference), 0: of none */
	TF_LOSS_CPU,         /* cpu + 1, 0: not known */
	TF_LOSS_COUNT,       /* events; 0: unknown number */
};
enum tf_loss_kind {
	TF_LOSS_RING = 1,     /* the kernel found the ring full */
	TF_LOSS_THROTTLED = 2, /* the kernel paused sampling; count: times */
	TF_LOSS_LATE = 3,     /* rows older than a published watermark (kept) */
	TF_LOSS_MEMORY = 4,   /* dropped by a memory cap of the recorder */
	TF_LOSS_SIDEBAND = 5, /* mmap, comm, fork records lost: names in doubt*/
	TF_LOSS_CPU_OFFLINE = 6,
	TF_LOSS_UNKNOWN_END = 7, /* kernel before 6.0: loss at the end unknown */
	TF_LOSS_DECODE = 8,   /* records that made no sense, skipped */
	TF_LOSS_SYMBOLS = 9,  /* addresses nobody could be asked about */
};

/* The format file of a tracepoint, as the recording kernel shows it. */
enum tf_tracepoint_column {
	TF_TRACEPOINT_SYSTEM, /* string: "sched" */
	TF_TRACEPOINT_NAME,  /* string: "sched_switch" */
	TF_TRACEPOINT_ID,    /* the kernel's number of it (common_type) */
	TF_TRACEPOINT_FORMAT, /* bytes: the text of its format file */
};

/* Something that a person or program said while it was recorded. */
enum tf_mark_column {
	TF_MARK_TIME,
	TF_MARK_SOURCE,      /* enum tf_mark_source */
	TF_MARK_PID,         /* who said it, 0 unknown */
	TF_MARK_TEXT,        /* string */
};

enum tf_mark_source {
	TF_MARK_COMMAND = 1, /* rec mark TEXT */
	TF_MARK_TRACER = 2,  /* a line written to trace_marker */
	TF_MARK_STDOUT = 3,  /* a line of the command's standard output */
};

/* What readings of one thing over time are of. */
enum tf_series_column {
	TF_SERIES_NAME,      /* string: the event as asked for, or the reading:
			      * "i915/rcs0-busy/", "sm-active" */
	TF_SERIES_UNIT,      /* string: of value * scale: "ns", "%", "MHz" */
	TF_SERIES_KIND,      /* enum tf_series_kind */
	TF_SERIES_SCALE,     /* f64 */
	TF_SERIES_SOURCE,    /* enum tf_series_source */
	TF_SERIES_EVENT,     /* event + 1 (a u64, not a reference), 0: of none */
	TF_SERIES_CPU,       /* cpu + 1, 0: of none or of all together */
	TF_SERIES_PID,       /* whose, 0: of no process or of all */
	TF_SERIES_DEVICE,    /* string: PCI address, else the PMU's or DRM
			      * node's name; empty: of none */
	TF_SERIES_PART,      /* string: engine, memory, clock or sensor of it */
	TF_SERIES_CLIENT,    /* drm-client-id, 0: of none */
	TF_SERIES_CAPACITY,  /* engines that `part` stands for, at least 1 */
	TF_SERIES_RUN,       /* of a repeated measurement, from 1; 0: is none */
	TF_SERIES_LABEL,     /* string: name of the process, client or driver */
	TF_SERIES_MACHINE,   /* not of the catalog: as TF_THREAD_SOURCE */
};

enum tf_series_kind { /* of two values in a row, what tells */
	TF_SERIES_COUNT = 1,    /* the difference: how much happened between */
	TF_SERIES_LEVEL = 2,    /* the later one: how it was at that moment */
	TF_SERIES_MEAN = 3,     /* the later one: the device's own mean over a
				 * time before that it does not tell */
	TF_SERIES_INTEGRAL = 4, /* the difference by the seconds between: the
				 * mean level (i915's frequencies) */
	TF_SERIES_SUM = 5,      /* the difference: the level at the later one
				 * (xe's frequencies: each reading adds it) */
};

enum tf_series_source {
	TF_SERIES_PMU = 1,
	TF_SERIES_FDINFO = 2, /* /proc/PID/fdinfo of DRM files */
	TF_SERIES_SYSFS = 3,  /* of devices, hwmon */
	TF_SERIES_NVML = 4,
	TF_SERIES_PROC = 5,
};

enum tf_counter_column {
	TF_COUNTER_TIME,     /* the middle of the reading */
	TF_COUNTER_SERIES,
	TF_COUNTER_VALUE,    /* i64, as read: not scaled, not a difference */
	TF_COUNTER_ENABLED,  /* ns since the series began, 0: not told */
	TF_COUNTER_RUNNING,  /* ns of these that it really counted */
	TF_COUNTER_TOOK,     /* ns that the reading took */
	TF_COUNTER_STATE,    /* enum tf_counter_state */
};

enum tf_counter_state {
	TF_COUNTER_READ = 0,
	TF_COUNTER_GONE = 1,  /* the last row: no longer there */
	TF_COUNTER_FAILED = 2, /* could not be read this time */
	TF_COUNTER_NONE = 3,  /* the last row: cannot be had here; the fact
			       * `counter.missing.NAME` says why */
};

enum tf_index_column { /* one row a chunk before the INDEX chunk, in order */
	TF_INDEX_OFFSET,
	TF_INDEX_SIZE,       /* header to end of padding */
	TF_INDEX_TYPE,       /* enum tf_chunk_type */
	TF_INDEX_FLAGS,      /* enum tf_chunk_flag */
	TF_INDEX_EPOCH,
	TF_INDEX_PARTS,
	TF_INDEX_T_MIN,      /* 0, 0: no times */
	TF_INDEX_T_MAX,
	TF_INDEX_TABLES,     /* bit i: has parts of table i; 63: of others */
};

enum tf_sample_column {
	TF_SAMPLE_TIME,
	TF_SAMPLE_CPU,
	TF_SAMPLE_THREAD,
	TF_SAMPLE_EVENT,
	TF_SAMPLE_PERIOD,    /* weight in the event's unit */
	TF_SAMPLE_IP,        /* frame: where the thread was */
	TF_SAMPLE_KSTACK,    /* stack: the kernel callers of ip, 0 none */
	TF_SAMPLE_USTACK,    /* stack: the user callers, 0 none */
	TF_SAMPLE_FLAGS,     /* enum tf_sample_flag */
};
/* The whole stack from the root: ustack, then kstack, then ip. */
enum tf_sample_flag {
	TF_SAMPLE_IP_IN_STACK = 1, /* ip is not a further frame: stack holds it */
	TF_SAMPLE_TRUNCATED = 2,   /* as deep as the kernel's limit: may be cut */
	TF_SAMPLE_KERNEL = 4,      /* ip was in kernel mode */
	TF_SAMPLE_GUEST = 8,       /* ip was in a guest */
	TF_SAMPLE_NO_CHAIN = 16,   /* stacks were asked for, none came */
	TF_SAMPLE_OWN = 32,        /* of the recorder itself or its helpers */
};

/* Of a tracepoint's table, behind those of `sample`. */
enum tf_payload_column {
	TF_PAYLOAD_FLAGS = 9,    /* common_flags of the record */
	TF_PAYLOAD_PREEMPT = 10, /* common_preempt_count */
	TF_PAYLOAD_FIRST = 16,   /* id of the first field's column; positions
				  * have no gap: it is at position 11 */
};
#define TF_PAYLOAD_POSITION 11

/* A thread got or left a CPU. */
enum tf_switch_column {
	TF_SWITCH_TIME,
	TF_SWITCH_CPU,
	TF_SWITCH_THREAD,
	TF_SWITCH_FLAGS,     /* enum tf_switch_flag */
	TF_SWITCH_OTHER,     /* tid + 1 of the thread before or after, 0:
			      * not known */
};

enum tf_switch_flag {
	TF_SWITCH_OUT = 1,     /* left the CPU; else: got it */
	TF_SWITCH_PREEMPT = 2, /* left it while it could have gone on */
};

/* What a sample carries of its thread's user side, to be unwound later. The
 * first columns are those of `sample`, which is how the two are joined. */
enum tf_user_dump_column {
	TF_USER_DUMP_TIME,
	TF_USER_DUMP_CPU,
	TF_USER_DUMP_THREAD,
	TF_USER_DUMP_EVENT,
	TF_USER_DUMP_ABI,    /* PERF_SAMPLE_REGS_ABI_*: 0 none, 1 32 bits,
			      * 2 64 bits */
	TF_USER_DUMP_MASK,   /* which registers, a bit each as the kernel numbers
			      * them for the machine (asm/perf_regs.h) */
	TF_USER_DUMP_REGISTERS, /* list: their values, lowest bit first */
	TF_USER_DUMP_STACK,  /* bytes: from the stack pointer on */
};

/* Rows of user_dump in a part: 64 KiB each at most. */
#define TF_USER_DUMP_ROWS 256u

/* All tables above, NULL-ended. Files announce the usual ones, which come first,
 * in any case, the others with their first row. */
extern const struct tf_table *const tf_catalog[];
extern const size_t tf_catalog_size; /* without the NULL */
extern const size_t tf_catalog_usual;

const struct tf_table *tf_catalog_table(uint32_t id); /* NULL: not there */

#endif
